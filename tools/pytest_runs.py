"""Runs pytest on several workers, and once more, alone, what failed: for the tests of every goal.

run_tests.py and test_stage.py call `run_pytest`; `pytest_runs.py PATH...` does it for other paths.
Tests are shared out by file and class, so that a fixture, a notebook or a program of ranks stays on
one worker. JOBS=1 is one process. RERUN=1, which .ci/run sets, asks for the second look: a test
that passes it is told as `flaky: NAME`, and one that fails twice fails the run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_WORKERS = 4
MEMORY_OF_A_WORKER = 4 << 30  # with the ranks and the compilers of kernels that its tests start
SLOWEST = "--durations=30"
NOTEBOOK = ".ipynb"
CRASHED, CRASH = b"' crashed while running ", 3  # xdist's words; our exit code
SOME_FAILED = 1  # pytest's exit code; the others say that it did not run as it should


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


def command(python: Path | str, jobs: int) -> list[str]:
    """Return how pytest is called, without what it runs."""
    pytest = [str(python), "-P", "-m", "pytest", "-q"]
    if jobs == 1:
        return pytest
    # Files begin in the order in which they are named: who calls names the long ones first.
    options = ["-n", str(jobs), "--max-worker-restart", "0"]
    return [*pytest, *options, "--dist", "loadscope", "--no-loadscope-reorder"]


def run(command: list[str], **variables: str) -> tuple[int, list[str]]:
    """Run pytest; return its exit code, and what failed as pytest's own cache names it.

    A crash of a worker ends the run, and is no failure to look at twice: what was left did not run.
    """
    with tempfile.TemporaryDirectory() as cache:
        options = ["-o", f"cache_dir={cache}"]
        environment = {**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1", **variables}
        has_crashed = False
        with subprocess.Popen(
            [*command, *options], cwd=ROOT, env=environment, stdout=subprocess.PIPE
        ) as running:
            for line in running.stdout or ():
                sys.stdout.buffer.write(line)
                sys.stdout.flush()
                has_crashed |= CRASHED in line
        failed = Path(cache) / "v" / "cache" / "lastfailed"
        names = json.loads(failed.read_text()) if failed.exists() else []
    return CRASH if has_crashed else running.returncode, list(names)


def alone(name: str) -> str:
    """Return what to run for a test that failed: a cell of a notebook needs those before it."""
    path = name.partition("::")[0]
    return path if path.endswith(NOTEBOOK) else name


def run_pytest(python: Path | str, arguments: list[str], paths: list[str], **variables: str) -> int:
    """Run the tests of `paths`; return pytest's exit code, 0 where all that failed is flaky."""
    first = [*command(python, workers()), SLOWEST, *arguments, *paths]
    code, failed = run(first, **variables)
    if code != SOME_FAILED or not failed or os.environ.get("RERUN") != "1":
        return code
    again = list(dict.fromkeys(map(alone, failed)))
    print(f"[test] {len(again)} failed: once more, alone", flush=True)
    code, twice = run([*command(python, 1), *arguments, *again], **variables)
    if code not in (0, SOME_FAILED):
        return code
    for name in failed:
        if alone(name) not in map(alone, twice):
            print(f"flaky: {name}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(run_pytest(sys.executable, ["-m", "not slow"], sys.argv[1:]))
