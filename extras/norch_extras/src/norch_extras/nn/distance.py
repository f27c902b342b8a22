"""Functions and modules of two inputs: distances and angles between vectors, and bilinear."""

from __future__ import annotations

import math
from typing import Any

import norch_autograd as autograd
from norch_autograd import Tensor, empty
from norch_autograd.graph.operands import in_own_name
from norch_nn import init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter
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


class Bilinear(Module):
    """Compute yₖ = x1ᵀ Wₖ x2 + bₖ for x1 (..., in1_features) and x2 (..., in2_features).

    `weight` (out_features, in1_features, in2_features) and `bias` start in
    U(-1/√in1_features, 1/√in1_features).

    >>> tuple(Bilinear(2, 3, 4)(norch.zeros(5, 2), norch.zeros(5, 3)).shape)
    (5, 4)
    """

    bias: Parameter | None

    @in_own_name
    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"[Bilinear] in1_features must be above 0, not {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = out_features, in1_features, in2_features
        self.weight = Parameter(empty(*shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial values of a bilinear layer anew."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters(recurse=False):
            init.uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        sizes = f"in1_features={self.in1_features}, in2_features={self.in2_features}"
        return f"{sizes}, out_features={self.out_features}, bias={self.bias is not None}"
