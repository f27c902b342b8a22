"""Activations made of straight lines: leaky_relu, relu6, hardtanh, softshrink and their kin.

Each asks `where` an element lies and returns the line that holds there. The comparison at a kink
is PyTorch's, so the gradient is too: it is that of the line chosen.
"""

from __future__ import annotations

from norch_autograd import Tensor, bool_, empty_like, uint8, where
from norch_autograd.ops.dtype.autocast import in_lower_precision
from norch_nn.functional.activation import kept, placed


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return input where it is positive, negative_slope · input elsewhere.

    >>> leaky_relu(norch.tensor([-2.0, 2.0]), 0.5).tolist()
    [-1.0, 2.0]
    """
    return placed(input, where(input > 0, input, input * negative_slope), inplace)


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
    return where(input > 0, input, input * weight)


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
    if not training:
        return leaky_relu(input, (lower + upper) / 2, inplace)
    slope = empty_like(input, requires_grad=False).uniform_(lower, upper)
    return placed(input, where(input > 0, input, input * slope), inplace)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return input where it is above `threshold`, `value` elsewhere.

    >>> threshold(norch.tensor([1.0, 2.0]), 1.0, -7.0).tolist()
    [-7.0, 2.0]
    """
    if not input.is_floating_point():  # whole numbers stay whole, as PyTorch has it
        threshold, value = int(threshold), int(value)
    return placed(input, input.masked_fill(input <= threshold, value), inplace)


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
    return placed(input, above.masked_fill(input >= max_val, max_val), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(input, 0), 6).

    >>> relu6(norch.tensor([-1.0, 3.0, 8.0])).tolist()
    [0.0, 3.0, 6.0]
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return relu6(input + 3) / 6: a sigmoid of three lines.

    >>> hardsigmoid(norch.tensor([-3.0, 0.0, 200.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return placed(input, relu6(input + 3) / 6, inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return input · relu6(input + 3) / 6.

    >>> hardswish(norch.tensor([-200.0, 1.5, 200.0])).tolist()
    [0.0, 1.125, 200.0]
    """
    x = kept(input, inplace)
    middle = where(x <= -3, 0.0, x * (x + 3) / 6)
    return placed(input, where(x >= 3, x, middle), inplace)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return input, and 0 where it lies within `lambd` of 0.

    >>> hardshrink(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-2.0, 0.0, 2.0]
    """
    return where((input >= -lambd) & (input <= lambd), 0.0, input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return input moved towards 0 by `lambd`, and 0 where it lies closer than that.

    >>> softshrink(norch.tensor([-2.0, 0.5, 2.0])).tolist()
    [-1.5, 0.0, 1.5]
    """
    if lambd < 0:
        raise RuntimeError(f"[softshrink] lambd must be 0 or more, not {lambd}")
    above = where(input > lambd, input - lambd, input * 0)
    return where(input < -lambd, input + lambd, above)
