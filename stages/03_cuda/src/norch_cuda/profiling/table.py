"""The table of a profile: a row for each line that was executed, then what they come to."""

from __future__ import annotations

import math
from collections.abc import Sequence

from norch_cuda.profiling.measurements import Line

HEADS = ("line", "warps", "lanes", "sectors", "useful", "ways", "barriers", "operations", "source")
_LONGEST = 60  # characters of a source line


def _number(value: float, form: str) -> str:
    """Format a number of a profile; nothing where it is 0 or not known."""
    return "" if math.isnan(value) or value == 0 else format(value, form)


def cells(line: Line, file: str) -> tuple[str, ...]:
    """Write one line's numbers; what did not happen there stays empty."""
    text = line.text.strip()
    return (
        str(line.number) if line.file == file else f"{line.file}:{line.number}",
        f"{line.times:,}",
        _number(line.active, ".1f"),
        _number(line.sectors_per_request, ".1f"),
        _number(line.efficiency, ".0%"),
        _number(line.ways, ".1f"),
        _number(line.barriers, ".4g"),
        _number(line.operations, ","),
        text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...",
    )


def table(lines: Sequence[Line], file: str, title: str, notes: Sequence[str]) -> str:
    """Align the columns; numbers stand on the right, the source on the left."""
    rows = [HEADS, *(cells(line, file) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS) - 1)]
    drawn = [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
    rule = "  ".join("-" * width for width in (*widths, len(HEADS[-1])))
    return "\n".join([title, "", drawn[0], rule, *drawn[1:], "", *notes])
