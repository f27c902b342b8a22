"""From indices to a batch, and from a stream to batches: the same in every process.

The DataLoader calls these itself, or its workers do.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from norch_nn.data.collate import default_collate, default_convert
from norch_nn.data.dataset import Subset


def sample_fetcher(dataset: Any, collate_fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Return the function from an index to a sample: what is done without batching."""
    convert = collate_fn or default_convert
    return lambda index: convert(dataset[index])


def batch_fetcher(dataset: Any, collate_fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
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


def stream(
    dataset: Any,
    collate_fn: Callable[[Any], Any] | None,
    batch_size: int | None,
    drop_last: bool,
) -> Iterator[Any]:
    """Go through a dataset without an index, in batches or sample by sample."""
    if batch_size is None:
        yield from map(collate_fn or default_convert, dataset)
        return
    samples, collate = iter(dataset), collate_fn or default_collate
    while batch := list(itertools.islice(samples, batch_size)):
        if drop_last and len(batch) < batch_size:
            return
        yield collate(batch)
