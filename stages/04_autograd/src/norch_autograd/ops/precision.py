"""What autocast does to an operation: its floating-point inputs are cast before it runs.

Products run in the lower precision that `autocast` names, losses in float32; the casts are
recorded, so that gradients arrive in the dtype of the parameters. `matmul` and `linear` ask
`mode.autocast` themselves, in one line; the others wear a decorator of this file. float64 is never
touched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from norch_autograd.dtype import DType, float32, float64
from norch_autograd.graph import TensorBase
from norch_autograd.mode import mode
from norch_autograd.ops.convert import moved

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor

P = ParamSpec("P")
R = TypeVar("R")


def lowered(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `function`, its floating-point tensors cast to the dtype of the autocast around it."""
    settings = mode.autocast
    dtype = settings.dtype_for(args, kwargs) if settings is not None else None
    mode.autocast = None  # what the operation does inside is its own affair
    try:
        if dtype is None:
            return function(*args, **kwargs)
        return function(
            *(cast(x, dtype, settings) for x in args),
            **{name: cast(x, dtype, settings) for name, x in kwargs.items()},
        )
    finally:
        mode.autocast = settings


def raised(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `function`, its floating-point tensors cast to float32."""
    settings = mode.autocast
    on = settings is not None and settings.dtype_for(args, kwargs) is not None
    mode.autocast = None
    try:
        if not on:
            return function(*args, **kwargs)
        return function(
            *(cast(x, float32, None) for x in args),
            **{name: cast(x, float32, None) for name, x in kwargs.items()},
        )
    finally:
        mode.autocast = settings


def cast(value: Any, dtype: DType, settings: Any) -> Any:
    """Cast a floating-point tensor, and the tensors of a list; a parameter once per autocast."""
    if isinstance(value, list | tuple):
        return [cast(item, dtype, settings) for item in value]
    if not isinstance(value, TensorBase):
        return value
    now = value.array.dtype
    if now is dtype or now is float64 or not now.is_floating_point:
        return value
    return settings.remembered(value, dtype, moved) if settings else moved_to(value, dtype)


def moved_to(tensor: TensorBase, dtype: DType) -> Tensor:
    """The tensor in another dtype, recorded."""
    return moved(tensor, None, dtype)  # type: ignore[arg-type]


def in_lower_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Let `function` run in the lower precision of an autocast around it."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if mode.autocast is None:
            return function(*args, **kwargs)
        result: R = lowered(function, *args, **kwargs)
        return result

    return called


def in_single_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Let `function` run in float32 inside an autocast: sums and logarithms need the digits."""

    @functools.wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> R:
        if mode.autocast is None:
            return function(*args, **kwargs)
        result: R = raised(function, *args, **kwargs)
        return result

    return called
