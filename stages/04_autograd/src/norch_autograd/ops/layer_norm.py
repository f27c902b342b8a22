"""Layer normalisation: each row brought to mean 0 and variance 1 in one fused pass, then scaled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from norch_autograd.dtype import float32
from norch_autograd.graph import Gradients, Node, array_of, plain, record
from norch_autograd.mode import mode
from norch_autograd.ops.batch_norm import as_float32, is_half

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


class LayerNorm(Node):
    """With y = (x - mean) / std and h = dout weight: dx = (h - mean(h) - y mean(h y)) / std,
    dweight = sum(dout y), dbias = sum(dout).

    Fused in the first derivative; where a second one is wanted, made of basic operations.
    """

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, weight, mean, rstd = (self.saved(i) for i in range(4))
        if mode.enabled or mode.composite:
            return self._composite(grad, x, weight)
        scale = None if weight is None else weight.array
        found = x.array.ops.layer_norm_backward(grad.array, x.array, mean, rstd, scale)
        dx, dweight, dbias = (plain(f) if self.needs(i) else None for i, f in enumerate(found))
        return dx, dweight, dbias

    def _composite(self, grad: Tensor, x: Tensor, weight: Tensor | None) -> Gradients:
        """The same gradients, made of operations that know their own derivative."""
        centred = x - x.mean(-1, True)
        rstd = ((centred * centred).mean(-1, True) + self.context).rsqrt()
        y = centred * rstd
        h = grad if weight is None else grad * weight
        dx = rstd * (h - h.mean(-1, True) - y * (h * y).mean(-1, True)) if self.needs(0) else None
        channels = x.array.shape[-1:]
        dweight = (grad * y).sum_to_size(channels) if self.needs(1) else None
        dbias = grad.sum_to_size(channels) if self.needs(2) else None
        return dx, dweight, dbias

    def name(self) -> str:
        return "NativeLayerNormBackward0"


def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """`(input - mean) / sqrt(variance + eps) * weight + bias` over the last dimensions.

    >>> import norch_autograd as norch
    >>> norch.layer_norm(norch.tensor([[1., 3.], [5., 5.]]), [2])
    tensor([[-1.0000,  1.0000],
            [ 0.0000,  0.0000]])
    """
    wanted = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    shape = array_of(input).shape
    _check_shapes(wanted, shape, weight, bias)
    if is_half(input):
        w, b = as_float32(weight), as_float32(bias)
        return layer_norm(input.to(float32), wanted, w, b, eps).to(input.dtype)
    if len(wanted) > 1:
        count = math.prod(wanted)
        flat = input.reshape(*shape[: -len(wanted)], count)
        scale, shift = (None if p is None else p.reshape(count) for p in (weight, bias))
        return layer_norm(flat, (count,), scale, shift, eps).reshape(shape)
    if mode.composite:
        return _layer_norm_of_basics(input, weight, bias, eps)
    x = array_of(input)
    given = [None if p is None else p.array for p in (weight, bias)]
    out, mean, rstd = x.ops.layer_norm(x, *given, eps)
    return record(LayerNorm, out, (input, weight, bias), (input, weight, mean, rstd), eps)


def _layer_norm_of_basics(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Tensor:
    """The formula as it is written."""
    centred = input - input.mean(-1, True)
    y = centred / ((centred * centred).mean(-1, True) + eps).sqrt()
    if weight is not None:
        y = y * weight
    return y if bias is None else y + bias


def _check_shapes(
    wanted: tuple[int, ...], shape: tuple[int, ...], weight: Tensor | None, bias: Tensor | None
) -> None:
    """Refuse what PyTorch refuses, before anything is reshaped."""
    if not wanted or shape[-len(wanted) :] != wanted:
        raise RuntimeError(
            f"[layer_norm] normalized_shape {wanted} must be the end of the input's shape, "
            f"not of {shape}"
        )
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tensor.array.shape != wanted:
            raise RuntimeError(
                f"[layer_norm] {name} has shape {tensor.array.shape}, "
                f"expected normalized_shape {wanted}"
            )
