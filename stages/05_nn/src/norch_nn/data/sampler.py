"""Samplers: in which order the samples come, drawn anew for each epoch.

Each is an iterable of indices; iterating it again is a new epoch. Called by the
DataLoader; a sampler never reads a dataset.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Sized
from typing import Any

from norch_autograd import Generator, empty, int64, randint, randperm
from norch_autograd.graph.operands import in_own_name


class Sampler:
    """Base of samplers: write `__iter__`, and `__len__` where it is known."""

    def __iter__(self) -> Iterator[Any]:
        name = type(self).__name__
        raise NotImplementedError(f"[{name}] has no __iter__: write one that yields indices")


class SequentialSampler(Sampler):
    """0, 1, 2, ...

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        """Count the samples of `data_source`."""
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


def positive(where: str, name: str, value: object) -> int:
    """Return a sampler's option `value` if it is a whole number above 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"[{where}] {name} must be a whole number above 0, not {value!r}")
    return value


class RandomSampler(Sampler):
    """A new permutation each epoch, or draws with replacement.

    >>> sorted(RandomSampler("abc"))
    [0, 1, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        """Choose how many to draw: as many as there are samples, unless told."""
        if not isinstance(replacement, bool):
            raise TypeError(
                f"[RandomSampler] replacement must be True or False, not {replacement!r}"
            )
        self.data_source = data_source
        self.replacement = replacement
        self.generator = generator
        self._num_samples = (
            None if num_samples is None else positive("RandomSampler", "num_samples", num_samples)
        )
        positive("RandomSampler", "num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices an epoch has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        """Draw one epoch. Chained lists are walked in C; a generator would wake for each index."""
        return itertools.chain.from_iterable(self._repeat() if self.replacement else self._once())

    def _once(self) -> Iterator[list[int]]:
        """Yield permutations of the indices, as many as the epoch needs, the last cut short."""
        size = len(self.data_source)
        for left in range(self.num_samples, 0, -max(size, 1)):
            yield randperm(size, generator=self.generator).tolist()[:left]

    def _repeat(self) -> Iterator[list[int]]:
        """Draw indices 32 at a time, as PyTorch: scripts that count steps ask for 10^10 of them.

        Without a generator the epoch gets one of its own, seeded once: what the script draws
        between two batches is then another stream.
        """
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(int(empty((), dtype=int64).random_().item()))
        for left in range(self.num_samples, 0, -32):
            size = (min(left, 32),)
            yield randint(0, len(self.data_source), size, generator=generator).tolist()

    def __len__(self) -> int:
        """Count the indices of an epoch."""
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` indices from another sampler.

    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    @in_own_name
    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        """Choose the size, and whether a short last batch is dropped."""
        if not isinstance(drop_last, bool):
            raise ValueError(f"[BatchSampler] drop_last must be True or False, not {drop_last!r}")
        self.sampler = sampler
        self.batch_size = positive("BatchSampler", "batch_size", batch_size)
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        """Yield one list of indices a batch."""
        # ex 5.8 begin
        indices = itertools.chain(self.sampler)  # asked for iter() once, and may begin anew
        while batch := list(itertools.islice(indices, min(self.batch_size, sys.maxsize))):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch
        # ex 5.8 end

    def __len__(self) -> int:
        full, rest = divmod(len(self.sampler), self.batch_size)  # type: ignore[arg-type]
        return full + (1 if rest and not self.drop_last else 0)
