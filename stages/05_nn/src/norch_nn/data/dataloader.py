"""DataLoader: batches of a dataset, a fresh pass each time it is iterated.

It joins a dataset, a sampler and a collate function; batches are made in this process or in
workers. Leaving a loop early costs nothing: the next loop starts from the first batch, unless
`load_state_dict` says where to go on. Options that exclude each other are refused first.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from norch_autograd import Generator
from norch_autograd.graph.operands import in_own_name
from norch_nn.data.collate import batch_fetcher, pin_batch, sample_fetcher, stream
from norch_nn.data.dataset import IterableDataset
from norch_nn.data.progress import Progress
from norch_nn.data.sampler import BatchSampler, RandomSampler, SequentialSampler


def _check_workers(
    num_workers: int,
    timeout: float,
    prefetch_factor: int | None,
    persistent_workers: bool,
    multiprocessing_context: Any,
) -> None:
    """Raise an error for options of workers that are out of range, or set without workers."""
    if not isinstance(num_workers, int) or num_workers < 0:
        raise ValueError(f"[DataLoader] num_workers must be 0 or more, not {num_workers!r}")
    if not timeout >= 0:
        raise ValueError(f"[DataLoader] timeout must be 0 or more seconds, not {timeout!r}")
    if prefetch_factor is not None and prefetch_factor <= 0:
        raise ValueError(f"[DataLoader] prefetch_factor must be above 0, not {prefetch_factor!r}")
    needs = {
        "prefetch_factor": prefetch_factor is not None,
        "persistent_workers": persistent_workers,
        "multiprocessing_context": multiprocessing_context is not None,
    }
    for name, given in needs.items():
        if given and num_workers == 0:
            raise ValueError(f"[DataLoader] {name} needs workers: set num_workers above 0")
    if multiprocessing_context is not None:
        from norch_nn.data.start import find_context  # slow to import, and only needed here

        find_context(multiprocessing_context)


def _check_samplers(
    is_stream: bool,
    batch_size: int | None,
    shuffle: bool | None,
    sampler: Iterable[Any] | None,
    batch_sampler: Iterable[Any] | None,
    drop_last: bool,
) -> None:
    """Raise ValueError where two options would both decide the order or the size."""
    if shuffle not in (None, True, False):
        raise ValueError(f"[DataLoader] shuffle must be True or False, not {shuffle!r}")
    if is_stream and (shuffle or sampler is not None or batch_sampler is not None):
        raise ValueError(
            "[DataLoader] an IterableDataset decides its own order: "
            "leave out shuffle, sampler and batch_sampler"
        )
    if sampler is not None and shuffle:
        raise ValueError("[DataLoader] sampler and shuffle both decide the order: give one")
    if batch_sampler is not None and (
        batch_size != 1 or shuffle or sampler is not None or drop_last
    ):
        raise ValueError(
            "[DataLoader] batch_sampler decides order and size: "
            "leave out batch_size, shuffle, sampler and drop_last"
        )
    if batch_size is None and drop_last:
        raise ValueError("[DataLoader] batch_size=None turns batching off: leave out drop_last")


def _has_gpu() -> bool:
    """Whether there is a GPU to pin memory for; a warning where there is none."""
    import norch_cuda  # slow to import, and only needed here

    found = norch_cuda.is_available()
    if not found:
        # Who asks: the loop that called __iter__, _batches and this.
        warnings.warn(
            "[DataLoader] pin_memory=True pins nothing: there is no GPU to copy to", stacklevel=4
        )
    return found


FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader:
    """Iterate over `dataset` in batches.

    `shuffle` draws a new order each epoch (from `generator`, or the default one); `sampler` or
    `batch_sampler` replace it. `batch_size=None` yields single samples. With `num_workers`
    processes make the batches, `prefetch_factor` each ahead of time, in the order of the sampler;
    `worker_init_fn(number)` runs first in each, `timeout` is how many seconds a batch may take, and
    `persistent_workers` live from epoch to epoch. They start as multiprocessing does by default, or
    by `multiprocessing_context`: "fork", or "forkserver" and "spawn", for which the dataset must be
    importable and the loop stand under `if __name__ == "__main__":`. `pin_memory` puts the tensors
    of each batch into pinned memory, where there is a GPU: see `Tensor.pin_memory`. `in_order`
    changes nothing.

    >>> data = [(float(i), i) for i in range(5)]
    >>> [labels.tolist() for _, labels in DataLoader(data, batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    @in_own_name
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
        timeout: float = 0,
        worker_init_fn: Callable[[int], Any] | None = None,
        multiprocessing_context: Any = None,
        generator: Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        """Check that the options agree, and choose the samplers."""
        _check_workers(
            num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context
        )
        self.is_stream = isinstance(dataset, IterableDataset)
        _check_samplers(self.is_stream, batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.dataset = dataset
        self.num_workers = num_workers
        self.collate_fn = collate_fn
        self.pin_memory = pin_memory
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.generator = generator
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.persistent_workers = persistent_workers
        self._choose_samplers(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.in_order = in_order
        self.pin_memory_device = pin_memory_device
        self._progress = Progress(self._order_generator(), generator)
        self._workers: Any = None
        self._pins: bool | None = None  # until it is asked for
        fetcher = sample_fetcher if self.batch_sampler is None else batch_fetcher
        self._fetch = fetcher(dataset, collate_fn)

    def _choose_samplers(
        self,
        batch_size: int | None,
        shuffle: bool | None,
        sampler: Iterable[Any] | None,
        batch_sampler: Iterable[Any] | None,
        drop_last: bool,
    ) -> None:
        """Make the samplers that were not given."""
        if sampler is None and not self.is_stream:
            sampler = (
                RandomSampler(self.dataset, generator=self.generator)
                if shuffle
                else SequentialSampler(self.dataset)
            )
        if batch_sampler is None and batch_size is not None:
            batch_sampler = BatchSampler(() if sampler is None else sampler, batch_size, drop_last)
        elif batch_sampler is not None:
            batch_size, drop_last = None, False
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change what the samplers were made from."""
        if name in FIXED and name in self.__dict__:
            raise ValueError(f"[DataLoader] {name} cannot change afterwards: make a new loader")
        super().__setattr__(name, value)

    def _order_generator(self) -> Generator | None:
        """Return the generator that the sampler draws its order from, None for the default one."""
        sampler = getattr(self.batch_sampler, "sampler", self.sampler)
        found: Generator | None = getattr(sampler, "generator", None)
        return found

    def __iter__(self) -> Iterator[Any]:
        start = self._progress.begin()
        if self.is_stream:
            batches = self._batches(itertools.repeat(None))
            return self._progress.count(itertools.islice(batches, start, None), start)
        order: Any = self.sampler if self.batch_sampler is None else self.batch_sampler
        return self._progress.count(self._batches(self._progress.skip(order, start)), start)

    def _batches(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Make the batch of each task, and pin it if asked to."""
        batches = self._make_batches(tasks)
        if self.pin_memory and self._pins is None:
            self._pins = _has_gpu()
        return map(pin_batch, batches) if self.pin_memory and self._pins else batches

    def _make_batches(self, tasks: Iterable[Any]) -> Iterator[Any]:
        """Make the batch of each task, here or in the workers; a stream has no tasks of its own."""
        if self.num_workers:
            batches: Iterator[Any] = self._start_workers().batches(tasks, self.persistent_workers)
            return batches
        if self.is_stream:
            return stream(self.dataset, self.collate_fn, self.batch_size, self.drop_last)
        return map(self._fetch, tasks)

    def _start_workers(self) -> Any:
        """Return the workers: new ones, or those that were kept."""
        # Slow to import, and only needed with workers.
        from norch_nn.data.worker import Job
        from norch_nn.data.workers import Workers

        if self._workers is not None and self._workers.alive:
            return self._workers
        job = Job(
            self.dataset,
            self.collate_fn,
            self.batch_sampler is not None,
            self.is_stream,
            self.batch_size,
            self.drop_last,
            self.worker_init_fn,
        )
        workers = Workers(
            job,
            self.num_workers,
            self.prefetch_factor or 1,
            self.timeout,
            self._progress.worker_seed(),
            self.multiprocessing_context,
        )
        self._workers = workers if self.persistent_workers else None
        return workers

    def state_dict(self) -> dict[str, Any]:
        """Return where the present pass stands: what `norch.save` can write.

        >>> loader = DataLoader(range(6), batch_size=2)
        >>> batches = iter(loader)
        >>> next(batches).tolist(); state = loader.state_dict()
        [0, 1]
        >>> loader.load_state_dict(state); [batch.tolist() for batch in loader]
        [[2, 3], [4, 5]]
        """
        return self._progress.state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on, in the next loop, with the batch after the one that `state_dict` saw last."""
        self._progress.load_state_dict(state_dict)

    def __len__(self) -> int:
        """Count the batches of an epoch; a stream without a length raises TypeError."""
        if self.is_stream:
            size = len(self.dataset)
            return len(BatchSampler(range(size), self.batch_size or 1, self.drop_last))
        counted = self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(counted)  # type: ignore[arg-type]
