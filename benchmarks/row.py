"""What was measured for one row: times, ratio, verdict, rate. `judge` is the only judge."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

ALLOWED = 0.25  # cores that other work may take from several threads
NOISE = 0.03  # what a ratio of the same work to itself may differ from 1


@dataclass(slots=True)
class Row:
    """One workload at one number of threads; times are lists, one number a round.

    The libraries are "norch", "torch", "numpy", "one thread": norch as well, on one, and "again":
    norch a second time.
    """

    name: str
    group: str
    threads: int
    gate: float | None  # None only beside an absolute one, `limit` or `share_gate`
    aim: float | None = None
    call: str = "steady"  # or "first", in a fresh process; "process": of the process itself
    memory: str = "-"  # of the inputs: "own" or "user"
    beside: str = "torch"  # what the ratio is taken to
    unit: str = "s"
    limit: float | None = None  # of norch's own number; judged as well as `gate`, where both are
    least: float | None = None  # of a prediction, which may be too small as well
    times: dict[str, list[float]] = field(default_factory=dict)
    absent: dict[str, str] = field(default_factory=dict)  # library: why it has no time
    wrong: str = ""  # which values differ, where any do
    others: float = 0.0  # cores that other work kept busy meanwhile
    cores: int = 0  # all cores of the machine; 0 when unknown
    flops: float = 0.0
    bytes: float = 0.0
    peak: float | None = None  # of such operations or bytes a second, by the machine
    share_gate: float | None = None  # of that: at least this
    scaling_gate: float = 1.0
    checked: str = ""  # what the values were compared with

    def median(self, library: str) -> float | None:
        """Return the median over the rounds, or None without a measurement."""
        found = self.times.get(library)
        return statistics.median(found) if found else None

    def ratios(self) -> list[float]:
        """Return norch's time over the other's, round by round."""
        ours, theirs = self.times.get("norch", []), self.times.get(self.beside, [])
        pairs = zip(ours, theirs, strict=False)
        return [a / b for a, b in pairs if b > 0]

    @property
    def ratio(self) -> float | None:
        """The median of the ratios of the rounds; None where a value was wrong."""
        found = self.ratios()
        return statistics.median(found) if found and not self.wrong else None

    @property
    def spread(self) -> tuple[float, float] | None:
        """The quartiles of the ratios of the rounds."""
        found = self.ratios()
        if self.wrong or not found:
            return None
        if len(found) < 4:
            return min(found), max(found)
        quartiles = statistics.quantiles(found, n=4, method="inclusive")
        return quartiles[0], quartiles[2]

    @property
    def crowded(self) -> bool:
        """Whether several threads had fewer cores than threads.

        PyTorch's threads then wait for each other; beating that says nothing about kernels, so such
        a row can miss a gate but not meet it. One thread slows down alike in every library.
        """
        short = self.others > self.cores - self.threads + ALLOWED
        return bool(self.threads > 1 and self.cores and short)

    @property
    def scaling(self) -> float | None:
        """One thread's time over that of these threads; None where it was not measured."""
        pairs = zip(self.times.get("one thread", []), self.times.get("norch", []), strict=False)
        found = [alone / ours for alone, ours in pairs if ours > 0]
        return statistics.median(found) if found and not self.wrong else None

    @property
    def rate(self) -> float | None:
        """Operations or bytes a second, by norch."""
        time = self.median("norch")
        return (self.flops or self.bytes) / time if time and not self.wrong else None

    @property
    def share(self) -> float | None:
        """The share of the machine's limit that norch reaches."""
        return self.rate / self.peak if self.rate and self.peak else None

    @property
    def short(self) -> bool:
        """Whether it misses what is asked of its share of the limit, or of its scaling."""
        idle = self.share_gate is not None and (self.share or 0.0) < self.share_gate
        slow = self.scaling is not None and self.scaling < self.scaling_gate - NOISE
        return idle or (slow and not self.crowded)

    def add(self, other: Row) -> None:
        """Add what another set of processes measured of the same row, as one round.

        A library that fails in one set has no times: its rounds would stand beside those of others.
        """
        self.absent |= other.absent
        for library in self.absent.keys() | other.times.keys():
            if library in self.absent:
                self.times.pop(library, None)
            else:
                self.times.setdefault(library, []).append(other.median(library))
        self.wrong, self.checked = self.wrong or other.wrong, other.checked
        self.others, self.cores = max(self.others, other.others), other.cores


def judge(row: Row) -> str:
    """Return the verdict: `aim met`, `met`, `missed`, or why there is none."""
    if row.wrong:
        return f"WRONG VALUE: {row.wrong}"
    if "norch" in row.absent:
        return row.absent["norch"]
    ours = row.median("norch")
    if row.limit is not None and ours is not None and (row.gate is None or ours > row.limit):
        return "met" if ours <= row.limit else "missed"
    if row.share_gate is not None and row.share is not None:
        return "missed" if row.short else "met"
    if row.ratio is None or row.gate is None:
        return row.absent.get(row.beside, "not measured")
    if row.ratio > row.gate or row.short or (row.least is not None and row.ratio < row.least):
        return "missed"
    if row.crowded:
        return f"not judged: other work on {row.others:.1f} of {row.cores} cores"
    return "aim met" if row.aim is not None and row.ratio <= row.aim else "met"
