"""From samples to batches: default_collate, and the functions that fetch what a batch is made of.

The DataLoader calls these itself, or its workers do: they are the same in every process.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from norch_autograd import Tensor, as_tensor, float64, stack, tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.data.dataset import Subset


@in_own_name
def default_collate(batch: Sequence[Any]) -> Any:
    """Stack tensors, make int64 of ints and float64 of floats, and go into tuples and dicts.

    >>> default_collate([(1, "a"), (2, "b")])[0].tolist()
    [1, 2]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return _stack_samples(batch)
    if _is_numpy(first):
        if first.dtype.kind in "SUO":
            raise TypeError(f"[default_collate] arrays of {first.dtype} cannot become tensors")
        return _stack_samples([as_tensor(sample) for sample in batch])
    if isinstance(first, bool | int):
        return tensor(list(batch))
    if isinstance(first, float):
        return tensor(list(batch), dtype=float64)
    if isinstance(first, str | bytes):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        return _collate_sequences(batch)
    given, advice = type(first).__name__, "pass a collate_fn of your own"
    if type(first).__module__.startswith("PIL."):
        advice = "give the dataset transform=ToTensor()"
    raise TypeError(
        f"[default_collate] samples of type {given} cannot be joined: expected tensors, arrays, "
        f"numbers, strings, tuples, lists or dicts; {advice}"
    )


def _stack_samples(tensors: Sequence[Tensor]) -> Tensor:
    """Stack the samples' tensors, of one shape, along a new first dimension."""
    try:
        return stack(tensors)
    except RuntimeError:
        shapes = {tuple(t.shape) for t in tensors}
        if len(shapes) == 1:
            raise
    raise RuntimeError(
        f"[default_collate] samples of one shape are expected, not {sorted(shapes)}: "
        "pad them, or pass a collate_fn of your own"
    )


def _collate_sequences(batch: Sequence[Any]) -> Any:
    """Collate tuples and lists field by field; a named tuple stays one."""
    first = batch[0]
    if len({len(sample) for sample in batch}) > 1:
        raise RuntimeError("[default_collate] samples of one length are expected")
    fields = [default_collate(field) for field in zip(*batch, strict=True)]
    return type(first)(*fields) if hasattr(first, "_fields") else fields


def _is_numpy(value: Any) -> bool:
    """Whether a sample's `value` is a NumPy array or number, asked without importing NumPy."""
    return type(value).__module__ == "numpy" and hasattr(value, "dtype")


def default_convert(data: Any) -> Any:
    """Make tensors of NumPy arrays and leave the rest: what is done without batching."""
    if _is_numpy(data):
        return data if data.dtype.kind in "SUO" else as_tensor(data)  # texts and objects stay
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple | list):
        return [default_convert(value) for value in data]
    return data


def pin_batch(batch: Any) -> Any:
    """Pin every tensor in a batch, and what has a `pin_memory` of its own; the rest stays.

    Of any mapping comes a dict, of named tuples, tuples and lists their own type.
    """
    if hasattr(batch, "pin_memory"):
        return batch.pin_memory()
    if isinstance(batch, Mapping):
        return {key: pin_batch(value) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(pin_batch, batch))
    if isinstance(batch, tuple | list):
        return type(batch)(map(pin_batch, batch))
    return batch


def sample_fetcher(dataset: Any, collate_fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Return the function from an index to a sample: what is done without batching."""
    convert = collate_fn or default_convert
    return lambda index: convert(dataset[index])


def batch_fetcher(dataset: Any, collate_fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Return the function from indices to a batch: one gather where the dataset offers it."""
    source, chosen = _unwrap_subsets(dataset)
    gather = getattr(source, "__getbatch__", None)
    if collate_fn is None and gather is not None:
        found: Callable[[Any], Any] = gather
        return found if source is dataset else lambda indices: gather(chosen(indices))
    collate = collate_fn or default_collate
    get_items = getattr(dataset, "__getitems__", None)
    if get_items is not None:
        return lambda indices: collate(get_items(indices))
    return lambda indices: collate([dataset[i] for i in indices])


def _unwrap_subsets(dataset: Any) -> tuple[Any, Callable[[list[int]], list[int]]]:
    """Look through Subsets: the dataset below, and how its indices follow from ours."""
    levels = []
    while isinstance(dataset, Subset):
        levels.append(dataset.indices)
        dataset = dataset.dataset

    def choose(indices: list[int]) -> list[int]:
        for level in levels:
            indices = [level[i] for i in indices]
        return indices

    return dataset, choose


def stream(
    dataset: Any, collate_fn: Callable[[Any], Any] | None, batch_size: int | None, drop_last: bool
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
