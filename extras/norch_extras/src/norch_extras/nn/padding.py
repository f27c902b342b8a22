"""Padding layers: a border around signals, images and volumes.

Each holds how wide the border is and calls `functional.pad` in its mode.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd import Tensor
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.core.module import Module


class Padding(Module):
    """What all share: the widths of the border, and a mode of `functional.pad`."""

    dims: int
    mode: str = "constant"
    value: float | None = None

    @in_own_name
    def __init__(self, padding: int | Sequence[int]) -> None:
        """Take one width for all sides, or (left, right, top, bottom, ...)."""
        super().__init__()
        sides = [padding] * (2 * self.dims) if isinstance(padding, int) else list(padding)
        if len(sides) != 2 * self.dims:
            raise ValueError(
                f"[{type(self).__name__}] one width or {2 * self.dims} are expected, "
                f"not {len(sides)}"
            )
        self.padding = tuple(sides)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        return str(self.padding)


class ConstantPad(Padding):
    """A border of one number."""

    value: float

    @in_own_name
    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        """Take the widths and the number."""
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(ConstantPad):
    """A border of one number around (N, C, L).

    >>> ConstantPad1d(1, 9.0)(norch.zeros(1, 1, 2)).tolist()
    [[[9.0, 0.0, 0.0, 9.0]]]
    """

    dims = 1


class ConstantPad2d(ConstantPad):
    """A border of one number around (N, C, H, W)."""

    dims = 2


class ConstantPad3d(ConstantPad):
    """A border of one number around (N, C, D, H, W)."""

    dims = 3


class ZeroPad1d(Padding):
    """A border of zeros around (N, C, L).

    >>> ZeroPad1d((1, 0))(norch.ones(1, 1, 2)).tolist()
    [[[0.0, 1.0, 1.0]]]
    """

    dims = 1


class ZeroPad2d(Padding):
    """A border of zeros around (N, C, H, W)."""

    dims = 2


class ZeroPad3d(Padding):
    """A border of zeros around (N, C, D, H, W)."""

    dims = 3


class ReflectionPad1d(Padding):
    """A border that mirrors (N, C, L) at its ends, which are not repeated.

    >>> ReflectionPad1d(1)(norch.tensor([[[1.0, 2.0, 3.0]]])).tolist()
    [[[2.0, 1.0, 2.0, 3.0, 2.0]]]
    """

    dims, mode = 1, "reflect"


class ReflectionPad2d(Padding):
    """A border that mirrors (N, C, H, W) at its edges."""

    dims, mode = 2, "reflect"


class ReflectionPad3d(Padding):
    """A border that mirrors (N, C, D, H, W) at its faces."""

    dims, mode = 3, "reflect"


class ReplicationPad1d(Padding):
    """A border that repeats the ends of (N, C, L).

    >>> ReplicationPad1d((2, 0))(norch.tensor([[[1.0, 2.0]]])).tolist()
    [[[1.0, 1.0, 1.0, 2.0]]]
    """

    dims, mode = 1, "replicate"


class ReplicationPad2d(Padding):
    """A border that repeats the edges of (N, C, H, W)."""

    dims, mode = 2, "replicate"


class ReplicationPad3d(Padding):
    """A border that repeats the faces of (N, C, D, H, W)."""

    dims, mode = 3, "replicate"


class CircularPad1d(Padding):
    """A border that goes on at the other end of (N, C, L).

    >>> CircularPad1d((0, 1))(norch.tensor([[[1.0, 2.0]]])).tolist()
    [[[1.0, 2.0, 1.0]]]
    """

    dims, mode = 1, "circular"


class CircularPad2d(Padding):
    """A border that goes on at the other edge of (N, C, H, W)."""

    dims, mode = 2, "circular"


class CircularPad3d(Padding):
    """A border that goes on at the other face of (N, C, D, H, W)."""

    dims, mode = 3, "circular"
