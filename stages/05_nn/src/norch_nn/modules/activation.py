"""Activations as modules: ReLU, GELU, SiLU, Hardtanh, PReLU and the others, element by element.

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
    """The hyperbolic tangent, element by element.

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


class GLU(Activation):
    """a · sigmoid(b), where a and b are the halves of x along `dim` (Dauphin et al., 2016).

    >>> GLU()(norch.tensor([3.0, 0.0])).tolist()
    [1.5]
    """

    call, options = staticmethod(F.glu), ("dim",)

    def __init__(self, dim: int = -1) -> None:
        """Choose the dimension that is halved."""
        super().__init__()
        self.dim = dim


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
    """LeakyReLU with a slope that is learned: one for all, or one a channel (dimension 1).

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
        """Set the slopes to their first value."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class RReLU(InplaceActivation):
    """LeakyReLU with a slope from U(lower, upper) for each element; their mean in evaluation.

    >>> RReLU(0.25, 0.75).eval()(norch.tensor([-2.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    call, options = staticmethod(F.rrelu), ("lower", "upper", "training", "inplace")

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        """Choose the bounds of the slope; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper


class Threshold(InplaceActivation):
    """x where it is above `threshold`, `value` elsewhere.

    >>> Threshold(1.0, -7.0)(norch.tensor([1.0, 2.0])).tolist()
    [-7.0, 2.0]
    """

    call, options = staticmethod(F.threshold), ("threshold", "value", "inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        """Choose the bound and the value; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value


class Hardtanh(InplaceActivation):
    """x, kept between `min_val` and `max_val`.

    >>> Hardtanh()(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.0, 0.5, 1.0]
    """

    call: Callable[..., Tensor] = staticmethod(F.hardtanh)
    options: tuple[str, ...] = ("min_val", "max_val", "inplace")

    @in_own_name
    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        """Choose the bounds; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        if min_val >= max_val:
            raise ValueError(f"[Hardtanh] min_val {min_val} must lie below max_val {max_val}")
        self.min_val = min_val
        self.max_val = max_val


class ReLU6(Hardtanh):
    """min(max(x, 0), 6).

    >>> ReLU6()(norch.tensor([-1.0, 3.0, 8.0])).tolist()
    [0.0, 3.0, 6.0]
    """

    call, options = staticmethod(F.relu6), ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        """`inplace=True` overwrites the input."""
        super().__init__(0.0, 6.0, inplace)


class Hardsigmoid(InplaceActivation):
    """relu6(x + 3) / 6: a sigmoid of three lines.

    >>> Hardsigmoid()(norch.tensor([-3.0, 0.0, 200.0])).tolist()
    [0.0, 0.5, 1.0]
    """

    call = staticmethod(F.hardsigmoid)

    def extra_repr(self) -> str:
        return ""  # as PyTorch, which never shows `inplace` here


class Hardswish(InplaceActivation):
    """x · relu6(x + 3) / 6.

    >>> Hardswish()(norch.tensor([-200.0, 1.5, 200.0])).tolist()
    [0.0, 1.125, 200.0]
    """

    call = staticmethod(F.hardswish)

    def extra_repr(self) -> str:
        return ""  # as PyTorch, which never shows `inplace` here


class Hardshrink(Activation):
    """x, and 0 where it lies within `lambd` of 0.

    >>> Hardshrink()(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-2.0, 0.0, 2.0]
    """

    call, options = staticmethod(F.hardshrink), ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        """Choose the bound."""
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Activation):
    """x moved towards 0 by `lambd`, and 0 where it lies closer than that.

    >>> Softshrink()(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """

    call, options = staticmethod(F.softshrink), ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        """Choose how far."""
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


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


class CELU(InplaceActivation):
    """x where it is positive, alpha · (exp(x / alpha) - 1) elsewhere (Barron, 2017).

    >>> CELU(3.0)(norch.tensor([-200.0, 2.0])).tolist()
    [-3.0, 2.0]
    """

    call, options = staticmethod(F.celu), ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        """Choose the depth below 0; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        self.alpha = alpha


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


class Mish(InplaceActivation):
    """x · tanh(softplus(x)) (Misra, 2019).

    >>> Mish()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    call = staticmethod(F.mish)


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


class Softsign(Activation):
    """x / (1 + |x|).

    >>> Softsign()(norch.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """

    call = staticmethod(F.softsign)


class Tanhshrink(Activation):
    """x - tanh(x).

    >>> Tanhshrink()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 199.0]
    """

    call = staticmethod(F.tanhshrink)


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


class Softmin(Softmax):
    """softmax(-x) along `dim`: the smallest gets the most.

    >>> Softmin(dim=0)(norch.tensor([0.0, 200.0])).tolist()
    [1.0, 0.0]
    """

    call = staticmethod(F.softmin)


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W), at each place.

    >>> Softmax2d()(norch.zeros(1, 2, 1, 1)).flatten().tolist()
    [0.5, 0.5]
    """

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim not in (3, 4):
            raise ValueError(
                f"[Softmax2d] (N, C, H, W) or (C, H, W) is expected, not {tuple(input.shape)}"
            )
        return F.softmax(input, -3)
