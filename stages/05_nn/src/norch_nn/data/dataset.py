"""Datasets: things that give sample i, or samples one after the other, alone or joined.

A dataset may offer `__getbatch__(indices)` beside `dataset[i]`: many samples in one call. The
DataLoader uses it where it is there, so a batch from tensors costs one gather, not a call a sample.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from norch_autograd import Tensor, ops, tensor

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Base of datasets with an index: write `__getitem__` and `__len__`.

    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 3
    ...     def __getitem__(self, index):
    ...         return index * index
    >>> Squares()[2]
    4
    """

    def __getitem__(self, index: Any) -> T_co:
        name = type(self).__name__
        raise NotImplementedError(f"[{name}] has no __getitem__: write one that returns sample i")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        """Put `other` behind this one."""
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Base of datasets without an index, such as streams: write `__iter__`."""

    def __iter__(self) -> Iterator[T_co]:
        name = type(self).__name__
        raise NotImplementedError(f"[{name}] has no __iter__: write one that yields the samples")


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors side by side: sample i is row i of each.

    >>> data = TensorDataset(norch.zeros(3, 2), norch.tensor([5, 6, 7]))
    >>> data[1][1].item(), [tuple(t.shape) for t in data.__getbatch__([0, 2])]
    (6, [(2, 2), (2,)])
    """

    def __init__(self, *tensors: Tensor) -> None:
        """Take tensors whose first dimensions agree."""
        sizes = [tuple(t.shape[:1]) for t in tensors]
        if not tensors or () in sizes or len(set(sizes)) > 1:
            shapes = ", ".join(str(tuple(t.shape)) for t in tensors) or "none"
            raise AssertionError(
                f"[TensorDataset] tensors of one first dimension are expected, not shapes {shapes}"
            )
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        """Return row `index` of every tensor."""
        return tuple(t[index] for t in self.tensors)

    def __getbatch__(self, indices: Sequence[int]) -> list[Tensor]:
        """Return the rows `indices` of every tensor with one gather each."""
        rows = tensor(indices)
        return [ops.index_select(t, 0, rows) for t in self.tensors]

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class ConcatDataset(Dataset[Any]):
    """Several datasets, one behind the other.

    >>> len(ConcatDataset([[1, 2], [3]])), ConcatDataset([[1, 2], [3]])[2]
    (3, 3)
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        """Take at least one dataset; streams have no index and are refused."""
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("[ConcatDataset] at least one dataset is expected, not none")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise TypeError("[ConcatDataset] an IterableDataset has no index to continue from")
        self.cumulative_sizes = list(itertools.accumulate(len(d) for d in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        """Return sample `index`, counted through all the datasets; negative from the end."""
        if not -len(self) <= index < len(self):
            kind = ValueError if index < 0 else IndexError  # PyTorch's types
            raise kind(f"[ConcatDataset] index {index} is out of range for {len(self)}")
        index %= len(self)
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class Subset(Dataset[Any]):
    """The samples `indices` of another dataset.

    >>> list(Subset("abcd", [3, 0]))
    ['d', 'a']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        """Remember which samples; none is copied."""
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        """Return sample `indices[index]`."""
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[Any]:
        """Return several samples; in one call where the dataset offers it."""
        chosen = [self.indices[i] for i in indices]
        if hasattr(self.dataset, "__getitems__"):
            return list(self.dataset.__getitems__(chosen))
        return [self.dataset[i] for i in chosen]

    def __len__(self) -> int:
        return len(self.indices)
