"""Joins the random shapes of a kernel to one line: the middle and the worst of their ratios."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.row import Row, judge
from benchmarks.workloads.random_shapes import KERNELS

GROUP = "random"
NAMES = [f"random shapes of {kernel.name}" for kernel in KERNELS]
ROUNDS = 5
SECONDS = 0.004  # of a batch: there are many


@dataclass(frozen=True, slots=True)
class Line:
    """What the cases of one kernel came to."""

    name: str
    gate: float
    ratios: list[float]
    worst: str  # the case with the largest ratio
    wrong: str = ""  # the first case of wrong values, and which
    missing: str = ""  # the first case that could not be measured, and why


def line(name: str, rows: Sequence[Row]) -> Line:
    """Join the rows of a kernel's cases."""
    measured = [(row.ratio, row.name) for row in rows if row.ratio is not None]
    wrong = next((f"{row.name}: {judge(row)}" for row in rows if row.wrong), "")
    missing = next((f"{row.name}: {judge(row)}" for row in rows if row.ratio is None), "")
    ratios = [ratio for ratio, _ in measured]
    return Line(name, rows[0].gate, ratios, max(measured, default=(0, "-"))[1], wrong, missing)


def verdict(found: Line) -> str:
    """Judge the ratio in the middle; a case without one leaves the line unjudged."""
    if found.wrong or found.missing:
        return found.wrong or found.missing
    return "met" if statistics.median(found.ratios) <= found.gate else "**missed**"


def table(lines: Sequence[Line]) -> list[str]:
    """Return the table: the middle and the worst of the ratios of each kernel."""
    written = ["| kernel | cases | median | worst | gate of the median | verdict | the worst |"]
    written.append("|---|--:|--:|--:|--:|---|---|")
    for found in lines:
        middle = f"{statistics.median(found.ratios):.2f}" if found.ratios else "-"
        worst = f"{max(found.ratios):.2f}" if found.ratios else "-"
        cells = [found.name, str(len(found.ratios)), middle, worst, f"{found.gate:.2f}"]
        written.append("| " + " | ".join([*cells, verdict(found), found.worst]) + " |")
    return written
