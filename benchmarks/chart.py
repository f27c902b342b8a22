"""Draws the ratios as bars: `results.svg`. The same rows give the same bytes.

The axis is logarithmic; torch is the line at 1, a tick is the gate. A bar that misses its gate is
hatched as well as coloured, so that the chart reads in black and white.
"""

from __future__ import annotations

import math
from html import escape

from benchmarks.row import Row, judge

LEFT, RIGHT, TOP, STEP, BAR = 330, 70, 64, 26, 8
WIDTH = 900
LOW, HIGH = 0.02, 4.0
MARKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4)
COLOURS = ("#1b7f79", "#7fc6c1")  # few threads, more threads
CROWDED = "#d5d9de"  # not judged
MISSED = ("#c2410c", "#f0a27f")

STYLE = """
  text { font: 12px sans-serif; fill: #1f2933 }
  .title { font-size: 15px; font-weight: bold }
  .small { font-size: 11px; fill: #52606d }
  .grid { stroke: #e4e7eb } .torch { stroke: #1f2933 } .gate { stroke: #1f2933; stroke-width: 2 }
"""
HATCH = (
    '<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse"'
    ' patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="5" stroke="#fff"/></pattern>'
)


def position(ratio: float) -> float:
    """Return where a ratio lies on the axis."""
    share = math.log(min(max(ratio, LOW), HIGH) / LOW) / math.log(HIGH / LOW)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return a line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    """Return a piece of text."""
    attributes = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {attributes} class="{kind}">{escape(words)}</text>'


def axis(bottom: float) -> list[str]:
    """Return the grid, its numbers and the line of torch."""
    parts = []
    for mark in MARKS:
        x = position(mark)
        parts.append(line(x, TOP - 6, x, bottom, "torch" if mark == 1 else "grid"))
        parts.append(text(x, TOP - 12, "torch" if mark == 1 else f"{mark:g}", "small", "middle"))
    return parts


def bar(row: Row, y: float, number: int) -> list[str]:
    """Return one bar and its number."""
    missed = judge(row) == "missed"
    colour = (MISSED if missed else COLOURS)[min(number, 1)]
    if row.crowded and not missed:
        colour = CROWDED
    width = position(row.ratio) - LEFT
    shape = f'x="{LEFT}" y="{y:.1f}" width="{width:.1f}" height="{BAR}"'
    parts = [f'<rect {shape} fill="{colour}"/>']
    if missed:
        parts.append(f'<rect {shape} fill="url(#hatch)"/>')
    label = f"{row.ratio:.2f}" + (" missed" if missed else " not judged" if row.crowded else "")
    return [*parts, text(max(position(row.ratio), LEFT) + 5, y + BAR, label, "small")]


def group(name: str, rows: list[Row], y: float) -> list[str]:
    """Return a workload: its name, one bar a number of threads, its gate."""
    parts = [text(LEFT - 8, y + 12, name, anchor="end")]
    for number, row in enumerate(rows):
        parts += bar(row, y + number * (BAR + 1), number)
    if rows[0].gate is not None:
        x = position(rows[0].gate)
        parts.append(line(x, y - 2, x, y + len(rows) * (BAR + 1) + 1, "gate"))
    return parts


def chart(rows: list[Row]) -> str:
    """Return the chart of all rows that have a ratio."""
    measured: dict[str, list[Row]] = {}
    for row in rows:
        if row.ratio is not None:
            measured.setdefault(row.name, []).append(row)
    height = TOP + STEP * len(measured) + 40
    threads = sorted({row.threads for row in rows})
    words = ", ".join(f"{n} thread{'s' if n > 1 else ''}" for n in threads)
    parts = [text(16, 24, "norch's time over PyTorch's: shorter is faster", "title")]
    parts.append(text(16, 42, f"bars: {words} (upper to lower); tick: gate", "small"))
    parts += axis(height - 30)
    for number, (name, found) in enumerate(measured.items()):
        parts += group(name, found, TOP + number * STEP + 4)
    if not measured:
        parts.append(text(16, TOP + 16, "nothing was measured against PyTorch"))
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    label = 'role="img" aria-label="Bars of the ratios in results.md"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} {label}>',
            f"<style>{STYLE}</style>",
            f"<defs>{HATCH}</defs>",
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
            *parts,
            "</svg>\n",
        ]
    )
