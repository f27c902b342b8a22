"""Every function of one or more tensors as an edit in place: `x.exp_()` is `x = x.exp()` in x's own
storage. `Tensor` makes each of them where it lists its methods, by `in_place` or `unrecorded`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.tensor_base import Operand, Tensor
from norch_autograd.ops.elementwise.special import float_power
from norch_autograd.ops.inplace.edit import edit
from norch_cpu_ops import float64


def in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function`, whose result is stored in its first argument."""

    @functools.wraps(function)
    def edited(input: Any, *args: Any, **options: Any) -> Tensor:
        return edit(input, function, *args, **options)

    edited.__name__ = f"{function.__name__}_"
    edited.__doc__ = f"`{function.__name__}` in place: the first argument is edited and returned."
    return edited


def unrecorded(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function` in place, unseen by the record, as PyTorch's: gradients pass as if nothing was."""
    edited = in_place(function)

    @functools.wraps(edited)
    def unseen(input: Any, *args: Any, **options: Any) -> Tensor:
        with no_grad():
            return edited(input, *args, **options)

    unseen.__doc__ = f"{edited.__doc__} The record does not see it: gradients pass unchanged."
    return unseen


def float_power_(input: Tensor, exponent: Operand) -> Tensor:
    """`float_power` in place; RuntimeError unless `input` is float64, as the result is.

    >>> norch.tensor([3.], dtype=norch.float64).float_power_(2)
    tensor([9.], dtype=norch.float64)
    """
    dtype = input.array.dtype
    if dtype is not float64:
        raise RuntimeError(
            f"[float_power_] the base has dtype {dtype}, but the result is {float64}: "
            "use float_power, or make the base a double first"
        )
    return edit(input, float_power, exponent)
