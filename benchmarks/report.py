"""Writes the table: `results.md`, one row a workload and number of threads, and its summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks import random_table
from benchmarks.machine import Limits
from benchmarks.row import Row, judge

COLUMNS = "workload,call,memory,norch,torch,NumPy,ratio,quartiles,gate,aim,verdict,rate,of limit"
COLUMNS += ",scaling"
HEAD = "| " + " | ".join(COLUMNS.split(",")) + " |"
RULE = "|---|---|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|"

METHOD = """
Each library runs in a process of its own with the threads it is given and as many cores. In every
round each is asked once, in random order, for a short batch, when no thread of another runs any
more; the times are medians over the rounds and the ratio is the median of the rounds' ratios, norch
over torch: below 1 norch is faster. Rows *beside* another library have the ratio to that. One
thread is timed by the processor time of its process, which other work on the machine does not
lengthen; several threads by the clock. What memory bounds is measured in five sets of fresh
processes, each the median of its rounds and one round here, because the same code is a third
slower on pages that lie badly. The head
says how far norch was from 1 beside itself; that is the noise of the run. The quartiles of those
ratios show how quiet the machine was; compare ratios, not times. Every value is compared before
timing and the values of the last timed call after it (of training steps the first losses, both
times); a wrong value voids its row. Where the timed work draws lots (dropouts, noise), it is
compared in a run whose lots are the same.
With more threads, a gate is not met while other work leaves fewer cores than threads: PyTorch's
threads then wait for each other, and beating that says nothing about kernels.

*Call*: `steady` has done the same many times: code is loaded, and memory freed by the last call is
at hand. There norch keeps large blocks for itself, PyTorch gives them back to the system, whose
fresh pages are most of its time from 16M elements on; `first` is the first such call of a fresh
process, where both have none. `process` is of the whole process.
*Memory* of the inputs: `own` was allocated by the library, aligned to 64 bytes; `user` is where
NumPy puts arrays, 16 bytes behind. PyTorch and norch use their optimizers and loaders with equal
options, which are the defaults unless the row's name says otherwise. Rows of *2 processes* have one
thread in each; torch's are gloo. The ratio is to mpi4py's raw call, or to the same training step
with a barrier in place of messages; tests compare their values.
Rows *simulated* have in norch's column what `norch.distributed.simulate` foretold, and the ratio to
the steps that were measured in the same rounds: too little is as wrong as too much.
Workloads, inputs and gates stand in `benchmarks/workloads/`; what was learned in `NOTES.md`.

*Rate* counts the operations of the plain algorithm or the bytes that must move once. *Of limit* is
its share of what the machine was measured to do at most in the same run: operations of its type, or
bytes read, stored, copied or added from two arrays to a third, at the nearer of two sizes. A share
above 100 % means fewer operations than the plain algorithm has (Winograd), or a part of the data
found in a nearer cache. *Scaling* is the time of one thread over that of these threads, beside the
least that is asked: 1.7 where multiply-adds are the bound, or 0.85 of what the machine's own gain
by threads where that is less; else 1.
"""


RANDOM = """
Twenty shapes a kernel, drawn by its name: odd and even, some transposed, some every other row or
column of a larger tensor, some float64. *Median* and *worst* are of their ratios to PyTorch's time.
"""


def quantity(value: float | None, unit: str = "s") -> str:
    """Write a time or a size of memory with three digits."""
    if value is None:
        return "-"
    if unit == "MiB":
        return f"{value:.1f} MiB"
    for scale, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if value >= scale or name == "ns":
            return f"{three(value / scale)} {name}"
    return "-"


def three(value: float) -> str:
    """Write a number with three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value: float | None) -> str:
    """Write a ratio, gate or aim."""
    return "-" if value is None else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def rate(row: Row) -> str:
    """Write the rate in GFLOP/s or GB/s."""
    if row.rate is None or not (row.flops or row.bytes):
        return "-"
    return f"{three(row.rate / 1e9)} {'GFLOP/s' if row.flops else 'GB/s'}"


def gate_of(row: Row) -> str:
    """Write the gate; an absolute one with its unit, a prediction's with both ends."""
    if row.least is not None:
        return f"{ratio(row.least)} to {ratio(row.gate)}"
    if row.share_gate is not None:
        return f">= {row.share_gate:.0%} of limit"
    limit = "" if row.limit is None else f"<= {row.limit:g} {row.unit}"
    return limit if row.gate is None else ", ".join(filter(None, [ratio(row.gate), limit]))


def verdict(row: Row) -> str:
    """Write the verdict."""
    found = judge(row).replace("|", "/")
    return f"**{found}**" if found == "missed" else found


def scaling(row: Row) -> str:
    """Write how many times faster the threads are than one, beside the least that is asked."""
    if row.scaling is None:
        return "-"
    return f"{row.scaling:.2f} of {row.scaling_gate:.2f}"


def line(row: Row) -> str:
    """Return one line of the table."""
    times = [quantity(row.median(name), row.unit) for name in ("norch", "torch", "numpy")]
    cells = [
        row.name,
        row.call,
        row.memory,
        *times,
        ratio(row.ratio),
        "-" if row.spread is None else " to ".join(map(ratio, row.spread)),
        gate_of(row),
        ratio(row.aim),
        verdict(row),
        rate(row),
        "-" if row.share is None else f"{row.share:.0%}",
        scaling(row),
    ]
    return "| " + " | ".join(cells) + " |"


def summary(rows: list[Row], shapes: Sequence[random_table.Line] = ()) -> str:
    """Count the verdicts in one sentence, and those of random shapes in another."""
    sentences = [count_verdicts(list(map(judge, rows)))]
    if shapes:
        found = [random_table.verdict(line).strip("*") for line in shapes]
        sentences.append(f"Random shapes: {count_verdicts(found)}")
    return " ".join(sentences)


def count_verdicts(verdicts: list[str]) -> str:
    """Count verdicts, as `judge` writes them, in one sentence."""
    words = Counter(verdict.split(":")[0] for verdict in verdicts)
    met = words["met"] + words["aim met"]
    failed = sum(count for word, count in words.items() if word.startswith("failed"))
    kinds = {"void for a wrong value": "WRONG VALUE"}
    kinds |= {kind: kind for kind in ("not measured", "not judged", "not installed")}
    rest = {phrase: words[kind] for phrase, kind in kinds.items()}
    others = [f"{count} {word}" for word, count in (rest | {"failed": failed}).items() if count]
    sentence = f"Gates met: {met} of {met + words['missed']} measured, {words['aim met']} of them"
    sentence += f" at the aim; {words['missed']} missed"
    return "; ".join([sentence, *others]) + "."


def limits_table(limits: dict[int, Limits]) -> list[str]:
    """Return the table of the machine's limits."""
    lines = ["| threads | by | operations | GFLOP/s |", "|--:|---|---|--:|"]
    for threads, found in limits.items():
        for kind, rate in found.operations.items():
            lines.append(f"| {threads} | {found.by} | {kind} | {rate / 1e9:.0f} |")
    lines += ["", "| threads | bytes | cache, GB/s | memory, GB/s |", "|--:|---|--:|--:|"]
    for threads, found in limits.items():
        for kind in found.cache:
            rates = [f"{place[kind] / 1e9:.1f}" for place in (found.cache, found.memory)]
            lines.append(f"| {threads} | {kind} | " + " | ".join(rates) + " |")
    return lines


def is_direct(row: Row) -> bool:
    """Whether a row's ratio to PyTorch is what it is judged by."""
    return row.beside == "torch" and row.share_gate is None


def table(rows: list[Row]) -> list[str]:
    """Return the table of the rows at one number of threads."""
    return [HEAD, RULE, *map(line, rows)]


def page(
    rows: list[Row],
    limits: dict[int, Limits],
    facts: dict[str, str],
    warnings: list[str],
    shapes: list[random_table.Line],
) -> str:
    """Return the whole page."""
    lines = ["# norch beside PyTorch, NumPy and the machine", "", summary(rows, shapes), ""]
    lines += [f"> {warning}\n" for warning in warnings if warning]
    lines += ["| | |", "|---|---|", *(f"| {name} | {text} |" for name, text in facts.items())]
    lines += ["", METHOD.strip(), "", "## The machine's limits", "", *limits_table(limits)]
    for threads in dict.fromkeys(row.threads for row in rows):
        chosen = [row for row in rows if row.threads == threads]
        title = "1 thread" if threads == 1 else f"{threads} threads"
        direct = [row for row in chosen if is_direct(row)]
        rest = [row for row in chosen if not is_direct(row)]
        lines += ["", f"## {title}", "", *table(direct)]
        if rest:
            lines += ["", f"## {title}, beside others and the machine's limit", "", *table(rest)]
    if shapes:
        lines += ["", "## Random shapes, 1 thread", "", RANDOM.strip(), ""]
        lines += random_table.table(shapes)
    return "\n".join(lines) + "\n"
