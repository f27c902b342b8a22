"""Initial values for parameters, drawn in place from PyTorch's distributions.

Layers call these in `reset_parameters`; users call them on any tensor. Every function returns the
tensor it filled, records no gradient, and draws from `generator` or the default generator.
"""

from __future__ import annotations

import math
import warnings

from norch_autograd import Generator, Tensor, no_grad
from norch_autograd.graph.operands import in_own_name

UNSCALED = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
            "conv_transpose3d", "sigmoid")  # fmt: skip
GAINS = dict.fromkeys(UNSCALED, 1.0)
GAINS |= {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 0.75}


@in_own_name
def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor that keeps the variance through `nonlinearity`.

    >>> round(calculate_gain("relu"), 4), calculate_gain("leaky_relu", 0)
    (1.4142, 1.4142135623730951)
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"[calculate_gain] leaky_relu's slope is a number, not {slope!r}")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in GAINS:
        known = ", ".join(["leaky_relu", *GAINS])
        raise ValueError(f"[calculate_gain] {nonlinearity!r} is unknown: choose one of {known}")
    return GAINS[nonlinearity]


@in_own_name
def fans(tensor: Tensor) -> tuple[int, int]:
    """Return (fan_in, fan_out): how many numbers one output reads, one input feeds.

    >>> fans(norch.zeros(30, 784))
    (784, 30)
    """
    if tensor.ndim < 2:
        raise ValueError(
            f"[init] fan in and fan out need 2 or more dimensions, not shape {tuple(tensor.shape)}"
        )
    # ex 5.3 begin
    receptive = math.prod(tensor.shape[2:])
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive

    # ex 5.3 end


def _is_empty(tensor: Tensor) -> bool:
    """Whether there is nothing to fill with first values; said in a warning."""
    if 0 in tensor.shape:
        warnings.warn("[init] a tensor of no elements stays as it is", stacklevel=3)
        return True
    return False


_calculate_fan_in_and_fan_out = fans  # PyTorch's name


@in_own_name
def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with U(a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


@in_own_name
def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with N(mean, std²)."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


@in_own_name
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with `val`.

    >>> constant_(norch.zeros(2), 3).tolist()
    [3.0, 3.0]
    """
    with no_grad():
        return tensor.fill_(val)


@in_own_name
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0."""
    return constant_(tensor, 0.0)


@in_own_name
def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1."""
    return constant_(tensor, 1.0)


@in_own_name
def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with U(-a, a), a = gain·√(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    bound = gain * math.sqrt(6.0 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


@in_own_name
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with N(0, std²), std = gain·√(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(fans(tensor))), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """Return gain / √fan, the standard deviation both Kaiming fills share."""
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"[kaiming] mode {mode!r} is unknown: choose 'fan_in' or 'fan_out'")
    fan = fans(tensor)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


@in_own_name
def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with U(-b, b), b = gain·√(3 / fan) (He et al., 2015); an empty tensor stays empty."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


@in_own_name
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with N(0, std²), std = gain / √fan (He et al., 2015); an empty tensor stays empty."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


# ---- the names before PyTorch 0.4, without the underscore ----------------------------------------
