"""What one large weight does to the others when a matrix is rounded to int8, recorded by norch.

The page on quantization drags the weight outward; figures/number_line.py draws what is found here.
"""

from collections.abc import Sequence
from typing import NamedTuple

from norch_autograd import Tensor
from norch_autograd.more.nn.quantized import quantize_rows


class Rounded(NamedTuple):
    """A row after rounding; the error is of all values but the outlier, beside their size."""

    scale: float  # the distance of two levels
    levels: list[int]  # whole numbers, a value each
    error: float  # both as the root of the mean square


class Moment(NamedTuple):
    """The outlier's size, and the rows of the matrix rounded in both ways."""

    outlier: float
    ways: dict[str, list[Rounded]]


def record(weight: Tensor, place: tuple[int, int], sizes: Sequence[float]) -> list[Moment]:
    """Round a matrix (rows, columns) whose element at `place` takes one size after the other."""
    found = []
    for size in sizes:
        moved = weight.clone()
        moved[place] = size
        flat, scale = quantize_rows(moved.reshape(1, -1))  # as if it were one row: one scale
        one = flat.reshape(moved.shape), scale.expand(moved.shape[0])
        ways = {"one scale": one, "a scale for each row": quantize_rows(moved)}
        found.append(Moment(size, {name: _rows(moved, place, *way) for name, way in ways.items()}))
    return found


def _rows(weight: Tensor, place: tuple[int, int], whole: Tensor, scale: Tensor) -> list[Rounded]:
    """Return scale, levels and error of each row."""
    error = whole.float() * scale[:, None] - weight
    others = weight.clone()
    error[place], others[place] = 0.0, 0.0
    wrong, size = error.square().sum(1), others.square().sum(1)
    beside = (wrong / size.masked_fill(size == 0, 1.0)).sqrt()  # others that are 0 stay 0
    rows = zip(scale.tolist(), whole.tolist(), beside.tolist(), strict=True)
    return [Rounded(*row) for row in rows]
