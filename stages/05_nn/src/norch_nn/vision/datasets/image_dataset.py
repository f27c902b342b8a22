"""What every dataset of images is: two tensors, and transforms on the way out.

MNIST, FashionMNIST and CIFAR10 say only where their files are found and how they are read.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from norch_nn.data.dataset import Dataset
from norch_nn.vision.datasets.sources import ImageSet


class ImageDataset(Dataset[tuple[Any, Any]]):
    """Sample i is (image, label); a subclass finds and reads the files in `_find`."""

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        train: bool = True,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        download: bool = True,
    ) -> None:
        """Find and read the training images, or the test images."""
        self.root = root
        self.train = train
        self.transform = transform
        self.target_transform = target_transform
        self.data, self.targets, self.source = self._find(root, train, download)

    def _find(self, root: str | os.PathLike[str] | None, train: bool, download: bool) -> ImageSet:
        """Look for the files and read them."""
        raise NotImplementedError(f"[{type(self).__name__}] has no way to find its files")

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Return one image and its label, transformed."""
        image, target = self.data[index], int(self.targets[index].item())
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def __len__(self) -> int:
        return int(self.data.shape[0])

    def __repr__(self) -> str:
        split = "Train" if self.train else "Test"
        return (
            f"Dataset {type(self).__name__}\n    Number of datapoints: {len(self)}\n"
            f"    Source: {self.source}\n    Split: {split}"
        )
