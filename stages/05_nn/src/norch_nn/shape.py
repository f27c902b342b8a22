"""Flatten: from images to rows of numbers."""

from __future__ import annotations

from norch_autograd import Tensor
from norch_nn.module import Module

__all__ = ["Flatten"]


class Flatten(Module):
    """Join dimensions start_dim to end_dim into one; the batch dimension stays by default.

    >>> import norch_autograd as norch
    >>> tuple(Flatten()(norch.zeros(2, 28, 28)).shape)
    (2, 784)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        """Choose the dimensions to join."""
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Reshape, without copying where strides allow it."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Show the dimensions."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"
