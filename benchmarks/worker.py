"""Measures one library in a process of its own: `python -m benchmarks.worker norch 1`.

The driver sends one JSON request a line and gets one JSON answer a line: prepare a workload, write
down its values, time a short batch. What the library prints goes to stderr. A failing workload is
an answer, not the end of the process.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.workload import Build, Inputs, Workload, lacks
from benchmarks.workloads import by_name

STEPS = 3  # a training step is checked by its first losses
Answer = dict[str, Any]


def pin(threads: int) -> None:
    """Keep this process on as many cores as it has threads, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, cores[-threads:])


def as_numpy(value: Any) -> np.ndarray:
    """Return a tensor, an array or a number as a NumPy array of its own memory."""
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    return np.array(value)


def flat(values: Any) -> Iterable[np.ndarray]:
    """Yield every array of a value that may be a tuple."""
    for value in values if isinstance(values, tuple) else (values,):
        yield as_numpy(value)


class Session:
    """One library with one workload at a time; `ask` takes a request and returns an answer."""

    def __init__(self, framework: str, threads: int = 1) -> None:
        self.framework = framework
        self.library = importlib.import_module(framework)
        self.operations: Any = None
        if framework == "norch":
            self.operations = importlib.import_module("norch_cpu_ops").ops
        if hasattr(self.library, "set_num_threads"):
            self.library.set_num_threads(threads)
        self.stop()

    def stop(self) -> Answer:
        """Drop the workload and what it holds."""
        self.workload: Workload | None = None
        self.work: Any = None
        self.last: Any = None
        self.inputs: Inputs = {}
        gc.collect()
        return {"status": "ok"}

    def ask(self, request: dict[str, Any]) -> Answer:
        """Do what the request says; an exception becomes the answer."""
        try:
            if request["do"] == "prepare":
                return self.prepare(by_name(request["name"]))
            if request["do"] == "values":
                return self.values(request["path"], request["last"])
            if request["do"] == "time":
                return self.time(request["seconds"])
            return self.stop()
        except Exception as error:
            return {"status": "failed", "reason": f"{type(error).__name__}: {error}"[:300]}

    def choose(self, workload: Workload) -> tuple[Build | None, str, str]:
        """Return the text to run, its level, and what is missing when there is none."""
        if self.framework == "numpy":
            return workload.numpy, "", "has no text for numpy"
        missing = [name for name in workload.needs if lacks(self.library, name)]
        if self.framework != "norch" or not (missing or workload.alone):
            return (None, "", f"lacks {missing[0]}") if missing else (workload.build, "", "")
        absent = [name for name in workload.kernels if lacks(self.operations, name)]
        if absent:
            return None, "", f"waits for stage 2: {absent[0]}"
        return workload.arrays, "arrays", f"waits for stage 5: {', '.join(missing)}"

    def prepare(self, workload: Workload) -> Answer:
        """Draw the inputs and build the work."""
        self.stop()
        build, level, missing = self.choose(workload)
        if build is None:
            return {"status": "waits", "reason": missing}
        self.workload, self.inputs = workload, workload.draw()
        library = self.operations if level == "arrays" else self.library
        self.build = lambda: build(library, self.inputs)
        self.work = self.build()
        return {"status": "ok", "level": level}

    def values(self, path: str, last: bool) -> Answer:
        """Write the values of the work to `path`; with `last`, those of the last timed call."""
        if self.workload.stateful:
            fresh = self.build()
            arrays = [array for _ in range(STEPS) for array in flat(fresh())]
        else:
            arrays = list(flat(self.last if last else self.work()))
        with open(path, "wb") as file:
            for array in arrays:
                np.save(file, array)
        return {"status": "ok", "count": len(arrays)}

    def time(self, seconds: float) -> Answer:
        """Time a batch of about this many seconds; a training step starts from its beginning."""
        if self.workload.stateful:
            self.work = self.build()
        work, clock = self.work, time.perf_counter
        self.last = None
        start = clock()
        self.last = work()
        once = clock() - start
        if once >= seconds and not self.workload.stateful:
            return {"status": "ok", "seconds": once, "calls": 1}
        self.last = None
        calls = max(1, min(10_000, round(seconds / max(once, 1e-7))))
        start = clock()
        for _ in range(calls - 1):
            work()
        self.last = work()
        return {"status": "ok", "seconds": (clock() - start) / calls, "calls": calls}


def main() -> None:
    """Answer requests until the input ends."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    framework, threads = sys.argv[1], int(sys.argv[2])
    pin(threads)
    session = Session(framework, threads)
    print(json.dumps({"status": "ok"}), file=answers)
    for line in sys.stdin:
        print(json.dumps(session.ask(json.loads(line))), file=answers)


if __name__ == "__main__":
    main()
