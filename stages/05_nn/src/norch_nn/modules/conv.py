"""Conv1d, 2d, 3d and ConvTranspose1d, 2d, 3d: one kernel for every place of a signal or image.

A layer holds the kernels and draws their first values; the operations of stage 4 compute. The
transposed ones make an image larger: a convolution in reverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor, empty
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F, init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter
from norch_nn.core.sizes import Sizes
from norch_nn.functional.padding import BORDERS, with_borders


class Convolution(Module):
    """What they share: the sizes, the parameters, their first values, padding that is not zeros.

    `weight` (out_channels, in_channels / groups, *kernel_size) and `bias` (out_channels,) start in
    U(-1/√fan_in, 1/√fan_in) with fan_in = in_channels / groups · places of the kernel.
    """

    bias: Parameter | None
    dims = 0  # of an image: set by the subclass, as the function that computes
    convolve: Callable[..., Tensor]
    transposed = False

    @in_own_name
    def __init__(
        self,
        in_channels: int,
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
        """Make the parameters and draw their first values."""
        super().__init__()
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = self._sizes("kernel_size", kernel_size)
        self.stride = self._sizes("stride", stride)
        self.padding = padding if isinstance(padding, str) else self._sizes("padding", padding)
        self.dilation = self._sizes("dilation", dilation)
        self.output_padding = (0,) * self.dims
        self.groups = groups
        self.padding_mode = padding_mode
        self._check()
        options = {"device": device, "dtype": dtype}
        self.weight = Parameter(empty(*self._weight_shape(), **options))
        self.register_parameter("bias", Parameter(empty(out_channels, **options)) if bias else None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[int, ...]:
        """Return the shape of the kernels."""
        return self.out_channels, self.in_channels // self.groups, *self.kernel_size

    def _sizes(self, what: str, value: Sizes) -> tuple[int, ...]:
        """Return one number a direction of the kernel; a single one counts for all."""
        sizes = (value,) * self.dims if isinstance(value, int) else tuple(value)
        if len(sizes) != self.dims:
            raise ValueError(
                f"[{type(self).__name__}] {what} must be one number or {self.dims}, got {value}"
            )
        return sizes

    def _check(self) -> None:
        """Refuse options of a convolution that PyTorch refuses, as a ValueError."""
        name, groups = type(self).__name__, self.groups
        if groups < 1 or self.in_channels % groups or self.out_channels % groups:
            raise ValueError(
                f"[{name}] in_channels {self.in_channels} and out_channels {self.out_channels} "
                f"must be multiples of groups {groups}, which must be above 0"
            )
        if isinstance(self.padding, str) and self.padding not in ("same", "valid"):
            raise ValueError(
                f"[{name}] padding '{self.padding}': expected 'same', 'valid', numbers"
            )
        if self.padding == "same" and any(step != 1 for step in self.stride):
            raise ValueError(f"[{name}] padding='same' needs stride 1, got {self.stride}")
        if self.padding_mode not in ("zeros", *BORDERS):
            modes = "', '".join(["zeros", *BORDERS])
            raise ValueError(f"[{name}] padding_mode '{self.padding_mode}': expected '{modes}'")

    def reset_parameters(self) -> None:
        """Draw the layer's weights and its bias anew."""
        # a = √5 makes Kaiming's bound √(6 / (1 + a²) / fan_in) equal 1/√fan_in.
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = self.weight[0].numel() if self.out_channels else 0
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))

    def forward(self, input: Tensor) -> Tensor:
        input, padding = self.padded(input)
        moves = (self.stride, padding, self.dilation, self.groups)
        return self.convolve(input, self.weight, self.bias, *moves)

    def padded(self, input: Tensor) -> tuple[Tensor, Any]:
        """Return the input with all padding that is not zeros, and the padding still to come."""
        if self.padding_mode == "zeros":
            return input, self.padding
        for i, (before, after) in enumerate(self._margins()):
            input = with_borders(input, i - self.dims, before, after, self.padding_mode)
        return input, 0

    def _margins(self) -> list[tuple[int, int]]:
        """Return the padding before and after an image, for each direction."""
        if self.padding == "valid":
            return [(0, 0)] * self.dims
        if not isinstance(self.padding, str):
            return [(size, size) for size in self.padding]
        totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]

    def extra_repr(self) -> str:
        shown = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        shown += f", stride={self.stride}"
        if self.padding != (0,) * self.dims:
            shown += f", padding={self.padding}"
        if self.dilation != (1,) * self.dims:
            shown += f", dilation={self.dilation}"
        shown += self._shown_after_dilation()
        if self.groups != 1:
            shown += f", groups={self.groups}"
        if self.bias is None:
            shown += ", bias=False"
        return (
            shown if self.padding_mode == "zeros" else f"{shown}, padding_mode={self.padding_mode}"
        )

    def _shown_after_dilation(self) -> str:
        """Show what a subclass has besides."""
        return ""


class Conv2d(Convolution):
    """Convolve images (N, C, H, W) or (C, H, W) with `out_channels` kernels.

    >>> layer = Conv2d(3, 8, (3, 5), stride=2, padding=(1, 2))
    >>> tuple(layer(norch.zeros(4, 3, 10, 20)).shape)
    (4, 8, 5, 10)
    """

    dims, convolve = 2, staticmethod(F.conv2d)


class Conv1d(Convolution):
    """Convolve signals (N, C, L) or (C, L) with `out_channels` kernels.

    >>> tuple(Conv1d(3, 8, 5, padding="same")(norch.zeros(4, 3, 10)).shape)
    (4, 8, 10)
    """

    dims, convolve = 1, staticmethod(F.conv1d)


class Conv3d(Convolution):
    """Convolve volumes (N, C, D, H, W) or (C, D, H, W) with `out_channels` kernels.

    >>> layer = Conv3d(3, 8, (1, 3, 5), padding="same")
    >>> tuple(layer(norch.zeros(4, 3, 2, 10, 20)).shape)
    (4, 8, 2, 10, 20)
    """

    dims, convolve = 3, staticmethod(F.conv3d)


class TransposedConvolution(Convolution):
    """What they share. `weight` is (in_channels, out_channels / groups, *kernel_size); it and
    `bias` start in U(-1/√k, 1/√k) with k = out_channels / groups · places of the kernel.
    """

    transposed = True
    padding: tuple[int, ...]

    @in_own_name
    def __init__(
        self,
        in_channels: int,
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
        """Make the parameters and draw their first values."""
        if padding_mode != "zeros" or isinstance(padding, str):
            raise ValueError(
                f"[{type(self).__name__}] takes padding as numbers and padding_mode 'zeros', got "
                f"{padding!r} and '{padding_mode}'"
            )
        options = (stride, padding, dilation, groups, bias, padding_mode, device, dtype)
        super().__init__(in_channels, out_channels, kernel_size, *options)
        self.output_padding = self._sizes("output_padding", output_padding)

    def _weight_shape(self) -> tuple[int, ...]:
        """Return the shape of the kernels."""
        return self.in_channels, self.out_channels // self.groups, *self.kernel_size

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Spread the input; `output_size` chooses among the sizes a stride can come from."""
        options = (self.missing(input, output_size), self.groups, self.dilation)
        return self.convolve(input, self.weight, self.bias, self.stride, self.padding, *options)

    def missing(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """Return the output_padding that leads to `output_size`; the layer's own without one."""
        if output_size is None:
            return self.output_padding
        wanted = tuple(output_size)[-self.dims :]
        if len(output_size) not in (self.dims, input.ndim):
            raise ValueError(
                f"[{type(self).__name__}] output_size needs {self.dims} or {input.ndim} numbers, "
                f"got {tuple(output_size)}"
            )
        least = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(
                *(input.shape[-self.dims :], self.stride, self.padding),
                *(self.dilation, self.kernel_size),
                strict=True,
            )
        ]
        most = [n + s - 1 for n, s in zip(least, self.stride, strict=True)]
        if any(not a <= w <= b for a, w, b in zip(least, wanted, most, strict=True)):
            raise ValueError(
                f"[{type(self).__name__}] output_size {wanted} must lie between {tuple(least)} "
                f"and {tuple(most)} for an input of {tuple(input.shape[-self.dims :])}"
            )
        return tuple(w - a for w, a in zip(wanted, least, strict=True))

    def _shown_after_dilation(self) -> str:
        """Show the output padding."""
        is_default = self.output_padding == (0,) * self.dims
        return "" if is_default else f", output_padding={self.output_padding}"


class ConvTranspose1d(TransposedConvolution):
    """Spread signals (N, C, L) or (C, L) by `out_channels` kernels.

    >>> tuple(ConvTranspose1d(3, 8, 5, stride=2)(norch.zeros(4, 3, 10)).shape)
    (4, 8, 23)
    """

    dims, convolve = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(TransposedConvolution):
    """Spread images (N, C, H, W) or (C, H, W) by `out_channels` kernels.

    >>> layer = ConvTranspose2d(3, 8, 4, stride=2, padding=1)
    >>> tuple(layer(norch.zeros(4, 3, 10, 20)).shape)
    (4, 8, 20, 40)
    """

    dims, convolve = 2, staticmethod(F.conv_transpose2d)


class ConvTranspose3d(TransposedConvolution):
    """Spread volumes (N, C, D, H, W) or (C, D, H, W) by `out_channels` kernels.

    >>> tuple(ConvTranspose3d(3, 8, 2, stride=2)(norch.zeros(1, 3, 2, 3, 4)).shape)
    (1, 8, 4, 6, 8)
    """

    dims, convolve = 3, staticmethod(F.conv_transpose3d)
