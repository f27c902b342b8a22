"""The lazy layers: LazyLinear, LazyConv*, LazyConvTranspose*, LazyBatchNorm*, LazyInstanceNorm*.

Each takes the arguments of the ordinary layer without the size of the input; mixin.py says how it
finds it.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, int64, ones, tensor, zeros
from norch_extras.lazy_modules.mixin import Lazy
from norch_nn.core.sizes import Sizes
from norch_nn.modules.batchnorm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    ChannelNorm,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from norch_nn.modules.conv import (
    Conv1d,
    Conv2d,
    Conv3d,
    Convolution,
    ConvTranspose1d,
    ConvTranspose2d,
    ConvTranspose3d,
    TransposedConvolution,
)
from norch_nn.modules.linear import Linear


class LazyLinear(Lazy, Linear):
    """Linear, whose in_features is the last size of the first input.

    >>> layer = LazyLinear(2)
    >>> layer
    LazyLinear(in_features=0, out_features=2, bias=True)
    >>> layer(ones(1, 5)).shape, layer
    (norch.Size([1, 2]), Linear(in_features=5, out_features=2, bias=True))
    """

    unknown, grown = "in_features", Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        """Wait for the first input."""
        super().__init__(0, 0, bias=False)
        self.out_features = out_features
        names = ("weight", "bias") if bias else ("weight",)
        self._wait(*names, device=device, dtype=dtype)

    def _size_of(self, input: Tensor) -> int:
        return int(input.shape[-1])

    def _size_by(self, weight: tuple[int, ...]) -> int:
        return weight[1]

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        return {"weight": (self.out_features, self.in_features), "bias": (self.out_features,)}


class LazyImages(Lazy, Convolution):
    """What lazy convolutions of both kinds share."""

    unknown = "in_channels"

    def _size_of(self, input: Tensor) -> int:
        return int(input.shape[-1 - self.dims])

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        self._check()  # the groups must divide the channels
        return {"weight": self._weight_shape(), "bias": (self.out_channels,)}


class LazyConvolution(LazyImages):
    """What lazy convolutions share."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes | str = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Wait for the first input."""
        moves = (stride, padding, dilation, groups)
        super().__init__(0, 0, kernel_size, *moves, False, padding_mode)
        self.out_channels = out_channels
        names = ("weight", "bias") if bias else ("weight",)
        self._wait(*names, device=device, dtype=dtype)

    def _size_by(self, weight: tuple[int, ...]) -> int:
        return weight[1] * self.groups


class LazyConv1d(LazyConvolution, Conv1d):
    """Conv1d with in_channels taken from the first input.

    >>> tuple(LazyConv1d(4, 3)(zeros(2, 3, 8)).shape)
    (2, 4, 6)
    """

    grown = Conv1d


class LazyConv2d(LazyConvolution, Conv2d):
    """Conv2d with in_channels taken from the first input.

    >>> tuple(LazyConv2d(4, 3)(zeros(2, 3, 8, 8)).shape)
    (2, 4, 6, 6)
    """

    grown = Conv2d


class LazyConv3d(LazyConvolution, Conv3d):
    """Conv3d with in_channels taken from the first input.

    >>> tuple(LazyConv3d(4, 3)(zeros(1, 3, 4, 4, 4)).shape)
    (1, 4, 2, 2, 2)
    """

    grown = Conv3d


class LazyTransposedConvolution(LazyImages, TransposedConvolution):
    """What lazy transposed convolutions share."""

    def __init__(
        self,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Wait for the first input."""
        moves = (stride, padding, output_padding, groups)
        super().__init__(0, 0, kernel_size, *moves, False, dilation, padding_mode)
        self.out_channels = out_channels
        names = ("weight", "bias") if bias else ("weight",)
        self._wait(*names, device=device, dtype=dtype)

    def _size_by(self, weight: tuple[int, ...]) -> int:
        return weight[0]


class LazyConvTranspose1d(LazyTransposedConvolution, ConvTranspose1d):
    """ConvTranspose1d with in_channels taken from the first input.

    >>> tuple(LazyConvTranspose1d(4, 3)(zeros(2, 3, 8)).shape)
    (2, 4, 10)
    """

    grown = ConvTranspose1d


class LazyConvTranspose2d(LazyTransposedConvolution, ConvTranspose2d):
    """ConvTranspose2d with in_channels taken from the first input.

    >>> tuple(LazyConvTranspose2d(4, 3)(zeros(2, 3, 8, 8)).shape)
    (2, 4, 10, 10)
    """

    grown = ConvTranspose2d


class LazyConvTranspose3d(LazyTransposedConvolution, ConvTranspose3d):
    """ConvTranspose3d with in_channels taken from the first input.

    >>> tuple(LazyConvTranspose3d(4, 3)(zeros(1, 3, 2, 2, 2)).shape)
    (1, 4, 4, 4, 4)
    """

    grown = ConvTranspose3d


class LazyNorm(Lazy, ChannelNorm):
    """What lazy norms share."""

    unknown = "num_features"

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        """Wait for the first input."""
        super().__init__(0, eps, momentum, False, False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.where = {"device": device, "dtype": dtype}
        names = ("weight", "bias") if bias else ("weight",)
        self._wait(*(names if affine else ()), **self.where)
        if track_running_stats:
            self.num_batches_tracked = tensor(0, dtype=int64, device=device)

    def _size_in(self, saved: dict[str, Any]) -> int:
        return max((len(x) for x in saved.values() if x is not None), default=0)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        size = self.num_features
        if self.track_running_stats:
            self.running_mean = zeros(size, **self.where)
            self.running_var = ones(size, **self.where)
        return {"weight": (size,), "bias": (size,)}


class LazyBatchNorm1d(LazyNorm, BatchNorm1d):
    """BatchNorm1d with num_features taken from the first input.

    >>> tuple(LazyBatchNorm1d()(zeros(2, 3)).shape)
    (2, 3)
    """

    grown = BatchNorm1d


class LazyBatchNorm2d(LazyNorm, BatchNorm2d):
    """BatchNorm2d with num_features taken from the first input.

    >>> tuple(LazyBatchNorm2d()(zeros(2, 3, 2, 2)).shape)
    (2, 3, 2, 2)
    """

    grown = BatchNorm2d


class LazyBatchNorm3d(LazyNorm, BatchNorm3d):
    """BatchNorm3d with num_features taken from the first input.

    >>> tuple(LazyBatchNorm3d()(zeros(2, 3, 2, 2, 2)).shape)
    (2, 3, 2, 2, 2)
    """

    grown = BatchNorm3d


class LazyInstanceNorm1d(LazyNorm, InstanceNorm1d):
    """InstanceNorm1d with num_features taken from the first input.

    >>> tuple(LazyInstanceNorm1d()(zeros(2, 3, 4)).shape)
    (2, 3, 4)
    """

    grown = InstanceNorm1d


class LazyInstanceNorm2d(LazyNorm, InstanceNorm2d):
    """InstanceNorm2d with num_features taken from the first input.

    >>> tuple(LazyInstanceNorm2d()(zeros(2, 3, 4, 4)).shape)
    (2, 3, 4, 4)
    """

    grown = InstanceNorm2d


class LazyInstanceNorm3d(LazyNorm, InstanceNorm3d):
    """InstanceNorm3d with num_features taken from the first input.

    >>> tuple(LazyInstanceNorm3d()(zeros(2, 3, 2, 2, 2)).shape)
    (2, 3, 2, 2, 2)
    """

    grown = InstanceNorm3d
