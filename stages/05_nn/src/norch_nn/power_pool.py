"""LPPool and LocalResponseNorm as modules; `functional` computes."""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.module import Module

Sizes = int | Sequence[int]


class PowerPooling(Module):
    """What they share: the options."""

    def __init__(
        self,
        norm_type: float,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> None:
        """Choose the power and the window; `stride` None is its own size."""
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def extra_repr(self) -> str:
        """Show the options."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


class LPPool1d(PowerPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, L) or (C, L).

    >>> LPPool1d(2, 2)(norch.tensor([[3.0, 4.0]])).tolist()
    [[5.0]]
    """

    kernel_size: int

    def forward(self, input: Tensor) -> Tensor:
        """Pool each signal."""
        p, size = float(self.norm_type), self.kernel_size
        return F.lp_pool1d(input, p, size, self.stride, self.ceil_mode)


class LPPool2d(PowerPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, H, W) or (C, H, W).

    >>> LPPool2d(1, 2)(norch.ones(1, 2, 2)).tolist()
    [[[4.0]]]
    """

    def forward(self, input: Tensor) -> Tensor:
        """Pool each image."""
        p, size = float(self.norm_type), self.kernel_size
        return F.lp_pool2d(input, p, size, self.stride, self.ceil_mode)


class LPPool3d(PowerPooling):
    """(Σ xᵖ)^(1/p) under each window of (N, C, D, H, W) or (C, D, H, W).

    >>> LPPool3d(1, 2)(norch.ones(1, 2, 2, 2)).tolist()
    [[[[8.0]]]]
    """

    def forward(self, input: Tensor) -> Tensor:
        """Pool each volume."""
        p, size = float(self.norm_type), self.kernel_size
        return F.lp_pool3d(input, p, size, self.stride, self.ceil_mode)


class LocalResponseNorm(Module):
    """x / (k + alpha · mean of x² over `size` neighbouring channels)^beta (AlexNet's).

    >>> LocalResponseNorm(1, alpha=1.0, beta=1.0)(norch.ones(1, 1, 1)).item()
    0.5
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        """Choose how many channels take part, and the numbers of the formula."""
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        """Divide by what the neighbours say."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        """Show the numbers."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
