"""autocast: let products run in half precision without changing the model.

A `with` block (or decorator) sets `mode.autocast`; the operations read it (ops/precision.py). The
setting belongs to the thread, blocks may be nested, and one device's setting leaves the other's
alone. Nothing here computes.

What autocast does to an operation: its floating-point inputs are cast before it runs.

Products run in the lower precision that `autocast` names, losses in float32; the casts are
recorded, so that gradients arrive in the dtype of the parameters. `matmul` and `linear` ask
`mode.autocast` themselves, in one line; the others wear a decorator of this file. float64 is never
touched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, Self, TypeVar

from norch_autograd.graph.decorator import Decorator
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.dtype.convert import moved
from norch_autograd.types.modes import mode
from norch_cpu_ops import DType, bfloat16, float16, float32, float64

R = TypeVar("R")
DEFAULTS = {"cpu": bfloat16, "cuda": float16, "cuda-sim": float16}


class Settings:
    """What one autocast asks for: a dtype a device type, and the parameters it has cast already."""

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

    def remembered(self, tensor: Tensor, dtype: DType, moved: Callable[..., Any]) -> Any:
        """Cast `tensor`; a leaf that learns is cast once, and kept until the block ends."""
        is_weight = tensor._requires_grad and tensor.node is None and mode.enabled
        if self.cache is None or not is_weight:
            return moved(tensor, None, dtype)

        key = id(tensor), dtype, tensor.array.version
        if key not in self.cache:
            self.cache[key] = tensor, moved(tensor, None, dtype)  # held: the id stays its own
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
        dtypes = {} if found is None else dict(found.dtypes)
        if self.enabled:
            dtypes[self.device_type] = self.dtype
        else:
            dtypes.pop(self.device_type, None)
        cache = {} if found is None else found.cache
        mode.autocast = Settings(dtypes, cache if self.cache_enabled else None) if dtypes else None
        return self

    def __exit__(self, *_: object) -> None:
        mode.autocast = self._found.pop()

    def _anew(self) -> autocast:
        return autocast(self.device_type, self.dtype, self.enabled, self.cache_enabled)


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether an autocast for this device type is on in this thread.

    >>> with autocast("cpu"):
    ...     is_autocast_enabled("cpu"), is_autocast_enabled("cuda")
    (True, False)
    """
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


P = ParamSpec("P")


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
    if not isinstance(value, Tensor):
        return value
    now = value.array.dtype
    if now is dtype or now is float64 or not now.is_floating_point:
        return value
    return settings.remembered(value, dtype, moved) if settings else moved_to(value, dtype)


def moved_to(tensor: Tensor, dtype: DType) -> Tensor:
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


@contextmanager
def autocast_off() -> Iterator[None]:
    """No autocast inside, whatever is set outside."""
    found = mode.autocast
    mode.autocast = None
    try:
        yield
    finally:
        mode.autocast = found
