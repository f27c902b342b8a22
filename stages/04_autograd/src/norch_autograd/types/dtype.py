"""dtypes: what a dtype can hold (`finfo`, `iinfo`), and which one new floating-point tensors get.

The dtypes themselves are stage 2's objects.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.types.errors import refusal
from norch_cpu_ops import DType, bool_, float32, float64, int64

_default: DType = float32


def get_default_dtype() -> DType:
    """The dtype of new floating-point tensors.

    >>> get_default_dtype()
    norch.float32
    """
    return _default


def set_default_dtype(d: DType, /) -> None:
    """Choose the dtype of new floating-point tensors.

    >>> set_default_dtype(float64)
    >>> get_default_dtype()
    norch.float64
    >>> set_default_dtype(float32)
    """
    global _default
    if not d.is_floating_point:
        raise TypeError(f"[set_default_dtype] {d} is not a floating-point dtype")
    _default = d


_PYTHON: dict[Any, DType] = {float: float64, int: int64, bool: bool_}


def as_dtype(dtype: Any) -> DType | None:
    """The dtype that is meant: Python's `float`, `int` and `bool` name float64, int64 and bool.

    >>> as_dtype(float), as_dtype(float32), as_dtype(None)
    (norch.float64, norch.float32, None)
    """
    found: Any = _PYTHON.get(dtype, dtype) if isinstance(dtype, type) else dtype
    if found is not None and not isinstance(found, DType):
        raise refusal(TypeError, "dtype", f"expected a dtype, got {found!r}", "dtype")
    return found


def dtype_or_default(dtype: Any) -> DType:
    """The dtype that is meant, or the default.

    >>> dtype_or_default(None), dtype_or_default(int)
    (norch.float32, norch.int64)
    """
    return _default if dtype is None else as_dtype(dtype) or _default  # None: the usual case


# bits of the fraction, smallest and largest exponent of two
_FLOATING: dict[str, tuple[int, int, int]] = {
    "float64": (52, -1022, 1023),
    "float32": (23, -126, 127),
    "float16": (10, -14, 15),
    "bfloat16": (7, -126, 127),
}
_DIGITS_PER_BIT = 0.30103  # log10(2)


class finfo:
    """The limits of a floating-point dtype (the default one if none is given).

    >>> norch.finfo(norch.float32).eps, norch.finfo(norch.float16).max
    (1.1920928955078125e-07, 65504.0)
    """

    def __init__(self, type: DType | None = None) -> None:
        dtype = as_dtype(type) or get_default_dtype()
        if not dtype.is_floating_point:
            raise TypeError(f"[finfo] expected a floating-point dtype, got {dtype}: see iinfo")
        fraction, lowest, highest = _FLOATING[dtype.name]
        self.dtype = dtype.name
        self.bits = 8 * dtype.itemsize
        self.eps = 2.0**-fraction
        self.max = (2 - self.eps) * 2.0**highest
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**lowest
        self.resolution = float(f"1e-{int(fraction * _DIGITS_PER_BIT)}")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        limits = ", ".join(f"{name}={vars(self)[name]:g}" for name in names)
        return f"finfo({limits}, dtype={self.dtype})"


class iinfo:
    """The limits of a dtype of whole numbers.

    >>> norch.iinfo(norch.int32).max, norch.iinfo(norch.uint8).min
    (2147483647, 0)
    """

    def __init__(self, type: DType) -> None:
        dtype = as_dtype(type)
        if dtype is None or dtype.is_floating_point or dtype is bool_:
            raise TypeError(f"[iinfo] expected a dtype of whole numbers, got {dtype}: see finfo")
        self.dtype = dtype.name
        self.bits = 8 * dtype.itemsize
        signed = dtype.name != "uint8"
        self.max = 2 ** (self.bits - signed) - 1
        self.min = -self.max - 1 if signed else 0

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"iinfo(min={float(self.min):g}, max={float(self.max):g}, dtype={self.dtype})"
