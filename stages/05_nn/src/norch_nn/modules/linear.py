"""Linear and Identity: the function computes; the layer holds the parameters and draws their first
values.
"""

from __future__ import annotations

import math
from typing import Any

from norch_autograd import Tensor, empty
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F, init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter


class Identity(Module):
    """Return the input; any constructor arguments are accepted and ignored, as in PyTorch.

    >>> Identity(54, unused=True)(3)
    3
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take anything: it stands in for any layer."""
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """Compute y = x Wᵀ + b for x of shape (..., in_features).

    `weight` (out_features, in_features) and `bias` (out_features,) start in
    U(-1/√in_features, 1/√in_features).

    >>> tuple(Linear(3, 2)(norch.zeros(5, 3)).shape)
    (5, 2)
    """

    bias: Parameter | None

    @in_own_name
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parameters and draw their first values."""
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty(out_features, in_features, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the layer's weights and its bias anew."""
        # a = √5 makes Kaiming's bound √(6 / (1 + a²) / fan_in) equal 1/√fan_in.
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0.0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        bias = self.bias is not None
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={bias}"
