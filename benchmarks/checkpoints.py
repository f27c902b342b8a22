"""The rows of checkpoints: a state of 256 MiB saved and loaded, its time and its memory.

By the clock a row has what a user waits for: norch makes sure that the file is on the disk before
it takes the old one's place, PyTorch does not, so the processor time stands beside it. Memory is
the most that the process had beyond what it had after the import: the state, and what a copy adds.
"""

from __future__ import annotations

from benchmarks.processes import RESIDENT, Process, fill

GROUP = "checkpoints"
LARGEST = 256.0 + 64.0  # MiB: the state, and room to work
RATIO = 1.2  # of PyTorch's time, at most
CLOCKS = ("perf_counter", "process_time")

PREPARE = (
    RESIDENT
    + """
import os, tempfile, time
import {library} as library
def make():
    "Return 256 MiB in 64 tensors."
    return {{f"layers.{{i}}.weight": library.full((1024, 1024), i / 3) for i in range(64)}}
def median_of_three(action):
    "Return the time of an action in the middle."
    times = []
    for number in range(3):
        start = time.{clock}()
        action(number)
        times.append(time.{clock}() - start)
    return sorted(times)[1]
def write(path):
    "Save a state in a process of its own, so that nothing of it stays here."
    child = os.fork()
    if child == 0:
        library.save(make(), path)
        os._exit(0)
    os.waitpid(child, 0)
with tempfile.TemporaryDirectory() as folder:
    path = folder + "/state"
    before = resident("VmRSS")
"""
)

SAVE = """
    state = make()
    passed = median_of_three(lambda number: library.save(state, path))
"""
LOAD = """
    write(path)
    passed = median_of_three(lambda number: library.load(path)["layers.63.weight"])
"""
TIME = "    print(passed)\n"
MEMORY = '    print(resident("VmHWM") - before)\n'


def row(action: str, clock: str) -> Process:
    """Return the row of the time to save or to load."""
    text = PREPARE + {"save": SAVE, "load": LOAD}[action] + TIME
    name = f"checkpoint of 256 MiB, {action}"
    name += ", processor time" if clock == "process_time" else ""
    return Process(name, fill(text, clock=clock), "s", RATIO, repeats=3, group=GROUP)


def memory(action: str) -> Process:
    """Return the row of the memory to save or to load."""
    text = PREPARE + {"save": SAVE, "load": LOAD}[action] + MEMORY
    program = fill(text, clock="process_time")
    name = f"checkpoint of 256 MiB, memory to {action}"
    return Process(name, program, "MiB", limit=LARGEST, repeats=2, group=GROUP)


ROWS = (
    *(row(action, clock) for action in ("save", "load") for clock in CLOCKS),
    *map(memory, ("save", "load")),
)
