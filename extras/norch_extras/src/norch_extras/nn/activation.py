"""Further activations: functions of one tensor without weights, and their modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import norch_autograd as autograd
from norch_autograd import Tensor, bool_, empty_like, ops, uint8, where
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.ops.nn.batch_norm import in_float32
from norch_nn.core.module import Module
from norch_nn.functional.activation import (
    default_dim,
    exponential_unit,
    leaky_relu,
    overwrite,
    save_input,
    softmax,
    softplus,
)
from norch_nn.modules.activation import Activation, InplaceActivation, Softmax


@in_own_name
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return a · sigmoid(b), where a and b are the halves of `input` along `dim`.

    >>> glu(norch.tensor([3.0, 0.0])).tolist()
    [1.5]
    """
    if input.ndim == 0:
        raise RuntimeError("[glu] one dimension at least is expected: a number has no halves")
    size = input.size(dim)
    if size % 2:
        raise RuntimeError(f"[glu] dimension {dim} of size {size} has no two equal halves")
    value, gate = input.chunk(2, dim) if size else (input, input)
    return value * autograd.sigmoid(gate)


@in_own_name
def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Return leaky_relu with a slope from U(lower, upper) an element; their mean in evaluation.

    >>> rrelu(norch.tensor([-2.0, 2.0]), 0.25, 0.75).tolist()
    [-1.0, 2.0]
    """
    lower, upper = number(lower), number(upper)
    if not -float("inf") < lower <= upper < float("inf"):
        raise RuntimeError(f"[rrelu] expected finite lower <= upper, got {lower} and {upper}")
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    slope = empty_like(input, requires_grad=False).uniform_(lower, upper)
    return overwrite(input, where(input > 0, input, input * slope), inplace)


@in_own_name
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return input where it is above `threshold`, `value` elsewhere.

    >>> threshold(norch.tensor([1.0, 2.0]), 1.0, -7.0).tolist()
    [-7.0, 2.0]
    """
    return overwrite(input, _threshold(input, threshold, value), inplace)


def _threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Return what `threshold` and `threshold_` give; whole numbers stay whole, as in PyTorch."""
    if not input.is_floating_point():
        threshold = int(threshold)
    return input.masked_fill(input <= threshold, value)


@in_own_name
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return min(max(input, min_val), max_val); no gradient at and beyond the two.

    Whole numbers stay whole, and the bounds are cut to such. ValueError for bounds the wrong way
    round, RuntimeError for bools, and for bytes below 0.

    >>> hardtanh(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.0, 0.5, 1.0]
    """
    if min_val > max_val:
        raise ValueError(f"[hardtanh] min_val {min_val} must not exceed max_val {max_val}")
    if not input.is_floating_point():
        min_val, max_val = int(min_val), int(max_val)
        if input.dtype is bool_ or (input.dtype is uint8 and min_val < 0):
            raise RuntimeError(
                f"[hardtanh] {input.dtype} cannot be kept between {min_val} and {max_val}: cast it "
                "to a dtype of signed numbers"
            )
    above = input.masked_fill(input <= min_val, min_val)
    return overwrite(input, above.masked_fill(input >= max_val, max_val), inplace)


@in_own_name
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(input, 0), 6).

    >>> relu6(norch.tensor([-1.0, 3.0, 8.0])).tolist()
    [0.0, 3.0, 6.0]
    """
    return hardtanh(input, 0.0, 6.0, inplace)


@in_own_name
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return relu6(input + 3) / 6: a sigmoid of three lines.

    >>> hardsigmoid(norch.tensor([-3.0, 0.0, 200.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return overwrite(input, relu6(input + 3) / 6, inplace)


@in_own_name
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · relu6(input + 3) / 6.

    >>> hardswish(norch.tensor([-200.0, 1.5, 200.0])).tolist()
    [0.0, 1.125, 200.0]
    """
    x = save_input(input, inplace)
    middle = where(x <= -3, 0.0, x * (x + 3) / 6)
    return overwrite(input, where(x >= 3, x, middle), inplace)


@in_own_name
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return input, and 0 where it lies within `lambd` of 0.

    >>> hardshrink(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-2.0, 0.0, 2.0]
    """
    lambd = number(lambd)
    return where((input >= -lambd) & (input <= lambd), 0.0, input)


@in_own_name
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return sign(input) · max(|input| - lambd, 0): moved towards 0 by `lambd`.

    >>> softshrink(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """
    lambd = number(lambd)
    if not lambd >= 0:
        raise RuntimeError(f"[softshrink] lambd must be 0 or more, not {lambd}")
    above = where(input > lambd, input - lambd, input * 0)
    return where(input < -lambd, input + lambd, above)


@in_own_name
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, alpha · (exp(input / alpha) - 1) elsewhere.

    >>> celu(norch.tensor([-200.0, 2.0]), alpha=3.0).tolist()
    [-3.0, 2.0]
    """
    alpha = number(alpha)
    if alpha == 0:
        raise RuntimeError("[celu] alpha must not be 0: input is divided by it")
    x = save_input(input, inplace)
    return overwrite(input, exponential_unit(x, alpha, 1 / alpha), inplace)


@in_own_name
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · tanh(softplus(input)).

    >>> mish(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    return overwrite(input, _mish(save_input(input, inplace)), inplace)


@in_float32
def _mish(input: Tensor) -> Tensor:
    """Return what `mish` does; its digits are those of float32 also where halves go in."""
    return input * autograd.tanh(softplus(input))


@in_own_name
def softsign(input: Tensor) -> Tensor:
    """Return input / (1 + |input|).

    >>> softsign(norch.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    return input / (1 + input.abs())


@in_own_name
@in_float32
def tanhshrink(input: Tensor) -> Tensor:
    """Return input - tanh(input).

    >>> tanhshrink(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 199.0]
    """
    near = (input > -0.5) & (input < 0.5)  # where the difference would lose its digits
    square = where(near, input, 0.0) ** 2
    rest = square / 17  # Lambert's fraction: tanh(x) = x / (1 + rest)
    for odd in (15, 13, 11, 9, 7, 5, 3):
        rest = square / (odd + rest)
    return where(near, input * (rest / (1 + rest)), input - autograd.tanh(input))


@in_own_name
def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return softmax(-input) along `dim`: the smallest gets the most.

    >>> softmin(norch.tensor([0.0, 200.0]), dim=0).tolist()
    [1.0, 0.0]
    """
    if dim is None:
        dim = default_dim("softmin", input)
    return ops.softmax(-input, dim, dtype)


@in_own_name
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Draw from the classes of `logits`, softly: softmax((logits + Gumbel noise) / tau).

    `hard` gives one-hot rows whose gradient is the soft ones' (Jang et al., 2016); `eps` does
    nothing, as in PyTorch.

    >>> gumbel_softmax(norch.zeros(3), hard=True).sum().item()
    1.0
    """
    uniform = autograd.rand_like(logits, requires_grad=False)
    noise = -autograd.log(-autograd.log(uniform.clamp(min=1e-30)))
    soft = autograd.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    winner = soft.argmax(dim, keepdim=True)
    sharp = autograd.zeros_like(soft, requires_grad=False).scatter_add(
        dim, winner, autograd.ones(winner.shape, dtype=soft.dtype, device=soft.device)
    )
    return sharp - soft.detach() + soft


@in_own_name
def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    """Apply rrelu in place.

    >>> rrelu_(norch.tensor([-2.0, 2.0]), 0.5, 0.5).tolist()
    [-1.0, 2.0]
    """
    return rrelu(input, lower, upper, training, inplace=True)


@in_own_name
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply celu in place.

    >>> celu_(norch.tensor([-200.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    return celu(input, alpha, inplace=True)


@in_own_name
def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Apply hardtanh in place.

    >>> hardtanh_(norch.tensor([-2.0, 0.5])).tolist()
    [-1.0, 0.5]
    """
    return hardtanh(input, min_val, max_val, inplace=True)


@in_own_name
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Apply threshold in place.

    >>> threshold_(norch.tensor([0.5, 2.0]), 1.0, 9.0).tolist()
    [9.0, 2.0]
    """
    return input.copy_(_threshold(input, threshold, value))


class GLU(Activation):
    """a · sigmoid(b), where a and b are the halves of x along `dim` (Dauphin et al., 2016).

    >>> GLU()(norch.tensor([3.0, 0.0])).tolist()
    [1.5]
    """

    call, options = staticmethod(glu), ("dim",)

    def __init__(self, dim: int = -1) -> None:
        """Choose the dimension that is halved."""
        super().__init__()
        self.dim = dim


class RReLU(InplaceActivation):
    """LeakyReLU with a slope from U(lower, upper) for each element; their mean in evaluation.

    >>> RReLU(0.25, 0.75).eval()(norch.tensor([-2.0, 2.0])).tolist()
    [-1.0, 2.0]
    """

    call, options = staticmethod(rrelu), ("lower", "upper", "training", "inplace")

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

    call, options = staticmethod(threshold), ("threshold", "value", "inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        """Choose the bound and the value; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value


class Hardtanh(InplaceActivation):
    """min(max(x, min_val), max_val).

    >>> Hardtanh()(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.0, 0.5, 1.0]
    """

    call: Callable[..., Tensor] = staticmethod(hardtanh)
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

    call, options = staticmethod(relu6), ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        """`inplace=True` overwrites the input."""
        super().__init__(0.0, 6.0, inplace)


class Hardsigmoid(InplaceActivation):
    """relu6(x + 3) / 6: a sigmoid of three lines.

    >>> Hardsigmoid()(norch.tensor([-3.0, 0.0, 200.0])).tolist()
    [0.0, 0.5, 1.0]
    """

    call = staticmethod(hardsigmoid)

    def extra_repr(self) -> str:
        return ""  # as PyTorch, which never shows `inplace` here


class Hardswish(InplaceActivation):
    """x · relu6(x + 3) / 6.

    >>> Hardswish()(norch.tensor([-200.0, 1.5, 200.0])).tolist()
    [0.0, 1.125, 200.0]
    """

    call = staticmethod(hardswish)

    def extra_repr(self) -> str:
        return ""  # as PyTorch, which never shows `inplace` here


class Hardshrink(Activation):
    """x, and 0 where it lies within `lambd` of 0.

    >>> Hardshrink()(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-2.0, 0.0, 2.0]
    """

    call, options = staticmethod(hardshrink), ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        """Choose the bound."""
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Activation):
    """sign(x) · max(|x| - lambd, 0): moved towards 0 by `lambd`.

    >>> Softshrink()(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """

    call, options = staticmethod(softshrink), ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        """Choose how far."""
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class CELU(InplaceActivation):
    """x where it is positive, alpha · (exp(x / alpha) - 1) elsewhere (Barron, 2017).

    >>> CELU(3.0)(norch.tensor([-200.0, 2.0])).tolist()
    [-3.0, 2.0]
    """

    call, options = staticmethod(celu), ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        """Choose the depth below 0; `inplace=True` overwrites the input."""
        super().__init__(inplace)
        self.alpha = alpha


class Mish(InplaceActivation):
    """x · tanh(softplus(x)) (Misra, 2019).

    >>> Mish()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """

    call = staticmethod(mish)


class Softsign(Activation):
    """x / (1 + |x|).

    >>> Softsign()(norch.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """

    call = staticmethod(softsign)


class Tanhshrink(Activation):
    """x - tanh(x).

    >>> Tanhshrink()(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 199.0]
    """

    call = staticmethod(tanhshrink)


class Softmin(Softmax):
    """softmax(-x) along `dim`: the smallest gets the most.

    >>> Softmin(dim=0)(norch.tensor([0.0, 200.0])).tolist()
    [1.0, 0.0]
    """

    call = staticmethod(softmin)


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
        return softmax(input, -3)
