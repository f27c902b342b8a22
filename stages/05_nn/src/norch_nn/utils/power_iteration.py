"""The largest singular value of a weight, by going to and fro: u ← W v, v ← Wᵀ u.

spectral_norm.py and parametrizations.py divide a weight by it. A few steps a forward are enough,
since the weight changes little from one to the next.
"""

from __future__ import annotations

from norch_autograd import Tensor, no_grad, randn
from norch_nn.conv_transpose import TransposedConvolution
from norch_nn.functional.distance import normalize
from norch_nn.module import Module


def default_dim(module: Module) -> int:
    """Return the dimension of the outputs: 1 in transposed convolutions, else 0."""
    return 1 if isinstance(module, TransposedConvolution) else 0


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """Return the weight as (outputs, the rest)."""
    return weight.movedim(dim, 0).flatten(1)


def start(matrix: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Return a random u and v of length 1."""
    rows, columns = matrix.shape
    options = {"dtype": matrix.dtype, "device": matrix.device}
    u, v = randn(rows, **options), randn(columns, **options)
    return normalize(u, dim=0, eps=eps), normalize(v, dim=0, eps=eps)


def advance(matrix: Tensor, u: Tensor, v: Tensor, steps: int, eps: float) -> None:
    """Go to and fro `steps` times; u and v change in place."""
    with no_grad():
        for _ in range(steps):
            u.copy_(normalize(matrix @ v, dim=0, eps=eps))
            v.copy_(normalize(matrix.mT @ u, dim=0, eps=eps))


def largest(matrix: Tensor, u: Tensor, v: Tensor) -> Tensor:
    """Return uᵀ W v; the copies are what a backward reads, whatever later steps do."""
    return u.clone() @ (matrix @ v.clone())
