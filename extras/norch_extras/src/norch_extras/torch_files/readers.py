"""torch.save's files: a zip archive with a pickle and storages in it, or, before 1.6, pickles.

Called by stage 5's `load`, once registered. Reads the storages, each once, and lets unpickler.py
make the object; a zip entry is used as it lies in the file, so what is read is never more than what
the file holds.
"""

from __future__ import annotations

import io
import mmap
import struct
import zipfile
import zlib
from typing import Any, BinaryIO

from norch_autograd import Tensor, empty, frombuffer, uint8
from norch_cpu_ops import DType
from norch_extras.torch_files.torch_names import (
    FUNCTIONS,
    TYPED,
    UNTYPED,
    Stored,
    known_dtype,
    value_of,
)
from norch_extras.torch_files.unpickler import LARGEST, Unpickler
from norch_nn.serialization.files import LoadError, Place, make_true, read_elements

MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001  # of the older files
CACHE_PIECE = 1 << 18  # bytes that a processor's second cache holds
LOCAL_HEADER = struct.Struct("<4s22xHH")  # of a zip entry: the signature, two lengths at its end


def read_zip(file: BinaryIO, place: Place, mapped: bool) -> Any:
    """Return the object in a file of PyTorch 1.6 or later; its tensors lie where `place` puts them.

    `mapped` leaves the storages in the file until they are looked at.
    """
    archive = Archive(file)
    order = archive.text("byteorder", "little")
    if order not in ("little", "big"):
        raise LoadError(f"its byte order is {order[:20]!r}")
    storages: dict[str, tuple[tuple[Any, ...], Stored]] = {}

    def persistent_load(saved: Any) -> Stored:
        name, dtype, key, location, count = storage_id(saved, 5)
        found = storages.get(key)
        if found is None:
            line = archive.line(f"data/{key}", dtype, count, order, mapped)
            found = storages[key] = ((name, count), Stored(place(line, location)))
        if found[0] != (name, count):
            raise LoadError(f"its storage {key[:20]!r} is described in two ways")
        return found[1]

    pickle = io.BytesIO(archive.bytes("data.pkl", LARGEST))
    return Unpickler(FUNCTIONS, value_of, persistent_load).load(pickle)


def storage_id(saved: Any, length: int) -> tuple[str, DType, str, str, int]:
    """Return the class, dtype, key, location and size of a storage that a pickle refers to."""
    if type(saved) is not tuple or len(saved) != length or saved[0] != "storage":
        raise LoadError("its pickle refers to something else than storages, such as a module")
    _, kind, key, location, count = saved[:5]
    if type(key) is not str or type(location) is not str or type(count) is not int or count < 0:
        raise LoadError("a storage of it is not described in full")
    if kind == UNTYPED:
        return kind.name, uint8, key, location, count
    if kind not in TYPED:
        raise LoadError("a storage of it has no type")
    return kind.name, known_dtype(*TYPED[kind]), key, location, count


class Archive:
    """The entries of a torch.save file's zip archive, uncompressed, one behind the other."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.map: mmap.mmap | None = None
        self.size = file.seek(0, io.SEEK_END)
        try:
            infos = zipfile.ZipFile(file).infolist()
        except zipfile.BadZipFile as error:
            raise LoadError(
                f"its zip archive has no directory ({error}): the download or the copy did not "
                "finish"
            ) from error
        self.entries = {info.filename: info for info in infos}
        starts = sorted({info.header_offset for info in infos})
        self.ends = dict(zip(starts, [*starts[1:], self.size], strict=True))
        if len(self.entries) != len(infos) or len(starts) != len(infos):
            raise LoadError("two entries of its zip archive have one name or one place")
        self.folder = self._folder()

    def _folder(self) -> str:
        """Return the folder that all entries of PyTorch's archive lie in, with a slash."""
        found = [name for name in self.entries if name.split("/")[1:] == ["data.pkl"]]
        if any(name.endswith("/constants.pkl") for name in self.entries):
            raise LoadError(
                "it is a TorchScript program: in PyTorch, save "
                "torch.jit.load(file).state_dict() with torch.save"
            )
        if len(found) != 1:
            raise LoadError("it is a zip archive, but not one that torch.save wrote")
        return found[0].removesuffix("data.pkl")

    def place_of(self, name: str) -> tuple[int, zipfile.ZipInfo]:
        """Return where an entry of PyTorch's archive begins, and its description."""
        info = self.entries.get(self.folder + name)
        if info is None:
            raise LoadError(f"its entry {name[:50]!r} is missing: the file is not whole")
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
            raise LoadError(
                "its zip archive was compressed or encrypted after torch.save wrote it: unpack it "
                "and pack it again with `zip -0`"
            )
        self.file.seek(info.header_offset)
        header = self.file.read(LOCAL_HEADER.size)
        signature, *lengths = LOCAL_HEADER.unpack(header)
        start = info.header_offset + LOCAL_HEADER.size + sum(lengths)
        if signature != b"PK\3\4" or start + info.file_size > self.ends[info.header_offset]:
            raise LoadError(f"its entry {name[:50]!r} does not lie where its directory says")
        return start, info

    def bytes(self, name: str, most: int) -> bytes:
        """Return the content of a small entry of PyTorch's archive."""
        start, info = self.place_of(name)
        if info.file_size > most:
            raise LoadError(f"its entry {name!r} has {info.file_size} bytes, more than {most}")
        self.file.seek(start)
        content = self.file.read(info.file_size)
        _compare(name, zlib.crc32(content), info)
        return content

    def text(self, name: str, default: str) -> str:
        """Return the content of a small entry that PyTorch's archive may lack."""
        there = self.folder + name in self.entries
        return self.bytes(name, 100).decode("ascii").strip() if there else default

    def line(self, name: str, dtype: DType, count: int, order: str, mapped: bool) -> Tensor:
        """Return the elements of a PyTorch storage from its entry in the archive."""
        start, info = self.place_of(name)
        if count * dtype.itemsize != info.file_size:
            raise LoadError(
                f"its entry {name[:50]!r} has {info.file_size} bytes, not the "
                f"{count * dtype.itemsize} of {count} elements of {dtype}"
            )
        if mapped and order == "little" and count and start % dtype.itemsize == 0:
            return self._mapped(start, info.file_size, dtype)
        self.file.seek(start)
        result = empty(count, dtype=dtype, device="cpu")
        content = memoryview(result.array.storage_as(uint8))
        checksum = 0
        for begin in range(0, len(content), CACHE_PIECE):  # each is checked while still cached
            piece = content[begin : begin + CACHE_PIECE]
            if self.file.readinto(piece) != len(piece):  # type: ignore[attr-defined]
                raise LoadError("it ends too early: the download or the copy did not finish")
            checksum = zlib.crc32(piece, checksum)
            if order == "big" and dtype.itemsize > 1:
                _swap_bytes(piece, dtype.itemsize)
        _compare(name, checksum, info)
        make_true(content, dtype)
        return result

    def _mapped(self, start: int, size: int, dtype: DType) -> Tensor:
        """Return elements that stay in PyTorch's file until looked at; writes stay in memory."""
        if self.map is None:
            self.map = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_COPY)
        raw = frombuffer(memoryview(self.map)[start : start + size], dtype=uint8)
        return Tensor(raw.array.storage_as(dtype))


def _compare(name: str, checksum: int, info: zipfile.ZipInfo) -> None:
    """Compare the checksum of an entry in a torch.save archive with what its directory says."""
    if checksum != info.CRC:
        raise LoadError(f"its entry {name[:50]!r} is damaged: the checksum differs")


def _swap_bytes(content: memoryview, itemsize: int) -> None:
    """Turn the order of the bytes in each number of a torch.save file."""
    import array

    words = array.array({2: "H", 4: "I", 8: "Q"}[itemsize], bytes(content))
    words.byteswap()
    content[:] = words.tobytes()


# ---- files of PyTorch before 1.6 -----------------------------------------------------------------


def read_pickles(file: BinaryIO, place: Place) -> Any:
    """Return the object in an older file: five pickles, then the storages one behind the other."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    head = io.BytesIO(file.read(LARGEST))
    if _plain(head) != MAGIC:
        raise LoadError("it is a pickle that torch.save did not write, and norch runs no pickles")
    if _plain(head) != PROTOCOL or type(_plain(head)) is not dict:
        raise LoadError("torch.save wrote it in a version that is not known")
    # Only the object tells what the storages are, and they follow it: so it is made twice.
    start, empty_storages = head.tell(), OlderStorages(size)
    Unpickler(FUNCTIONS, value_of, empty_storages.persistent_load).load(head)
    keys = _plain(head)
    if set(keys) != set(empty_storages.known):
        raise LoadError("its list of storages is not that of its pickle")
    file.seek(head.tell())
    for key in keys:
        empty_storages.fill(key, file, place)
    head.seek(start)
    return Unpickler(FUNCTIONS, value_of, empty_storages.persistent_load).load(head)


def _plain(head: io.BytesIO) -> Any:
    """Return the object of an older file's next pickle, which names nothing."""
    return Unpickler({}, value_of, _no_storage).load(head)


def _no_storage(saved: Any) -> Any:
    """Refuse a storage in a pickle where none can be."""
    raise LoadError("its first pickles refer to a storage")


class OlderStorages:
    """The storages that an older file tells of, and the elements of those that were read."""

    def __init__(self, room: int) -> None:
        """Let them have `room` bytes together: what the file has."""
        self.room = room
        self.known: dict[str, tuple[tuple[str, int], str, Stored]] = {}

    def persistent_load(self, saved: Any) -> Stored:
        """Return a storage of an older file, without its elements at first."""
        name, dtype, key, location, count = storage_id(saved, 6)
        if saved[5] is not None:
            raise LoadError("its storages are views of others: save it again with PyTorch")
        if key not in self.known:
            self.room -= count * dtype.itemsize
            if self.room < 0:
                raise LoadError("its storages are larger than the file: it is not whole")
            elements = empty(count, dtype=dtype, device="cpu")
            self.known[key] = ((name, count), location, Stored(elements))
        found, _, stored = self.known[key]
        if found != (name, count):
            raise LoadError(f"its storage {key[:20]!r} is described in two ways")
        return stored

    def fill(self, key: str, file: BinaryIO, place: Place) -> None:
        """Read the elements of a storage, which begin with their number."""
        (_, count), location, stored = self.known[key]
        if int.from_bytes(file.read(8), "little") != count:
            raise LoadError(f"its storage {key[:20]!r} is not of the size that its pickle says")
        stored.line = place(read_elements(file, stored.line.dtype, (count,)), location)
