"""Products with weights of int8: rows rounded by their own largest magnitude."""

from __future__ import annotations

from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.autocast import in_single_precision
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.comparison import isfinite
from norch_autograd.ops.elementwise.power import abs
from norch_autograd.ops.elementwise.rounding import round
from norch_autograd.ops.elementwise.where import clamp_min
from norch_autograd.ops.reduction.minmax import amax
from norch_autograd.ops.reduction.sum import all
from norch_autograd.ops.shape.view import squeeze
from norch_cpu_ops import float32, int8

_TINY = 2.0**-126  # the smallest scale, that of a row of zeros


class LinearInt8(Node):
    """Has no gradient: what is rounded stands still, and jumps."""

    def backward(self, grad: Tensor) -> Gradients:
        raise RuntimeError(
            "[linear_int8] weights of int8 have no gradient: train the float model, then quantize "
            "it; or call the quantized one under norch.no_grad()"
        )


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(N, K) -> whole numbers (N, K) of int8, and a scale (N) for each row, its largest magnitude
    over 127: weight = whole * scale, to half a scale.

    >>> quantize_rows(norch.tensor([[1., -2.], [30., 127.]]))
    (tensor([[  64, -127],
            [  30,  127]], dtype=norch.int8), tensor([0.0157, 1.0000]))
    """
    if array_of(weight).ndim != 2:
        raise RuntimeError(f"[quantize_rows] expected (rows, columns), got {weight.array.shape}")
    x = to(detach(weight), float32)
    if x.array.shape[1] == 0:
        return to(x, int8), constant(x, 1, x.array.shape[:1])
    scale = clamp_min(amax(abs(x), 1, keepdim=True) / 127, _TINY)
    if not all(isfinite(scale)):
        raise ValueError("[quantize_rows] a row with infinity or NaN has no scale")
    return to(round(x * (1 / scale)), int8), squeeze(scale, 1)


@in_single_precision
def linear_int8(input: Tensor, weight: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor:
    """`linear(input, weight * scale, bias)` by sums of whole numbers: weight (out, in) is int8,
    scale (out), and the rows of `input` (..., in) are rounded as `quantize_rows` does.

    >>> weight, scale = quantize_rows(norch.tensor([[1., -2.], [30., 127.]]))
    >>> linear_int8(norch.tensor([1., 0.]), weight, scale)
    tensor([ 1.0079, 30.0000])
    """
    x = array_of(input)
    given = array_of(weight), array_of(scale), None if bias is None else array_of(bias)
    return record(LinearInt8, x.ops.linear_int8(x, *given), (input, scale, bias))
