"""Folders of one's own images, `root/class/image.png`, and FakeData, which needs no files.

Samples are found when the dataset is made and opened when they are asked for.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from norch_autograd import Generator, randint, randn
from norchvision.datasets.image_dataset import VisionDataset
from norchvision.transforms.images import pillow, to_pil_image

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
Place = str | os.PathLike[str]


def default_loader(path: Place) -> Any:
    """Return a file as a PIL image of three colours; OSError names a file that is no image."""
    image = pillow()
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
        raise OSError(f"[ImageFolder] {os.fspath(path)} is no image: it is not a plain file")
    with open(path, "rb") as file:
        try:
            return image.open(file).convert("RGB")
        except Exception as error:  # a broken file may break its decoder in any way
            raise OSError(f"[ImageFolder] {os.fspath(path)} is no whole image: {error}") from error


class DatasetFolder(VisionDataset):
    """Samples (what `loader` makes of a file, number of its class), one folder a class.

    A file counts if its name ends with one of `extensions`, or `is_valid_file(path)` says so.
    `samples` lists (path, class), `targets` the classes, `classes` the folders' names in order,
    `class_to_idx` their numbers. A class without a file is a FileNotFoundError, but for
    `allow_empty`.
    """

    def __init__(
        self,
        root: Place,
        loader: Callable[[str], Any],
        extensions: tuple[str, ...] | None = None,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        self.root = os.fspath(root)
        self.transform, self.target_transform = transform, target_transform
        self.loader, self.extensions = loader, extensions
        self.classes, self.class_to_idx = self.find_classes(self.root)
        self.samples = self.make_dataset(
            self.root, self.class_to_idx, extensions, is_valid_file, allow_empty
        )
        self.targets = [target for _, target in self.samples]

    def find_classes(self, directory: Place) -> tuple[list[str], dict[str, int]]:
        """Return the names of the folders in order, and their numbers; to be overridden."""
        classes = sorted(entry.name for entry in os.scandir(directory) if entry.is_dir())
        if not classes:
            raise FileNotFoundError(
                f"[{type(self).__name__}] {os.fspath(directory)} has no folders: one for each "
                "class is expected, with its images in it"
            )
        return classes, {name: number for number, name in enumerate(classes)}

    @staticmethod
    def make_dataset(
        directory: Place,
        class_to_idx: dict[str, int],
        extensions: tuple[str, ...] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> list[tuple[str, int]]:
        """Return (path, number of the class) of every file that counts, in order."""
        if (extensions is None) == (is_valid_file is None):
            raise ValueError("[DatasetFolder] give either extensions or is_valid_file")
        endings = (extensions,) if isinstance(extensions, str) else tuple(extensions or ())
        counts = is_valid_file or (lambda path: path.lower().endswith(endings))
        samples, empty = [], []
        for name in sorted(class_to_idx):
            found = [path for path in _files(Path(directory) / name) if counts(path)]
            samples += [(path, class_to_idx[name]) for path in found]
            empty += [] if found else [name]
        if empty and not allow_empty:
            looked_for = f" with an ending of {', '.join(endings)}" if endings else ""
            raise FileNotFoundError(
                f"[DatasetFolder] no file{looked_for} in these folders of "
                f"{os.fspath(directory)}: {', '.join(empty)} (allow_empty=True lets them be)"
            )
        return samples

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Return one file, loaded, and the number of its class, transformed."""
        path, target = self.samples[index]
        try:
            return self._transform(self.loader(path), target)
        except Exception as error:
            error.add_note(f"[{type(self).__name__}] this was sample {index}, {path}")
            raise

    def __len__(self) -> int:
        return len(self.samples)

    def _facts(self) -> list[str]:
        """Return what `repr` says of a folder of images."""
        return [f"Root location: {self.root}"]


def _files(folder: Path) -> Iterator[str]:
    """Yield all files below a class's folder in order; a link back to one above ends there.

    A folder that cannot be read is an OSError: its images would be missing without a word.
    """
    walked = set()

    def refuse(error: OSError) -> None:
        raise error

    for place, folders, names in os.walk(folder, onerror=refuse, followlinks=True):
        folders.sort()
        real = os.path.realpath(place)
        if real in walked:
            folders.clear()
            continue
        walked.add(real)
        yield from (os.path.join(place, name) for name in sorted(names))


class ImageFolder(DatasetFolder):
    """Images in folders, one folder a class: sample i is (PIL image, number of the class).

    `root/cat/1.jpg` and `root/dog/2.png` make the classes "cat", 0, and "dog", 1.
    """

    def __init__(
        self,
        root: Place,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        loader: Callable[[str], Any] = default_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        extensions = IMG_EXTENSIONS if is_valid_file is None else None
        super().__init__(
            root, loader, extensions, transform, target_transform, is_valid_file, allow_empty
        )
        self.imgs = self.samples


class FakeData(VisionDataset):
    """Images of noise, the same at each number every time: to try a program without files.

    >>> image, label = FakeData(size=3, image_size=(3, 4, 5), num_classes=2)[0]
    >>> image.size, label in (0, 1)
    ((5, 4), True)
    """

    def __init__(
        self,
        size: int = 1000,
        image_size: tuple[int, int, int] = (3, 224, 224),
        num_classes: int = 10,
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        random_offset: int = 0,
    ) -> None:
        """Choose how many images (C, H, W) there are; another offset makes others."""
        self.size, self.num_classes, self.image_size = size, num_classes, image_size
        self.transform, self.target_transform = transform, target_transform
        self.random_offset = random_offset

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """Draw image number `index`, a PIL image, and its class, transformed."""
        if not 0 <= index < self.size:
            raise IndexError(f"[FakeData] index {index} is out of range for {self.size} images")
        dice = Generator().manual_seed(index + self.random_offset)
        image = to_pil_image(randn(*self.image_size, generator=dice))
        target = int(randint(0, self.num_classes, (1,), generator=dice).item())
        return self._transform(image, target)

    def __len__(self) -> int:
        return self.size
