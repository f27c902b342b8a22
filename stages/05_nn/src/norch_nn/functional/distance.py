"""Distances and angles between vectors, the losses made of them, and one_hot."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor, int64
from norch_autograd.ops.dtype.autocast import in_single_precision
from norch_nn.functional.loss import check_reduction, reduced
from norch_nn.functional.old_words import with_old_words


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """Return input / max(‖input‖ₚ, eps) along `dim`: vectors of length 1.

    >>> normalize(norch.tensor([[0.0, 2.0]])).tolist()
    [[0.0, 1.0]]
    """
    return input / input.norm(p, dim, keepdim=True).clamp(min=eps)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """Return the distances of all pairs of rows of (N, D), each once: N (N - 1) / 2 numbers.

    >>> pdist(norch.tensor([[0.0], [1.0], [3.0]])).tolist()
    [1.0, 3.0, 2.0]
    """
    if input.ndim != 2:
        raise RuntimeError(f"[pdist] rows (N, D) are expected, not shape {tuple(input.shape)}")
    if p < 0:
        raise RuntimeError(f"[pdist] p is {p}: expected 0 or more")
    count = input.shape[0]
    first, second = autograd.triu_indices(count, count, 1, device=input.device)
    return autograd.norm(input.index_select(0, first) - input.index_select(0, second), p, 1)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Return x1·x2 / (max(‖x1‖, eps)·max(‖x2‖, eps)) along `dim`; shapes broadcast.

    >>> cosine_similarity(norch.tensor([[0.0, 2.0]]), norch.tensor([[0.0, -3.0]])).tolist()
    [-1.0]
    """
    dtype = autograd.result_type(x1, x2)
    wide = autograd.broadcast_tensors(x1.to(dtype), x2.to(dtype))  # before their lengths are taken
    a, b = (normalize(x, 2.0, dim, eps) for x in wide)
    return (a * b).sum(dim)


def pairwise_distance(
    x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Tensor:
    """Return ‖x1 - x2 + eps‖ₚ along the last dimension; eps keeps the slope finite.

    >>> round(pairwise_distance(norch.tensor([[3.0, 4.0]]), norch.tensor([[0.0, 0.0]])).item(), 4)
    5.0
    """
    return (x1 - x2 + eps).norm(p, -1, keepdim)


@with_old_words
@in_single_precision
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    """Return 1 - cos where `target` is 1, max(0, cos - margin) where it is -1.

    Vectors (N, D) with targets (N,), or (D,) with one target ().

    >>> x, y = norch.tensor([[1.0, 0.0]]), norch.tensor([[0.0, 1.0]])
    >>> round(cosine_embedding_loss(x, y, norch.tensor([1])).item(), 4)
    1.0
    """
    check_reduction("cosine_embedding_loss", reduction)
    if input1.ndim != target.ndim + 1 or input2.ndim != input1.ndim:
        raise RuntimeError(
            f"[cosine_embedding_loss] inputs {tuple(input1.shape)}, {tuple(input2.shape)} and "
            f"target {tuple(target.shape)} do not fit: (N, D), (N, D) and (N,) are expected"
        )
    eps = 1e-12
    lengths = ((input1 * input1).sum(-1) + eps) * ((input2 * input2).sum(-1) + eps)
    cosine = (input1 * input2).sum(-1) / autograd.sqrt(lengths)
    alike = autograd.where(target == 1, 1 - cosine, 0.0)
    unlike = autograd.where(target == -1, (cosine - margin).clamp(min=0), 0.0)
    return reduced(alike + unlike, reduction)


@with_old_words
@in_single_precision
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Return max(0, margin + d(anchor, positive) - d(anchor, negative)), d the pairwise distance.

    `swap` uses d(positive, negative) where it is the smaller (Balntas et al., 2016).

    >>> triplet_margin_loss(norch.zeros(1, 2), norch.zeros(1, 2), norch.zeros(1, 2)).item()
    1.0
    """
    check_reduction("triplet_margin_loss", reduction)
    if margin <= 0:
        raise ValueError(f"[triplet_margin_loss] margin must be above 0, not {margin}")
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError(
            "[triplet_margin_loss] anchor, positive and negative must have as many dimensions, "
            f"not {anchor.ndim}, {positive.ndim} and {negative.ndim}"
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = autograd.minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced((margin + near - far).clamp(min=0), reduction)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 rows of zeros with a 1 at each class; as many classes as needed, unless told.

    >>> one_hot(autograd.tensor([0, 2])).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    if tensor.dtype != int64:
        raise RuntimeError(f"[one_hot] classes of dtype int64 are expected, not {tensor.dtype}")
    if tensor.numel() == 0 and num_classes <= 0:
        raise RuntimeError("[one_hot] no classes were given: say num_classes")
    if tensor.numel() and tensor.amin().item() < 0:
        raise RuntimeError(f"[one_hot] class {tensor.amin().item()} is negative")
    return autograd.one_hot(tensor, num_classes)
