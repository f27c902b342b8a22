"""ConvTranspose1d, 2d and 3d: layers that make a picture larger, a convolution in reverse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.conv import Convolution, Sizes


class TransposedConvolution(Convolution):
    """What they share. `weight` is (in_channels, out_channels / groups, *kernel_size); it and
    `bias` start in U(-1/√k, 1/√k) with k = out_channels / groups · places of the kernel.
    """

    transposed = True

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
            (n - 1) * s - 2 * int(p) + d * (k - 1) + 1
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

    dims = 1

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Spread each signal; `output_size` chooses among the sizes a stride can come from."""
        options = (self.missing(input, output_size), self.groups, self.dilation)
        moves: Any = (self.stride, self.padding, *options)
        return F.conv_transpose1d(input, self.weight, self.bias, *moves)


class ConvTranspose2d(TransposedConvolution):
    """Spread images (N, C, H, W) or (C, H, W) by `out_channels` kernels.

    >>> layer = ConvTranspose2d(3, 8, 4, stride=2, padding=1)
    >>> tuple(layer(norch.zeros(4, 3, 10, 20)).shape)
    (4, 8, 20, 40)
    """

    dims = 2

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Spread each image; `output_size` chooses among the sizes a stride can come from."""
        options = (self.missing(input, output_size), self.groups, self.dilation)
        moves: Any = (self.stride, self.padding, *options)
        return F.conv_transpose2d(input, self.weight, self.bias, *moves)


class ConvTranspose3d(TransposedConvolution):
    """Spread volumes (N, C, D, H, W) or (C, D, H, W) by `out_channels` kernels.

    >>> tuple(ConvTranspose3d(3, 8, 2, stride=2)(norch.zeros(1, 3, 2, 3, 4)).shape)
    (1, 8, 4, 6, 8)
    """

    dims = 3

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Spread each volume; `output_size` chooses among the sizes a stride can come from."""
        options = (self.missing(input, output_size), self.groups, self.dilation)
        moves: Any = (self.stride, self.padding, *options)
        return F.conv_transpose3d(input, self.weight, self.bias, *moves)
