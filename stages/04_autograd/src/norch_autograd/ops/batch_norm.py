"""Normalisation of channels: over the batch (batch_norm), or over groups of channels of each sample
(group_norm), each one fused pass forward and one backward.

float16 and bfloat16 are computed in float32.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from norch_autograd.dtype import bfloat16, float16, float32
from norch_autograd.graph import Gradients, Node, array_of, plain, record
from norch_autograd.mode import mode

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def is_half(input: Tensor) -> bool:
    """Whether the elements are too coarse to compute with."""
    return input.dtype in (float16, bfloat16)


def as_float32(tensor: Tensor | None) -> Tensor | None:
    """The same values, fine enough to compute with."""
    return None if tensor is None else tensor.to(float32)


def by_channel(values: Tensor, ndim: int) -> Tensor:
    """(C) in the shape (C, 1, ...) that broadcasts along the channels of an input."""
    return values.reshape(-1, *[1] * (ndim - 2))


def scaled(y: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """`y * weight + bias` with one of each a channel, where they are given."""
    if weight is not None:
        y = y * by_channel(weight, y.ndim)
    return y if bias is None else y + by_channel(bias, y.ndim)


def standardized(x: Tensor, dims: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor]:
    """(x - mean) / sqrt(variance + eps) over `dims`, and 1 / that root."""
    centred = x - x.mean(dims, True)
    rstd = ((centred * centred).mean(dims, True) + eps).rsqrt()
    return centred * rstd, rstd


def blame(h: Tensor, y: Tensor, rstd: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The gradient behind y = `standardized(x)`, whose own is h."""
    return rstd * (h - h.mean(dims, True) - y * (h * y).mean(dims, True))


def all_but_channels(x: Tensor) -> tuple[int, ...]:
    """The dimensions of (N, C, ...) that a channel's statistics are taken over."""
    return (0, *range(2, x.ndim))


class BatchNorm(Node):
    """With y = (x - mean) / std and h = dout weight: dx = (h - mean(h) - y mean(h y)) / std,
    dweight = sum(dout y), dbias = sum(dout).

    Fused in the first derivative; where a second one is wanted, made of basic operations.
    """

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, weight, mean, var = (self.saved(i) for i in range(4))
        eps = self.context
        if mode.enabled or mode.composite:
            return self._composite(grad, x, weight)
        scale = None if weight is None else weight.array
        found = x.array.ops.batch_norm_backward(grad.array, x.array, mean, var, scale, eps)
        dx, dweight, dbias = (plain(f) if self.needs(i) else None for i, f in enumerate(found))
        return dx, dweight, dbias

    def _composite(self, grad: Tensor, x: Tensor, weight: Tensor | None) -> Gradients:
        """The same gradients, made of operations that know their own derivative."""
        dims = all_but_channels(x)
        y, rstd = standardized(x, dims, self.context)
        dx = blame(scaled(grad, weight, None), y, rstd, dims) if self.needs(0) else None
        dweight = (grad * y).sum(dims) if self.needs(1) else None
        return dx, dweight, grad.sum(dims) if self.needs(2) else None

    def name(self) -> str:
        return "NativeBatchNormBackward0"


def batch_norm(
    input: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """`(input - mean) / sqrt(var + eps) * weight + bias` for each channel of (N, C, ...), with the
    mean and the biased variance of the batch, which are returned too, outside of the graph.

    >>> import norch_autograd as norch
    >>> norch.ops.batch_norm(norch.tensor([[1.], [3.]]))[0]
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if is_half(input):
        wide = input.to(float32)
        out, mean, var = batch_norm(wide, as_float32(weight), as_float32(bias), eps)
        return out.to(input.dtype), mean, var
    x = array_of(input)
    if mode.composite:
        dims = all_but_channels(input)
        mean, var = input.detach().mean(dims), input.detach().var(dims, correction=0)
        return scaled(standardized(input, dims, eps)[0], weight, bias), mean, var
    given = [None if p is None else p.array for p in (weight, bias)]
    y, means, variances = x.ops.batch_norm(x, *given, eps)
    saved = (input, weight, means, variances)
    out = record(BatchNorm, y, (input, weight, bias), saved, eps)
    return out, plain(means), plain(variances)


class BatchNormEval(Node):
    """dx = dout weight / std, dweight = sum(dout y), dbias = sum(dout): fixed statistics."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, weight, mean, var = (self.saved(i) for i in range(4))
        dims, rstd = all_but_channels(x), (var + self.context).rsqrt()
        scale = by_channel(rstd if weight is None else rstd * weight, x.ndim)
        dx = grad * scale if self.needs(0) else None
        dweight = None
        if self.needs(1):
            dweight = (grad * (x - by_channel(mean, x.ndim))).sum(dims) * rstd
        return dx, dweight, grad.sum(dims) if self.needs(2) else None

    def name(self) -> str:
        return "NativeBatchNormBackward0"


def batch_norm_eval(
    input: Tensor,
    mean: Tensor,
    var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`(input - mean) / sqrt(var + eps) * weight + bias` with a mean and a variance (C) that are
    given: no gradient goes to them.

    >>> import norch_autograd as norch
    >>> x = norch.tensor([[1.], [3.]])
    >>> norch.ops.batch_norm_eval(x, norch.tensor([1.]), norch.tensor([4.]))
    tensor([[0.0000],
            [1.0000]])
    """
    if is_half(input):
        w, b = as_float32(weight), as_float32(bias)
        return batch_norm_eval(input.to(float32), mean, var, w, b, eps).to(input.dtype)
    x = array_of(input)
    mean, var = (t.detach().to(input.dtype) for t in (mean, var))
    if mode.composite:
        centred = input - by_channel(mean, input.ndim)
        return scaled(centred / by_channel((var + eps).sqrt(), input.ndim), weight, bias)
    given = [None if p is None else p.array for p in (weight, bias)]
    out = x.ops.batch_norm_eval(x, mean.array, var.array, *given, eps)
    return record(BatchNormEval, out, (input, weight, bias), (input, weight, mean, var), eps)


def rows_of_groups(shape: tuple[int, ...], groups: int) -> tuple[int, int, int]:
    """The shape of (N, C, ...) with a row for each group of channels, of nothing too."""
    return shape[0], groups, math.prod(shape[1:]) // groups


class GroupNorm(Node):
    """As `BatchNorm`, with the groups of each sample in the place of the channels of a batch."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, weight, mean, rstd = (self.saved(i) for i in range(4))
        groups, _ = self.context
        if mode.enabled or mode.composite:
            return self._composite(grad, x, weight)
        scale = None if weight is None else weight.array
        found = x.array.ops.group_norm_backward(grad.array, x.array, mean, rstd, groups, scale)
        dx, dweight, dbias = (plain(f) if self.needs(i) else None for i, f in enumerate(found))
        return dx, dweight, dbias

    def _composite(self, grad: Tensor, x: Tensor, weight: Tensor | None) -> Gradients:
        """The same gradients, made of operations that know their own derivative."""
        (groups, eps), shape = self.context, x.array.shape
        rows, dims = rows_of_groups(shape, groups), all_but_channels(x)
        y, rstd = standardized(x.reshape(rows), (2,), eps)
        h = scaled(grad, weight, None).reshape(rows)
        dx = blame(h, y, rstd, (2,)).reshape(shape) if self.needs(0) else None
        dweight = (grad * y.reshape(shape)).sum(dims) if self.needs(1) else None
        return dx, dweight, grad.sum(dims) if self.needs(2) else None

    def name(self) -> str:
        return "NativeGroupNormBackward0"


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each sample's channels in `num_groups` groups, each brought to mean 0 and variance 1; then
    `weight` and `bias` (C). The input is (N, C, ...).

    >>> import norch_autograd as norch
    >>> norch.group_norm(norch.tensor([[1., 3., 5., 9.]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    array_of(input)
    if is_half(input):
        w, b = as_float32(weight), as_float32(bias)
        return group_norm(input.to(float32), num_groups, w, b, eps).to(input.dtype)
    array = array_of(input)
    if mode.composite:
        rows = input.reshape(rows_of_groups(array.shape, num_groups))
        return scaled(standardized(rows, (2,), eps)[0].reshape(input.shape), weight, bias)
    given = [None if p is None else p.array for p in (weight, bias)]
    out, mean, rstd = array.ops.group_norm(array, num_groups, *given, eps)
    saved = (input, weight, mean, rstd)
    return record(GroupNorm, out, (input, weight, bias), saved, (num_groups, eps))
