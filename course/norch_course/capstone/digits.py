"""The images of the last rung: MNIST where it is on this machine, else the small set of norch.

It looks where `make mnist` does, and fetches nothing. It reads the files itself, because norch's
own readers are made of what the learner is to write.
"""

import gzip
import os
import sys
from pathlib import Path
from typing import NamedTuple

SIDE = 28
EMBEDDED_TRAIN = 1500  # of 1,797
NAMES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte")
SMALL = "extras/norchvision/src/norchvision/datasets/digits-{}-ubyte.gz"
ROOT = Path(__file__).resolve().parents[3]


class Digits(NamedTuple):
    """Images, 784 bytes each, one after another, and where their labels come from."""

    is_mnist: bool
    train_images: bytes
    train_labels: bytes
    test_images: bytes
    test_labels: bytes


def find() -> Digits:
    """Read MNIST, or else the digits that norch carries, enlarged."""
    for folder in _places():
        paths = [
            _file(folder, name.replace("train", part))
            for part in ("train", "t10k")
            for name in NAMES
        ]
        if all(paths):
            return Digits(True, *(_content(path) for path in paths if path))
    images = enlarged(_content(ROOT / SMALL.format("images-idx3")))
    labels = _content(ROOT / SMALL.format("labels-idx1"))
    cut = EMBEDDED_TRAIN
    at = cut * SIDE * SIDE
    return Digits(False, images[:at], labels[:cut], images[at:], labels[cut:])


def _places() -> list[Path]:
    """List where `make mnist` looks: $NORCH_DATA, then the cache."""
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), caches)
    cache = os.environ.get("NORCH_CACHE") or os.path.join(base, "norch")
    data = os.environ.get("NORCH_DATA")
    return [Path(place).expanduser() for place in (data, cache) if place]


def _file(folder: Path, name: str) -> Path | None:
    subs = ("", "mnist", "MNIST", "MNIST/raw")
    paths = (folder / sub / (name + end) for sub in subs for end in (".gz", ""))
    return next((path for path in paths if path.is_file()), None)


def _content(path: Path) -> bytes:
    """Return the bytes of an idx file behind its header, whose last byte counts dimensions."""
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return data[4 + 4 * data[3] :]


def enlarged(images: bytes, side: int = 8, factor: int = 3) -> bytes:
    """Turn digits of 8 x 8 from 0 to 16 into 28 x 28 from 0 to 255, in blocks of 3 x 3."""
    margin = (SIDE - side * factor) // 2
    empty, edge = bytes(margin * SIDE), bytes(margin)
    scaled = bytes(one * 255 // 16 for one in images)
    found = []
    for at in range(0, len(scaled), side):
        wide = b"".join(bytes([one]) * factor for one in scaled[at : at + side])
        found.append((edge + wide + edge) * factor)
    pictures = (b"".join(found[at : at + side]) for at in range(0, len(found), side))
    return b"".join(empty + picture + empty for picture in pictures)
