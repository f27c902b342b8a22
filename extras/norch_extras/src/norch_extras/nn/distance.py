"""Distances and angles between vectors, as functions and as modules."""

from __future__ import annotations

import operator

import norch_autograd as autograd
from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module
from norch_nn.functional.normalization import normalize


@in_own_name
def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distances of all pairs of rows of (N, D), each once: N (N - 1) / 2 numbers.

    >>> pdist(norch.tensor([[0.0], [1.0], [3.0]])).tolist()
    [1.0, 3.0, 2.0]
    """
    if input.ndim != 2:
        raise RuntimeError(f"[pdist] rows (N, D) are expected, not shape {tuple(input.shape)}")
    if not p >= 0:
        raise RuntimeError(f"[pdist] p is {p}: expected 0 or more")
    count = input.shape[0]
    first, second = autograd.triu_indices(count, count, 1, device=input.device)
    return autograd.norm(input.index_select(0, first) - input.index_select(0, second), p, 1)


@in_own_name
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return x1·x2 / (max(‖x1‖, eps)·max(‖x2‖, eps)) along `dim`; shapes broadcast.

    >>> cosine_similarity(norch.tensor([[0.0, 2.0]]), norch.tensor([[0.0, -3.0]])).tolist()
    [-1.0]
    """
    if not eps >= 0:
        raise RuntimeError(f"[cosine_similarity] eps is {eps}: expected 0 or more")
    dim = operator.index(dim)  # a vector lies along one
    dtype = autograd.result_type(x1, x2)
    wide = autograd.broadcast_tensors(x1.to(dtype), x2.to(dtype))  # before their lengths are taken
    a, b = (normalize(x, 2.0, dim, eps) for x in wide)
    return (a * b).sum(dim)


@in_own_name
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return ‖x1 - x2 + eps‖ₚ along the last dimension; eps keeps the slope finite.

    >>> round(pairwise_distance(norch.tensor([[3.0, 4.0]]), norch.tensor([[0.0, 0.0]])).item(), 4)
    5.0
    """
    return (x1 - x2 + eps).norm(p, -1, keepdim)


class CosineSimilarity(Module):
    """x1·x2 / (‖x1‖·‖x2‖) along `dim`.

    >>> CosineSimilarity()(norch.tensor([[0.0, 2.0]]), norch.tensor([[0.0, -3.0]])).tolist()
    [-1.0]
    """

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        """Choose the dimension of the vectors, and the least length divided by."""
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return cosine_similarity(x1, x2, self.dim, self.eps)


class PairwiseDistance(Module):
    """‖x1 - x2 + eps‖ₚ along the last dimension.

    >>> round(PairwiseDistance()(norch.tensor([[3.0, 4.0]]), norch.zeros(1, 2)).item(), 4)
    5.0
    """

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        """Choose the norm, and whether the dimension stays with size 1."""
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)
