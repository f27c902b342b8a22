"""Further datasets and samplers of torch.utils.data: datasets stacked and split, weighted draws.

The page book/library/data.md names them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from norch_autograd import (
    Generator,
    as_tensor,
    float64,
    multinomial,
    randperm,
)
from norch_nn.data.dataset import Dataset, IterableDataset, Subset
from norch_nn.data.sampler import Sampler, positive


def _split_lengths(total: int, lengths: Sequence[float]) -> list[int]:
    """random_split's counts for fractions of 1; what rounding leaves goes to the first ones."""
    if not math.isclose(sum(lengths), 1.0) or sum(lengths) > 1.0:
        if any(length % 1 for length in lengths):
            raise ValueError(f"[random_split] whole numbers, or fractions of 1, not {lengths}")
        return [int(length) for length in lengths]
    if any(not 0 <= fraction <= 1 for fraction in lengths):
        raise ValueError(f"[random_split] fractions between 0 and 1 are expected, not {lengths}")
    counts = [math.floor(total * fraction) for fraction in lengths]
    for i in range(total - sum(counts)):
        counts[i % len(counts)] += 1
    return counts


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Generator | None = None
) -> list[Subset]:
    """Cut a dataset into random parts of the given lengths, or fractions that add up to 1.

    >>> [len(part) for part in random_split(range(10), [0.75, 0.25])]
    [8, 2]
    """
    counts = _split_lengths(len(dataset), lengths)
    if sum(counts) != len(dataset):
        raise ValueError(
            f"[random_split] the lengths {list(lengths)} add up to {sum(counts)}, "
            f"but the dataset has {len(dataset)} samples"
        )
    order = randperm(len(dataset), generator=generator).tolist()
    ends = list(itertools.accumulate(counts))
    return [
        Subset(dataset, order[end - count : end]) for count, end in zip(counts, ends, strict=True)
    ]


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
        """A StackDataset's datasets without their names."""
        return list(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def __getitem__(self, index: int) -> Any:
        """Return sample `index` of each stacked dataset."""
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __len__(self) -> int:
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


class SubsetRandomSampler(Sampler):
    """The given indices, in a new random order each epoch."""

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        """Remember the indices, a subset of a dataset's."""
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """`num_samples` indices, each drawn with a probability in proportion to its weight.

    >>> list(WeightedRandomSampler([0.0, 1.0], num_samples=3))
    [1, 1, 1]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Generator | None = None,
    ) -> None:
        """Take a weight, 0 or more, for each sample."""
        if not isinstance(replacement, bool):
            raise ValueError(
                f"[WeightedRandomSampler] replacement must be True or False, not {replacement!r}"
            )
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"[WeightedRandomSampler] one row of weights is expected, not {shape}")
        self.num_samples = positive("WeightedRandomSampler", "num_samples", num_samples)
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        count = self.num_samples
        drawn = multinomial(self.weights, count, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self) -> int:
        """Count the weighted draws of an epoch."""
        return self.num_samples
