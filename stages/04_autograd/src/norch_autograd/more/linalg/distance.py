"""cdist: the distances between all rows of one matrix and all rows of another."""

from __future__ import annotations

import norch_strides as strides
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name, number_alone
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import detach
from norch_autograd.ops.elementwise.power import sqrt, square
from norch_autograd.ops.elementwise.where import clamp, masked_fill
from norch_autograd.ops.linalg.norm import norm
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import expand, matrix_transpose, unsqueeze


class EuclideanDist(Node):
    """d|a - b| = (a - b) / |a - b| (da - db), by matrix products; 0 where a = b."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y, distance = self.saved(0), self.saved(1), self.saved(2)
        ratio = masked_fill(grad / distance, distance == 0, 0)
        dx = x * sum(ratio, -1, True) - ratio @ y if self.needs(0) else None
        dy = None
        if self.needs(1):
            dy = y * unsqueeze(sum(ratio, -2), -1) - matrix_transpose(ratio) @ x
        return dx, dy


def _euclidean_by_product(x: Tensor, y: Tensor) -> Tensor:
    """sqrt(|a|^2 - 2 a b + |b|^2) for all rows a and b: one product instead of all differences."""
    a, b = detach(x), detach(y)
    squares = sum(square(a), -1, True) + unsqueeze(sum(square(b), -1), -2)
    distance = sqrt(clamp(squares - 2 * (a @ matrix_transpose(b)), min=0)).array
    return record(EuclideanDist, distance, (x, y), (x, y, distance))


_MODES = _, _ALWAYS, _NEVER = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)
_FEW_ROWS = 25  # as PyTorch: up to so many, the differences themselves, which are more exact


@in_own_name
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str | None = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """The p-norm distance between each row of `x1` (..., P, M) and each of `x2` (..., R, M): (...,
    P, R). For p = 2 and more than 25 rows a matrix product does it, unless `compute_mode` is
    "donot_use_mm_for_euclid_dist", which is slower and more exact.

    >>> norch.cdist(norch.tensor([[0., 0.]]), norch.tensor([[3., 4.], [0., 0.]]))
    tensor([[5., 0.]])
    """
    a, b = array_of(x1).shape, array_of(x2).shape
    if len(a) < 2 or len(b) < 2:
        raise RuntimeError(f"[cdist] expected at least two dimensions, got shapes {a} and {b}")
    if a[-1] != b[-1]:
        raise RuntimeError(f"[cdist] rows of {a[-1]} and of {b[-1]} elements: expected equal sizes")
    if compute_mode not in _MODES and compute_mode is not None:
        raise ValueError(f"[cdist] compute_mode must be one of {_MODES}, got {compute_mode!r}")
    if not (x1.array.dtype.is_floating_point and x1.array.dtype is x2.array.dtype):
        raise RuntimeError(
            f"[cdist] expected two tensors of one floating-point dtype, got {x1.array.dtype} and "
            f"{x2.array.dtype}"
        )
    if not (p := number_alone(p)) >= 0:
        raise RuntimeError(f"[cdist] p is {p}: expected 0 or more")
    many = max(a[-2], b[-2]) > _FEW_ROWS or compute_mode == _ALWAYS
    if p == 2 and many and compute_mode != _NEVER and a[-1]:
        batch = strides.broadcast_shapes(a[:-2], b[:-2])
        return _euclidean_by_product(expand(x1, (*batch, *a[-2:])), expand(x2, (*batch, *b[-2:])))
    p = p if a[-1] else 1  # rows of nothing are 0 apart by every norm
    return norm(unsqueeze(x1, -2) - unsqueeze(x2, -3), p, -1)
