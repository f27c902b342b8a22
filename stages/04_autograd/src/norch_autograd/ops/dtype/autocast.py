"""autocast: products run in half precision, losses in float32; the model stays as it is.

A `with` block (or decorator) sets `mode.autocast`, which belongs to the thread. The operations it
concerns wear `in_lower_precision` or `in_single_precision`, which cast their floating-point inputs
first. The casts are recorded, so that gradients arrive in the dtype of the parameters. float64 is
never touched; nothing here computes.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.dtype.convert import move
from norch_autograd.types.device import device
from norch_autograd.types.modes import Decorator, P, R, mode
from norch_cpu_ops import DType, bfloat16, float16, float32, float64

DEFAULTS = {"cpu": bfloat16, "cuda": float16, "cuda-sim": float16}


open_autocasts: list[object] = []  # of any thread; which, says its mode


class AutocastSettings:
    """What one autocast asks for: a dtype for each device type, and the parameters cast already."""

    def __init__(self, dtypes: dict[str, DType], cache: dict[Any, Any] | None) -> None:
        self.dtypes = dtypes
        self.cache = cache

    def dtype_for(self, args: Any, kwargs: Any) -> DType | None:
        """The dtype for the device of the first tensor; None where autocast is off for it."""
        for value in (*args, *kwargs.values()):
            found = value[0] if isinstance(value, list | tuple) and value else value
            if isinstance(found, Tensor):
                return self.dtypes.get(found.array.device.partition(":")[0])
        return None

    def cast_once(self, tensor: Tensor, dtype: DType) -> Any:
        """Cast `tensor`; a leaf that requires grad once only, kept until the block ends."""
        is_weight = tensor._requires_grad and tensor.node is None and mode.enabled
        if self.cache is None or not is_weight:
            return move(tensor, None, dtype)
        key = id(tensor), dtype, tensor.array.version
        if key not in self.cache:
            self.cache[key] = tensor, move(tensor, None, dtype)  # held: the id stays its own
        return self.cache[key][1]


class autocast(Decorator):
    """Run matmul, linear, convolutions and attention in `dtype`, losses in float32.

    `dtype` is bfloat16 on the CPU and float16 on a GPU, unless given. float32 inputs are cast;
    float64 and whole numbers are not. Parameters stay as they are, and so do their gradients.

    >>> x = norch.ones(2, 2)
    >>> with norch.autocast("cpu"):
    ...     (x @ x).dtype, (x + x).dtype
    (norch.bfloat16, norch.float32)
    """

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            given = type(device_type).__name__
            raise ValueError(f"[autocast] expected a device type, a str, got {given}")
        if device_type not in DEFAULTS:
            raise RuntimeError(
                f"[autocast] device type must be 'cpu', 'cuda' or 'cuda-sim', not {device_type!r}"
            )
        self.device_type = device_type
        self.dtype = DEFAULTS[device_type] if dtype is None else dtype
        if enabled and self.dtype not in (float16, bfloat16):
            raise RuntimeError(
                f"[autocast] expected float16 or bfloat16 as the lower precision, got {self.dtype}"
            )
        self.enabled = enabled
        self.cache_enabled = cache_enabled is not False
        self._found: list[Any] = []

    def __enter__(self) -> Self:
        found = mode.autocast
        self._found.append(found)
        open_autocasts.append(self)
        dtypes = {} if found is None else dict(found.dtypes)
        if self.enabled:
            dtypes[self.device_type] = self.dtype
        else:
            dtypes.pop(self.device_type, None)
        cache = {} if found is None else found.cache
        mode.autocast = (
            AutocastSettings(dtypes, cache if self.cache_enabled else None) if dtypes else None
        )
        return self

    def __exit__(self, *_: object) -> None:
        mode.autocast = self._found.pop()
        open_autocasts.remove(self)

    def _clone(self) -> autocast:
        """The same autocast anew, for one call of a function that it decorates."""
        return autocast(self.device_type, self.dtype, self.enabled, self.cache_enabled)


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether an autocast for this device type is on in this thread.

    >>> with autocast("cpu"):
    ...     is_autocast_enabled("cpu"), is_autocast_enabled("cuda")
    (True, False)
    """
    if not isinstance(device_type, str):
        given = type(device_type).__name__
        raise TypeError(f"[is_autocast_enabled] expected a device type, a str, got {given}")
    device(device_type)  # which says so if there is none of this name
    return mode.autocast is not None and device_type in mode.autocast.dtypes


def get_autocast_dtype(device_type: str) -> DType:
    """The lower precision of this device type: the one in force, else the default.

    >>> get_autocast_dtype("cpu")
    norch.bfloat16
    """
    if device_type not in DEFAULTS:
        raise RuntimeError(f"[autocast] there is no device type {device_type!r}")
    now = mode.autocast
    return now.dtypes.get(device_type, DEFAULTS[device_type]) if now else DEFAULTS[device_type]


def in_lower_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Let `function` run in the lower precision of an autocast around it."""
    return _under_autocast(function, lower=True)


def in_single_precision(function: Callable[P, R]) -> Callable[P, R]:
    """Let `function` run in float32 inside an autocast: sums and logarithms need the digits."""
    return _under_autocast(function, lower=False)


def _under_autocast(function: Callable[P, R], lower: bool) -> Callable[P, R]:
    """`function`, which casts its inputs first inside an autocast."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        if not open_autocasts or mode.autocast is None:
            return function(*args, **kwargs)
        result: R = _call_with_casts(function, args, kwargs, lower)
        return result

    return wrapper


def _call_with_casts(function: Callable[..., Any], args: Any, kwargs: Any, lower: bool) -> Any:
    """Call `function`, its floating-point tensors cast to the lower precision or to float32, if
    the autocast is on for their device. Inside, autocast is off.
    """
    settings = mode.autocast
    dtype = settings.dtype_for(args, kwargs)
    mode.autocast = None
    try:
        if dtype is None:
            return function(*args, **kwargs)
        wanted, cache = (dtype, settings) if lower else (float32, None)
        return function(
            *(_cast(x, wanted, cache) for x in args),
            **{name: _cast(x, wanted, cache) for name, x in kwargs.items()},
        )
    finally:
        mode.autocast = settings


def _cast(value: Any, dtype: DType, settings: AutocastSettings | None) -> Any:
    """Cast a floating-point tensor, and the tensors of a list; a parameter once per autocast."""
    if isinstance(value, list | tuple):
        return [_cast(item, dtype, settings) for item in value]
    if not isinstance(value, Tensor):
        return value
    now = value.array.dtype
    if now is dtype or now is float64 or not now.is_floating_point:
        return value
    return settings.cast_once(value, dtype) if settings else move(value, None, dtype)


def autocast_settings() -> AutocastSettings | None:
    """What this thread's autocast asks for now; None outside any."""
    return mode.autocast  # type: ignore[no-any-return]


@contextmanager
def restore_autocast(settings: AutocastSettings | None) -> Iterator[None]:
    """Inside, autocast says what it said when `settings` were taken; with None there is none."""
    found = mode.autocast
    mode.autocast = settings
    open_autocasts.append(settings)
    try:
        yield
    finally:
        mode.autocast = found
        open_autocasts.remove(settings)
