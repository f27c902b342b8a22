"""Where does a backward pass spend its time? One row for each kind of node.

`profile` watches the passes inside a `with` block; the times are those of `node.backward` alone,
measured on the clock, on the thread that runs the pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from norch_autograd.graph.hooks import Watcher, watchers
from norch_autograd.graph.node import Node


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of node: how often it was written and walked, and how long the walks took."""

    key: str  # the name of the node
    recorded: int  # written by a forward pass
    count: int  # walked by a backward pass
    cpu_time_total: float  # microseconds

    @property
    def cpu_time(self) -> float:
        """Microseconds of one walk of a node in a backward pass."""
        return self.cpu_time_total / self.count if self.count else 0.0


class Rows(list[Row]):
    """Rows, the slowest first, and their table."""

    def table(self, sort_by: str | None = None, row_limit: int = 100) -> str:
        """The profile as text, sorted by a column of `Row`."""
        rows = sorted(self, key=lambda row: row.key)
        if sort_by is not None:
            if sort_by not in ("key", "recorded", "count", "cpu_time_total", "cpu_time"):
                raise ValueError(
                    f"[table] no column '{sort_by}': expected key, recorded, count, "
                    "cpu_time_total or cpu_time"
                )
            rows.sort(key=lambda row: getattr(row, sort_by), reverse=sort_by != "key")
        else:
            rows.sort(key=lambda row: -row.cpu_time_total)
        total = sum(row.cpu_time_total for row in rows) or 1.0
        width = max([len("node"), *(len(row.key) for row in rows)])
        lines = [f"{'node':{width}}  recorded   calls  total us   us/call  share"]
        for row in rows[:row_limit]:
            share = 100 * row.cpu_time_total / total
            lines.append(
                f"{row.key:{width}}  {row.recorded:8d}  {row.count:6d}  {row.cpu_time_total:8.1f}  "
                f"{row.cpu_time:8.2f}  {share:4.1f}%"
            )
        return "\n".join(lines)


class profile(Watcher):
    """Measure the backward passes inside a `with` block, node by node.

    >>> x = norch.ones(3, requires_grad=True)
    >>> with norch.autograd.profiler.profile() as prof:
    ...     (x * 2).exp().sum().backward()
    >>> sorted((row.key, row.count) for row in prof.key_averages())
    [('ExpBackward0', 1), ('MulBackward0', 1), ('SumBackward0', 1)]
    """

    def __init__(self, enabled: bool = True) -> None:
        self._enabled = enabled
        self._recorded: dict[str, int] = {}
        self._walks: dict[str, list[float]] = {}

    def __enter__(self) -> Self:
        if self in watchers:
            raise RuntimeError("[profile] this profile is running already; make another")
        if self._enabled:
            watchers.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self in watchers:
            watchers.remove(self)

    def on_record(self, node: Node) -> None:
        """Count a node that a forward pass recorded."""
        name = node.name()
        self._recorded[name] = self._recorded.get(name, 0) + 1

    def on_backward(self, node: Node, grad: Any, seconds: float, parts: Any) -> None:
        """Add up the time of a node in the backward pass."""
        self._walks.setdefault(node.name(), []).append(seconds)

    def key_averages(self) -> Rows:
        """One row for each kind of node that was walked, the slowest first."""
        rows = [
            Row(name, self._recorded.get(name, 0), len(times), 1e6 * sum(times))
            for name, times in self._walks.items()
        ]
        return Rows(sorted(rows, key=lambda row: -row.cpu_time_total))

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all nodes together."""
        return sum(row.cpu_time_total for row in self.key_averages())

    def table(self, sort_by: str | None = None, row_limit: int = 100) -> str:
        """`key_averages().table(...)`."""
        return self.key_averages().table(sort_by, row_limit)

    def __str__(self) -> str:
        return self.table()
