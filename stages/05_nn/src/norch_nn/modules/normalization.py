"""LayerNorm, RMSNorm, GroupNorm: normalization of one sample at a time.

`functional` computes; the layers hold the scale and the shift, which start at 1 and 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from norch_autograd import Tensor, empty
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F, init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter


class Scaled(Module):
    """What they share: a scale `weight` and a shift `bias`, or None in their places."""

    weight: Parameter | None
    bias: Parameter | None

    def _make(self, name: str, wanted: bool, shape: tuple[int, ...], **options: Any) -> None:
        """Register a parameter, or reserve its name."""
        made = Parameter(empty(*shape, **options)) if wanted else None
        self.register_parameter(name, made)

    def reset_parameters(self) -> None:
        """Set the scale to 1 and the shift to 0."""
        for name, parameter in self.named_parameters(recurse=False):
            init.constant_(parameter, 1.0 if name == "weight" else 0.0)


def _sizes(normalized_shape: int | Sequence[int]) -> tuple[int, ...]:
    """Return a normalized shape as a tuple, given an int or a sequence of them."""
    return (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)


class LayerNorm(Scaled):
    """(x - mean) / √(variance + eps) · weight + bias over the last dimensions of each sample.

    >>> LayerNorm(2, eps=0.0)(norch.tensor([[1.0, 3.0]])).tolist()
    [[-1.0, 1.0]]
    """

    @in_own_name
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Choose the sizes of the last dimensions, and what is learned."""
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        options = {"device": device, "dtype": dtype}
        self._make("weight", elementwise_affine, self.normalized_shape, **options)
        self._make("bias", elementwise_affine and bias, self.normalized_shape, **options)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Scaled):
    """x / √(mean of squares + eps) · weight over the last dimensions of each sample.

    >>> round(RMSNorm(2, eps=0.0)(norch.tensor([[1.0, 7.0]])).sum().item(), 4)
    1.6
    """

    @in_own_name
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Choose the sizes of the last dimensions, and whether a scale is learned."""
        super().__init__()
        self.normalized_shape = _sizes(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        self._make("weight", elementwise_affine, self.normalized_shape, device=device, dtype=dtype)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Scaled):
    """LayerNorm of groups of channels of (N, C, ...), with a scale and a shift a channel.

    >>> GroupNorm(2, 4, eps=0.0)(norch.tensor([[1.0, 3.0, 5.0, 9.0]])).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """

    @in_own_name
    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        """Choose how many groups the channels make."""
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"[GroupNorm] num_channels {num_channels} must be a multiple of num_groups "
                f"{num_groups}"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        options = {"device": device, "dtype": dtype}
        self._make("weight", affine, (num_channels,), **options)
        self._make("bias", affine and bias, (num_channels,), **options)
        self.reset_parameters()

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, "
            f"affine={self.affine}, bias={self.bias is not None}"
        )
