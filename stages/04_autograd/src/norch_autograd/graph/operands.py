"""What an operation may be given, a tensor or a number; from tensor to array, and back."""

from __future__ import annotations

from typing import Any, TypeAlias

from norch_autograd.graph.tensor_base import Tensor, wrap

Number: TypeAlias = float | int | bool
Operand: TypeAlias = "Tensor | Number"


def raw(operand: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    return operand.array if isinstance(operand, Tensor) else operand


def wrapped_array(grad: Any) -> Any:
    """A gradient on its way as a tensor, if it is an array; None, or a tensor, as it is."""
    return wrap(grad, False, None) if hasattr(grad, "layout") else grad
