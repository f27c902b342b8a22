"""RMS normalisation: each row divided by its root mean square in one fused pass, then scaled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from norch_autograd.dtype import float32, float64
from norch_autograd.graph import Gradients, Node, array_of, plain, record
from norch_autograd.mode import mode
from norch_autograd.ops.batch_norm import as_float32, is_half

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


class RmsNorm(Node):
    """With y = x / rms and h = dout weight: dx = (h - y mean(h y)) / rms, dweight = sum(dout y).

    Fused in the first derivative; where a second one is wanted, made of basic operations.
    """

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, weight, rstd = (self.saved(i) for i in range(3))
        if mode.enabled or mode.composite:
            return self._composite(grad, x, weight)
        scale = None if weight is None else weight.array
        found = x.array.ops.rms_norm_backward(grad.array, x.array, rstd, scale)
        dx, dweight = (plain(f) if self.needs(i) else None for i, f in enumerate(found))
        return dx, dweight

    def _composite(self, grad: Tensor, x: Tensor, weight: Tensor | None) -> Gradients:
        """The same gradients, made of operations that know their own derivative."""
        rstd = ((x * x).mean(-1, True) + self.context).rsqrt()
        y = x * rstd
        h = grad if weight is None else grad * weight
        dx = rstd * (h - y * (h * y).mean(-1, True)) if self.needs(0) else None
        return dx, (grad * y).sum_to_size(x.array.shape[-1:]) if self.needs(1) else None

    def name(self) -> str:
        return "FusedRmsNormBackward0"


def rms_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """`input / sqrt(mean of squares + eps) * weight` over the last dimensions; `eps` None is the
    distance from 1 to the next number of the dtype.

    >>> import norch_autograd as norch
    >>> norch.rms_norm(norch.tensor([[1., 7.]]), [2])
    tensor([[0.2000, 1.4000]])
    """
    wanted = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    shape = array_of(input).shape
    if not wanted or shape[-len(wanted) :] != wanted:
        raise RuntimeError(
            f"[rms_norm] normalized_shape {wanted} must be the end of the input's shape, "
            f"not of {shape}"
        )
    if weight is not None and weight.array.shape != wanted:
        raise RuntimeError(
            f"[rms_norm] weight has shape {weight.array.shape}, expected normalized_shape {wanted}"
        )
    if eps is None:
        eps = 2.0**-52 if input.dtype is float64 else 2.0**-23
    if is_half(input):
        return rms_norm(input.to(float32), wanted, as_float32(weight), eps).to(input.dtype)
    if len(wanted) > 1:
        count = math.prod(wanted)
        scale = None if weight is None else weight.reshape(count)
        flat = input.reshape(*shape[: -len(wanted)], count)
        return rms_norm(flat, (count,), scale, eps).reshape(shape)
    if mode.composite:
        y = input / ((input * input).mean(-1, True) + eps).sqrt()
        return y if weight is None else y * weight
    x = array_of(input)
    out, rstd = x.ops.rms_norm(x, None if weight is None else weight.array, eps)
    return record(RmsNorm, out, (input, weight), (input, weight, rstd), eps)
