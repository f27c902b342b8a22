"""Differences between neighbours along a dimension, and the trapezoid rule, which needs them."""

from __future__ import annotations

import norch_strides as strides
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.elementwise.comparison import logical_xor
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.reduction.cumulative import cumsum
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import reshape


@in_own_name
def diff(
    input: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """`x[i + 1] - x[i]` along `dim`, `n` times over; xor for bools. Of no elements: `input` itself.

    >>> norch.diff(norch.tensor([1, 3, 6]))
    tensor([2, 3])
    """
    if not array_of(input).ndim:
        raise RuntimeError("[diff] expected at least one dimension, got a tensor without")
    if n < 0:
        raise RuntimeError(f"[diff] n is {n}: expected 0 or more")
    if n == 0:
        return clone(input)
    parts = [part for part in (prepend, input, append) if part is not None]
    x = cat(parts, dim) if len(parts) > 1 else input
    place = strides.normalize_dim(dim, x.array.ndim, "diff")
    for _ in range(n)[: x.shape[place]]:
        size = max(x.shape[place] - 1, 0)
        later, earlier = narrow(x, place, x.shape[place] - size, size), narrow(x, place, 0, size)
        x = logical_xor(later, earlier) if x.array.dtype.name == "bool" else later - earlier
    return x


@family("{}trapezoid")
def _trapezoid(
    cumulative: str, y: Tensor, x: Tensor | None = None, *, dx: float | None = None, dim: int = -1
) -> Tensor:
    """trapezoid and cumulative_trapezoid: the strips under a curve, summed."""
    op = f"{cumulative}trapezoid"
    if x is not None and dx is not None:
        raise TypeError(f"[{op}] got both x and dx, expected one: places, or the step between them")
    place = strides.normalize_dim(dim, array_of(y, op).ndim, op)
    count = max(y.shape[place] - 1, 0)
    strips = (narrow(y, place, 0, count) + narrow(y, place, min(1, y.shape[place]), count)) / 2
    if x is not None:
        if array_of(x, op).ndim == 1:
            x = reshape(x, [-1 if k == place else 1 for k in range(y.array.ndim)])
        elif x.array.ndim < y.array.ndim:
            x = reshape(x, (*[1] * (y.array.ndim - x.array.ndim), *x.shape))
        if x.shape[place] != y.shape[place]:
            raise RuntimeError(
                f"[{op}] {x.shape[place]} places for {y.shape[place]} values along {dim}"
            )
        strips = strips * diff(x, dim=place)
    elif dx is not None:
        strips = strips * dx
    return cumsum(strips, dim) if cumulative else sum(strips, dim)


trapezoid = _trapezoid("")("""
    The area under the polygon through `y` along `dim`, at the places `x` or `dx` apart.
    TypeError if both are given.

    >>> norch.trapezoid(norch.tensor([1., 5., 10.]))
    tensor(10.5000)
""")
cumulative_trapezoid = _trapezoid("cumulative_")("""
    The area so far at each place but the first: see `trapezoid`.

    >>> norch.cumulative_trapezoid(norch.tensor([1., 5., 10.]))
    tensor([ 3.0000, 10.5000])
""")
