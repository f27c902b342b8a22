"""Runs pytest on several workers, and once more, alone, what failed: for the tests of every goal.

run_tests.py and test_stage.py call `run_pytest`; `pytest_runs.py PATH...` does it for other paths.
Tests are shared out by file and class, so that a fixture, a notebook or a program of ranks stays on
one worker. JOBS=1 is one process. RERUN=1, which .ci/run sets, asks for the second look: each test
that failed runs again in a process of its own. One that passes there is told as `flaky: NAME`; any
other end fails the run. The last line of all counts the tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parent.parent
REPORTED = Path(__file__).resolve().with_name("reported_pytest.py")
MOST_WORKERS = 4
MEMORY_OF_A_WORKER = 4 << 30  # with the ranks and the compilers of kernels that its tests start
SLOWEST = "--durations=30"
NOTEBOOK = ".ipynb"
CRASH = 3  # our exit code where pytest did not come to its end
SOME_FAILED = 1  # pytest's exit code; the others say that it did not run as it should
MOST_AGAIN = 30  # where more than these failed, it is no chance


@dataclass(frozen=True)
class Run:
    """The exit code of a run of pytest, and how each test of it ended."""

    code: int
    outcomes: dict[str, str]

    def names(self, outcome: str) -> list[str]:
        """Return the tests that ended so."""
        return [name for name, found in self.outcomes.items() if found == outcome]


def workers() -> int:
    """Return how many workers share the tests: JOBS, or one a core as far as memory goes."""
    if jobs := os.environ.get("JOBS"):
        if not jobs.isdecimal() or not 1 <= int(jobs) <= 64:
            sys.exit(f"[test] JOBS={jobs} must be a whole number, 1 to 64")
        return int(jobs)
    has_affinity = hasattr(os, "sched_getaffinity")  # macOS has not
    cores = len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(cores, MOST_WORKERS, round(memory / MEMORY_OF_A_WORKER)))


def options(jobs: int) -> list[str]:
    """Return the words with which pytest shares tests out to so many workers."""
    if jobs == 1:
        return ["-q"]
    # Files begin in the order in which they are named: who calls names the long ones first.
    shared = ["-n", str(jobs), "--max-worker-restart", "0", "--dist", "loadscope"]
    return ["-q", *shared, "--no-loadscope-reorder"]


def run(
    start: list[str], arguments: list[str], more: dict[str, str], log: IO[str] | None = None
) -> Run:
    """Run pytest, with what starts a Python and more variables; its words go to `log` or are shown.

    A session that did not come to its end is a crash, whatever exit code it left.
    """
    environment = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1", **more}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        words = [*start, "-P", str(REPORTED), str(report), *arguments]
        words += ["-p", "no:cacheprovider"]
        code = subprocess.run(words, cwd=ROOT, env=environment, stdout=log, stderr=log).returncode
        if not report.exists():
            return Run(CRASH, {})
        found = json.loads(report.read_text())
    return Run(CRASH if found["crashed"] or code < 0 else code, found["outcomes"])


def alone(name: str) -> str:
    """Return what to run for a test that failed: a cell of a notebook needs those before it."""
    path = name.partition("::")[0]
    return path if path.endswith(NOTEBOOK) else name


def passes_alone(
    start: list[str], arguments: list[str], names: list[str], more: dict[str, str]
) -> bool:
    """Tell whether tests that failed, one or the cells of one notebook, pass in a process alone."""
    once = alone(names[0])
    print(f"[test] once more, alone: {once}", flush=True)
    second = run(start, [*options(1), *arguments, once], more)
    return second.code == 0 and all(second.outcomes.get(name) == "passed" for name in names)


def run_pytest(python: Path | str, arguments: list[str], paths: list[str], **more: str) -> int:
    """Run the tests of `paths`; return pytest's exit code, 0 where all that failed is flaky."""
    start = [str(python)]
    first = run(start, [*options(workers()), SLOWEST, *arguments, *paths], more)
    failed: dict[str, list[str]] = {}
    for name in first.names("failed"):
        failed.setdefault(alone(name), []).append(name)
    flaky: list[str] = []
    if first.code == SOME_FAILED and os.environ.get("RERUN") == "1" and len(failed) <= MOST_AGAIN:
        for names in failed.values():
            flaky += names if passes_alone(start, arguments, names, more) else []
    print(*(f"flaky: {name}\n" for name in flaky), sep="", end="")
    count = {kind: len(first.names(kind)) for kind in ("passed", "skipped", "failed")}
    print(
        f"[test] {count['passed']} passed, {count['skipped']} skipped, {len(flaky)} flaky, "
        f"{count['failed'] - len(flaky)} failed" + "; it did not end" * (first.code == CRASH),
        flush=True,
    )
    return 0 if flaky and len(flaky) == count["failed"] else first.code


if __name__ == "__main__":
    sys.exit(run_pytest(sys.executable, ["-m", "not slow"], sys.argv[1:]))
