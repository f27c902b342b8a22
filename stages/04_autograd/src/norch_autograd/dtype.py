"""dtypes: stage 2's objects under PyTorch's names, and the dtype that new floating-point tensors
get.
"""

from __future__ import annotations

from typing import Any

from norch_cpu_ops import (
    DType,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int32,
    int64,
    promote_types,
    uint8,
)

__all__ = [
    "DType",
    "bfloat16",
    "bool_",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "int32",
    "int64",
    "promote_types",
    "set_default_dtype",
    "uint8",
]

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


def named(dtype: Any) -> DType | None:
    """The dtype that is meant: Python's `float`, `int` and `bool` name float64, int64 and bool.

    >>> named(float), named(float32), named(None)
    (norch.float64, norch.float32, None)
    """
    known = isinstance(dtype, type) and dtype in _PYTHON
    found: DType | None = _PYTHON[dtype] if known else dtype
    return found


def chosen(dtype: Any) -> DType:
    """The dtype that is meant, or the default.

    >>> chosen(None), chosen(int)
    (norch.float32, norch.int64)
    """
    return named(dtype) or _default
