"""Softmax, log_softmax and logsumexp, each one fused pass, safe for logits of any size."""

from __future__ import annotations

from typing import Any

import norch_strides as strides
from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.comparison import isinf
from norch_autograd.ops.elementwise.exponential import exp, log
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.reduction.minmax import amax
from norch_autograd.ops.reduction.sum import Dims, restore_dims, sum
from norch_autograd.ops.shape.view import reshape
from norch_cpu_ops import DType


class Softmax(Node):
    """Each score moves every share of its line: up its own, down the others."""

    def backward(self, grad: Tensor) -> Gradients:
        y, dim = self.saved(0), self.context
        # ex 4.8 begin
        weighted = grad * y
        return (weighted - y * sum(weighted, dim, True),)
        # ex 4.8 end

    def kernel(self, grad: Any) -> Any:
        y = self.saved_array(0)
        return (y.ops.softmax_backward(grad, y, self.context),)


def _softmax_reference(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """Softmax less the largest logit, which cancels, so that nothing overflows."""
    x = input if dtype is None else to(input, dtype=dtype)
    e = exp(x - amax(detach(x), dim, True))
    return e / sum(e, dim, True)


@in_own_name
@fused(_softmax_reference)
def softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """`exp(input)`, scaled to sum to 1 along `dim`.

    >>> norch.softmax(norch.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
    if dtype is not None:
        input = to(input, dtype=dtype)
    x = input.array
    y = x.ops.softmax(x, dim)
    return unary(Softmax, y, input, (y,), dim)


class LogSoftmax(Node):
    """dx = dy - softmax(x) sum(dy)."""

    def backward(self, grad: Tensor) -> Gradients:
        y, dim = self.saved(0), self.context
        return (grad - exp(y) * sum(grad, dim, True),)

    def kernel(self, grad: Any) -> Any:
        y = self.saved_array(0)
        return (y.ops.log_softmax_backward(grad, y, self.context),)


def _log_softmax_reference(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """The logarithm of softmax's formula, taken before anything is divided."""
    x = input if dtype is None else to(input, dtype=dtype)
    below = x - amax(detach(x), dim, True)
    return below - log(sum(exp(below), dim, True))


@in_own_name
@fused(_log_softmax_reference)
def log_softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """`log(softmax(input))`, computed without ever forming a probability.

    >>> norch.log_softmax(norch.tensor([0., 200.]), dim=0)
    tensor([-200.,    0.])
    """
    if dtype is not None:
        input = to(input, dtype=dtype)
    x = input.array
    y = x.ops.log_softmax(x, dim)
    return unary(LogSoftmax, y, input, (y,), dim)


class Logsumexp(Node):
    """dx = softmax(x) dy."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        share = exp(x - restore_dims(y, *self.context))
        return (restore_dims(grad, *self.context) * share,)


def _logsumexp_reference(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """logsumexp with the largest element taken out before exp and added again after log."""
    most = amax(detach(input), dim, True)
    most = masked_fill(most, isinf(most), 0)  # inf - inf would be NaN
    y = log(sum(exp(input - most), dim, True)) + most
    return y if keepdim else reshape(y, strides.reduced_shape(input.array.shape, dim, False))


@fused(_logsumexp_reference)
def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """`log(sum(exp(input)))` over `dim`, safe for large elements.

    >>> norch.logsumexp(norch.tensor([1000., 0.]), dim=0)
    tensor(1000.)
    """
    x = array_of(input)
    y = x.ops.logsumexp(x, dim, keepdim)
    return unary(Logsumexp, y, input, (input, y), (x.shape, dim, keepdim))
