"""custom_fwd and custom_bwd: how a `Function` of your own behaves inside an autocast.

Its forward may ask for inputs of one dtype; its backward then runs as its forward did. autocast
itself is stage 4's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

from norch_autograd import DType, Tensor, autocast, float64, get_autocast_dtype, is_autocast_enabled

Method = Callable[..., Any]


def custom_fwd(
    fwd: Method | None = None, *, device_type: str, cast_inputs: DType | None = None
) -> Any:
    """Decorate the forward of a Function: remember the autocast around it.

    With `cast_inputs` the floating-point inputs are cast to that dtype inside an autocast, and
    forward runs without one.

    >>> class Twice(norch.Function):
    ...     @staticmethod
    ...     @custom_fwd(device_type="cpu", cast_inputs=norch.float32)
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     @custom_bwd(device_type="cpu")
    ...     def backward(ctx, grad):
    ...         return grad * 2
    >>> with norch.autocast("cpu"):
    ...     Twice.apply(norch.ones(1, dtype=norch.bfloat16)).dtype
    norch.float32
    """
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        on = is_autocast_enabled(device_type)
        ctx.autocast_dtype = get_autocast_dtype(device_type)
        ctx.autocast_on = on and cast_inputs is None
        ctx.kinds = [x.dtype if isinstance(x, Tensor) else None for x in args]
        if not on or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *cast(args, cast_inputs), **cast(kwargs, cast_inputs))

    return forward


def custom_bwd(bwd: Method | None = None, *, device_type: str) -> Any:
    """Decorate the backward of a Function: run it under the autocast its forward ran under.

    See `custom_fwd` for an example.

    >>> custom_bwd(device_type="cpu").func is custom_bwd
    True
    """
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def backward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, ctx.autocast_dtype, ctx.autocast_on):
            grads = bwd(ctx, *args, **kwargs)
        several = grads if isinstance(grads, tuple) else (grads,)
        pairs = zip(several, ctx.kinds, strict=True)
        return tuple(x.to(kind) if isinstance(x, Tensor) else x for x, kind in pairs)

    return backward


def cast(value: Any, dtype: DType) -> Any:
    """Cast the floating-point tensors in nested lists, tuples and dicts; float64 stays."""
    if isinstance(value, Tensor):
        wanted = value.is_floating_point() and value.dtype is not float64
        return value.to(dtype) if wanted else value
    if isinstance(value, Mapping):
        return {key: cast(item, dtype) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(cast(item, dtype) for item in value)
    return value
