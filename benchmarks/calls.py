"""What small operations cost: `python -m benchmarks.calls` counts calls, `... times` measures.

The counts are written to benchmarks/calls.md, with which tests/test_calls.py compares what it
counts itself: on tensors this small a count is the same on every processor. It is taken with the
C++ core of stage 4 in use. Times stand beside PyTorch's, which must be installed; they are printed
and not kept. They are processor time of one thread, each group of rows in a process of its own.
"""

from __future__ import annotations

import gc
import importlib
import statistics
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, NamedTuple

import norch
from benchmarks import operations
from benchmarks.machine import missing_torch
from benchmarks.processes import ROOT, environment

RECORD = ROOT / "benchmarks" / "calls.md"
STANDARD = (sysconfig.get_paths()["stdlib"], "<frozen ")  # where Python's own functions lie
PYTHON = f"CPython {sys.version_info.major}.{sys.version_info.minor}"
OURS = (__file__, operations.__file__)
INLINED = ("<listcomp>", "<dictcomp>", "<setcomp>")  # no frames of their own from Python 3.12 on
HEAD = """# Python calls of what is used most

Written by `python -m benchmarks.calls`; `tests/test_calls.py` counts again and compares. A call is
a Python function of norch that is entered, with the C++ core of stage 4 in use; comprehensions and
the standard library are not counted. A change of file: a function calls one of another file, or
returns to it. With C: all of them, and each function of C that one of norch's calls. `a` and `b`,
of shape (8, 8), and all parameters want gradients. Counted in {python}.

| what | calls | under `no_grad` | changes of file | with C |
|---|---:|---:|---:|---:|
"""
BATCH, ROUNDS = 0.001, 25  # seconds of a batch; how often each library has its turn


class Count(NamedTuple):
    """What one statement costs."""

    calls: int
    calls_no_grad: int
    changes: int
    with_c: int


class Trace:
    """The Python functions that are entered, and the files that execution goes through."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.c_calls: list[str] = []
        self.files: list[str] = []

    def __call__(self, frame: FrameType, event: str, function: Any) -> None:
        """Note an event of `sys.setprofile`."""
        if event == "call" and is_counted(frame.f_code):
            self.calls.append(frame.f_code.co_qualname)
            self.files.append(frame.f_code.co_filename)
        elif event == "c_call" and is_counted(function_of(frame).f_code):
            self.c_calls.append(function.__name__)
        elif event == "return" and frame.f_back is not None and is_counted(frame.f_back.f_code):
            self.files.append(frame.f_back.f_code.co_filename)

    def changes(self) -> int:
        """How often the file is another one than before."""
        return sum(a != b for a, b in zip(self.files, self.files[1:], strict=False))


def function_of(frame: FrameType) -> FrameType:
    """Return the frame of the function around a comprehension, or `frame` itself."""
    while frame.f_code.co_name in INLINED and frame.f_back is not None:
        frame = frame.f_back
    return frame


def is_counted(code: CodeType) -> bool:
    """Whether it is a function of norch: the methods that `namedtuple` makes are, too."""
    file = code.co_filename
    return file not in OURS and not file.startswith(STANDARD) and code.co_name not in INLINED


def trace_call(function: Callable[[], Any]) -> Trace:
    """Return what a call of `function` goes through, when all is imported and remembered."""
    for _ in range(3):
        function()
    trace, found, collects = Trace(), sys.getprofile(), gc.isenabled()
    gc.disable()  # what is collected here was left by others
    sys.setprofile(trace)
    try:
        function()
    finally:
        sys.setprofile(found)
        if collects:
            gc.enable()
    return trace


def count_calls(function: Callable[[], Any]) -> Count:
    """Return the counts of `function`."""
    trace = trace_call(function)
    with norch.no_grad():
        without = trace_call(function)
    calls, c_calls = len(trace.calls), len(trace.c_calls)
    return Count(calls, len(without.calls), trace.changes(), calls + c_calls)


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, nothing is shared out."""
    found = norch.get_num_threads()
    norch.set_num_threads(1)
    try:
        yield
    finally:
        norch.set_num_threads(found)


def table() -> dict[str, Count]:
    """Count all rows."""
    with one_thread():
        groups = [group(norch) for group in operations.GROUPS]
        return {name: count_calls(row) for rows in groups for name, row in rows.items()}


def page(rows: dict[str, Count]) -> str:
    """Return calls.md."""
    lines = [f"| {f'`{name}`':32} | {' | '.join(map(str, row))} |\n" for name, row in rows.items()]
    return HEAD.format(python=PYTHON) + "".join(lines)


def record() -> None:
    """Write the counts down."""
    from norch_autograd.types.core import core_status, is_core_used

    if not is_core_used():
        sys.exit(f"[calls] counted with the C++ core alone, and {core_status()}")
    RECORD.write_text(page(table()))
    print(RECORD.read_text())


def seconds(function: Callable[[], Any], calls: int) -> float:
    """Return the thread's processor time of one of so many calls."""
    start = time.thread_time()
    for _ in range(calls):
        function()
    return (time.thread_time() - start) / calls


def compare(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float, float]:
    """Return norch's and torch's least seconds, and the median of their ratios, turn by turn."""
    pair = (ours, theirs)
    calls = [max(1, round(BATCH / max(seconds(function, 20), 1e-8))) for function in pair]
    turns = [tuple(map(seconds, pair, calls)) for _ in range(ROUNDS)]
    found, expected = map(min, zip(*turns, strict=True))
    return found, expected, statistics.median(a / b for a, b in turns)


def times_of(name: str) -> None:
    """Print the times of one group, recorded and not, both libraries in turns in this process."""
    libraries = norch, importlib.import_module("torch")
    for library in libraries:
        library.set_num_threads(1)
    group = getattr(operations, name)
    ours, theirs = map(group, libraries)
    gc.disable()
    for row, function in ours.items():
        words = [f"{row:32}"]
        for recorded in (True, False):
            with norch.set_grad_enabled(recorded), libraries[1].set_grad_enabled(recorded):
                found, expected, ratio = compare(function, theirs[row])
            words.append(f"{found * 1e6:8.2f} {expected * 1e6:8.2f} us {ratio:5.2f}")
        print(" |".join(words), flush=True)


def times(names: list[str]) -> None:
    """Print the times of these groups, each measured in a fresh process."""
    if missing_torch():
        sys.exit(missing_torch())
    for name in names or [group.__name__ for group in operations.GROUPS]:
        command = [sys.executable, "-m", "benchmarks.calls", "times-of", name]
        subprocess.run(command, cwd=ROOT, env=environment(1), check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["times"]:
        times(sys.argv[2:])
    elif sys.argv[1:2] == ["times-of"]:
        times_of(sys.argv[2])
    else:
        record()
