"""Bare arrays seen in another shape, and questions about their elements; nothing is recorded."""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.tensor_base import Tensor, plain


def reshape_array(array: Any, shape: tuple[int, ...]) -> Any:
    """An array in another shape; a copy where its layout forbids a view."""
    found = array.view_by(strides.reshape, shape)
    return array.ops.clone(array).view_by(strides.view, shape) if found is None else found


def transpose_array(array: Any) -> Any:
    """A view with the last two dimensions swapped."""
    return array.view_by(strides.transpose, -2, -1)


def array_any(input: Tensor) -> bool:
    """Whether some element is not zero; waits for the device."""
    return bool(input.array.ops.any(input.array).item())


def array_all(input: Tensor) -> bool:
    """Whether no element is zero; waits for the device."""
    return bool(input.array.ops.all(input.array).item())


def nonzero_columns(input: Tensor) -> tuple[Tensor, ...]:
    """Where the elements are not zero: for each dimension the indices along it."""
    x = input.array
    places = x.ops.nonzero(x if x.ndim else reshape_array(x, (1,)))
    return tuple(map(plain, places.unbind(1)))
