"""How tensors print: PyTorch's format, four digits, aligned columns, dots in the middle of what is
large.
"""

from __future__ import annotations

import math
from typing import Any

import norch_strides as strides
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.types.dtype import get_default_dtype
from norch_cpu_ops import bool_, int64


class _Options:
    """What `set_printoptions` changes."""

    precision = 4
    threshold: float = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode: bool | None = None


# precision, threshold, edgeitems, linewidth
_PROFILES: dict[str, tuple[int, float, int, int]] = {
    "default": (4, 1000, 3, 80),
    "short": (2, 1000, 2, 80),
    "full": (4, math.inf, 3, 80),
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print; what is None stays, except `sci_mode`, where None means automatic.

    `profile` sets all numbers at once, before those given: "default", "short" (2 digits, 2 items at
    each end) or "full" (every element).

    >>> norch.set_printoptions(precision=2)
    >>> norch.tensor([1 / 3])
    tensor([0.33])
    >>> norch.set_printoptions(precision=4)
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(
                f"[set_printoptions] profile must be 'default', 'short' or 'full', got '{profile}'"
            )
        set_printoptions(*_PROFILES[profile])
    _Options.precision = _Options.precision if precision is None else precision
    _Options.threshold = _Options.threshold if threshold is None else threshold
    _Options.edgeitems = _Options.edgeitems if edgeitems is None else edgeitems
    _Options.linewidth = _Options.linewidth if linewidth is None else linewidth
    _Options.sci_mode = sci_mode


class Column:
    """One format for all numbers of a tensor: plain, whole with a dot, or scientific; and its
    width.
    """

    def __init__(self, values: list[Any], floating: bool) -> None:
        self.floating = floating
        self.whole = True
        self.scientific = False
        shown = values
        if floating:
            shown = [v for v in values if v != 0 and math.isfinite(v)]
            self._choose([abs(v) for v in shown])
        self.width = max((len(self.text(v)) for v in shown), default=1)

    def _choose(self, sizes: list[float]) -> None:
        """Choose the printed format: whole numbers get a dot, extreme ones an exponent."""
        if not sizes:
            return
        self.whole = all(v == math.ceil(v) for v in sizes)
        low, high = min(sizes), max(sizes)
        extreme = high / low > 1000.0 or high > 1e8 or low < 1e-4
        self.scientific = extreme if _Options.sci_mode is None else _Options.sci_mode

    def text(self, value: Any) -> str:
        """A number of a printed tensor, not yet padded."""
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{_Options.precision}e}"
        if self.whole:
            return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"
        return f"{value:.{_Options.precision}f}"

    def __call__(self, value: Any) -> str:
        """A number of a printed tensor, padded to the width of the column."""
        return self.text(value).rjust(self.width)


def format_tensor(tensor: Tensor) -> str:
    """The text of a tensor, with what is worth knowing about it after the numbers."""
    array = tensor.array.ops.to_cpu(tensor.array)
    indent = len("tensor(")
    if array.numel:
        summarize = array.numel > _Options.threshold
        column = Column(_numbers_to_print(array, summarize), array.dtype.is_floating_point)
        body = _block(array, indent, summarize, column)
    else:
        body = "[]"
    return _with_notes("tensor(" + body, _notes(tensor), indent)


def _numbers_to_print(array: Any, summarize: bool) -> list[Any]:
    """Every number that will be printed."""
    if not summarize:
        flat: list[Any] = array.ops.clone(array).view(strides.contiguous((array.numel,))).tolist()
        return flat
    if array.ndim == 0:
        return [array.item()]
    return [
        v for i in _rows(array, summarize) for v in _numbers_to_print(_row(array, i), summarize)
    ]


def _rows(array: Any, summarize: bool) -> list[int]:
    """Which rows are printed: all, or the first and last few."""
    size, edge = array.shape[0], _Options.edgeitems
    if summarize and size > 2 * edge:
        return [*range(edge), *range(size - edge, size)]
    return list(range(size))


def _row(array: Any, i: int) -> Any:
    """One row of an array that is printed."""
    return array.view(strides.select(array.layout, 0, i))


def _block(array: Any, indent: int, summarize: bool, column: Column) -> str:
    """The printed brackets of one dimension and all below it."""
    if array.ndim == 0:
        return column(array.item())
    rows = _rows(array, summarize)
    cut = len(rows) < array.shape[0]
    if array.ndim == 1:
        return _line([column(_row(array, i).item()) for i in rows], indent, column, cut)
    blocks = [_block(_row(array, i), indent + 1, summarize, column) for i in rows]
    if cut:
        blocks.insert(_Options.edgeitems, "...")
    gap = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return f"[{gap.join(blocks)}]"


def _line(items: list[str], indent: int, column: Column, cut: bool) -> str:
    """One printed row of numbers, folded where the page ends."""
    if cut:
        items.insert(_Options.edgeitems, " ...")
    each = max(1, (_Options.linewidth - indent) // (column.width + 2))
    lines = [", ".join(items[k : k + each]) for k in range(0, len(items), each)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _notes(tensor: Tensor) -> list[str]:
    """What a printed tensor says of its size, device, dtype and history, where it is unusual."""
    notes = []
    array = tensor.array
    if array.device != "cpu":
        notes.append(f"device='{array.device}'")
    if array.numel == 0:
        if array.ndim != 1:
            notes.append(f"size={tuple(array.shape)}")
        if array.dtype is not get_default_dtype():
            notes.append(f"dtype={array.dtype}")
    elif array.dtype not in (get_default_dtype(), int64, bool_):
        notes.append(f"dtype={array.dtype}")
    if tensor.node is not None:
        notes.append(f"grad_fn=<{tensor.node.name()}>")
    elif tensor._requires_grad:
        notes.append("requires_grad=True")
    return notes


def _with_notes(text: str, notes: list[str], indent: int) -> str:
    """Append the notes to a printed tensor, on a new line where they do not fit."""
    length = len(text) - text.rfind("\n") + 1
    for note in notes:
        if length + len(note) + 2 > _Options.linewidth:
            text += ",\n" + " " * indent + note
            length = indent + len(note)
        else:
            text += ", " + note
            length += len(note) + 2
    return text + ")"
