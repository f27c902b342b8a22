"""From samples to batches: default_collate, and the functions that fetch what a batch is made of.

The DataLoader calls these itself, or its workers do: they are the same in every process.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import getitem
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


def call(words: str, where: Any, function: Callable[..., Any], *args: Any) -> Any:
    """Return `function(*args)`; RuntimeError for a StopIteration, which would end the epoch."""
    try:
        return function(*args)
    except StopIteration as error:
        raise RuntimeError(
            f"[DataLoader] {words.format(where)} raised StopIteration, as next() of an iterator "
            "without a next does: expected a value, or another error"
        ) from error


def pin_batch(batch: Any) -> Any:
    """Pin every tensor in a batch, and what has a `pin_memory` of its own; the rest stays.

    Of any mapping comes a dict, of named tuples, tuples and lists their own type.
    """
    if hasattr(batch, "pin_memory"):
        return call("pin_memory of a {}", type(batch).__name__, batch.pin_memory)
    if isinstance(batch, Mapping):
        return {key: pin_batch(value) for key, value in batch.items()}
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(pin_batch, batch))
    if isinstance(batch, tuple | list):
        return type(batch)(map(pin_batch, batch))
    return batch


NO_INDEX = ("float", "bfloat", "bool", "NoneType", "slice", "ellipsis")


def check_index(index: Any) -> Any:
    """Return what a sampler gave, unless no sample has it as its index, as the values of a mask."""
    kind = getattr(getattr(index, "dtype", None), "name", type(index).__name__)
    if kind.startswith(NO_INDEX):
        raise TypeError(
            f"[DataLoader] the sampler gave {index!r}, which is no index: expected whole numbers "
            "(of a mask mask.nonzero()), or keys of the dataset"
        )
    return index


def sample_fetcher(dataset: Any, collate_fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Return the function from an index to a sample: what is done without batching."""
    convert = collate_fn or default_convert

    def fetch(index: Any) -> Any:
        sample = call("dataset[{}]", index, getitem, dataset, check_index(index))
        return call("collate_fn of sample {}", index, convert, sample)

    return fetch


def batch_fetcher(dataset: Any, collate_fn: Callable[[Any], Any] | None) -> Callable[[Any], Any]:
    """Return the function from indices to a batch: one gather where the dataset offers it."""
    source, chosen = _unwrap_subsets(dataset)
    whole = collate_fn is None and _speaks_for_items(source, "__getbatch__")
    method, collate = "__getbatch__" if whole else "__getitems__", collate_fn or default_collate
    at_once = _speaks_for_items(source, method)

    def fetch(given: Any) -> Any:
        indices = list(given)
        if set(map(type, indices)) != {int}:
            indices = [check_index(index) for index in indices]
        if at_once:
            get = getattr(source, method)
            samples = call(f"{method}({{}})", indices, lambda: get(chosen(indices)))
        else:
            samples = [call("dataset[{}]", i, getitem, dataset, i) for i in indices]
        if not whole and len(samples) != len(indices):
            raise RuntimeError(f"[DataLoader] {method}({indices}) gave {len(samples)} samples")
        return samples if whole else call("collate_fn of {}", indices, collate, samples)

    return fetch


def _speaks_for_items(dataset: Any, method: str) -> bool:
    """Whether a dataset's class has `method`, and no subclass a newer `__getitem__` beside it."""
    kinds = (vars(kind) for kind in type(dataset).__mro__)
    return method in next((kind for kind in kinds if method in kind or "__getitem__" in kind), ())


def _unwrap_subsets(dataset: Any) -> tuple[Any, Callable[[list[int]], list[int]]]:
    """Look through Subsets: the dataset below, and how its indices follow from ours."""
    levels = []
    while type(dataset) is Subset:
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
    collate = collate_fn or (default_convert if batch_size is None else default_collate)
    samples = (sample for sample in dataset)  # islice() asks for iter() again: what may begin anew
    if batch_size is None:
        yield from (call("collate_fn of sample {}", i, collate, x) for i, x in enumerate(samples))
        return
    for number in itertools.count():
        batch = list(itertools.islice(samples, batch_size))
        if len(batch) == batch_size or (batch and not drop_last):
            yield call("collate_fn of batch {}", number, collate, batch)
        if len(batch) < batch_size:  # over, whatever another next() would give
            return
