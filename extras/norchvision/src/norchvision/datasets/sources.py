"""Where a dataset's files come from: a folder, the cache, a download; for MNIST also norch itself.

The order is: `root`, `$NORCH_DATA`, the cache, a download into the cache (or `root`). MNIST then
takes the embedded digits, which is announced, never silent; for the others, what is found nowhere
is a RuntimeError that says where it was looked for. Files of MNIST are idx files, usually
gzip-compressed: two zero bytes, the type (8 means uint8), the number of dimensions, each size as a
big-endian 32-bit number, then bytes; `reading` reads them. Every error names the file, and the
dataset it belongs to.
"""

from __future__ import annotations

import functools
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from norch_autograd import Tensor, int64, uint8, zeros
from norchvision.datasets.download import DownloadError, fetch
from norchvision.datasets.reading import (
    LARGEST,
    first_file,
    opened,
    parse_idx,
    read_idx,
    unpacked,
)

CHUNK = 1 << 20
EMBEDDED = "embedded"
EMBEDDED_TRAIN = 1500  # of 1,797; the other 297 are the test set
MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://raw.githubusercontent.com/fgnt/mnist/master/",
    "http://yann.lecun.com/exdb/mnist/",
)
# Of the unpacked files: mirrors compress them differently.
SHA256 = {
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
}


class ImageSet(NamedTuple):
    """Images (N, ...) uint8, labels (N,) int64, and the folder they came from."""

    images: Tensor
    labels: Tensor
    source: str


def find_digits(place: str | os.PathLike[str] | None, train: bool, download: bool) -> ImageSet:
    """Return MNIST from the first place that has it: a folder, the cache, the web, norch."""
    root = None if place is None else expanded(place)
    if root is not None:
        if found := _from_folder(root, train, will_complete=download):
            return found
        if not download:
            raise _missing(root, train, "correct the folder, or pass download=True")
    if data := os.environ.get("NORCH_DATA"):
        folder = expanded(data)
        if found := _from_folder(folder, train):
            return found
        raise _missing(folder, train, "NORCH_DATA points there: correct it, or unset it")
    if found := _from_folder(cache_folder(), train, will_complete=download):
        return found
    if not download:
        return _embedded_digits(train, "download=False")
    target = cache_folder() / "mnist" if root is None else root / "MNIST" / "raw"
    try:
        _download_all(target)
    except DownloadError as error:
        return _embedded_digits(train, str(error))
    return _from_folder(target, train) or _embedded_digits(train, f"{target} is empty")


# ---- folders -------------------------------------------------------------------------------------


def file_names(train: bool) -> tuple[str, str]:
    """Return the names of MNIST's two files: images and labels."""
    part = "train" if train else "t10k"
    return f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"


def find_file(folder: Path, name: str) -> Path | None:
    """Look for a dataset's file, compressed or not, in the usual sub-folders."""
    subs = ("", "mnist", "MNIST", "MNIST/raw")
    return first_file(folder / sub / (name + end) for sub in subs for end in (".gz", ""))


def _from_folder(folder: Path, train: bool, will_complete: bool = False) -> ImageSet | None:
    """Read the digits in `folder`; None when it has neither images nor labels.

    One file without the other is an error, unless a download `will_complete` the pair.
    """
    paths = [find_file(folder, name) for name in file_names(train)]
    if paths == [None, None] or (None in paths and will_complete):
        return None
    images_path, labels_path = paths
    if images_path is None or labels_path is None:
        name = file_names(train)[0 if images_path is None else 1]
        raise RuntimeError(f"[MNIST] {folder} has only one of two files: {name}.gz is missing")
    return read_pair(images_path, labels_path)


def read_pair(images_path: Path, labels_path: Path, owner: str = "MNIST") -> ImageSet:
    """Read a data set's images and labels, which must belong together."""
    images, labels = _read_idx(images_path, owner), _read_idx(labels_path, owner)
    if images.ndim != 3 or tuple(images.shape[1:]) != (28, 28):
        raise RuntimeError(f"[{owner}] {images_path} holds {tuple(images.shape)}, not (N, 28, 28)")
    if tuple(labels.shape) != (images.shape[0],):
        raise RuntimeError(
            f"[{owner}] {labels_path} holds {tuple(labels.shape)}, "
            f"but there are {images.shape[0]} images"
        )
    if labels.shape[0] and labels.amax().item() > 9:
        raise RuntimeError(f"[{owner}] {labels_path} holds the label {labels.amax().item()}")
    return ImageSet(images, labels.to(int64), str(images_path.parent))


def _read_idx(path: Path, owner: str = "MNIST") -> Tensor:
    """Read a dataset's idx file, compressed or not."""
    with opened(path, owner) as file:
        return read_idx(file, str(path), owner)


def _missing(folder: Path, train: bool, advice: str) -> RuntimeError:
    """Return the error for a folder without MNIST's files."""
    name = f"{file_names(train)[0]}.gz"
    what = f"{folder} has no {name}" if folder.is_dir() else f"there is no folder {folder}"
    return RuntimeError(f"[MNIST] dataset not found: {what} ({advice})")


# ---- cache and download --------------------------------------------------------------------------


def cache_folder() -> Path:
    """Where downloaded datasets are kept: `$NORCH_CACHE`, or a folder among the user's caches."""
    if chosen := os.environ.get("NORCH_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # another one means nothing, says the XDG specification
        return Path(base) / "norch"
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return Path("/", os.path.expanduser("~"), caches, "norch")  # no home: /~ is not there


def expanded(place: str | os.PathLike[str]) -> Path:
    """Return a dataset's folder, its ~ spelled out where there is a home."""
    return Path(os.path.expanduser(place))


def _download_all(folder: Path) -> None:
    """Fetch MNIST's files that `folder` lacks; RuntimeError when it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in SHA256:
            if find_file(folder, name) is None:
                check = functools.partial(_wrong_content, name)
                fetch(f"{name}.gz", MIRRORS, folder / f"{name}.gz", check)
    except OSError as error:
        raise RuntimeError(
            f"[MNIST] cannot write to {folder} ({error.strerror or error}): set NORCH_CACHE to a "
            "folder you can write to, or NORCH_DATA to one that has the files"
        ) from error


def _wrong_content(name: str, content: bytes) -> str:
    """Say what is wrong with a downloaded file of a data set, or nothing."""
    import hashlib  # slow to import, seldom needed

    sha256, size = hashlib.sha256(), 0
    try:
        with unpacked(io.BytesIO(content), name) as file:
            while part := file.read(CHUNK):
                sha256.update(part)
                size += len(part)
                if size > LARGEST:
                    return f"unpacks to more than {LARGEST} bytes"
    except RuntimeError as error:
        return str(error)
    found = sha256.hexdigest()
    return "" if found == SHA256[name] else f"wrong checksum {found[:12]}, not {SHA256[name][:12]}"


# ---- the embedded digits -------------------------------------------------------------------------


def _embedded_digits(train: bool, why: str) -> ImageSet:
    """Return the 8 x 8 digits shipped with norch, enlarged to 28 x 28, and say so."""
    announce(
        f"MNIST is not here ({why}): using 1,797 real digits embedded in norch (UCI optdigits, "
        "8 x 8 pixels); accuracies are not MNIST's"
    )
    part = slice(None, EMBEDDED_TRAIN) if train else slice(EMBEDDED_TRAIN, None)
    images = read_embedded("digits-images-idx3-ubyte.gz")[part]
    labels = read_embedded("digits-labels-idx1-ubyte.gz")[part]
    return ImageSet(enlarge(images), labels.to(int64), EMBEDDED)


@functools.cache
def announce(line: str) -> None:
    """Print a line about a data set once a process."""
    print(line, file=sys.stderr)


def read_embedded(name: str) -> Tensor:
    """Return the numbers of an idx file that norchvision brings with it."""
    from importlib import resources  # as above

    data = resources.files(__package__).joinpath(name).read_bytes()
    return parse_idx(data, name)


def enlarge(images: Tensor) -> Tensor:
    """Turn digits (N, 8, 8) of 0..16 into MNIST's (N, 28, 28) of 0..255, 3 x 3 blocks."""
    count = images.shape[0]
    values = (images.to(int64) * 255 // 16).to(uint8)
    blocks = values.reshape(count, 8, 1, 8, 1).expand(count, 8, 3, 8, 3).reshape(count, 24, 24)
    padded = zeros(count, 28, 28, dtype=uint8)
    padded[:, 2:26, 2:26] = blocks
    return padded


T = TypeVar("T")


def find_or_fetch(
    owner: str,
    root: str | os.PathLike[str] | None,
    download: bool,
    find: Callable[[Path], T | None],
    fetch: Callable[[Path], None],
) -> T:
    """Return what `find` finds in the first place that has it; `fetch` fills an empty one."""
    if root is not None:
        places = [expanded(root)]
    else:
        data = os.environ.get("NORCH_DATA")
        places = [expanded(data)] if data else []
        places.append(cache_folder())
    for place in places:
        if (found := find(place)) is not None:
            return found
    looked = " nor in ".join(map(str, places))
    if not download:
        raise RuntimeError(f"[{owner}] not found in {looked}: correct root, or pass download=True")
    target = places[-1]
    try:
        target.mkdir(parents=True, exist_ok=True)
        fetch(target)
    except DownloadError as error:
        raise RuntimeError(f"[{owner}] not found in {looked}, and {error}") from error
    except OSError as error:
        raise RuntimeError(
            f"[{owner}] cannot write to {target} ({error.strerror or error}): give a root, or set "
            "NORCH_CACHE to a folder you can write to"
        ) from error
    if (found := find(target)) is None:
        raise RuntimeError(f"[{owner}] the download left nothing in {target}")
    return found


def digest_differs(content: bytes, md5: str) -> str:
    """Say what is wrong with a downloaded file of a data set, or nothing."""
    import hashlib  # slow to import, seldom needed

    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    return "" if found == md5 else f"wrong checksum {found[:12]}, not {md5[:12]}"
