"""Layers that rearrange: Flatten and Unflatten."""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn.core.module import Module


class Flatten(Module):
    """Join dimensions start_dim to end_dim into one; the batch dimension stays by default.

    >>> tuple(Flatten()(norch.zeros(2, 28, 28)).shape)
    (2, 784)
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        """Choose the dimensions to join."""
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Split dimension `dim` into dimensions of the sizes given; one may be -1.

    >>> tuple(Unflatten(1, (28, -1))(norch.zeros(2, 784)).shape)
    (2, 28, 28)
    """

    @in_own_name
    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        """Choose the dimension and its parts."""
        super().__init__()
        if isinstance(unflattened_size, int) or not all(
            isinstance(n, int) for n in unflattened_size
        ):
            raise TypeError(
                f"[Unflatten] unflattened_size must be a tuple of ints, not {unflattened_size!r}"
            )
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
