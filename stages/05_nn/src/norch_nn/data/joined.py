"""Datasets side by side, and streams one behind the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from norch_nn.data.dataset import Dataset, IterableDataset


class StackDataset(Dataset[Any]):
    """Several datasets side by side: sample i is sample i of each, as a tuple or as a dict.

    >>> StackDataset("ab", [1, 2])[1], StackDataset(letter="ab", number=[1, 2])[0]
    (('b', 2), {'letter': 'a', 'number': 1})
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take datasets of one length, all without names or all with names."""
        if bool(args) == bool(kwargs):
            raise ValueError("[StackDataset] give datasets, or datasets by name")
        self.datasets: Any = args or kwargs
        lengths = {len(dataset) for dataset in self._all()}
        if len(lengths) > 1:
            raise ValueError(f"[StackDataset] datasets of one length are expected, not {lengths}")

    def _all(self) -> list[Any]:
        """The datasets without their names."""
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def __getitem__(self, index: int) -> Any:
        """Return sample `index` of each."""
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
        """Count the samples."""
        return len(self._all()[0])


class ChainDataset(IterableDataset[Any]):
    """Several streams, one behind the other.

    >>> class Count(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([1, 2])
    >>> list(ChainDataset([Count(), Count()]))
    [1, 2, 1, 2]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        """Take the streams."""
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[Any]:
        """Go through the samples of the first, then of the next."""
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError(  # PyTorch's type
                    "[ChainDataset] streams (IterableDataset) are expected, "
                    f"not {type(dataset).__name__}"
                )
            yield from dataset

    def __len__(self) -> int:
        """Add up the lengths, where the streams have one."""
        return sum(len(dataset) for dataset in self.datasets)
