"""Elements put where an index says, replacing or reducing what was there: scatter, scatter_reduce.

`scatter_add`, which needs no rule of its own, is in gather.py.
"""

from __future__ import annotations

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import Operand, in_own_name, number
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.where import clamp, masked_fill, where
from norch_autograd.ops.indexing.gather import as_lines, fit_to, gather, scatter_add
from norch_autograd.ops.shape.view import expand


class Scatter(Node):
    """dsource is dy where the source went; dx = dy, 0 there."""

    def backward(self, grad: Tensor) -> Gradients:
        dim, index = self.context, self.saved(0)
        dx = scatter(grad, dim, index, 0) if self.needs(0) else None
        return dx, gather(grad, dim, index) if self.needs(1) else None


@in_own_name
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: float | None = None,
    reduce: str | None = None,
) -> Tensor:
    """`input`, with each element of `src` (or one number) put where `index` says: for dim 0
    `out[index[i][j]][j] = src[i][j]`. `reduce` may be "add" or "multiply".

    RuntimeError for an index out of range. Of repeated indices the last one counts.

    >>> norch.scatter(norch.zeros(3), 0, norch.tensor([2, 0]), norch.tensor([5., 7.]))
    tensor([7., 0., 5.])
    """
    given = number(value) if src is None else src
    lines = as_lines(scatter, input, dim, index, given, reduce=reduce)
    if lines is not None:
        return lines
    source = _fit_source(input, index, given)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError(f"[scatter] reduce is {reduce!r}: expected 'add' or 'multiply'")
        return scatter_reduce(input, dim, index, source, "sum" if reduce == "add" else "prod")
    x = array_of(input)
    out = x.ops.scatter(x, dim, array_of(index), source.array)
    return record(Scatter, out, (input, source), (index,), dim)


def _fit_source(input: Tensor, index: Tensor, value: Operand | None) -> Tensor:
    """What is put in place: a number for every index, or the part of a tensor that the index
    covers.
    """
    if value is None:
        raise TypeError("[scatter] expected src, a tensor or a number, got nothing")
    shape = array_of(index).shape
    if not isinstance(value, Tensor):
        return expand(constant(input, value, ()), shape)
    if not value.array.ndim and index.array.ndim:
        return expand(value, shape)
    return fit_to(value, shape)


class ScatterReduce(Node):
    """The gradient of each result goes to what went into it, by the rule of its reduction."""

    def backward(self, grad: Tensor) -> Gradients:
        x, index, source, y = (self.saved(i) for i in range(4))
        dim, reduce, include_self = self.context
        if reduce == "sum":
            dx, dsource = grad, gather(grad, dim, index)
        elif reduce == "mean":
            start = constant(grad, float(include_self), grad.array.shape)
            count = scatter_add(start, dim, index, constant(source, 1.0, index.array.shape))
            dx = grad / clamp(count, min=1)
            dsource = gather(dx, dim, index)
        elif reduce == "prod":
            dx, dsource = _prod_gradients(grad, x, index, source, y, dim, include_self)
        else:
            dx, dsource = _extreme_gradients(grad, x, index, source, y, dim)
        return (dx if include_self else scatter(dx, dim, index, 0)), dsource


def _extreme_gradients(
    grad: Tensor, x: Tensor, index: Tensor, source: Tensor, y: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """The gradients of scatter_reduce's amax and amin: what attains the extreme shares."""
    x_attains = to(x == y, grad.dtype)
    source_attains = to(source == gather(y, dim, index), grad.dtype)
    share = grad / scatter_add(x_attains, dim, index, source_attains)
    return x_attains * share, source_attains * gather(share, dim, index)


def _prod_gradients(
    grad: Tensor, x: Tensor, index: Tensor, source: Tensor, y: Tensor, dim: int, with_self: bool
) -> tuple[Tensor, Tensor]:
    """Each factor's is the product of the others: the whole product without the factor, or, where
    the factor is the only zero, the product with 1 in its place.
    """
    filled = masked_fill(x, x == 0, 1.0)
    dx = grad * scatter_reduce(filled, dim, index, source, "prod", include_self=with_self) / filled
    is_zero = source == 0
    zeros = scatter_add(constant(grad, 0), dim, index, to(is_zero, grad.dtype))
    only = is_zero & (gather(zeros, dim, index) == 1)
    others = scatter_reduce(
        x, dim, index, masked_fill(source, only, 1.0), "prod", include_self=with_self
    )
    whole = gather(grad * y, dim, index) / masked_fill(source, is_zero, 1.0)
    return dx, where(only, gather(grad * others, dim, index), whole)


@in_own_name
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """`input`, with each element of `src` combined into the place that `index` says; `reduce` is
    "sum", "prod", "mean", "amax" or "amin". Without `include_self`, what `input` had there does not
    count.

    >>> x, index = norch.ones(2), norch.tensor([0, 0])
    >>> norch.scatter_reduce(x, 0, index, norch.tensor([2., 5.]), "amax")
    tensor([5., 1.])
    """
    x = array_of(input)
    lines = as_lines(scatter_reduce, input, dim, index, src, reduce, include_self=include_self)
    if lines is not None:
        return lines
    source = fit_to(src, index.array.shape)
    out = x.ops.scatter_reduce(x, dim, index.array, array_of(source), reduce, include_self)
    kept = (input, index, source, out)
    return record(ScatterReduce, out, (input, source), kept, (dim, reduce, include_self))
