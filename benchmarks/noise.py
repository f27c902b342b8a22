"""Measures norch beside norch: what differs between two workers of the same library is noise.

A few rows of every kind, small and large, are measured before all others; their ratios belong at 1.
The head of the results says how far they were from it, and whether that is too far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.driver import AGAIN
from benchmarks.row import NOISE, Row, judge
from benchmarks.workload import Workload

NAMES = (
    "add (8,8)",
    "20 small ops + backward",
    "1M add",
    "1M sum",
    "16M add",
    "matmul 512",
    "conv2d 3x3 (64,32,28,28)->64",
    "CNN step, batch 64, Adam",
)


def rows_of(workloads: Sequence[Workload], picked: Sequence[str]) -> list[Workload]:
    """Return the rows to repeat: those of NAMES that were picked, or the first that was."""
    steady = [each for each in workloads if each.name in picked]
    chosen = [each for each in steady if each.name in NAMES] or steady[:1]
    return [replace(each, beside=AGAIN, numpy=None, share=None) for each in chosen]


def farthest(rows: Sequence[Row]) -> tuple[float, str]:
    """Return the largest distance of a ratio from 1, and the row that has it."""
    distances = [(abs(row.ratio - 1), row.name) for row in with_ratio(rows)]
    return max(distances, default=(0.0, ""))


def with_ratio(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that were measured, with right values."""
    return [row for row in rows if row.ratio is not None]


def fact(rows: Sequence[Row]) -> str:
    """Say in a phrase how near to 1 they came."""
    distance, name = farthest(rows)
    if not name:
        return "not measured"
    return f"1.00 within {distance:.1%} in {len(with_ratio(rows))} rows; farthest: {name}"


def warning(rows: Sequence[Row]) -> str:
    """Return the sentence that says a run was too noisy or not compared with itself, or nothing."""
    silent = [f"'{row.name}' ({judge(row)})" for row in rows if row.ratio is None]
    if silent:
        return f"[bench] noise unknown: norch beside itself has no ratio in {', '.join(silent)}"
    distance, name = farthest(rows)
    if distance <= NOISE:
        return ""
    return (
        f"[bench] too noisy: norch beside itself differs by {distance:.1%} in '{name}', at most"
        f" {NOISE:.0%} allowed; no ratio within that of its gate is decided"
    )
