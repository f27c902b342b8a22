"""Layer and RMS normalisation: each row brought to mean 0 and variance 1, or divided by its root
mean square, in one fused pass, then scaled. Half precision is computed in float32.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise.power import rsqrt, sqrt
from norch_autograd.ops.nn.batch_norm import in_float32, standardize, standardized_gradient
from norch_autograd.ops.reduction.sum import mean
from norch_autograd.ops.shape.view import reshape
from norch_cpu_ops import float64


class NativeLayerNorm(Node):
    """With h = dout weight: dx is `standardized_gradient` of h, dweight = sum(dout y),
    dbias = sum(dout).
    """

    def backward(self, grad: Tensor) -> Gradients:
        x, weight = self.saved(0), self.saved(1)
        y, rstd = standardize(x, (-1,), self.context)
        h = grad if weight is None else grad * weight
        dx = standardized_gradient(h, y, rstd, (-1,)) if self.needs(0) else None
        channels = x.array.shape[-1:]
        dweight = sum_to_shape(grad * y, channels) if self.needs(1) else None
        dbias = sum_to_shape(grad, channels) if self.needs(2) else None
        return dx, dweight, dbias

    def kernel(self, grad: Any) -> Any:
        x, weight, mean, rstd = (self.saved_array(i) for i in range(4))
        found = x.ops.layer_norm_backward(grad, x, mean, rstd, weight)
        return [part if self.needs(i) else None for i, part in enumerate(found)]


def _layer_norm_rows_reference(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    """`layer_norm` of rows as its formula is written."""
    centred = input - mean(input, -1, True)
    y = centred / sqrt(mean(centred * centred, -1, True) + eps)
    if weight is not None:
        y = y * weight
    return y if bias is None else y + bias


@fused(_layer_norm_rows_reference)
def _layer_norm_rows(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    """The last dimension's rows, each normalised, in one pass."""
    x = array_of(input)
    given = [None if p is None else p.array for p in (weight, bias)]
    out, mean, rstd = x.ops.layer_norm(x, *given, eps)
    return record(NativeLayerNorm, out, (input, weight, bias), (input, weight, mean, rstd), eps)


@in_float32
def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`(input - mean) / sqrt(variance + eps) * weight + bias` over the last dimensions.

    >>> norch.layer_norm(norch.tensor([[1., 3.], [5., 5.]]), [2])
    tensor([[-1.0000,  1.0000],
            [ 0.0000,  0.0000]])
    """
    wanted = _check_shapes("layer_norm", normalized_shape, input, weight, bias)
    if len(wanted) > 1:
        rows, scale, shift = _join_dims(len(wanted), input, weight, bias)
        return reshape(_layer_norm_rows(rows, scale, shift, eps), input.array.shape)
    return _layer_norm_rows(input, weight, bias, eps)


def _check_shapes(
    op: str, given: int | Sequence[int], input: Tensor, weight: Tensor | None, bias: Tensor | None
) -> tuple[int, ...]:
    """Fused layer_norm's `normalized_shape` as sizes; what PyTorch refuses is refused here."""
    try:
        wanted = (given,) if isinstance(given, int) else tuple(given)
    except TypeError:
        words = f"expected int | Sequence[int], got {type(given).__name__}"
        raise TypeError(f"[{op}] normalized_shape: {words}") from None
    shape = array_of(input, op).shape
    if not wanted or shape[-len(wanted) :] != wanted:
        raise RuntimeError(
            f"[{op}] normalized_shape {wanted} must be the end of the input's shape, not of {shape}"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and array_of(tensor, op).shape != wanted:
            raise RuntimeError(
                f"[{op}] {name} has shape {tensor.array.shape}, expected normalized_shape {wanted}"
            )
    return wanted


def _join_dims(dims: int, input: Tensor, *parameters: Tensor | None) -> tuple[Any, ...]:
    """The last `dims` dimensions of a normalisation's input joined into one, and its parameters."""
    count = math.prod(input.array.shape[-dims:])
    rows = reshape(input, *input.array.shape[:-dims], count)
    return rows, *(None if p is None else reshape(p, count) for p in parameters)


class FusedRmsNorm(Node):
    """With y = x / rms and h = dout weight: dx = (h - y mean(h y)) / rms, dweight = sum(dout y)."""

    def backward(self, grad: Tensor) -> Gradients:
        x, weight = self.saved(0), self.saved(1)
        rstd = rsqrt(mean(x * x, -1, True) + self.context)
        y = x * rstd
        h = grad if weight is None else grad * weight
        dx = rstd * (h - y * mean(h * y, -1, True)) if self.needs(0) else None
        return dx, sum_to_shape(grad * y, x.array.shape[-1:]) if self.needs(1) else None

    def kernel(self, grad: Any) -> Any:
        x, weight, rstd = (self.saved_array(i) for i in range(3))
        found = x.ops.rms_norm_backward(grad, x, rstd, weight)
        return [part if self.needs(i) else None for i, part in enumerate(found)]


def _rms_norm_rows_reference(input: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    """`rms_norm` of rows as its formula is written."""
    y = input / sqrt(mean(input * input, -1, True) + eps)
    return y if weight is None else y * weight


@fused(_rms_norm_rows_reference)
def _rms_norm_rows(input: Tensor, weight: Tensor | None, eps: float) -> Tensor:
    """The last dimension's rows, each normalised, in one pass."""
    x = array_of(input)
    out, rstd = x.ops.rms_norm(x, None if weight is None else weight.array, eps)
    return record(FusedRmsNorm, out, (input, weight), (input, weight, rstd), eps)


@in_float32
def rms_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """`input / sqrt(mean of squares + eps) * weight` over the last dimensions; `eps` None is the
    distance from 1 to the next number of the dtype.

    >>> norch.rms_norm(norch.tensor([[1., 7.]]), [2])
    tensor([[0.2000, 1.4000]])
    """
    wanted = _check_shapes("rms_norm", normalized_shape, input, weight, None)
    if eps is None:
        eps = 2.0**-52 if input.dtype is float64 else 2.0**-23
    if len(wanted) > 1:
        rows, scale, _ = _join_dims(len(wanted), input, weight, None)
        return reshape(_rms_norm_rows(rows, scale, eps), input.array.shape)
    return _rms_norm_rows(input, weight, eps)
