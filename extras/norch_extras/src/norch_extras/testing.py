"""assert_close: two values, or two trees of values, that ought to be equal up to rounding.

The page book/library/data.md names it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from norch_autograd.creation.factories import as_tensor
from norch_autograd.ops.elementwise.comparison import isclose
from norch_autograd.tensor.tensor import Tensor
from norch_cpu_ops import DType, bfloat16, float16, float32, float64

# The relative and the absolute error that rounding may leave; whole numbers must be equal.
TOLERANCES: dict[DType, tuple[float, float]] = {
    float16: (1e-3, 1e-5),
    bfloat16: (1.6e-2, 1e-5),
    float32: (1.3e-6, 1e-5),
    float64: (1e-7, 1e-7),
}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Any = None,
) -> None:
    """Raise AssertionError unless |actual - expected| <= atol + rtol · |expected| everywhere.

    Goes into lists, tuples and dicts; numbers and arrays become tensors. Without `rtol` and `atol`
    the dtype decides. `msg` is the text of the error, or a function of it.

    >>> assert_close(norch.tensor([1.0, 2.0]), norch.tensor([1.0, 2.0 + 1e-7]))
    """
    if (rtol is None) != (atol is None):
        raise ValueError("[assert_close] give both rtol and atol, or neither")
    checks = (check_device, check_dtype, check_stride)
    try:
        compare(actual, expected, "", rtol, atol, equal_nan, checks)
    except AssertionError as error:
        if msg is None:
            raise
        raise AssertionError(msg(str(error)) if callable(msg) else msg) from None


def compare(
    actual: Any,
    expected: Any,
    where: str,
    rtol: float | None,
    atol: float | None,
    equal_nan: bool,
    checks: tuple[bool, bool, bool],
) -> None:
    """Compare two values, or two trees of them, at one place."""
    options = (rtol, atol, equal_nan, checks)
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            _fail(where, f"the keys differ: {sorted(actual)} and {sorted(expected)}")
        for key in actual:
            compare(actual[key], expected[key], f"{where}[{key!r}]", *options)
    elif _is_row(actual) and _is_row(expected):
        if len(actual) != len(expected):
            _fail(where, f"the lengths differ: {len(actual)} and {len(expected)}")
        for i, (a, b) in enumerate(zip(actual, expected, strict=True)):
            compare(a, b, f"{where}[{i}]", *options)
    else:
        _compare_tensors(_tensor_of(actual), _tensor_of(expected), where, *options)


def _is_row(value: Any) -> bool:
    """Whether a value to compare is a sequence to go into."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _tensor_of(value: Any) -> Tensor:
    """Return what is compared, a number, an array or a tensor, as a tensor."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, bool | int | float) or hasattr(value, "__array__"):
        return as_tensor(value, dtype=float64 if isinstance(value, float) else None)
    raise TypeError(f"[assert_close] a {type(value).__name__} cannot be compared with a tensor")


def _fail(where: str, what: str) -> None:
    """Raise assert_close's error: where in the tree the values differ, and how."""
    raise AssertionError(f"[assert_close] {f'at {where}: ' if where else ''}{what}")


def _compare_tensors(
    a: Tensor,
    b: Tensor,
    where: str,
    rtol: float | None,
    atol: float | None,
    equal_nan: bool,
    checks: tuple[bool, bool, bool],
) -> None:
    """Compare shapes and dtypes of two tensors, then their elements within tolerances."""
    described = (
        ("shape", True, tuple(a.shape), tuple(b.shape)),
        ("device", checks[0], a.device, b.device),
        ("dtype", checks[1], a.dtype, b.dtype),
        ("stride", checks[2], a.stride(), b.stride()),
    )
    for what, wanted, one, other in described:
        if wanted and one != other:
            _fail(where, f"the {what}s differ: {one} and {other}")
    if rtol is None or atol is None:
        pairs = [TOLERANCES.get(x.dtype, (0.0, 0.0)) for x in (a, b)]
        rtol, atol = (max(pair) for pair in zip(*pairs, strict=True))
    a, b = (x.detach().cpu().to(float64) for x in (a, b))
    wrong = ~isclose(a, b, rtol, atol, equal_nan)
    count = int(wrong.sum())
    if count:
        worst = float((a - b).abs().nan_to_num(nan=float("inf")).max())
        _fail(
            where,
            f"{count} of {wrong.numel()} elements are not close, by up to {worst} "
            f"(rtol {rtol}, atol {atol})",
        )
