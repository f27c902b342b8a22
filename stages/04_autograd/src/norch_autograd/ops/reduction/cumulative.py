"""Running results along a dimension: sums, products, extremes, log-sums."""

from __future__ import annotations

import math

from norch_autograd.graph import return_types
from norch_autograd.graph.arrays import constant
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.elementwise.exponential import exp, log
from norch_autograd.ops.elementwise.where import where
from norch_autograd.ops.indexing.getitem import narrow
from norch_autograd.ops.reduction.minmax import Max
from norch_autograd.ops.reduction.sum import in_dtype
from norch_autograd.ops.shape.join import cat, flip
from norch_cpu_ops import DType


class Cumsum(Node):
    """Each element went into every later sum: the blame is summed from the end."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (_sum_from_end(grad, self.context),)


def _sum_from_end(x: Tensor, dim: int) -> Tensor:
    """Running sums that start at the end."""
    return flip(cumsum(flip(x, dim), dim), dim) if x.ndim else x


def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The running sum along `dim`.

    >>> norch.cumsum(norch.tensor([1, 2, 3]), 0)
    tensor([1, 3, 6])
    """
    if dtype is not None:
        return in_dtype(cumsum, input, dtype, dim)
    x = array_of(input)
    return unary(Cumsum, x.ops.cumsum(x, dim), input, (), dim)


class Cumprod(Node):
    """Blame of x[k]: the sum over j >= k of grad[j] times the product of the others up to j."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y, dim = self.saved(0), self.saved(1), self.context
        if not x.dim():
            return (grad,)
        if not bool((x == 0).any()):
            return (_sum_from_end(grad * y, dim) / x,)
        # With zeros, no dividing: s[k] = grad[k] + x[k + 1] s[k + 1], times what stands before k.
        before = cumprod(_moved(x, dim, 1, 1.0), dim)
        return (before * _recurrence(grad, _moved(x, dim, -1, 0.0), dim),)


def _moved(x: Tensor, dim: int, places: int, filler: float) -> Tensor:
    """The elements `places` further along `dim` (back, if negative), `filler` where none is."""
    size = x.shape[dim]
    reach = min(abs(places), size)
    shape = list(x.array.shape)
    shape[dim] = reach
    fill = constant(x, filler, tuple(shape))
    if places > 0:
        return cat([fill, narrow(x, dim, 0, size - reach)], dim)
    return cat([narrow(x, dim, reach, size - reach), fill], dim)


def _recurrence(start: Tensor, factor: Tensor, dim: int) -> Tensor:
    """s[k] = start[k] + factor[k] s[k + 1]; each round reaches twice as far."""
    reach = 1
    while reach < start.shape[dim]:
        start = start + factor * _moved(start, dim, -reach, 0.0)
        factor = factor * _moved(factor, dim, -reach, 0.0)
        reach *= 2
    return start


def cumprod(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    """The running product along `dim`.

    >>> norch.cumprod(norch.tensor([1., 2., 3.]), 0)
    tensor([1., 2., 6.])
    """
    if dtype is not None:
        return in_dtype(cumprod, input, dtype, dim)
    x = array_of(input)
    y = x.ops.cumprod(x, dim)
    return unary(Cumprod, y, input, (input, y), dim)


class Cummax(Max):
    """All blame goes to the element that was the largest so far."""

    __slots__ = ()


def cummax(input: Tensor, dim: int) -> return_types.cummax:
    """The largest element so far along `dim`, and where it was last seen.

    >>> norch.cummax(norch.tensor([1., 3., 2.]), 0).values
    tensor([1., 3., 3.])
    """
    x = array_of(input)
    values, indices = x.ops.cummax(x, dim)
    places = plain(indices)
    result = unary(Cummax, values, input, (places,), (x.shape, dim, True))
    return return_types.cummax(result, places)


class Cummin(Max):
    """All blame goes to the element that was the smallest so far."""

    __slots__ = ()


def cummin(input: Tensor, dim: int) -> return_types.cummin:
    """The smallest element so far along `dim`, and where it was last seen.

    >>> norch.cummin(norch.tensor([2., 3., 1.]), 0).values
    tensor([2., 2., 1.])
    """
    x = array_of(input)
    values, indices = x.ops.cummin(x, dim)
    places = plain(indices)
    result = unary(Cummin, values, input, (places,), (x.shape, dim, True))
    return return_types.cummin(result, places)


class Logcumsumexp(Node):
    """Blame of x[k]: the sum over j >= k of grad[j] exp(x[k] - y[j]), from logarithms so that no
    exponential overflows.
    """

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y, dim = self.saved(0), self.saved(1), self.context
        return (_share(grad, x, y, dim) - _share(-grad, x, y, dim),)


def _share(grad: Tensor, x: Tensor, y: Tensor, dim: int) -> Tensor:
    """What the positive part of the blame gives."""
    positive = grad > 0
    logarithm = where(positive, log(where(positive, grad, 1.0)) - y, -math.inf)
    if not x.ndim:
        return exp(logarithm + x)
    return exp(flip(logcumsumexp(flip(logarithm, dim), dim), dim) + x)


def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """`log(exp(x[0]) + ... + exp(x[i]))` along `dim`, without overflow.

    >>> norch.logcumsumexp(norch.tensor([0., 0., 0.]), 0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    x = array_of(input)
    y = x.ops.logcumsumexp(x, dim)
    return unary(Logcumsumexp, y, input, (input, y), dim)
