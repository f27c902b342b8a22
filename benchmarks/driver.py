"""Asks the workers in turns, compares their values before and after timing, fills the rows.

One worker process a framework; in each round every worker is asked once, in random order, for a
short batch, so that a busy machine slows all of them alike. A wrong value voids the row.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from benchmarks import machine
from benchmarks.processes import ROOT, Process, environment, run
from benchmarks.row import Row
from benchmarks.workload import Workload

PATIENCE = 300.0  # seconds until a silent worker is given up
REST = 0.005  # seconds between two batches, at least
SLEEPLESS = 0.3  # seconds to wait for the threads of the last worker, at most
SLOW, FEWEST = 10.0, 5  # a row ends early after so many seconds, when it has so many rounds
LOG = ROOT / "build" / "bench" / "workers.log"  # what the libraries print


ALONE = "one thread"  # a worker of norch that has one thread where the others have more
AGAIN = "again"  # a second worker of norch: what differs between the two is noise
# Values are compared with those of the first of these.
TRUST = ("torch", "numpy", "jax", "tinygrad", ALONE, AGAIN, "norch")
SETS = 5  # fresh processes for a row that memory bounds


class Asked(Protocol):
    """What answers requests: a worker process, or a Session in this one."""

    name: str

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""


Start = Callable[[], AbstractContextManager[Sequence[Asked]]]  # starts workers, ends them


class Worker:
    """A worker process; when it dies, its answers say so."""

    def __init__(self, name: str, threads: int) -> None:
        self.name = name
        framework = "norch" if name in (ALONE, AGAIN) else name
        clock = "cpu" if threads == 1 else "wall"
        threads = 1 if name == ALONE else threads
        LOG.parent.mkdir(parents=True, exist_ok=True)
        with LOG.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.worker", framework, str(threads), clock],
                cwd=ROOT,
                env=environment(threads),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                bufsize=1,
            )
        self.pid = self.process.pid
        self.read()

    def read(self) -> dict[str, Any]:
        """Return the next answer; a worker that is silent too long is ended."""
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if line:
            return json.loads(line)
        return {"status": "failed", "reason": f"the worker ended: {self.process.wait()}"}

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer."""
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
        except OSError:
            return {"status": "failed", "reason": f"the worker ended: {self.process.wait()}"}
        return self.read()

    def close(self) -> None:
        """End the process, or reap one that has ended."""
        with suppress(OSError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def difference(found: Sequence[np.ndarray], expected: Sequence[np.ndarray], tol: float) -> str:
    """Say how two lists of values differ, in one phrase; nothing when they agree."""
    if len(found) != len(expected):
        return f"{len(found)} values, {len(expected)} expected"
    for i, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a.shape != b.shape:
            return f"value {i} has shape {a.shape}, {b.shape} expected"
        finite = np.isfinite(b)
        if not finite.all():
            if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
                return f"value {i} is finite, or not, where it should not be"
            a, b = a[finite], b[finite]
        scale = float(np.max(np.abs(b), initial=0.0)) or 1.0
        error = float(np.max(np.abs(a - b), initial=0.0)) / scale
        if not error <= tol:
            return f"value {i} is off by {error:.1e} of the largest, {tol:.0e} allowed"
    return ""


def values(worker: Asked, last: bool) -> list[np.ndarray] | str:
    """Return the worker's values, or why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/values.npy"
        answer = worker.ask({"do": "values", "path": path, "last": last})
        if answer["status"] != "ok":
            return answer["reason"]
        with open(path, "rb") as file:
            return [np.load(file) for _ in range(answer["count"])]


class Watch:
    """Says how many cores other work has kept busy since this was made."""

    def __init__(self, workers: Sequence[Asked]) -> None:
        self.pids = [worker.pid for worker in workers if isinstance(worker, Worker)]
        self.start, self.before = time.perf_counter(), self.foreign()

    def foreign(self) -> float:
        """Return the seconds that all cores have worked for anyone but us."""
        ours = time.process_time() + sum(map(machine.process_seconds, self.pids))
        return (machine.busy_seconds() or ours) - ours

    def others(self) -> float:
        """Return the mean number of cores since the start."""
        passed = time.perf_counter() - self.start
        return max(0.0, self.foreign() - self.before) / passed


class Comparison:
    """Holds every library to the same values: torch's, or the next one's where torch is absent."""

    def __init__(self, row: Row, tolerance: float) -> None:
        self.row, self.tolerance = row, tolerance
        self.expected: list[np.ndarray] | None = None

    def check(self, workers: list[Asked], last: bool) -> list[Asked]:
        """Compare all workers; return those that have values at all."""
        when = "after timing" if last else "before timing"
        kept = []
        for worker in sorted(workers, key=lambda each: TRUST.index(each.name)):
            found = values(worker, last)
            if isinstance(found, str):
                self.row.absent[worker.name] = f"failed {when}: {found}"
                self.row.times.pop(worker.name, None)
                continue
            kept.append(worker)
            self.compare(worker.name, found, when)
        return kept

    def compare(self, name: str, found: list[np.ndarray], when: str) -> None:
        """Note the first difference; the first library to come sets what is expected."""
        if self.expected is None:
            self.expected, self.row.checked = found, name
        differs = difference(found, self.expected, self.tolerance)
        if differs and not self.row.wrong:
            of = f"{name} against {self.row.checked}" if name != "norch" else "norch"
            self.row.wrong = f"{of}, {when}: {differs}"


def prepare(row: Row, workload: Workload, workers: Sequence[Asked]) -> list[Asked]:
    """Let every worker build the workload; note which cannot and why."""
    ready = []
    for worker in workers:
        answer = worker.ask({"do": "prepare", "name": workload.name})
        if answer["status"] == "ok":
            ready.append(worker)
        else:
            prefix = "failed: " if answer["status"] == "failed" else ""
            row.absent[worker.name] = prefix + answer["reason"]
    return ready


def measure(
    workload: Workload,
    workers: Sequence[Asked],
    threads: int,
    rounds: int,
    seconds: float,
    number: int = 0,
) -> Row:
    """Return the row of one workload: prepare, compare, time in rounds, compare again.

    The rounds of set `number` come in an order of their own.
    """
    row = Row(workload.name, workload.group, threads, workload.gate, workload.aim)
    row.memory, row.beside = workload.memory, workload.beside
    row.flops, row.bytes = workload.flops, workload.bytes
    row.share_gate, row.scaling_gate = workload.share, workload.scaling
    comparison, watch = Comparison(row, workload.tolerance), Watch(workers)
    dice = random.Random(f"{workload.name}, {number}")
    if workload.beside not in {worker.name for worker in workers}:
        row.absent[workload.beside] = "not installed"
    ready = comparison.check(prepare(row, workload, workers), last=False)
    if not row.wrong:
        ready = time_rounds(row, ready, rounds, seconds, dice)
    row.others, row.cores = watch.others(), machine.cores()
    if not row.wrong:
        comparison.check(ready, last=True)
    for worker in workers:
        worker.ask({"do": "stop"})
    return row


def measure_afresh(
    workloads: Sequence[Workload], start: Start, threads: int, rounds: int, seconds: float
) -> list[Row]:
    """Return the rows of what memory bounds, each the median of several sets of fresh processes.

    Pages are dealt out once a process, and the same code is a third slower on unlucky ones; so a
    set of processes gives one number, and the rows come in another order in each.
    """
    rows: dict[str, Row] = {}
    sets = min(SETS, rounds)
    for number in range(sets):
        with start() as workers:
            for workload in random.Random(number).sample(workloads, len(workloads)):
                ready = asked(workload, workers)
                found = measure(workload, ready, threads, rounds // sets, seconds, number)
                empty = replace(found, times={}, absent={}, wrong="")
                rows.setdefault(workload.name, empty).add(found)
    return [rows[workload.name] for workload in workloads]


def asked(workload: Workload, workers: Sequence[Asked]) -> list[Asked]:
    """Return the workers that have a text of the row."""
    return [each for each in workers if workload.text(each.name)]


def time_rounds(
    row: Row, workers: list[Asked], rounds: int, seconds: float, dice: random.Random
) -> list[Asked]:
    """Ask all workers in every round, in random order; return those that gave a time to the end."""
    start = time.perf_counter()
    for number in range(rounds):
        if number >= FEWEST and time.perf_counter() - start > SLOW:
            break
        workers = time_once(row, dice.sample(workers, len(workers)), seconds)
    return workers


def let_sleep(workers: Sequence[Asked]) -> None:
    """Wait until no thread of any worker runs: those of a BLAS look out for work for a while."""
    pids = [worker.pid for worker in workers if isinstance(worker, Worker)]
    end = time.perf_counter() + SLEEPLESS
    time.sleep(REST)
    while any(map(machine.runs, pids)) and time.perf_counter() < end:
        time.sleep(REST)


def time_once(row: Row, workers: list[Asked], seconds: float) -> list[Asked]:
    """Ask every worker for one batch; return those that gave a time."""
    alive = []
    for worker in workers:
        let_sleep(workers)
        answer = worker.ask({"do": "time", "seconds": seconds})
        if answer["status"] == "ok":
            row.times.setdefault(worker.name, []).append(answer["seconds"])
            alive.append(worker)
        else:
            row.absent[worker.name] = f"failed: {answer['reason']}"
            row.times.pop(worker.name, None)
    return alive


def measure_process(process: Process, frameworks: Sequence[str], threads: int, rounds: int) -> Row:
    """Return the row of a measurement in fresh processes, in turns, in random order."""
    row = Row(process.name, process.group, threads, process.gate, process.aim, process.call)
    row.unit, row.limit = process.unit, process.limit
    dice = random.Random(process.name)
    names = [name for name in frameworks if name in process.libraries]
    for _ in range(min(rounds, process.repeats)):
        for framework in dice.sample(names, len(names)):
            number, reason = run(process, framework, threads)
            if number is None:
                row.absent[framework] = reason
                row.times.pop(framework, None)
                return row
            row.times.setdefault(framework, []).append(number)
    return row
