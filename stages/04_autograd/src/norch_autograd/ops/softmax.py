"""Softmax and its relatives, each one fused pass, safe for logits of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import norch_strides as strides
from norch_autograd.graph import ArrayNode, Gradients, Node, array_of, unary
from norch_autograd.mode import mode
from norch_autograd.ops.reduce import Dims, spread

if TYPE_CHECKING:
    from norch_autograd.dtype import DType
    from norch_autograd.tensors import Tensor


class Softmax(ArrayNode):
    """dx = y (dy - sum(y dy)): what one probability gains the others lose."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        y, dim = self.saved(0), self.context
        if mode.on_arrays:
            return (y.ops.softmax_backward(grad, y, dim),)
        weighted = grad * y
        return (weighted - y * weighted.sum(dim, True),)


def softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """`exp(input)`, scaled to sum to 1 along `dim`.

    >>> import norch_autograd as norch
    >>> norch.softmax(norch.tensor([0., 0.]), dim=0)
    tensor([0.5000, 0.5000])
    """
    if dtype is not None:
        input = input.to(dtype)
    if mode.composite:
        return _softmax_of_basics(input, dim)
    x = array_of(input)
    y = x.ops.softmax(x, dim)
    return unary(Softmax, y, input, (y,), dim)


def _softmax_of_basics(input: Tensor, dim: int) -> Tensor:
    """Less the largest, so that nothing overflows; it cancels, hence it is no part of the graph."""
    e = (input - input.detach().amax(dim, True)).exp()
    return e / e.sum(dim, True)


class LogSoftmax(ArrayNode):
    """dx = dy - softmax(x) sum(dy)."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        y, dim = self.saved(0), self.context
        if mode.on_arrays:
            return (y.ops.log_softmax_backward(grad, y, dim),)
        return (grad - y.exp() * grad.sum(dim, True),)


def log_softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    """`log(softmax(input))`, computed without ever forming a probability.

    >>> import norch_autograd as norch
    >>> norch.log_softmax(norch.tensor([0., 200.]), dim=0)
    tensor([-200.,    0.])
    """
    if dtype is not None:
        input = input.to(dtype)
    if mode.composite:
        below = input - input.detach().amax(dim, True)  # as in softmax
        return below - below.exp().sum(dim, True).log()
    x = array_of(input)
    y = x.ops.log_softmax(x, dim)
    return unary(LogSoftmax, y, input, (y,), dim)


class Logsumexp(Node):
    """dx = softmax(x) dy."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        share = (x - spread(y, *self.context)).exp()
        return (spread(grad, *self.context) * share,)


def logsumexp(input: Tensor, dim: Dims, keepdim: bool = False) -> Tensor:
    """`log(sum(exp(input)))` over `dim`, safe for large elements.

    >>> import norch_autograd as norch
    >>> norch.logsumexp(norch.tensor([1000., 0.]), dim=0)
    tensor(1000.)
    """
    if mode.composite:
        return _logsumexp_of_basics(input, dim, keepdim)
    x = array_of(input)
    y = x.ops.logsumexp(x, dim, keepdim)
    return unary(Logsumexp, y, input, (input, y), (x.shape, dim, keepdim))


def _logsumexp_of_basics(input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The largest element is taken out before exp and added again after log."""
    most = input.detach().amax(dim, True)
    most = most.masked_fill(most.isinf(), 0)  # inf - inf would be NaN
    y = (input - most).exp().sum(dim, True).log() + most
    return y if keepdim else y.reshape(strides.reduced_shape(input.array.shape, dim, False))
