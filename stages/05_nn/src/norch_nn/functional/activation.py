"""Activations: relu, gelu, softmax and the others, and those that overwrite their input (`relu_`).

Some are operations of stage 4 with PyTorch's arguments, the others are composed. Straight lines are
chosen by `where`, with PyTorch's comparison and gradient at a kink. In curves `exp` never sees what
overflows, not even in the part that `where` drops: 0 times infinity would be NaN in the gradient.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import norch_autograd as autograd
from norch_autograd import Function, Tensor, ops, where
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import array_of
from norch_autograd.ops.dtype.autocast import in_lower_precision
from norch_autograd.ops.inplace.edit import in_place
from norch_autograd.ops.nn.batch_norm import in_float32

# The fixed point of mean 0 and variance 1 (Klambauer et al., 2017).
SELU_ALPHA = 1.6732632423543772
SELU_SCALE = 1.0507009873554805


def overwrite(input: Tensor, output: Tensor, inplace: bool) -> Tensor:
    """Return the activations `output`, or `input` overwritten with them."""
    return input.copy_(output) if inplace else output


def save_input(input: Tensor, inplace: bool) -> Tensor:
    """Return what a backward may read later: a copy of an `input` that will be overwritten."""
    return input.clone() if inplace else input


@in_own_name
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(input, 0).

    >>> relu(norch.tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return overwrite(input, autograd.relu(input), inplace)


@in_own_name
def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(input)) = log(1 / (1 + exp(-input))), with all digits for every input.

    >>> logsigmoid(norch.tensor([-200.0, 200.0])).tolist()
    [-200.0, 0.0]
    """
    # ex 5.5 begin
    negative = input < 0
    # exp sees no positive number, so it cannot overflow.
    rest = autograd.log1p(autograd.exp(autograd.where(negative, input, -input)))
    return autograd.where(negative, input, 0.0) - rest

    # ex 5.5 end


# ---- straight lines ------------------------------------------------------------------------------


@in_own_name
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return input where it is positive, negative_slope · input elsewhere.

    >>> leaky_relu(norch.tensor([-2.0, 2.0]), 0.5).tolist()
    [-1.0, 2.0]
    """
    return overwrite(input, where(input > 0, input, input * number(negative_slope)), inplace)


@in_own_name
@in_lower_precision
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return leaky_relu with a slope that is learned: one, or one a channel (dimension 1).

    >>> prelu(norch.tensor([[-2.0, -2.0]]), norch.tensor([0.5, 0.25])).tolist()
    [[-1.0, -0.5]]
    """
    slopes, channels = weight.numel(), input.shape[1] if input.ndim > 1 else 1
    if weight.ndim > 1 or slopes not in (1, channels):
        raise RuntimeError(
            f"[prelu] weight of shape {tuple(weight.shape)} does not fit {channels} channels: "
            f"give one slope, or one a channel of an input {tuple(input.shape)}"
        )
    if weight.dtype is not input.dtype:
        raise RuntimeError(f"[prelu] weight is {weight.dtype}, input {input.dtype}: cast one")
    if slopes > 1:
        weight = weight.reshape(-1, *[1] * (input.ndim - 2))
    elif not input.ndim:
        weight = weight.reshape(())
    return where(input > 0, input, input * weight)


# ---- smooth curves -------------------------------------------------------------------------------


class ExponentialUnit(Function):
    """For elu and celu: x where it is positive, alpha · (exp(sharpness · x) - 1) elsewhere. The
    slope is an exponential of x: the result plus alpha would lose its digits below -15.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, alpha: float, sharpness: float) -> Tensor:
        """Compute the activations; exp sees no positive number."""
        ctx.save_for_backward(x)
        ctx.factors = alpha, sharpness
        return where(x > 0, x, alpha * autograd.expm1(where(x > 0, 0.0, x * sharpness)))

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient of x."""
        (x,), (alpha, sharpness) = ctx.saved_tensors, ctx.factors
        below = autograd.exp(where(x > 0, 0.0, x * sharpness)) * (alpha * sharpness)
        return where(x > 0, 1.0, below) * grads[0], None, None


exponential_unit: Callable[..., Tensor] = in_float32(ExponentialUnit.apply)


@in_own_name
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, alpha · (exp(input) - 1) elsewhere.

    >>> elu(norch.tensor([-200.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    x = save_input(input, inplace)
    return overwrite(input, exponential_unit(x, number(alpha), 1.0), inplace)


@in_own_name
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return elu with the alpha and the scale that keep mean 0 and variance 1.

    >>> round(selu(norch.tensor([1.0])).item(), 4)
    1.0507
    """
    return overwrite(input, SELU_SCALE * elu(save_input(input, inplace), SELU_ALPHA), inplace)


@in_own_name
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · sigmoid(input), also called swish.

    >>> silu(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    return overwrite(input, autograd.ops.silu(save_input(input, inplace)), inplace)


@in_own_name
@in_float32
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta · input)) / beta; input itself where beta · input > threshold.

    >>> softplus(norch.tensor([-200.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    scaled = input * number(beta)
    straight = scaled > threshold
    curve = autograd.log1p(autograd.exp(where(straight, 0.0, scaled))) / number(beta)
    return where(straight, input, curve)


# ---- the softmax family --------------------------------------------------------------------------


def default_dim(name: str, input: Tensor) -> int:
    """Return the dimension that PyTorch took where `dim` was left out, with a warning."""
    chosen = 0 if array_of(input, name).ndim in (0, 1, 3) else 1
    warnings.warn(
        f"[{name}] dim was left out: {chosen} is taken, as PyTorch did; say dim={chosen}",
        stacklevel=3,
    )
    return chosen


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return exp(input) / sum(exp(input)) along `dim`, computed in `dtype` where one is given.

    >>> softmax(norch.zeros(2), dim=0).tolist()
    [0.5, 0.5]
    """
    if dim is None:
        dim = default_dim("softmax", input)
    return ops.softmax(input, dim, dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """Return input - logsumexp(input) along `dim`, computed in `dtype` where one is given.

    >>> log_softmax(norch.zeros(1), dim=0).tolist()
    [0.0]
    """
    if dim is None:
        dim = default_dim("log_softmax", input)
    return ops.log_softmax(input, dim, dtype)


# ---- in place ------------------------------------------------------------------------------------


relu_ = in_place(relu, inplace=False)
leaky_relu_ = in_place(leaky_relu, inplace=False)
elu_ = in_place(elu, inplace=False)
selu_ = in_place(selu, inplace=False)
