"""One of two operands, element by element: where, maximum, minimum, clamp, masked_fill; and the
triangles of matrices, which are masks: tril, triu.

The gradient goes to the operand each element was taken from; none goes to a condition or a mask.
"""

from __future__ import annotations

import math
from typing import Any, overload

from norch_autograd.graph.broadcast import binary, summing_edge
from norch_autograd.graph.family import family
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Number, Operand, in_own_name, number, raw
from norch_autograd.graph.record import keep, should_record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain, wrap
from norch_autograd.ops.arrays import nonzero_columns
from norch_autograd.ops.dtype.convert import clone, detach, float_, to
from norch_autograd.ops.dtype.promotion import common_dtype
from norch_autograd.types.dtype import finfo
from norch_cpu_ops import DType, int64
from norch_strides import Layout


class Maximum(Node):
    """dx = dz where x > y, dz / 2 where x = y, else 0; dy alike. At NaN both are dz."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        share = where(x == y, grad * 0.5, grad)  # NaN goes to both
        dx = where(x < y, 0, share) if self.needs(0) else None
        dy = where(y < x, 0, share) if self.needs(1) else None
        return dx, dy


def maximum(input: Tensor, other: Tensor) -> Tensor:
    """The larger of each pair of elements; NaN if either is.

    >>> norch.maximum(norch.tensor([1., 5.]), norch.tensor([3., 3.]))
    tensor([3., 5.])
    """
    x = array_of(input)
    return binary(Maximum, x.ops.maximum(x, array_of(other)), input, other, (input, other))


class Minimum(Node):
    """dx = dz where x < y, dz / 2 where x = y, else 0; dy alike. At NaN both are dz."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        share = where(x == y, grad * 0.5, grad)  # NaN goes to both
        dx = where(x > y, 0, share) if self.needs(0) else None
        dy = where(y > x, 0, share) if self.needs(1) else None
        return dx, dy


def minimum(input: Tensor, other: Tensor) -> Tensor:
    """The smaller of each pair of elements; NaN if either is.

    >>> norch.minimum(norch.tensor([1., 5.]), norch.tensor([3., 3.]))
    tensor([1., 3.])
    """
    x = array_of(input)
    return binary(Minimum, x.ops.minimum(x, array_of(other)), input, other, (input, other))


class Clamp(Node):
    """dx = dy where x lies within the bounds, ends included, else 0."""

    public_name = "ClampBackward1"

    def backward(self, grad: Tensor) -> Gradients:
        x = self.saved(0)
        low, high = self.context
        if low is not None:
            grad = where(x >= low, grad, 0)  # 0 times an infinite slope would be NaN
        if high is not None:
            grad = where(x <= high, grad, 0)
        return (grad,)


def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """Each element, moved to the nearer bound if it lies outside `min` to `max`.

    >>> norch.clamp(norch.tensor([-2., 0.5, 2.]), min=-1, max=1)
    tensor([-1.0000,  0.5000,  1.0000])
    """
    array_of(input)
    if min is None and max is None:
        raise RuntimeError("[clamp] needs at least one of 'min' and 'max'")
    if not all(isinstance(bound, Tensor | None) for bound in (min, max)):
        min, max = number(min), number(max)  # beside a number, a tensor without dimensions is one
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return _clamp_tensor(input, min, max)
    x = array_of(input)
    return unary(Clamp, x.ops.clamp(x, min, max), input, (input,), (min, max))


def _clamp_tensor(input: Tensor, low: Operand | None, high: Operand | None) -> Tensor:
    """`clamp` with bounds that differ from element to element."""
    dtype = common_dtype(*(x for x in (input, low, high) if x is not None))
    result = to(input, dtype)
    if low is not None:
        result = where(result >= low, result, _unless_nan(result, low))
    if high is not None:
        result = where(result <= high, result, _unless_nan(result, high))
    return result


def _unless_nan(input: Tensor, bound: Operand) -> Operand:
    """What replaces an element outside a bound: the bound, but an element that is NaN stays."""
    return where(input == input, bound, detach(input))  # no gradient at NaN


class Where(Node):
    """dx = dz where the condition is true, else 0; dy = dz where it is false."""

    def backward(self, grad: Tensor) -> Gradients:
        condition = self.saved(0)
        dx = where(condition, grad, 0) if self.needs(0) else None
        dy = where(condition, 0, grad) if self.needs(1) else None
        return dx, dy


@overload
def where(condition: Tensor) -> tuple[Tensor, ...]: ...


@overload
def where(condition: Tensor, input: Operand, other: Operand) -> Tensor: ...


def where(condition: Tensor, input: Any = None, other: Any = None) -> Tensor | tuple[Tensor, ...]:
    """`input` where `condition` is true, `other` elsewhere, all three broadcast together; with a
    condition alone, where it is true: `nonzero(condition, as_tuple=True)`.

    >>> norch.where(norch.tensor([True, False]), norch.tensor([1., 2.]), 0.)
    tensor([1., 0.])
    """
    c = array_of(condition)
    if c.dtype.name == "uint8":  # bytes are masks, as in PyTorch
        condition = plain(c.ops.ne(c, 0))
        c = condition.array
    if input is None and other is None:
        return nonzero_columns(condition)
    x, y = raw(input), raw(other)
    if isinstance(input, Tensor) and isinstance(other, Tensor) and x.dtype is not y.dtype:
        dtype = common_dtype(input, other)
        x, y = x.ops.cast(x, dtype), y.ops.cast(y, dtype)
    out = c.ops.where(c, x, y)
    first = input if isinstance(input, Tensor) else None  # a number wants no gradient
    second = other if isinstance(other, Tensor) else None
    if not should_record((first, second)):
        return plain(out)
    edges = summing_edge(first, out), summing_edge(second, out)
    return wrap(out, True, Where(edges, keep((condition,), out), None))


def masked_fill(input: Tensor, mask: Tensor, value: Number | Tensor) -> Tensor:
    """`input`, with `value` where `mask` is true.

    >>> norch.tensor([1., 2.]).masked_fill(norch.tensor([True, False]), 9.)
    tensor([9., 2.])
    """
    m = array_of(mask)
    if m.dtype.name != "bool":
        raise RuntimeError(f"[masked_fill] expected a mask of bool, got {m.dtype}")
    return where(mask, _fill_value(value, array_of(input).dtype), input)


def _fill_value(value: Number | Tensor, dtype: DType) -> Number | Tensor:
    """What `masked_fill` writes, in the dtype of what it fills; fractions are cut off for ints."""
    if isinstance(value, Tensor):
        if value.array.ndim:
            raise RuntimeError(f"[masked_fill] expected one value, got shape {value.array.shape}")
        return to(value, dtype)
    if not isinstance(value, (bool, int, float)):
        raise TypeError(f"[masked_fill] value must be a number, got {type(value).__name__}")
    if dtype.is_floating_point:
        return value
    if dtype.name == "bool":
        return bool(value)
    below = value < 0 and dtype.name == "uint8"
    if isinstance(value, float) and (below or not math.isfinite(value)):
        raise RuntimeError(f"[masked_fill] {value} does not fit {dtype}: cast the input to float")
    return int(value)


@in_own_name
def nan_to_num(
    input: Tensor, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities replaced; without a number, by the largest and smallest of the dtype.

    >>> norch.nan_to_num(norch.tensor([float('nan'), float('inf')]), posinf=9.)
    tensor([0., 9.])
    """
    if not array_of(input).dtype.is_floating_point:
        return clone(input)
    nan, posinf, neginf = number(nan), number(posinf), number(neginf)
    limit = finfo(input.dtype).max
    high, low = limit if posinf is None else posinf, -limit if neginf is None else neginf
    result = where(input == math.inf, high, where(input == -math.inf, low, input))
    return where(input != input, 0.0 if nan is None else nan, result)


def real(input: Tensor) -> Tensor:
    """What a function of each element takes: whole numbers as float32, all others as they are."""
    return input if array_of(input).dtype.is_floating_point else float_(input)


@in_own_name
def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """`clamp` from below only.

    >>> norch.clamp_min(norch.tensor([-1., 2.]), 0)
    tensor([0., 2.])
    """
    return clamp(input, min=min)


@in_own_name
def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """`clamp` from above only.

    >>> norch.clamp_max(norch.tensor([-1., 2.]), 0)
    tensor([-1.,  0.])
    """
    return clamp(input, max=max)


def where_of(input: Tensor, condition: Tensor, other: Operand) -> Tensor:
    """`input` where the condition holds, else `other`: `where` as a method.

    >>> norch.tensor([1, 2]).where(norch.tensor([True, False]), 0)
    tensor([1, 0])
    """
    return where(condition, input, other)


class Triangle(Node):
    """dx is the same triangle of dy."""

    def backward(self, grad: Tensor) -> Gradients:
        side, diagonal = self.context
        return ((tril if side == "l" else triu)(grad, diagonal),)

    def name(self) -> str:
        return f"Tri{self.context[0]}Backward0"


def _slant(line: Layout, rows: int, columns: int, start: int) -> Layout:
    """For tril and triu: rows that show one line, each from a place before the last one's."""
    return Layout((rows, columns), (-1, 1), start)


@family("tri{}")
def _triangle(side: str, input: Tensor, diagonal: int = 0) -> Tensor:
    """tril and triu: each element where a mask of the triangle says so, 0 elsewhere."""
    x = array_of(input)
    if x.ndim < 2:
        raise RuntimeError(f"[tri{side}] expected at least 2 dimensions, got shape {x.shape}")
    rows, columns = x.shape[-2:]
    first = min(1 - rows, 0)
    column_less_row = x.ops.arange(first, columns, 1, int64)
    beyond = (x.ops.gt if side == "l" else x.ops.lt)(column_less_row, diagonal)
    outside = beyond.view_by(_slant, rows, columns, -first)
    return unary(Triangle, x.ops.where(outside, False, x), input, (), (side, diagonal))


tril = _triangle("l")("""
    The lower triangle of the last two dimensions, zeros above.

    >>> norch.tril(norch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
""")
triu = _triangle("u")("""
    The upper triangle of the last two dimensions, zeros below.

    >>> norch.triu(norch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
""")
