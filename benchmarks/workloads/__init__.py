"""All rows of the benchmark, in the order of the table, and the choice among them (ONLY=...)."""

from __future__ import annotations

from benchmarks.workload import Workload
from benchmarks.workloads import (
    convolution,
    elementwise,
    examples,
    further,
    fusion,
    layers,
    matmul,
    ordering,
    programs,
    random_shapes,
    small,
    training,
)

WORKLOADS: tuple[Workload, ...] = (
    *small.ROWS,
    *elementwise.ROWS,
    *ordering.ROWS,
    *fusion.ROWS,
    *matmul.ROWS,
    *convolution.ROWS,
    *layers.ROWS,
    *training.ROWS,
    *examples.ROWS,
    *programs.ROWS,
    *further.ROWS,
)


def by_name(name: str) -> Workload:
    """Return the row of this name."""
    return {workload.name: workload for workload in (*WORKLOADS, *random_shapes.ROWS)}[name]


def choose(only: str, names: list[str], groups: list[str]) -> list[str]:
    """Return the names in the groups of `only`, or that contain a word of it (comma separated).

    Raises ValueError, with the list, when a word chooses nothing.
    """
    words = [word.strip().lower() for word in only.split(",") if word.strip()]
    picked: set[str] = set()
    for word in words:
        pairs = zip(names, groups, strict=True)
        whole = word in groups  # a group's name chooses the group alone
        found = {n for n, g in pairs if (word == g if whole else word in n.lower())}
        if not found:
            raise ValueError(refusal(word, names, groups))
        picked |= found
    return [name for name in names if name in picked or not words]


def refusal(word: str, names: list[str], groups: list[str]) -> str:
    """Return the sentence that refuses a word, with everything it could have been."""
    lines = [f"[bench] no workload has '{word}' in its name. Groups and workloads:"]
    for group in dict.fromkeys(groups):
        members = [n for n, g in zip(names, groups, strict=True) if g == group]
        lines.append(f"  {group}: " + "; ".join(members))
    return "\n".join(lines)
