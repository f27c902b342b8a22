"""DataLoader: batches of a dataset, a fresh pass each time it is iterated.

It joins a dataset, a sampler and a collate function, and holds no position of its own: leaving a
loop early costs nothing, the next loop starts from the first batch.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from norch_autograd import Generator
from norch_nn.data.collate import default_collate, default_convert
from norch_nn.data.dataset import IterableDataset, Subset
from norch_nn.data.sampler import BatchSampler, RandomSampler, SequentialSampler

__all__ = ["DataLoader"]


class DataLoader:
    """Iterate over `dataset` in batches.

    `shuffle` draws a new order each epoch (from `generator`, or the default one); `sampler` or
    `batch_sampler` replace it. `batch_size=None` yields single samples. Batches are made in this
    process: `num_workers` must be 0. `pin_memory` is accepted for PyTorch's sake and has no effect.

    >>> data = [(float(i), i) for i in range(5)]
    >>> [labels.tolist() for _, labels in DataLoader(data, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        *,
        generator: Generator | None = None,
    ) -> None:
        """Check that the options agree, and choose the samplers."""
        check_workers(num_workers)
        iterable = isinstance(dataset, IterableDataset)
        if iterable and (shuffle or sampler is not None or batch_sampler is not None):
            raise ValueError(
                "[DataLoader] an IterableDataset decides its own order: "
                "leave out shuffle, sampler and batch_sampler"
            )
        check_samplers(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if sampler is None and not iterable:
            sampler = (
                RandomSampler(dataset, generator=generator)
                if shuffle
                else SequentialSampler(dataset)
            )
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(() if sampler is None else sampler, batch_size, drop_last)
        elif batch_sampler is not None:
            batch_size, drop_last = None, False
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.generator = generator
        self.collate_fn = collate_fn
        self._fetch = choose_fetch(dataset, collate_fn)

    def __iter__(self) -> Iterator[Any]:
        """Start a new epoch."""
        if self.batch_sampler is None:
            convert = self.collate_fn or default_convert
            samples = self.dataset if self.sampler is None else map(self._sample, self.sampler)
            return map(convert, samples)
        if isinstance(self.dataset, IterableDataset):
            return self._iterate_stream()
        return map(self._fetch, self.batch_sampler)

    def _sample(self, index: Any) -> Any:
        return self.dataset[index]

    def _iterate_stream(self) -> Iterator[Any]:
        """Cut a stream into batches."""
        samples, collate = iter(self.dataset), self.collate_fn or default_collate
        while batch := list(itertools.islice(samples, self.batch_size)):
            if self.drop_last and len(batch) < (self.batch_size or 0):
                return
            yield collate(batch)

    def __len__(self) -> int:
        """Count the batches of an epoch; a stream without a length raises TypeError."""
        if isinstance(self.dataset, IterableDataset):
            size = len(self.dataset)  # type: ignore[arg-type]
            return len(BatchSampler(range(size), self.batch_size or 1, self.drop_last))
        counted = self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(counted)  # type: ignore[arg-type]


def check_workers(num_workers: int) -> None:
    """Refuse worker processes until they exist, rather than pretend."""
    if not isinstance(num_workers, int) or num_workers < 0:
        raise ValueError(f"[DataLoader] num_workers must be 0 or more, not {num_workers!r}")
    if num_workers > 0:
        raise NotImplementedError(
            f"[DataLoader] num_workers={num_workers}: worker processes are not there yet, "
            "use num_workers=0 (batches are made in this process)"
        )


def check_samplers(
    batch_size: int | None,
    shuffle: bool | None,
    sampler: Iterable[Any] | None,
    batch_sampler: Iterable[Any] | None,
    drop_last: bool,
) -> None:
    """Raise ValueError where two options would both decide the order or the size."""
    if sampler is not None and shuffle:
        raise ValueError("[DataLoader] sampler and shuffle both decide the order: give one")
    if batch_sampler is not None and (
        batch_size != 1 or shuffle or sampler is not None or drop_last
    ):
        raise ValueError(
            "[DataLoader] batch_sampler decides order and size: "
            "leave out batch_size, shuffle, sampler and drop_last"
        )
    if batch_size is None and (shuffle or drop_last):
        raise ValueError(
            "[DataLoader] batch_size=None turns batching off: leave out shuffle and drop_last"
        )


def choose_fetch(dataset: Any, collate_fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Return the function from indices to a batch: one gather where the dataset offers it."""
    source, chosen = unwrap(dataset)
    gather = getattr(source, "__getbatch__", None)
    if collate_fn is None and gather is not None:
        return lambda indices: gather(chosen(indices))
    collate = collate_fn or default_collate
    get_items = getattr(dataset, "__getitems__", None)
    if get_items is not None:
        return lambda indices: collate(get_items(indices))
    return lambda indices: collate([dataset[i] for i in indices])


def unwrap(dataset: Any) -> tuple[Any, Callable[[list[int]], list[int]]]:
    """Look through Subsets: the dataset below, and how its indices follow from ours."""
    levels = []
    while isinstance(dataset, Subset):
        levels.append(dataset.indices)
        dataset = dataset.dataset

    def chosen(indices: list[int]) -> list[int]:
        for level in levels:
            indices = [level[i] for i in indices]
        return indices

    return dataset, chosen
