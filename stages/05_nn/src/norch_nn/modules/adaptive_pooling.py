"""Adaptive pooling as layers: as many windows as `output_size` says, of any image.

Each names the function that computes; None in `output_size` keeps that size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.core.module import Module


class AdaptivePooling(Module):
    """What they share: the number of windows."""

    pool: Callable[..., Any]

    def __init__(self, output_size: Any) -> None:
        """Choose how many windows there are; None in it keeps the size."""
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        return self.pool(input, self.output_size)

    def extra_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPooling(AdaptivePooling):
    """What the maxima share besides: whether their places are returned."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        """Choose how many windows there are, and whether the places of the maxima are wanted."""
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return self.pool(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, L) or (C, L).

    >>> AdaptiveAvgPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[1.5, 4.0]]
    """

    pool = staticmethod(F.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveAvgPool2d(1)(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[2.5]]]
    """

    pool = staticmethod(F.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(AdaptivePooling):
    """Means of as many windows as `output_size` says, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveAvgPool3d(1)(norch.arange(8.0).reshape(1, 2, 2, 2)).tolist()
    [[[[3.5]]]]
    """

    pool = staticmethod(F.adaptive_avg_pool3d)


class AdaptiveMaxPool1d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, L) or (C, L).

    >>> AdaptiveMaxPool1d(2)(norch.tensor([[1.0, 2.0, 6.0]])).tolist()
    [[2.0, 6.0]]
    """

    pool = staticmethod(F.adaptive_max_pool1d)


class AdaptiveMaxPool2d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, H, W) or (C, H, W).

    >>> AdaptiveMaxPool2d((1, None))(norch.arange(6.0).reshape(1, 2, 3)).tolist()
    [[[3.0, 4.0, 5.0]]]
    """

    pool = staticmethod(F.adaptive_max_pool2d)


class AdaptiveMaxPool3d(AdaptiveMaxPooling):
    """The largest elements under as many windows as wanted, of (N, C, D, H, W) or (C, D, H, W).

    >>> AdaptiveMaxPool3d((None, 1, 1))(norch.arange(8.0).reshape(1, 2, 2, 2)).flatten().tolist()
    [3.0, 7.0]
    """

    pool = staticmethod(F.adaptive_max_pool3d)
