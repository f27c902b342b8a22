"""MNIST: 70,000 handwritten digits, 28 x 28, the "hello world" of learning machines.

A Dataset over two tensors, `data` and `targets`; `sources` finds the files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Self

from norch_nn.data import Dataset
from norch_nn.vision.datasets.sources import Digits, find_digits

__all__ = ["MNIST"]


class MNIST(Dataset[tuple[Any, Any]]):
    """Handwritten digits: sample i is (picture, label).

    A picture is a uint8 Tensor (28, 28), a label an int, before the transforms. `data` (N, 28, 28)
    and `targets` (N,) are the whole set as tensors, and `source` is the folder it came from, or
    "embedded". Looked for in `root`, `$NORCH_DATA`, the cache and on the web; the last resort is
    the small set shipped with norch, announced on stderr. `download=False` never uses the network,
    and with a `root` insists on it. Raises RuntimeError for missing or corrupt files.

    >>> len(MNIST.classes), MNIST.classes[3]
    (10, '3 - three')
    """

    classes = (
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
    )

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        train: bool = True,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        download: bool = True,
    ) -> None:
        """Find and read the training digits, or the test digits."""
        self.root = root
        self.train = train
        self.transform = transform
        self.target_transform = target_transform
        self.data, self.targets, self.source = self._find(root, train, download)

    def _find(self, root: str | os.PathLike[str] | None, train: bool, download: bool) -> Digits:
        """Look for the files."""
        return find_digits(root, train, download)

    @classmethod
    def splits(
        cls,
        root: str | os.PathLike[str] | None = None,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        download: bool = True,
    ) -> tuple[Self, Self]:
        """Return (training set, test set)."""
        train, test = (
            cls(root, part, transform, target_transform, download) for part in (True, False)
        )
        return train, test

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Return one picture and its label, transformed."""
        image, target = self.data[index], int(self.targets[index].item())
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __len__(self) -> int:
        """Count the digits."""
        return int(self.data.shape[0])

    def __repr__(self) -> str:
        """Print as torchvision does."""
        split = "Train" if self.train else "Test"
        return (
            f"Dataset {type(self).__name__}\n    Number of datapoints: {len(self)}\n"
            f"    Source: {self.source}\n    Split: {split}"
        )
