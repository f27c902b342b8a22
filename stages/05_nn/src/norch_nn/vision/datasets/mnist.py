"""MNIST: 70,000 handwritten digits, 28 x 28, the "hello world" of learning machines.

A Dataset over two tensors, `data` and `targets`; `sources` finds the files.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Self

from norch_nn.vision.datasets.pictures import Pictures
from norch_nn.vision.datasets.sources import PictureSet, find_digits


class MNIST(Pictures):
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

    def _find(self, root: str | os.PathLike[str] | None, train: bool, download: bool) -> PictureSet:
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
