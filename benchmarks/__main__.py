"""`make bench`: measure all workloads, or ONLY some, and write the table and the chart.

A full run with PyTorch writes benchmarks/results.md and results.svg; anything less writes beside
the builds, so that a quick look never replaces the record. Nothing is installed here.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from benchmarks import (
    chart,
    checkpoints,
    distributed,
    machine,
    memory,
    noise,
    random_table,
    report,
    simulation,
)
from benchmarks.driver import (
    AGAIN,
    ALONE,
    FEWEST,
    SLOW,
    Worker,
    asked,
    measure,
    measure_afresh,
    measure_process,
)
from benchmarks.machine import Limits
from benchmarks.processes import PROCESSES, ROOT
from benchmarks.row import Row, judge
from benchmarks.workload import Workload
from benchmarks.workloads import WORKLOADS, choose, further, fusion, programs
from benchmarks.workloads.random_shapes import CASES, KERNELS, cases

EVERY_PROCESS = (*PROCESSES, *checkpoints.ROWS, *memory.ROWS)
RECORD = ROOT / "benchmarks"
SCRATCH = ROOT / "build" / "bench"
# Groups that are left out in a hurry, unless named.
SLOW_GROUPS = (
    fusion.GROUP,
    programs.GROUP,
    memory.GROUP,
    checkpoints.GROUP,
    further.GROUP,
    random_table.GROUP,
)
QUICK_CASES = 2  # of a kernel's random shapes, in a hurry
OF_SCALING = 0.85  # of what the machine's own multiply-adds gain by threads, at most asked of a row


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="words of workloads or groups, comma separated")
    parser.add_argument("--threads", default="", help="numbers of threads, comma separated: 1,2")
    parser.add_argument("--quick", action="store_true", help="once, without what takes minutes")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0, help="length of a batch")
    parser.add_argument("--list", action="store_true", help="list the workloads")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 15)
    options.seconds = options.seconds or (0.002 if options.quick else 0.03)
    return options


def numbers_of_threads(asked: str, quick: bool) -> list[int]:
    """Return the numbers of threads to measure: by default 1 and 2, as far as there are cores."""
    cores = machine.cores()
    if not asked:
        return [1] if quick or cores < 2 else [1, 2]
    words = asked.split(",")
    if not all(word.strip().isdigit() and 1 <= int(word) <= cores for word in words):
        sys.exit(f"[bench] threads {asked}: numbers from 1 to {cores}, comma separated: 1,2")
    return [int(word) for word in words]


@contextmanager
def workers(names: list[str], threads: int) -> Iterator[list[Worker]]:
    """Start a worker for each name; end them all at the end."""
    with ExitStack() as stack:
        started = []
        for name in names:
            started.append(Worker(name, threads))
            stack.callback(started[-1].close)
        yield started


def measure_group(
    chosen: list[Workload], libraries: list[str], threads: int, options: argparse.Namespace
) -> Iterator[Row]:
    """Yield the rows of workloads that share their workers, or have fresh ones for each number."""
    start = partial(workers, [*libraries, *[ALONE] * (threads > 1)], threads)
    afresh = [each for each in chosen if each.fresh and not options.quick]
    if afresh:
        yield from measure_afresh(afresh, start, threads, options.rounds, options.seconds)
    if len(afresh) == len(chosen):
        return
    with start() as started:
        for workload in (each for each in chosen if each not in afresh):
            ready = asked(workload, started)
            yield measure(workload, ready, threads, options.rounds, options.seconds)


def measure_noise(names: list[str], threads: int, options: argparse.Namespace) -> list[Row]:
    """Return the rows of norch beside norch, with the workers of each kind of row."""
    chosen = noise.rows_of(WORKLOADS, names)
    return list(measure_group(chosen, ["norch", AGAIN], threads, options)) if chosen else []


def measure_rows(
    names: list[str], frameworks: list[str], threads: int, options: argparse.Namespace
) -> Iterator[Row]:
    """Yield the rows of these workloads; each group gets fresh workers, unless in a hurry."""
    wanted = [each for each in WORKLOADS if each.name in names and each.threads in (0, threads)]
    for group in [""] if options.quick else dict.fromkeys(each.group for each in wanted):
        chosen = [each for each in wanted if group in ("", each.group)]
        further = [name for name in machine.find_further() if any(each.texts for each in chosen)]
        yield from measure_group(chosen, [*frameworks, *further], threads, options)
    for process in EVERY_PROCESS:
        if process.name in names and threads in process.threads:
            yield measure_process(process, frameworks, threads, 1 if options.quick else 5)
    if threads == 1:  # a thread in each of two processes
        yield from distributed.measure(names, frameworks, options.rounds)
        yield from simulation.measure(names, frameworks, options.rounds)


def measure_random(
    names: list[str], frameworks: list[str], options: argparse.Namespace
) -> Iterator[random_table.Line]:
    """Yield the lines of the kernels' random shapes."""
    count = QUICK_CASES if options.quick else CASES
    rounds = min(options.rounds, random_table.ROUNDS)
    wanted = [pair for pair in zip(random_table.NAMES, KERNELS, strict=True) if pair[0] in names]
    with workers([each for each in frameworks if each != "numpy"] if wanted else [], 1) as started:
        for name, kernel in wanted:
            rows = [
                measure(case, started, 1, rounds, random_table.SECONDS)
                for case in cases(kernel, count)
            ]
            yield random_table.line(name, rows)


def all_rows(
    names: list[str],
    frameworks: list[str],
    limits: dict[int, Limits],
    options: argparse.Namespace,
) -> list[Row]:
    """Measure everything, one line of progress a row."""
    rows, start = [], time.perf_counter()
    by_name = {each.name: each for each in WORKLOADS}
    for number, found_limits in limits.items():
        for row in measure_rows(names, frameworks, number, options):
            if row.name in by_name:
                row.peak = found_limits.of(by_name[row.name])
                possible = found_limits.scaling(limits.get(1))
                row.scaling_gate = min(row.scaling_gate, max(1.0, OF_SCALING * possible))
            rows.append(row)
            found = f"ratio {report.ratio(row.ratio)}  {judge(row)}"
            passed = time.perf_counter() - start
            print(f"[{passed:5.0f} s] {number} thread(s)  {row.name}: {found}", file=sys.stderr)
    return rows


def pick(options: argparse.Namespace) -> list[str]:
    """Return the names that are asked for, in the order of the table."""
    groups = {each.name: each.group for each in (*WORKLOADS, *EVERY_PROCESS)}
    for module in (distributed, simulation, random_table):
        groups |= dict.fromkeys(module.NAMES, module.GROUP)
    try:
        picked = choose(options.only, list(groups), list(groups.values()))
    except ValueError as refusal:
        sys.exit(str(refusal))
    if options.only:
        return picked
    named = {process.name for process in EVERY_PROCESS if process.named}
    slow = SLOW_GROUPS if options.quick else ()
    return [name for name in picked if name not in named and groups[name] not in slow]


def facts(
    rows: list[Row], repeated: dict[int, list[Row]], options: argparse.Namespace
) -> dict[str, str]:
    """Return what the head of the page says of the machine and of this run."""
    found = machine.facts(statistics.median(row.others for row in rows) if rows else None)
    found["rounds"] = f"{options.rounds}; at least {FEWEST} where they take more than {SLOW:.0f} s"
    for number, again in repeated.items():
        found[f"norch beside itself, {number} thread{'s' * (number > 1)}"] = noise.fact(again)
    return found


def main() -> None:
    """Measure, print the table, write it."""
    options = arguments()
    picked = pick(options)
    if options.list:
        print("\n".join(picked))
        return
    threads = numbers_of_threads(options.threads, options.quick)
    frameworks = list(machine.find_frameworks())
    limits = {number: machine.limits(number) for number in threads}
    repeated = {number: measure_noise(picked, number, options) for number in threads}
    warnings = [machine.missing_torch(), *map(noise.warning, repeated.values())]
    print(*filter(None, warnings), sep="\n", file=sys.stderr)
    rows = all_rows(picked, frameworks, limits, options)
    lines = list(measure_random(picked, frameworks, options)) if 1 in threads else []
    full = not (options.only or options.quick or options.threads) and "torch" in frameworks
    text = report.page(rows, limits, facts(rows, repeated, options), warnings, lines)
    drawing = chart.chart([row for row in rows if report.is_direct(row)])
    write(RECORD if full else SCRATCH, text, drawing)
    for number in threads:
        print("\n".join(report.table([row for row in rows if row.threads == number])))
    print("\n".join(random_table.table(lines)) if lines else "")
    print(report.summary(rows, lines))
    compared = (*rows, *lines, *chain.from_iterable(repeated.values()))
    sys.exit(1 if any(each.wrong for each in compared) else 0)


def write(folder: Path, page: str, drawing: str) -> None:
    """Write the table and the chart, and say where."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.md").write_text(page, encoding="utf-8")
    (folder / "results.svg").write_text(drawing, encoding="utf-8")
    print(f"wrote {folder / 'results.md'} and results.svg", file=sys.stderr)


if __name__ == "__main__":
    main()
