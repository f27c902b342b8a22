"""Activations as modules: ReLU, GELU, SiLU, PReLU, Softmax and others, element by element.

Each holds its options and calls the function of the same name; only PReLU has a parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from norch_autograd import Tensor, full
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter
from norch_nn.init import constant_


class Activation(Module):
    """What all share: `call` computes, and takes the `options` after the input. Those used most
    write their forward out, which is faster.
    """

    call: Callable[..., Tensor]
    options: tuple[str, ...] = ()

    def forward(self, input: Tensor) -> Tensor:
        return self.call(input, *map(self.__getattribute__, self.options))

    def extra_repr(self) -> str:
        names = [name for name in self.options if name not in ("training", "inplace")]
        shown = [f"{name}={getattr(self, name)!r}" for name in names]
        return ", ".join([*shown, "inplace=True"] if getattr(self, "inplace", False) else shown)


class InplaceActivation(Activation):
    """What activations share that can overwrite their input (`inplace=True`)."""

    options: tuple[str, ...] = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        """`inplace=True` overwrites the input."""
        super().__init__()
        self.inplace = inplace


class ReLU(InplaceActivation):
    """max(x, 0), element by element.

    >>> ReLU()(norch.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, self.inplace)


class Sigmoid(Activation):
    """1 / (1 + exp(-x)), element by element.

    >>> Sigmoid()(norch.tensor([0.0])).tolist()
    [0.5]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class Tanh(Activation):
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x)): the hyperbolic tangent, element by element.

    >>> Tanh()(norch.tensor([0.0])).tolist()
    [0.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanh(input)


class LogSigmoid(Activation):
    """log(sigmoid(x)), element by element.

    >>> LogSigmoid()(norch.tensor([-200.0])).tolist()
    [-200.0]
    """

    call = staticmethod(F.logsigmoid)


class LeakyReLU(InplaceActivation):
    """x where it is positive, negative_slope · x elsewhere.

    >>> LeakyReLU(0.5)(norch.tensor([-2.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    call, options = staticmethod(F.leaky_relu), ("negative_slope", "inplace")

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        """Choose the slope below 0; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        self.negative_slope = negative_slope


class PReLU(Module):
    """max(0, x) + weight · min(0, x), weight learned: one, or one a channel (dimension 1).

    `weight` (num_parameters,) starts at `init`.

    >>> PReLU()(norch.tensor([-2.0, 2.0])).tolist()
    [-0.5, 2.0]
    """

    @in_own_name
    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        """Make the slopes."""
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), float(init), device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Set this layer's slopes to their first value."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class ELU(InplaceActivation):
    """x where it is positive, alpha · (exp(x) - 1) elsewhere (Clevert et al., 2015).

    >>> ELU()(norch.tensor([-200.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    call, options = staticmethod(F.elu), ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        """Choose the depth below 0; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        self.alpha = alpha


class SELU(InplaceActivation):
    """ELU with the depth and scale that keep mean 0 and variance 1 (Klambauer et al., 2017).

    >>> round(SELU()(norch.tensor([1.0])).item(), 4)
    1.0507
    """

    call = staticmethod(F.selu)


class GELU(Activation):
    """x · Φ(x), Φ the normal distribution (Hendrycks and Gimpel, 2016).

    >>> GELU()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    options = ("approximate",)

    def __init__(self, approximate: str = "none") -> None:
        """Choose "none", or "tanh" for the approximation by it."""
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, self.approximate)


class SiLU(InplaceActivation):
    """x · sigmoid(x), also called swish.

    >>> SiLU()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, self.inplace)


class Softplus(Activation):
    """log(1 + exp(beta · x)) / beta; x itself where beta · x > threshold.

    >>> Softplus()(norch.tensor([-200.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    call, options = staticmethod(F.softplus), ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        """Choose the sharpness, and where the curve is as good as straight."""
        super().__init__()
        self.beta = beta
        self.threshold = threshold


class Softmax(Activation):
    """exp(x) / sum(exp(x)) along `dim`.

    >>> Softmax(dim=-1)(norch.zeros(2)).tolist()
    [0.5, 0.5]
    """

    call, options = staticmethod(F.softmax), ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        """Normalise along `dim`; without one, along a dimension that PyTorch once chose."""
        super().__init__()
        self.dim = dim


class LogSoftmax(Softmax):
    """x - logsumexp(x) along `dim`.

    >>> LogSoftmax(dim=0)(norch.zeros(1)).tolist()
    [0.0]
    """

    call = staticmethod(F.log_softmax)
