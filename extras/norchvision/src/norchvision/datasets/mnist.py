"""MNIST, 70,000 handwritten digits of 28 x 28 pixels, and FashionMNIST, as many clothes.

Datasets over two tensors, `data` and `targets`; `sources` finds the files. Those of FashionMNIST
have the names of MNIST's, so they are only looked for in folders named after it.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from norch_autograd import Tensor
from norchvision.datasets.download import fetch
from norchvision.datasets.image_dataset import ImageDataset
from norchvision.datasets.reading import first_file
from norchvision.datasets.sources import (
    ImageSet,
    digest_differs,
    file_names,
    find_digits,
    find_or_fetch,
    read_pair,
)


class MNIST(ImageDataset):
    """Handwritten digits: sample i is (image, label).

    An image is a PIL image of 28 x 28 grey pixels, a label an int, before the transforms. `data`
    (N, 28, 28) uint8 and `targets` (N,) are the whole set as tensors, and `source` is the folder it
    came from, or "embedded". Looked for in `root`, `$NORCH_DATA`, the cache and on the web; the
    last resort is the small set shipped with norch, announced on stderr. `download=False` never
    uses the network, and with a `root` insists on it. Raises RuntimeError for missing or corrupt
    files.

    >>> len(MNIST.classes), MNIST.classes[3]
    (10, '3 - three')
    """

    classes = [  # noqa: RUF012 - a list, as in torchvision
        "0 - zero",
        "1 - one",
        "2 - two",
        "3 - three",
        "4 - four",
        "5 - five",
        "6 - six",
        "7 - seven",
        "8 - eight",
        "9 - nine",
    ]

    def _find(self, root: str | os.PathLike[str] | None, train: bool, download: bool) -> ImageSet:
        """Look for the files of the data set."""
        return find_digits(root, train, download)

    @property
    def train_data(self) -> Tensor:
        """An old name of MNIST's `data`."""
        return self.data

    @property
    def train_labels(self) -> Tensor:
        """An old name of MNIST's `targets`."""
        return self.targets

    test_data, test_labels = train_data, train_labels

    @classmethod
    def splits(
        cls,
        root: str | os.PathLike[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        download: bool = True,
    ) -> tuple[Self, Self]:
        """Return MNIST's (training set, test set)."""
        train, test = (
            cls(root, part, transform, target_transform, download) for part in (True, False)
        )
        return train, test


FOLDERS = ("FashionMNIST/raw", "FashionMNIST", "fashion-mnist", "fashion")
MIRRORS = (
    "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
)
MD5 = {
    "train-images-idx3-ubyte": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
    "train-labels-idx1-ubyte": "25c81989df183df01b3e8a0aad5dffbe",
    "t10k-images-idx3-ubyte": "bef4ecab320f06d8554ea6380940ec79",
    "t10k-labels-idx1-ubyte": "bb300cfdad3c16e7a12a480ee83cd310",
}


class FashionMNIST(MNIST):
    """Clothes: sample i is (image, label), as in MNIST (Xiao, Rasul and Vollgraf, 2017).

    Looked for in the sub-folder FashionMNIST/raw (or FashionMNIST, fashion-mnist, fashion) of
    `root`, of `$NORCH_DATA` or of the cache, then on the web. Raises RuntimeError for missing or
    corrupt files.

    >>> FashionMNIST.classes[9]
    'Ankle boot'
    """

    classes = [  # noqa: RUF012
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ]

    def _find(self, root: str | os.PathLike[str] | None, train: bool, download: bool) -> ImageSet:
        """Look for the files of the data set."""
        names = file_names(train)
        find = functools.partial(_find_pair, names=names)
        return find_or_fetch("FashionMNIST", root, download, find, _fetch_all)


def _find_pair(place: Path, names: tuple[str, str]) -> ImageSet | None:
    """Read images and labels from the first folder that has both."""
    for folder in FOLDERS:
        images, labels = (
            first_file(place / folder / (name + end) for end in (".gz", "")) for name in names
        )
        if images and labels:
            return read_pair(images, labels, "FashionMNIST")
    return None


def _fetch_all(place: Path) -> None:
    """Download FashionMNIST's four files."""
    folder = place / FOLDERS[0]
    folder.mkdir(parents=True, exist_ok=True)
    for name, md5 in MD5.items():
        check = functools.partial(digest_differs, md5=md5)
        if not (folder / f"{name}.gz").is_file():
            fetch(f"{name}.gz", MIRRORS, folder / f"{name}.gz", check)
