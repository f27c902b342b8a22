"""What every dataset of images is: two tensors, and transforms on the way out.

MNIST, FashionMNIST and CIFAR10 say only where their files are found and how they are read;
ImageFolder and FakeData have no tensors, and share how a dataset shows and transforms itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from norch_nn.data.dataset import Dataset
from norchvision.datasets.sources import ImageSet
from norchvision.transforms.images import to_pil_image


class VisionDataset(Dataset[tuple[Any, Any]]):
    """Samples (image, target), each transformed on the way out."""

    transform: Callable[[Any], Any] | None = None
    target_transform: Callable[[Any], Any] | None = None

    def __len__(self) -> int:
        raise NotImplementedError(f"[{type(self).__name__}] has no length")

    def _transform(self, image: Any, target: Any) -> tuple[Any, Any]:
        """Return an image and its target after the data set's transforms."""
        if self.transform is not None:
            image = self.transform(image)
        if self.target_transform is not None:
            target = self.target_transform(target)
        return image, target

    def _facts(self) -> list[str]:
        """Return what `repr` says of a data set beside the number of samples."""
        return []

    def __repr__(self) -> str:
        facts = [f"    {fact}" for fact in (f"Number of datapoints: {len(self)}", *self._facts())]
        changes = {"Transform": self.transform, "Target transform": self.target_transform}
        if given := {title: change for title, change in changes.items() if change is not None}:
            facts.append("    StandardTransform")
        for title, change in given.items():
            facts.append(f"{title}: " + repr(change).replace("\n", "\n" + " " * (len(title) + 2)))
        return "\n".join([f"Dataset {type(self).__name__}", *facts])


class ImageDataset(VisionDataset):
    """Sample i is (PIL image, label); a subclass finds and reads the files in `_find`.

    `data` (N, H, W) or (N, H, W, C) and `targets` (N) hold the whole set as tensors.
    """

    classes: list[str]

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
        """Look for the files of a data set of images and read them."""
        raise NotImplementedError(f"[{type(self).__name__}] has no way to find its files")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The label of each class."""
        return {name: label for label, name in enumerate(self.classes)}

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Return one image and its label, transformed."""
        pixels, target = self.data[index], int(self.targets[index].item())
        image = to_pil_image(pixels if pixels.ndim == 2 else pixels.permute(2, 0, 1))
        return self._transform(image, target)

    def __len__(self) -> int:
        return int(self.data.shape[0])

    def _facts(self) -> list[str]:
        """Return where the images were found, and which part they are."""
        return [f"Root location: {self.source}", f"Split: {'Train' if self.train else 'Test'}"]
