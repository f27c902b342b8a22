"""Measures one library in a process of its own: `python -m benchmarks.worker norch 1 cpu`.

The driver sends one JSON request a line and gets one JSON answer a line: prepare a workload, write
down its values, time a short batch. What the library prints goes to stderr. A failing workload is
an answer, not the end of the process. One thread is timed by the processor time of this process,
which other work does not lengthen and which counts what is handed to a helper; several threads, and
one that stands beside them, by the clock on the wall.
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

from benchmarks.workload import Build, Inputs, Work, Workload, place
from benchmarks.workloads import by_name

STEPS = 3  # a training step is checked by its first losses
CLOCKS = {"cpu": time.process_time, "wall": time.perf_counter}
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
    """Yield every array of a value that may be a tuple or a list."""
    for value in values if isinstance(values, tuple | list) else (values,):
        yield as_numpy(value)


class Session:
    """One library with one workload at a time; `ask` takes a request and returns an answer."""

    def __init__(self, framework: str, threads: int = 1, clock: str = "cpu") -> None:
        self.name = self.framework = framework
        self.clock = CLOCKS[clock]
        self.library = importlib.import_module(framework)
        if hasattr(self.library, "set_num_threads"):
            self.library.set_num_threads(threads)
        self.stop()

    def stop(self) -> Answer:
        """Drop the workload and what it holds."""
        self.workload: Workload | None = None
        self.work: Work | None = None
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

    def prepare(self, workload: Workload) -> Answer:
        """Draw the inputs, put them where the row says, and build the work."""
        self.stop()
        if workload.text(self.framework) is None:
            return {"status": "absent", "reason": f"has no text for {self.name}"}
        self.workload = workload
        for name, array in workload.draw().items():
            self.inputs[name] = place(self.library, array, workload.memory)
        self.work = self.built(workload.text(self.framework))
        return {"status": "ok"}

    def built(self, build: Build) -> Work:
        """Return the work that a text builds of the inputs."""
        return build(self.library, self.inputs)

    def values(self, path: str, last: bool) -> Answer:
        """Write the values of the work to `path`; with `last`, those of the last timed call."""
        workload = self.workload
        if workload.stateful or workload.check:
            fresh = self.built(workload.check or workload.text(self.framework))
            calls = STEPS if workload.stateful else 1
            arrays = [array for _ in range(calls) for array in flat(fresh())]
        else:
            arrays = list(flat(self.last if last else self.work()))
        with open(path, "wb") as file:
            for array in arrays:
                np.save(file, array)
        return {"status": "ok", "count": len(arrays)}

    def time(self, seconds: float) -> Answer:
        """Time a batch of about this many seconds; a training step starts from its beginning."""
        if self.workload.stateful:
            self.work = self.built(self.workload.text(self.framework))
        work, clock = self.work, self.clock
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
    framework, threads, clock = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    pin(threads)
    session = Session(framework, threads, clock)
    print(json.dumps({"status": "ok"}), file=answers)
    for line in sys.stdin:
        print(json.dumps(session.ask(json.loads(line))), file=answers)


if __name__ == "__main__":
    main()
