"""bilinear: a layer of two inputs, each output a weighted sum of all products of their features."""

from __future__ import annotations

import math
from typing import Any

from norch_autograd import Tensor, empty
from norch_autograd.graph.operands import in_own_name
from norch_nn import init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter


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
