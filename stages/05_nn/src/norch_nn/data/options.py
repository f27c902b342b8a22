"""Which options of a DataLoader agree with each other; each check says which to leave out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def check_workers(
    num_workers: int,
    timeout: float,
    prefetch_factor: int | None,
    persistent_workers: bool,
    multiprocessing_context: Any,
) -> None:
    """Raise ValueError for options of workers that are out of range, or set without workers."""
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


def check_samplers(
    is_stream: bool,
    batch_size: int | None,
    shuffle: bool | None,
    sampler: Iterable[Any] | None,
    batch_sampler: Iterable[Any] | None,
    drop_last: bool,
) -> None:
    """Raise ValueError where two options would both decide the order or the size."""
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
