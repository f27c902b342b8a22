"""CIFAR10: 60,000 small colour images of ten kinds of things (Krizhevsky, 2009).

Read from the binary version: each image is one byte for the label, then 1024 for red, green and
blue. The Python version is a pickle, which could run code, and is never read.
"""

from __future__ import annotations

import functools
import io
import os
from pathlib import Path

from norch_autograd import Tensor, cat, int64, uint8
from norch_nn.serialization.files import from_bytes, replacing
from norchvision.datasets.download import fetch
from norchvision.datasets.image_dataset import ImageDataset
from norchvision.datasets.sources import (
    ImageSet,
    announce,
    digest_differs,
    find_or_fetch,
    read_bytes,
    unpack,
)

FOLDERS = ("", "cifar-10-batches-bin", "cifar10", "CIFAR10", "cifar10-subset")
TRAIN = tuple(f"data_batch_{number}.bin" for number in range(1, 6))
TEST = ("test_batch.bin",)
RECORD = 1 + 3 * 32 * 32
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
    """Return CIFAR10's files in the first folder that has some of them."""
    for folder in FOLDERS:
        candidates = [[place / folder / name, place / folder / f"{name}.gz"] for name in names]
        found = [path for pair in candidates for path in pair if path.is_file()]
        if found:
            return found
    return None


def _read_batch(path: Path) -> tuple[Tensor, Tensor]:
    """Return the images (N, 32, 32, 3) and the labels (N,) of one of CIFAR10's files."""
    content = unpack(read_bytes(path, "CIFAR10"), str(path), "CIFAR10")
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
    """Download CIFAR10's archive and take the .bin files out of it."""
    import tarfile  # slow to import, seldom needed

    archive = place / ARCHIVE
    fetch(ARCHIVE, MIRRORS, archive, functools.partial(digest_differs, md5=MD5))
    folder = place / FOLDERS[1]
    folder.mkdir(exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as tar:
        for name in (*TRAIN, *TEST):
            member = tar.extractfile(f"{FOLDERS[1]}/{name}")
            if member is not None:
                with replacing(folder / name) as file:
                    file.write(member.read())
    archive.unlink()
