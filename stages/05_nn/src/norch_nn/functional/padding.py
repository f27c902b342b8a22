"""pad: more rows around a tensor, filled with a number or with rows of the tensor.

A constant border is a larger tensor that the input is written into; the other modes pick rows of
the input again, one dimension after the other. Padding layers, convolutions and the transforms of
images use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

import norch_autograd as autograd
import norch_strides as strides
from norch_autograd import Tensor
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name, number_alone
from norch_autograd.graph.record import unary
from norch_autograd.types.size import check_room

BORDERS = ("reflect", "replicate", "circular")  # padding with rows of the input itself


@in_own_name
def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Return `input` with `pad` more rows: (before, after) of the last dimension, then others.

    `mode` "constant" fills them with `value` (0), "reflect" mirrors at the border row, "replicate"
    repeats it, "circular" goes on at the other end. A negative number takes rows away.

    >>> pad(norch.tensor([1.0, 2.0]), (1, 2)).tolist()
    [0.0, 1.0, 2.0, 0.0, 0.0]
    >>> pad(norch.tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect").tolist()
    [[3.0, 2.0, 1.0, 2.0, 3.0, 2.0]]
    """
    sides = _check_sides(input, pad)
    if mode == "constant":
        _check_losses(input, sides, mode)
        return constant(input, sides, 0.0 if value is None else value)
    if mode not in BORDERS:
        known = "'constant', 'reflect', 'replicate' or 'circular'"
        raise NotImplementedError(f"[pad] mode must be {known}, not {mode!r}")
    if value:
        raise ValueError(f"[pad] mode {mode!r} takes no value, {value} was given")
    _check_dimensions(input, sides, mode)
    _check_losses(input, sides, mode)
    for dim, (before, after) in sides.items():
        input = with_borders(input, dim, before, after, mode)
    return input


def _check_sides(input: Tensor, pad: Sequence[int]) -> dict[int, tuple[int, int]]:
    """Return the sides of `pad` as {dimension: (before, after)}, the last dimension first."""
    numbers, ndim = list(map(index, pad)), input.ndim
    if len(numbers) % 2 or len(numbers) > 2 * ndim:
        raise RuntimeError(
            f"[pad] {len(numbers)} numbers for shape {tuple(input.shape)}: expected two a "
            f"dimension, {2 * ndim} at most"
        )
    return {ndim - 1 - i // 2: (numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)}


def _check_losses(input: Tensor, sides: dict[int, tuple[int, int]], mode: str) -> None:
    """Refuse negative numbers that take away more rows than there are: in the end, or, where rows
    are taken away before others are added, at any time.
    """
    first = mode in ("constant", "circular")
    for dim, (before, after) in sides.items():
        if before >= 0 and after >= 0:
            continue
        change = min(before, 0) + min(after, 0) if first else before + after
        if input.shape[dim] + change < 0:
            raise RuntimeError(
                f"[pad] dimension {dim} of size {input.shape[dim]} cannot lose "
                f"{-min(before, 0)} and {-min(after, 0)} rows"
            )


def _check_dimensions(input: Tensor, sides: dict[int, tuple[int, int]], mode: str) -> None:
    """Refuse what PyTorch's borders do not exist for: they need a dimension for the channels."""
    if len(sides) > 3 or input.ndim not in (len(sides) + 1, len(sides) + 2):
        raise NotImplementedError(
            f"[pad] mode {mode!r} pads the last 1, 2 or 3 dimensions of (N, C, ...) or (C, ...), "
            f"not {len(sides)} of shape {tuple(input.shape)}"
        )


class ConstantPad(Node):
    """dx is dy with as many rows taken away, or put back, as zeros."""

    public_name = "ConstantPadNdBackward0"

    def backward(self, grad: Tensor) -> Gradients:
        """Pad by as many rows fewer."""
        sides = {dim: (-before, -after) for dim, (before, after) in self.context}
        return (constant(grad, sides, 0.0),)


def constant(input: Tensor, sides: dict[int, tuple[int, int]], value: float) -> Tensor:
    """For `pad`: write what stays of `input` into a larger tensor full of `value`."""
    x = input.array
    shape, place = [*x.shape], [slice(None)] * x.ndim
    for dim, (before, after) in sides.items():
        size = shape[dim]
        shape[dim] += before + after
        if before < 0 or after < 0:
            first = max(-before, 0)
            size = max(size - first - max(-after, 0), 0)
            x = x.view_by(strides.narrow, dim, first, size)
        start = before if before > 0 else 0
        place[dim] = slice(start, start + size)
    out = x.ops.full(tuple(shape), number_alone(value), x.dtype)
    x.ops.copy_(out.view_by(strides.basic_index, tuple(place)), x)
    return unary(ConstantPad, out, input, (), tuple(sides.items()))


def with_borders(input: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    """Pad one dimension by picking its rows again."""
    size = input.shape[dim]
    if before == after == 0:
        return input
    if mode == "reflect" and max(before, after) >= size:
        raise RuntimeError(
            f"[pad] {before} and {after} rows cannot be mirrored at the border of {size}: "
            "fewer than the size are expected"
        )
    if mode == "circular" and max(before, after) > size:
        raise RuntimeError(f"[pad] {before} and {after} rows wrap round {size} more than once")
    if size == 0:
        raise RuntimeError(f"[pad] dimension {dim} is empty: mode {mode!r} has no row to take")
    if mode == "circular" and min(before, after) < 0:  # rows are taken away first
        low, high = max(-before, 0), size - max(-after, 0)
        input, size = input.narrow(dim, low, high - low), high - low
        before, after = max(before, 0), max(after, 0)
        if max(before, after) > size:
            raise RuntimeError(f"[pad] {before} and {after} rows wrap round the {size} that stay")
    places = border_rows(size, before, after, mode)
    rows = autograd.tensor(places, dtype=autograd.int64, device=input.device)
    return input.index_select(dim, rows)


def border_rows(size: int, before: int, after: int, mode: str) -> list[int]:
    """Return which row of `size` stands at each place of the padded dimension.

    Beside the modes of `pad`, "symmetric" mirrors with the row at the border repeated.

    >>> border_rows(3, 2, 2, "reflect"), border_rows(3, 2, 2, "symmetric")
    ([2, 1, 0, 1, 2, 1, 0], [1, 0, 0, 1, 2, 2, 1])
    """
    check_room("pad", size + before + after, 40)  # a row's number in Python
    places = range(-before, size + after)
    if mode == "replicate":
        return [min(max(i, 0), size - 1) for i in places]
    if mode == "circular":
        return [i % size for i in places]
    # To and fro between the borders.
    period = 2 * size if mode == "symmetric" else max(2 * size - 2, 1)
    last = period - 1 if mode == "symmetric" else period
    return [min(i % period, last - i % period) for i in places]
