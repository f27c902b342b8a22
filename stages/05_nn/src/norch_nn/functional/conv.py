"""conv1d and conv2d: a kernel slides over a signal or an image, and each place is a dot product."""

from __future__ import annotations

from collections.abc import Sequence

import norch_autograd as autograd
from norch_autograd import Tensor

__all__ = ["conv1d", "conv2d"]

Sizes = int | Sequence[int]


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve images (N, C, H, W) or (C, H, W) with `weight` (O, C / groups, KH, KW).

    `padding` is a number of zeros around the image, "valid" (none) or "same" (the size stays; only
    with stride 1). The result is (H + 2 padding - dilation (KH - 1) - 1) // stride + 1 high.

    >>> conv2d(autograd.ones(1, 1, 4, 5), autograd.ones(2, 1, 3, 3), padding=1)[0, 1].tolist()[0]
    [4.0, 6.0, 6.0, 6.0, 4.0]
    """
    return autograd.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Sizes = 1,
    padding: Sizes | str = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Tensor:
    """Convolve signals (N, C, L) or (C, L) with `weight` (O, C / groups, K).

    >>> conv1d(autograd.tensor([[[1.0, 2.0, 4.0]]]), autograd.tensor([[[-1.0, 1.0]]])).tolist()
    [[[1.0, 2.0]]]
    """
    if input.ndim not in (2, 3) or weight.ndim != 3:
        raise RuntimeError(
            f"[conv1d] expected input (N, C, L) or (C, L) and weight (O, C / groups, K), got "
            f"{tuple(input.shape)} and {tuple(weight.shape)}"
        )
    step, apart = _of_row("stride", stride, 1), _of_row("dilation", dilation, 1)
    around = padding if isinstance(padding, str) else _of_row("padding", padding, 0)
    image, kernel = input.unsqueeze(-2), weight.unsqueeze(-2)  # one row high
    return autograd.conv2d(image, kernel, bias, step, around, apart, groups).squeeze(-2)


def _of_row(what: str, value: Sizes, rest: int) -> tuple[int, int]:
    """Return the option of conv2d that leaves the height of 1 alone."""
    one = (value,) if isinstance(value, int) else tuple(value)
    if len(one) != 1:
        raise RuntimeError(f"[conv1d] expected {what} as one integer, got {value}")
    return rest, one[0]
