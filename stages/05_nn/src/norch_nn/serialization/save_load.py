"""save and load: which kind of file it is, and on which device its tensors go.

`save` writes safetensors files only. `load` reads these and the kinds that are registered
(formats.py); neither ever runs code from a file.
"""

from __future__ import annotations

import functools
import io
import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from norch_autograd import Tensor
from norch_nn.serialization import files, safetensors
from norch_nn.serialization.formats import format_of
from norch_nn.serialization.structure import Encoder, decode

STRUCTURE = "norch.structure"
HEAD = 512  # bytes that are enough to tell of which kind a file is
# Endings of files that others read by their `load` and `save` does not write; once warned of, gone.
_endings = {".pth": "torch", ".pt": "torch", ".npz": "numpy", ".npy": "numpy", ".pkl": "pickle"}


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Write `obj` to a path or an open file: tensors and plain values in dicts, lists and tuples.

    Tensors that share elements share them again when they are loaded. The last two arguments are
    PyTorch's for its pickles; these files never are.

    Raises TypeError for any other object and OSError where the file cannot be written; an older
    file of that name is then untouched.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save({"w": norch.ones(2), "epoch": 3}, folder + "/a.safetensors")
    ...     load(folder + "/a.safetensors")
    {'w': tensor([1., 1.]), 'epoch': 3}
    """
    if pickle_module is not None:
        raise ValueError("[save] safetensors files hold no pickles: leave pickle_module out")
    _check_file(f, "write", "save")
    parts = _parts_of(obj)
    if hasattr(f, "write"):
        with files.explain_full_disk(getattr(f, "name", "the file object")):
            files.write_all(f, parts)
    else:
        with files.replacing(f) as file:
            files.write_all(file, parts)
    _warn_of_ending(getattr(f, "name", f))


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
) -> Any:
    """Read what `save` or `torch.save` wrote, or any safetensors file as a dict of tensors.

    Of torch.save's files, tensors and plain containers are read, and no code is run: that is
    `weights_only=True`, and False makes no difference. Raises FileNotFoundError, or RuntimeError
    (also an UnpicklingError) that names the file and says what is wrong with its content.

    `map_location` is the device the tensors go to: a device, a dict from the saved device to the
    new one, or a function of a storage's elements and its saved device. `mmap=True` leaves the
    tensors of a torch.save file on the disk until they are used.
    """
    if pickle_module is not None:
        raise ValueError("[load] norch runs no pickles: leave pickle_module out")
    _check_file(f, "read", "load")
    if hasattr(f, "read"):
        if mmap:
            raise ValueError("[load] mmap=True needs the path of the file, not an open file")
        return _load(_from_start(f), "the file object", map_location, False)
    with open(f, "rb") as file:
        source = _from_start(file)
        return _load(source, os.fsdecode(f), map_location, bool(mmap) and source is file)


def _from_start(file: Any) -> BinaryIO:
    """Return a file to load from that begins where `file` stands: itself, or its rest in memory."""
    if isinstance(file, io.BufferedReader) and file.seekable() and file.tell() == 0:
        return file
    data = file.read()
    if not isinstance(data, bytes | bytearray | memoryview):
        given = type(data).__name__
        raise TypeError(f"[load] read() returned {given}, not bytes: open the file with 'rb'")
    return io.BytesIO(data)


def _check_file(f: Any, method: str, op: str) -> None:
    """Refuse to save to or load from what is neither a path nor an open file."""
    if not hasattr(f, method) and not isinstance(f, str | bytes | os.PathLike):
        raise TypeError(f"[{op}] expected a path or an open file, got {type(f).__name__}")


def _warn_of_ending(name: Any) -> None:
    """Warn, once for each ending, that a saved file is not what its name tells other programs."""
    is_path = isinstance(name, str | bytes | os.PathLike)
    ending = os.path.splitext(os.fsdecode(name))[1].lower() if is_path else ""
    if reader := _endings.pop(ending, None):
        warnings.warn(
            f"[save] {os.fsdecode(name)} is a safetensors file, which {reader}.load cannot read: "
            "norch.load and safetensors.torch.load_file can; name it .safetensors",
            stacklevel=3,
        )


def _parts_of(obj: Any) -> Iterator[bytes | memoryview]:
    """Return `obj` as the parts of a safetensors file, one behind the other."""
    import json  # here and below: slow to import

    encoder = Encoder()
    try:
        structure = encoder.encode(obj, "")
        encoder.share()
        text = json.dumps(structure)
    except RecursionError:
        raise RecursionError(
            "[save] the object is nested too deeply, or it contains itself: save its parts"
        ) from None
    return safetensors.serialize(encoder.tensors, {STRUCTURE: text})


def _load(file: BinaryIO, name: str, map_location: Any, mapped: bool) -> Any:
    """Read the object in a file of any kind; LoadError, which names the file, if there is none."""
    head = file.read(HEAD)
    file.seek(0)
    place = functools.partial(place_on, map_location=map_location)
    known = format_of(head)
    with files.explain_damage(name, known.name if known else "safetensors file"):
        if known:
            return known.read(file, place, mapped)
        return _read_safetensors(file, place)


def _read_safetensors(file: BinaryIO, place: files.Place) -> Any:
    """Return the object in a safetensors file."""
    import json

    tensors, metadata = safetensors.deserialize(file)
    tensors = {key: place(tensor, "cpu") for key, tensor in tensors.items()}
    if STRUCTURE not in metadata:
        return tensors
    return decode(json.loads(metadata[STRUCTURE]), tensors)


def place_on(tensor: Tensor, location: str, map_location: Any) -> Tensor:
    """Return elements that were saved on `location` on the device that is meant.

    >>> place_on(norch.ones(2), "cuda:0", {"cuda:0": "cpu"})
    tensor([1., 1.])
    """
    try:
        if isinstance(map_location, Mapping):
            return tensor.to(map_location.get(location, location))
        moved = map_location(tensor, location) if callable(map_location) else None
        if moved is None:
            nothing = map_location is None or callable(map_location)
            return tensor.to(location if nothing else map_location)
    except Exception as error:
        raise files.LoadError(
            f"its tensors were saved on {location[:20]!r} and cannot be put where they are meant "
            f"to be ({error}): map_location='cpu' loads them on the CPU"
        ) from error
    if not isinstance(moved, Tensor) or (moved.shape, moved.dtype) != (tensor.shape, tensor.dtype):
        raise files.LoadError(
            "map_location has to return the elements that it is given, moved, or None"
        )
    return moved
