"""Running results along a dimension: cumsum, cumprod, cummax, cummin, logcumsumexp."""

from __future__ import annotations

import math

from norch_autograd.graph import return_types
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import array_any
from norch_autograd.ops.elementwise.exponential import exp, log
from norch_autograd.ops.elementwise.where import where
from norch_autograd.ops.reduction.minmax import record_picks
from norch_autograd.ops.reduction.sum import in_dtype, shift_along
from norch_autograd.ops.shape.join import flip
from norch_cpu_ops import DType


class Cumsum(Node):
    """dx[k] = dy[k] + dy[k + 1] + ...: the sum from the end."""

    def backward(self, grad: Tensor) -> Gradients:
        return (_sum_from_end(grad, self.context),)


def _sum_from_end(x: Tensor, dim: int) -> Tensor:
    """`cumsum` from the end: running sums for the gradient."""
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
    """dx[k] = sum over j >= k of dy[j] times the product of the other factors up to j."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y, dim = self.saved(0), self.saved(1), self.context
        if not x.array.ndim:
            return (grad,)
        if not array_any(x == 0):
            return (_sum_from_end(grad * y, dim) / x,)
        # With zeros, no dividing: s[k] = grad[k] + x[k + 1] s[k + 1], times what stands before k.
        before = cumprod(shift_along(x, dim, 1, 1.0), dim)
        return (before * _recurrence(grad, shift_along(x, dim, -1, 0.0), dim),)


def _recurrence(start: Tensor, factor: Tensor, dim: int) -> Tensor:
    """For cumprod's gradient: solve s[k] = start[k] + factor[k] s[k + 1] from the end.

    Each round reaches twice as far.
    """
    reach = 1
    while reach < start.shape[dim]:
        start = start + factor * shift_along(start, dim, -reach, 0.0)
        factor = factor * shift_along(factor, dim, -reach, 0.0)
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


def cummax(input: Tensor, dim: int) -> return_types.cummax:
    """The largest element so far along `dim`, and where it was last seen.

    >>> norch.cummax(norch.tensor([1., 3., 2.]), 0).values
    tensor([1., 3., 3.])
    """
    x = array_of(input)
    found = x.ops.cummax(x, dim)
    return return_types.cummax(*record_picks("CummaxBackward0", input, found, dim, True))


def cummin(input: Tensor, dim: int) -> return_types.cummin:
    """The smallest element so far along `dim`, and where it was last seen.

    >>> norch.cummin(norch.tensor([2., 3., 1.]), 0).values
    tensor([2., 2., 1.])
    """
    x = array_of(input)
    found = x.ops.cummin(x, dim)
    return return_types.cummin(*record_picks("CumminBackward0", input, found, dim, True))


class Logcumsumexp(Node):
    """dx[k] = sum over j >= k of dy[j] exp(x[k] - y[j]), from logarithms, so that no exponential
    overflows; the positive and the negative dy apart.
    """

    def backward(self, grad: Tensor) -> Gradients:
        x, y, dim = self.saved(0), self.saved(1), self.context
        return (_positive_gradient(grad, x, y, dim) - _positive_gradient(-grad, x, y, dim),)


def _positive_gradient(grad: Tensor, x: Tensor, y: Tensor, dim: int) -> Tensor:
    """logcumsumexp's gradient from the positive elements of `grad`."""
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
