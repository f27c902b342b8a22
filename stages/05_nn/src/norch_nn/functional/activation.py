"""Activations: relu, gelu, softmax and the others, and those that overwrite their input (`relu_`).

Some are operations of stage 4 with PyTorch's arguments, the others are composed. Straight lines are
chosen by `where`, with PyTorch's comparison and gradient at a kink. In curves `exp` never sees what
overflows, not even in the part that `where` drops: 0 times infinity would be NaN in the gradient.
"""

from __future__ import annotations

import warnings
from typing import Any

import norch_autograd as autograd
from norch_autograd import Tensor, bfloat16, bool_, empty_like, float16, ops, uint8, where
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import array_of
from norch_autograd.ops.dtype.autocast import in_lower_precision

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
        threshold, value = int(threshold), int(value)
    return input.masked_fill(input <= threshold, value)


@in_own_name
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return input, kept between `min_val` and `max_val`; no gradient at and beyond them.

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
    """Return input moved towards 0 by `lambd`, and 0 where it lies closer than that.

    >>> softshrink(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """
    lambd = number(lambd)
    if not lambd >= 0:
        raise RuntimeError(f"[softshrink] lambd must be 0 or more, not {lambd}")
    above = where(input > lambd, input - lambd, input * 0)
    return where(input < -lambd, input + lambd, above)


# ---- smooth curves -------------------------------------------------------------------------------


def expm1_below_zero(input: Tensor, sharpness: float = 1.0) -> Tensor:
    """Return exp(sharpness · input) - 1 where input is not positive, else 0."""
    return autograd.expm1(where(input > 0, 0.0, input * sharpness))


@in_own_name
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, alpha · (exp(input) - 1) elsewhere.

    >>> elu(norch.tensor([-200.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    below = number(alpha) * expm1_below_zero(input)
    return overwrite(input, where(input > 0, input, below), inplace)


@in_own_name
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return elu with the alpha and the scale that keep mean 0 and variance 1.

    >>> round(selu(norch.tensor([1.0])).item(), 4)
    1.0507
    """
    return overwrite(input, SELU_SCALE * elu(input, SELU_ALPHA), inplace)


@in_own_name
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return input where it is positive, alpha · (exp(input / alpha) - 1) elsewhere.

    >>> celu(norch.tensor([-200.0, 2.0]), alpha=3.0).tolist()
    [-3.0, 2.0]
    """
    alpha = number(alpha)
    if alpha == 0:
        raise RuntimeError("[celu] alpha must not be 0: input is divided by it")
    below = alpha * expm1_below_zero(input, 1 / alpha)
    return overwrite(input, where(input > 0, input, below), inplace)


@in_own_name
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · sigmoid(input), also called swish.

    >>> silu(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    return overwrite(input, autograd.ops.silu(save_input(input, inplace)), inplace)


@in_own_name
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta · input)) / beta; input itself where beta · input > threshold.

    >>> softplus(norch.tensor([-200.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    if input.dtype in (float16, bfloat16):  # exp(12) overflows there
        return softplus(input.float(), beta, threshold).to(input.dtype)
    scaled = input * number(beta)
    straight = scaled > threshold
    curve = autograd.log1p(autograd.exp(where(straight, 0.0, scaled))) / number(beta)
    return where(straight, input, curve)


@in_own_name
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · tanh(softplus(input)).

    >>> mish(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 200.0]
    """
    x = save_input(input, inplace)
    return overwrite(input, x * autograd.tanh(softplus(x)), inplace)


@in_own_name
def softsign(input: Tensor) -> Tensor:
    """Return input / (1 + |input|).

    >>> softsign(norch.tensor([-1.0, 3.0])).tolist()
    [-0.5, 0.75]
    """
    return input / (1 + input.abs())


@in_own_name
def tanhshrink(input: Tensor) -> Tensor:
    """Return input - tanh(input).

    >>> tanhshrink(norch.tensor([0.0, 200.0])).tolist()
    [0.0, 199.0]
    """
    return input - autograd.tanh(input)


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


# ---- in place ------------------------------------------------------------------------------------


@in_own_name
def relu_(input: Tensor) -> Tensor:
    """Apply relu in place.

    >>> x = norch.tensor([-1.0, 2.0])
    >>> relu_(x) is x, x.tolist()
    (True, [0.0, 2.0])
    """
    return relu(input, inplace=True)


@in_own_name
def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Apply leaky_relu in place.

    >>> leaky_relu_(norch.tensor([-2.0, 2.0]), 0.5).tolist()
    [-1.0, 2.0]
    """
    return leaky_relu(input, negative_slope, inplace=True)


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
def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply elu in place.

    >>> elu_(norch.tensor([-200.0, 2.0])).tolist()
    [-1.0, 2.0]
    """
    return elu(input, alpha, inplace=True)


@in_own_name
def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Apply celu in place.

    >>> celu_(norch.tensor([-200.0, 2.0]), 0.5).tolist()
    [-0.5, 2.0]
    """
    return celu(input, alpha, inplace=True)


@in_own_name
def selu_(input: Tensor) -> Tensor:
    """Apply selu in place.

    >>> selu_(norch.tensor([0.0])).tolist()
    [0.0]
    """
    return selu(input, inplace=True)


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
