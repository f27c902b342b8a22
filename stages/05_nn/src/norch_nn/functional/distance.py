"""Functions of two inputs: distances and angles between vectors, and bilinear."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
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


@in_own_name
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return y with yₖ = input1ᵀ Wₖ input2 + biasₖ: (..., in1), (..., in2), (out, in1, in2).

    >>> bilinear(norch.ones(5, 2), norch.ones(5, 3), norch.ones(4, 2, 3))[0].tolist()
    [6.0, 6.0, 6.0, 6.0]
    """
    out, in1, in2 = weight.shape
    lead = tuple(input1.shape[:-1])
    if lead != tuple(input2.shape[:-1]) or (input1.shape[-1], input2.shape[-1]) != (in1, in2):
        raise RuntimeError(
            f"[bilinear] inputs {tuple(input1.shape)} and {tuple(input2.shape)} do not fit weight "
            f"{tuple(weight.shape)}: (..., {in1}) and (..., {in2}) with equal ... are expected"
        )
    for what, x in (("input2", input2), ("weight", weight)):
        if x.dtype is not input1.dtype:
            raise RuntimeError(
                f"[bilinear] {what} is {x.dtype} and input1 {input1.dtype}: cast one of them"
            )
    by_input1 = weight.transpose(0, 1).reshape(in1, out * in2)
    half = (input1 @ by_input1).reshape(*lead, out, in2)
    output = (half * input2.unsqueeze(-2)).sum(-1)
    return output if bias is None else output + bias
