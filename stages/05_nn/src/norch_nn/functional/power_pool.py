"""Pooling by powers, and local response normalization: means of windows, used another way."""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd import Tensor
from norch_nn.functional.activation import relu
from norch_nn.functional.pad import pad
from norch_nn.functional.pool import avg_pool1d, avg_pool2d, avg_pool3d

Sizes = int | Sequence[int]


def counted(kernel_size: Sizes, dims: int) -> int:
    """Return how many places a window has."""
    sizes = [kernel_size] * dims if isinstance(kernel_size, int) else kernel_size
    count = 1
    for size in sizes:
        count *= size
    return count


def rooted(means: Tensor, places: int, norm_type: float) -> Tensor:
    """Return (Σ xᵖ)^(1/p) of the means of xᵖ; the root of a negative sum is NaN.

    sign · relu · abs change no number, but stop the gradient at 0, as in PyTorch.
    """
    return (means.sign() * relu(means.abs()) * places).pow(1.0 / norm_type)


def lp_pool1d(
    input: Tensor,
    norm_type: float,
    kernel_size: int,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) under each window of (N, C, L) or (C, L), p = norm_type.

    >>> lp_pool1d(norch.tensor([[3.0, 4.0]]), 2, 2).tolist()
    [[5.0]]
    """
    means = avg_pool1d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return rooted(means, counted(kernel_size, 1), norm_type)


def lp_pool2d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) under each window of (N, C, H, W) or (C, H, W), p = norm_type.

    >>> lp_pool2d(norch.ones(1, 2, 2), 1, 2).tolist()
    [[[4.0]]]
    """
    means = avg_pool2d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return rooted(means, counted(kernel_size, 2), norm_type)


def lp_pool3d(
    input: Tensor,
    norm_type: float,
    kernel_size: Sizes,
    stride: Sizes | None = None,
    ceil_mode: bool = False,
) -> Tensor:
    """Return (Σ xᵖ)^(1/p) under each window of (N, C, D, H, W) or (C, D, H, W), p = norm_type.

    >>> lp_pool3d(norch.ones(1, 2, 2, 2), 1, 2).tolist()
    [[[[8.0]]]]
    """
    means = avg_pool3d(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
    return rooted(means, counted(kernel_size, 3), norm_type)


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Return x / (k + alpha · mean of x² over `size` neighbouring channels)^beta, of (N, C, ...).

    >>> local_response_norm(norch.ones(1, 1, 1), 1, alpha=1.0, beta=1.0).item()
    0.5
    """
    if input.ndim < 3:
        raise ValueError(
            f"[local_response_norm] 3 or more dimensions are expected, not {tuple(input.shape)}"
        )
    if input.numel() == 0:
        return input
    # The channels become the line that a window slides along; the rest stands beside it.
    squares = (input * input).movedim(1, -1)
    line = pad(squares.reshape(-1, 1, input.shape[1]), (size // 2, (size - 1) // 2))
    means = avg_pool1d(line, size, 1).reshape(tuple(squares.shape)).movedim(-1, 1)
    return input / (means * alpha + k).pow(beta)
