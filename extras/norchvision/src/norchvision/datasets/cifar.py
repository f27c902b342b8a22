"""CIFAR10: 60,000 small colour images of ten kinds of things (Krizhevsky, 2009).

Read from the binary version: each image is one byte for the label, then 1024 for red, green and
blue. The Python version is a pickle, which could run code, and is never read.
"""

from __future__ import annotations

import functools
import os
from pathlib import Path

from norch_autograd import Tensor, cat, int64, uint8
from norch_nn.serialization.files import from_bytes, replacing
from norchvision.datasets.download import DownloadError, fetch
from norchvision.datasets.image_dataset import ImageDataset
from norchvision.datasets.reading import LARGEST, first_file, opened
from norchvision.datasets.sources import ImageSet, announce, digest_differs, find_or_fetch

UNPACKED = "cifar-10-batches-bin"
FOLDERS = ("", UNPACKED, "cifar10", "CIFAR10", "cifar10-subset")
TRAIN = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
TEST = ("test_batch.bin",)
RECORD = 1 + 3 * 32 * 32
MOST = 10_000  # images in a file
ARCHIVE = "cifar-10-binary.tar.gz"
MIRRORS = ("https://www.cs.toronto.edu/~kriz/",)
MD5 = "c32a1d4ab5d03f1284b67883e8d87530"  # as its page says


class CIFAR10(ImageDataset):
    """Colour images: sample i is (image, label).

    An image is a PIL image of 32 x 32 pixels, a label an int, before the transforms. `data`
    (N, 32, 32, 3) uint8 and `targets` (N,) are the whole set as tensors. The .bin files, compressed
    by gzip or not, are looked for in `root`, in `$NORCH_DATA` and in the cache, then on the web;
    where only some training files are there, they are used and a line on stderr says so. Raises
    RuntimeError for missing or corrupt files.

    >>> CIFAR10.classes[3]
    'cat'
    """

    classes = [  # noqa: RUF012 - a list, as in torchvision
        "airplane",
        "automobile",
        "bird",
        "cat",
        "deer",
        "dog",
        "frog",
        "horse",
        "ship",
        "truck",
    ]

    def _find(self, root: str | os.PathLike[str] | None, train: bool, download: bool) -> ImageSet:
        """Look for CIFAR10's batches; say so where some are missing."""
        find = functools.partial(_find_files, names=TRAIN if train else TEST)
        paths = find_or_fetch("CIFAR10", root, download, find, _fetch_all)
        parts = [_read_batch(path) for path in paths]
        data = cat([images for images, _ in parts])
        source = str(paths[0].parent)
        if train and len(paths) < len(TRAIN):
            announce(
                f"CIFAR10: {source} has {len(paths)} of {len(TRAIN)} training files: "
                f"using {data.shape[0]:,} images"
            )
        return ImageSet(data, cat([labels for _, labels in parts]), source)


def _find_files(place: Path, names: tuple[str, ...]) -> list[Path] | None:
    """Return CIFAR10's files in the first folder that has some of them.

    Where some are missing and the archive is still there, it was not wholly unpacked.
    """
    for folder in FOLDERS:
        candidates = [[place / folder / name, place / folder / f"{name}.gz"] for name in names]
        found = [path for pair in candidates if (path := first_file(pair)) is not None]
        is_half = folder == UNPACKED and len(found) < len(names) and (place / ARCHIVE).exists()
        if found and not is_half:
            return found
    return None


def _read_batch(path: Path) -> tuple[Tensor, Tensor]:
    """Return the images (N, 32, 32, 3) and the labels (N,) of one of CIFAR10's files."""
    with opened(path, "CIFAR10") as file:
        content = file.read(MOST * RECORD + 1)
    if len(content) > MOST * RECORD:
        raise RuntimeError(f"[CIFAR10] {path} is corrupt: it has more than {MOST:,} images")
    count, rest = divmod(len(content), RECORD)
    if rest or count == 0:
        raise RuntimeError(
            f"[CIFAR10] {path} is corrupt: {len(content)} bytes are no whole number of images "
            f"of {RECORD}"
        )
    records = from_bytes(content, uint8, (count, RECORD))
    labels = records[:, 0].to(int64)
    if labels.amax().item() > 9:
        raise RuntimeError(f"[CIFAR10] {path} holds the label {labels.amax().item()}")
    images = records[:, 1:].reshape(count, 3, 32, 32).permute(0, 2, 3, 1)
    return images.contiguous(), labels


def _fetch_all(place: Path) -> None:
    """Download CIFAR10's archive and take the .bin files out of it; one that is there will do."""
    archive, check = place / ARCHIVE, functools.partial(digest_differs, md5=MD5)
    if not (archive.is_file() and check(_start_of(archive)) == ""):
        fetch(ARCHIVE, MIRRORS, archive, check)
    folder = place / UNPACKED
    folder.mkdir(exist_ok=True)
    _unpack(archive, folder)
    archive.unlink(missing_ok=True)


def _start_of(archive: Path) -> bytes:
    """Return what an archive of CIFAR10 may hold at most."""
    with archive.open("rb") as file:
        return file.read(LARGEST)


def _unpack(archive: Path, folder: Path) -> None:
    """Write CIFAR10's files, and nothing else of the archive; links in it lead nowhere."""
    import gzip  # these are slow to import, seldom needed
    import tarfile
    import zlib

    try:
        with tarfile.open(archive) as tar:
            for name in (*TRAIN, *TEST):
                member = tar.getmember(f"{UNPACKED}/{name}")
                file = tar.extractfile(member) if member.isfile() else None
                if file is None or member.size > MOST * RECORD:
                    raise DownloadError(f"in {archive} {name} is no file of CIFAR10")
                with replacing(folder / name) as target:
                    target.write(file.read())
    except (tarfile.TarError, KeyError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DownloadError(f"{archive} cannot be unpacked: {error}") from error
