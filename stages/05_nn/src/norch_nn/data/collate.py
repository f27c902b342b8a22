"""default_collate: a list of samples becomes one sample of batched tensors.

The DataLoader calls it on every batch that the dataset does not assemble itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from norch_autograd import Tensor, as_tensor, float64, stack, tensor


def default_collate(batch: Sequence[Any]) -> Any:
    """Stack tensors, make int64 of ints and float64 of floats, and go into tuples and dicts.

    >>> default_collate([(1, "a"), (2, "b")])[0].tolist()
    [1, 2]
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack_samples(batch)
    if is_numpy(first):
        if first.dtype.kind in "SUO":
            raise TypeError(f"[default_collate] arrays of {first.dtype} cannot become tensors")
        return stack_samples([as_tensor(sample) for sample in batch])
    if isinstance(first, bool | int):
        return tensor(list(batch))
    if isinstance(first, float):
        return tensor(list(batch), dtype=float64)
    if isinstance(first, str | bytes):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        return collate_sequences(batch)
    given = type(first).__name__
    raise TypeError(
        f"[default_collate] samples of type {given} cannot be joined: expected tensors, arrays, "
        "numbers, strings, tuples, lists or dicts; pass a collate_fn of your own"
    )


def stack_samples(tensors: Sequence[Tensor]) -> Tensor:
    """Stack tensors of one shape along a new first dimension."""
    shapes = {tuple(t.shape) for t in tensors}
    if len(shapes) > 1:
        raise RuntimeError(
            f"[default_collate] samples of one shape are expected, not {sorted(shapes)}: "
            "pad them, or pass a collate_fn of your own"
        )
    return stack(list(tensors))


def collate_sequences(batch: Sequence[Any]) -> Any:
    """Collate tuples and lists field by field; a named tuple stays one."""
    first = batch[0]
    if len({len(sample) for sample in batch}) > 1:
        raise RuntimeError("[default_collate] samples of one length are expected")
    fields = [default_collate(field) for field in zip(*batch, strict=True)]
    return type(first)(*fields) if hasattr(first, "_fields") else fields


def is_numpy(value: Any) -> bool:
    """Whether `value` is a NumPy array or number, asked without importing NumPy."""
    return type(value).__module__ == "numpy" and hasattr(value, "dtype")


def default_convert(data: Any) -> Any:
    """Make tensors of NumPy arrays and leave the rest: what is done without batching."""
    if is_numpy(data):
        return data if data.dtype.kind in "SUO" else as_tensor(data)  # texts and objects stay
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*map(default_convert, data))
    if isinstance(data, tuple | list):
        return [default_convert(value) for value in data]
    return data
