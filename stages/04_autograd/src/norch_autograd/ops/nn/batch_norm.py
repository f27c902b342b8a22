"""Normalisation of channels: over the batch (batch_norm), with given statistics (batch_norm_eval),
or over groups of channels of each sample (group_norm). Each is one fused pass forward.

Rows are normalised in layer_norm.py.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.power import rsqrt, sqrt
from norch_autograd.ops.reduction.sum import mean, sum
from norch_autograd.ops.reduction.variance import var
from norch_autograd.ops.shape.view import reshape
from norch_cpu_ops import bfloat16, float16, float32

P = ParamSpec("P")
R = TypeVar("R")
HALVES = (float16, bfloat16)


def in_float32(function: Callable[P, R]) -> Callable[P, R]:
    """Let `batch_norm` or its like compute halves in float32, the first result cast back."""

    @functools.wraps(function)
    def wrapper(*args: P.args, **options: P.kwargs) -> R:
        input: Any = args[0] if args else options.get("input")
        if not isinstance(input, Tensor) or input.array.dtype not in HALVES:
            return function(*args, **options)
        wide = [_widen(value) for value in args]
        found: Any = function(*wide, **{name: _widen(value) for name, value in options.items()})
        if isinstance(found, Tensor):
            return to(found, input.dtype)  # type: ignore[return-value]
        return (to(found[0], input.dtype), *found[1:])  # type: ignore[return-value]

    return wrapper


def _widen(value: Any) -> Any:
    """An argument of `batch_norm` or its like; a tensor in float32."""
    return to(value, float32) if isinstance(value, Tensor) else value


def _by_channel(values: Tensor, ndim: int) -> Tensor:
    """(C) in the shape (C, 1, ...) that broadcasts along the channels of an input."""
    return reshape(values, -1, *[1] * (ndim - 2))


def scale_by_channel(y: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """`y * weight + bias` with one of each a channel, where they are given."""
    if weight is not None:
        y = y * _by_channel(weight, y.ndim)
    return y if bias is None else y + _by_channel(bias, y.ndim)


def standardize(x: Tensor, dims: tuple[int, ...], eps: float) -> tuple[Tensor, Tensor]:
    """(x - mean) / sqrt(variance + eps) over `dims`, and 1 / that root."""
    centred = x - mean(x, dims, True)
    rstd = rsqrt(mean(centred * centred, dims, True) + eps)
    return centred * rstd, rstd


def standardized_gradient(h: Tensor, y: Tensor, rstd: Tensor, dims: tuple[int, ...]) -> Tensor:
    """The gradient behind y = `standardize(x)`, whose own is h."""
    # ex 4.9 begin
    return rstd * (h - mean(h, dims, True) - y * mean(h * y, dims, True))
    # ex 4.9 end


def _all_but_channels(x: Tensor) -> tuple[int, ...]:
    """The dimensions of (N, C, ...) that a channel's statistics are taken over."""
    return (0, *range(2, x.ndim))


class BatchNorm(Node):
    """With h = dout weight: dx is `standardized_gradient` of h, dweight = sum(dout y),
    dbias = sum(dout).
    """

    public_name = "NativeBatchNormBackward0"

    def backward(self, grad: Tensor) -> Gradients:
        x, weight = self.saved(0), self.saved(1)
        dims = _all_but_channels(x)
        y, rstd = standardize(x, dims, self.context)
        h = scale_by_channel(grad, weight, None)
        dx = standardized_gradient(h, y, rstd, dims) if self.needs(0) else None
        dweight = sum(grad * y, dims) if self.needs(1) else None
        return dx, dweight, sum(grad, dims) if self.needs(2) else None

    def kernel(self, grad: Any) -> Any:
        x, weight, mean, var = (self.saved_array(i) for i in range(4))
        found = x.ops.batch_norm_backward(grad, x, mean, var, weight, self.context)
        return [part if self.needs(i) else None for i, part in enumerate(found)]


def _batch_norm_reference(
    input: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """`batch_norm` as its formula is written."""
    dims, x = _all_but_channels(input), detach(input)
    y = scale_by_channel(standardize(input, dims, eps)[0], weight, bias)
    return y, mean(x, dims), var(x, dims, correction=0)


@in_float32
@fused(_batch_norm_reference)
def batch_norm(
    input: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> tuple[Tensor, Tensor, Tensor]:
    """`(input - mean) / sqrt(var + eps) * weight + bias` for each channel of (N, C, ...), with the
    mean and the biased variance of the batch, which are returned too, outside of the graph.

    >>> norch.ops.batch_norm(norch.tensor([[1.], [3.]]))[0]
    tensor([[-1.0000],
            [ 1.0000]])
    """
    x = array_of(input)
    given = [None if p is None else p.array for p in (weight, bias)]
    y, means, variances = x.ops.batch_norm(x, *given, eps)
    saved = (input, weight, means, variances)
    out = record(BatchNorm, y, (input, weight, bias), saved, eps)
    return out, plain(means), plain(variances)


class BatchNormEval(Node):
    """dx = dout weight / std, dweight = sum(dout y), dbias = sum(dout): fixed statistics."""

    public_name = "NativeBatchNormBackward0"

    def backward(self, grad: Tensor) -> Gradients:
        x, weight, mean, var = (self.saved(i) for i in range(4))
        dims, rstd = _all_but_channels(x), rsqrt(var + self.context)
        scale = _by_channel(rstd if weight is None else rstd * weight, x.ndim)
        dx = grad * scale if self.needs(0) else None
        dweight = None
        if self.needs(1):
            dweight = sum(grad * (x - _by_channel(mean, x.ndim)), dims) * rstd
        return dx, dweight, sum(grad, dims) if self.needs(2) else None


def _batch_norm_eval_reference(
    input: Tensor,
    mean: Tensor,
    var: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`batch_norm_eval` as its formula is written."""
    centred = input - _by_channel(to(detach(mean), input.dtype), input.ndim)
    root = sqrt(to(detach(var), input.dtype) + eps)
    return scale_by_channel(centred / _by_channel(root, input.ndim), weight, bias)


@in_float32
@fused(_batch_norm_eval_reference)
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

    >>> x = norch.tensor([[1.], [3.]])
    >>> norch.ops.batch_norm_eval(x, norch.tensor([1.]), norch.tensor([4.]))
    tensor([[0.0000],
            [1.0000]])
    """
    x = array_of(input)
    mean, var = (to(detach(t), input.dtype) for t in (mean, var))
    given = [None if p is None else p.array for p in (weight, bias)]
    out = x.ops.batch_norm_eval(x, mean.array, var.array, *given, eps)
    return record(BatchNormEval, out, (input, weight, bias), (input, weight, mean, var), eps)


def _rows_of_groups(shape: tuple[int, ...], groups: int) -> tuple[int, int, int]:
    """The shape (N, groups, elements) that (N, C, ...) is reshaped to, also without elements."""
    return shape[0], groups, math.prod(shape[1:]) // groups


class NativeGroupNorm(Node):
    """As `BatchNorm`, with the groups of each sample in the place of the channels of a batch."""

    def backward(self, grad: Tensor) -> Gradients:
        x, weight = self.saved(0), self.saved(1)
        (groups, eps), shape = self.context, x.array.shape
        rows, dims = _rows_of_groups(shape, groups), _all_but_channels(x)
        y, rstd = standardize(reshape(x, rows), (2,), eps)
        h = reshape(scale_by_channel(grad, weight, None), rows)
        dx = reshape(standardized_gradient(h, y, rstd, (2,)), shape) if self.needs(0) else None
        dweight = sum(grad * reshape(y, shape), dims) if self.needs(1) else None
        return dx, dweight, sum(grad, dims) if self.needs(2) else None

    def kernel(self, grad: Any) -> Any:
        x, weight, mean, rstd = (self.saved_array(i) for i in range(4))
        found = x.ops.group_norm_backward(grad, x, mean, rstd, self.context[0], weight)
        return [part if self.needs(i) else None for i, part in enumerate(found)]


def _group_norm_reference(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`group_norm` as its formula is written."""
    rows = reshape(input, _rows_of_groups(array_of(input).shape, num_groups))
    return scale_by_channel(reshape(standardize(rows, (2,), eps)[0], input.shape), weight, bias)


@in_own_name
@in_float32
@fused(_group_norm_reference)
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Each sample's channels in `num_groups` groups, each brought to mean 0 and variance 1; then
    `weight` and `bias` (C). The input is (N, C, ...).

    >>> norch.group_norm(norch.tensor([[1., 3., 5., 9.]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]])
    """
    array = array_of(input)
    given = [None if p is None else p.array for p in (weight, bias)]
    out, mean, rstd = array.ops.group_norm(array, num_groups, *given, eps)
    saved = (input, weight, mean, rstd)
    return record(NativeGroupNorm, out, (input, weight, bias), saved, (num_groups, eps))
