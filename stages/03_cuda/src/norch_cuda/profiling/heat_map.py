"""The source of a kernel with its costs beside each line, the darker the more: an SVG text.

Colours are those of the book's style sheet, each with a fallback for viewers without it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from norch_cuda.profiling.measurements import Line
from norch_cuda.runtime.sources import KernelSource

_ROW, _TOP, _LETTER = 20, 54, 7.3  # pixels
_NUMBER, _CELL = 44, 112
_HOT, _INK, _SOFT = "var(--fig-c1, #fdd08a)", "var(--fig-ink, #1d2433)", "var(--fig-soft, #5b6579)"
_HEADS = ("global sectors", "shared passes", "active lanes")


def heat_map(lines: Sequence[Line], kernel: str, source: KernelSource) -> str:
    """Draw every line from the first executed one to the last."""
    file = Path(source.file).name
    mine = {line.number: line for line in lines if line.file == file}
    rows = range(min(mine, default=1), max(mine, default=0) + 1)
    text = source.lines
    most = [max((of(line)[0] for line in mine.values()), default=0) for of in _COLUMNS]
    left = _NUMBER + _CELL * len(_COLUMNS) + 10
    width = left + _LETTER * max((len(text[row - 1]) for row in rows), default=0) + 12
    parts = [
        _words(_NUMBER + _CELL * (i + 0.5), _TOP - 12, head, _SOFT) for i, head in enumerate(_HEADS)
    ]
    parts.insert(0, _words(10, 18, f"{kernel} ({file})", _INK, "start"))
    for place, row in enumerate(rows):
        y = _TOP + _ROW * place
        if row in mine:
            parts += _cells(mine[row], most, y)
        parts.append(_words(_NUMBER - 10, y + 15, row, _SOFT, "end"))
        parts.append(_words(left, y + 15, text[row - 1], _INK, "start"))
    return _drawing(width, _TOP + _ROW * len(rows) + 8, _describe(mine, kernel, most), parts)


def _global(line: Line) -> tuple[float, str]:
    """Return a line's cost in global memory, and its text."""
    if not line.requests:
        return 0, ""
    return line.sectors, f"{line.sectors:,} ({line.efficiency:.0%})"


def _shared(line: Line) -> tuple[float, str]:
    """Return a line's cost in shared memory, and its text."""
    return line.passes, f"{line.passes:,} ({line.ways:.0f} way)" if line.passes else ""


def _idle(line: Line) -> tuple[float, str]:
    """Return how many lanes are idle at a line, and the text."""
    return 32 - line.active, f"{line.active:.1f}"


_COLUMNS = (_global, _shared, _idle)


def _cells(line: Line, most: Sequence[float], y: float) -> list[str]:
    """Draw the coloured cells of one line."""
    parts = []
    for i, (column, top) in enumerate(zip(_COLUMNS, most, strict=True)):
        heat, words = column(line)
        x = _NUMBER + _CELL * i
        if heat > 0:
            style = f"fill:{_HOT};fill-opacity:{0.1 + 0.9 * heat / top:.2f}"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{_CELL - 4}" height="{_ROW - 2}" style="{style}"/>'
            )
        if words:
            parts.append(_words(x + _CELL / 2 - 2, y + 14, words, _INK))
    return parts


def _describe(mine: dict[int, Line], kernel: str, most: Sequence[float]) -> str:
    """Say in words which lines cost most."""
    told = []
    for head, column, top in zip(_HEADS[:2], _COLUMNS, most, strict=False):
        worst = next((n for n, line in mine.items() if top and column(line)[0] == top), None)
        if worst is not None:
            told.append(f"most {head} at line {worst}, {column(mine[worst])[1]}")
    return f"heat map of {kernel}: " + ("; ".join(told) or "no memory is touched")


def _words(x: float, y: float, words: object, ink: str, anchor: str = "middle") -> str:
    """Draw a text in SVG."""
    shown = re.sub("^ +", lambda m: "\u00a0" * len(m[0]), escape(str(words)))
    style = f"fill:{ink};font:12px monospace;text-anchor:{anchor}"
    return f'<text x="{x:g}" y="{y:g}" style="{style}">{shown}</text>'


def _drawing(width: float, height: float, alt: str, parts: Sequence[str]) -> str:
    """Put the parts of the heat map into one SVG image."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(alt)}" '
        f'viewBox="0 0 {width:g} {height:g}" '
        f'style="width:100%;max-width:{width:g}px;min-width:{0.85 * width:g}px;height:auto">\n'
        f"<title>{escape(alt)}</title>\n" + "\n".join(parts) + "\n</svg>"
    )
