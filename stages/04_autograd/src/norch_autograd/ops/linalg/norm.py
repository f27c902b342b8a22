"""Norms of vectors along dimensions, and the distance of two tensors.

Where a norm is 0 it has no derivative; the gradient is 0 there. Norms of matrices and PyTorch's
`linalg` spellings are in more/linalg.
"""

from __future__ import annotations

import math

from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name, number_alone
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.comparison import isnan
from norch_autograd.ops.elementwise.power import abs, sqrt, square
from norch_autograd.ops.elementwise.rounding import sign
from norch_autograd.ops.elementwise.where import masked_fill, where
from norch_autograd.ops.reduction.sum import Dims, reduced_numel, restore_dims, sum
from norch_cpu_ops import DType, float32, float64, promote_types
from norch_strides import normalize_dim


class Norm(Node):
    """d|x| = x / |x| dx, and 0 at 0."""

    public_name = "LinalgVectorNormBackward0"

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), restore_dims(self.saved(1), *self.context)
        direction = masked_fill(x / y, y == 0, 0)  # first, as grad / y may be too small a number
        return (restore_dims(grad, *self.context) * direction,)


class LargestSize(Norm):
    """dx = sign(x) dy / n at the n elements of extreme size, else 0; NaN equals NaN here."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        shape, dim, keepdim = self.context
        extreme = restore_dims(y, shape, dim, keepdim)
        attains = (abs(x) == extreme) | (isnan(x) & isnan(extreme))
        share = grad / sum(attains, dim, keepdim)
        return (sign(x) * (restore_dims(share, shape, dim, keepdim) * attains),)


class PowerNorm(Norm):
    """d|x|_p = sign(x) (|x| / |x|_p)^(p - 1) dx, and 0 at 0."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        p, *where_to = self.context
        slope = x * abs(x) ** (p - 2) if p >= 2 else sign(x) * abs(x) ** (p - 1)
        if p < 1:  # infinitely steep there
            slope = masked_fill(slope, x == 0, 0)
        share = masked_fill(grad / y ** (p - 1), y == 0, 0)
        return (slope * restore_dims(share, *where_to),)


def _euclidean_reference(input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The Euclidean norm as its formula is written."""
    return sqrt(sum(square(input), dim, keepdim))


@fused(_euclidean_reference)
def _euclidean(input: Tensor, dim: Dims, keepdim: bool) -> Tensor:
    """The Euclidean norm in one pass; of one element its size, which does not overflow."""
    x = array_of(input)
    if reduced_numel(x.shape, dim) == 1:
        y = x.ops.sum(x.ops.abs(x), dim, keepdim)
    else:
        wide = x.ops.cast(x, promote_types(x.dtype, float32))  # a half overflows soon
        y = x.ops.cast(x.ops.sqrt(x.ops.sum(x.ops.square(wide), dim, keepdim)), x.dtype)
    return unary(Norm, y, input, (input, y), (x.shape, dim, keepdim))


@in_own_name
def norm(
    input: Tensor,
    p: float | str | None = "fro",
    dim: Dims = None,
    keepdim: bool = False,
    dtype: DType | None = None,
) -> Tensor:
    """The p-norm over `dim`: 2 (or "fro") is the length, 1 the sum of sizes, inf the largest size.

    The elements are converted to `dtype` first, which must not hold fewer digits than theirs.

    >>> norch.norm(norch.tensor([3., 4.]))
    tensor(5.)
    """
    if not array_of(input).dtype.is_floating_point:
        raise RuntimeError(f"[norm] expected floating-point numbers, got {input.dtype}: cast first")
    if dtype is not None:
        if promote_types(input.dtype, dtype) is not dtype:
            raise RuntimeError(f"[norm] {input.dtype} does not fit into {dtype} without narrowing")
        input = to(input, dtype=dtype)
    if (p := number_alone(p)) in (2, "fro", None):
        return _euclidean(input, dim, keepdim)
    if isinstance(p, str):
        raise RuntimeError(f"[norm] p must be a number or 'fro', got '{p}'")
    x = array_of(input)
    if (p < 0 or p == math.inf) and x.numel == 0 and reduced_numel(x.shape, dim) == 0:
        raise RuntimeError(f"[norm] there is no {p}-norm of nothing: shape {x.shape}, dim {dim}")
    if p in (math.inf, -math.inf):
        extreme = x.ops.amax if p == math.inf else x.ops.amin
        y = extreme(x.ops.abs(x), dim, keepdim)
        return unary(LargestSize, y, input, (input, y), (x.shape, dim, keepdim))
    if p == 0:  # NaN counts
        ones = masked_fill(masked_fill(input, input != 0, 1), input == 0, 0)
        return sum(ones, dim, keepdim)
    if p == 1 or reduced_numel(x.shape, dim) == 1:  # of one element its size
        return sum(abs(input), dim, keepdim)
    wide = x.ops.cast(x.ops.abs(x), promote_types(x.dtype, float32))
    total = x.ops.cast(x.ops.sum(x.ops.pow(wide, p), dim, keepdim), float64)  # for 1 / p's digits
    y = x.ops.cast(x.ops.pow(total, 1 / p), x.dtype)
    return unary(PowerNorm, y, input, (input, y), (p, x.shape, dim, keepdim))


@in_own_name
def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """`norm(input - other, p)`: the p-norm of the difference, one number.

    >>> norch.dist(norch.tensor([3., 4.]), norch.zeros(2))
    tensor(5.)
    """
    return norm(input - other, float(p))


@in_own_name
def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`input`, with every slice along `dim` whose `norm` is above `maxnorm` shortened to it.

    >>> norch.renorm(norch.tensor([[3., 4.], [0., 1.]]), 2, 0, 1.)
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    """
    ndim = array_of(input).ndim
    if ndim < 2:
        raise RuntimeError(f"[renorm] expected at least 2 dimensions, got {ndim}")
    if not (p > 0 and maxnorm >= 0):  # nan is neither
        raise RuntimeError(f"[renorm] expected p above 0 and maxnorm of at least 0: {p}, {maxnorm}")
    place = normalize_dim(dim, ndim, "renorm")
    others = tuple(k for k in range(ndim) if k != place)
    lengths = norm(to(input, promote_types(input.dtype, float32)), p, others, True)
    scale = where(lengths > maxnorm, maxnorm / (lengths + 1e-7), 1)  # NaN is not above
    shortened: Tensor = input * to(scale, input.dtype)
    return shortened
