"""What a recorded launch did, read from the simulator: mirrors of csrc/simulator/recorder.h.

Made by simulator_backend.py while `recorded` is in force; read by norch_cuda.profiling only.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from norch_cuda.runtime.backend import Dims
from norch_cuda.runtime.sources import KernelSource

BLOCK, READ, WRITE, ATOMIC, BARRIER, EXCHANGE = range(6)  # kinds of a Site
SHARED, NO_MEMORY = -2, -1  # memories of a Touch; else the position of the argument, from 0
MOST_STEPS = 20_000


class Site(ctypes.Structure):
    """One place in the machine code and what happened there: `struct Site`."""

    _fields_ = tuple(
        (name, ctypes.c_int64)
        for name in (
            "code", "kind", "executions", "lanes", "requests", "sectors", "bytes", "moved",
            "shared_requests", "passes", "least_passes", "shared_low", "shared_high",
        )
    )  # fmt: skip


class Step(ctypes.Structure):
    """The lanes of `mask` passed a site together: `struct Step`."""

    _fields_ = (
        ("epoch", ctypes.c_int64),
        ("warp", ctypes.c_int32),
        ("site", ctypes.c_int32),
        ("mask", ctypes.c_uint32),
        ("passes", ctypes.c_int32),
        ("first", ctypes.c_int64),
    )


class Touch(ctypes.Structure):
    """What one lane read or wrote in a step: `struct Touch`."""

    _fields_ = (
        ("memory", ctypes.c_int32),
        ("size", ctypes.c_int32),
        ("offset", ctypes.c_int64),
        ("value", ctypes.c_uint64 * 2),
    )


@dataclass(frozen=True, slots=True)
class Recording:
    """One recorded launch; `steps` and `touches` are those of one block, `replayed`."""

    source: KernelSource
    kernel: str
    grid: Dims
    block: Dims
    dynamic_shared: int
    library: Path
    sites: Sequence[Any]
    steps: Sequence[Any]
    touches: Sequence[Any]
    replayed: Dims
    is_cut: bool

    @property
    def threads(self) -> int:
        """CUDA threads of the launch."""
        return math.prod(self.grid) * math.prod(self.block)


@dataclass(slots=True)
class Recordings:
    """What is to be recorded, and the launches that have been."""

    replayed: Dims
    launches: list[Recording]

    def number_in(self, grid: Dims) -> int:
        """Count the replayed block among those of a grid, x first; -1 if the grid is too small."""
        x, y, z = self.replayed
        inside = all(i < size for i, size in zip(self.replayed, grid, strict=True))
        return x + grid[0] * (y + grid[1] * z) if inside else -1


class Recorder:
    """A `Recorder` of the simulator's library, freed at the end of the `with` block."""

    def __init__(self, engine: ctypes.CDLL, number: int) -> None:
        engine.norch_sim_new_recorder.restype = ctypes.c_void_p
        self.engine = engine
        self.pointer = ctypes.c_void_p(
            engine.norch_sim_new_recorder(ctypes.c_int64(number), ctypes.c_int64(MOST_STEPS))
        )

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.engine.norch_sim_delete_recorder(self.pointer)

    def sites(self) -> list[Any]:
        """Copy the sites from the simulator's library."""
        return list(self._read("norch_sim_sites", Site))

    def steps(self) -> list[Any]:
        """Copy the steps of the replayed block from the simulator's library."""
        return list(self._read("norch_sim_steps", Step))

    def touches(self) -> list[Any]:
        """Copy what lanes touched in these steps from the simulator's library."""
        return list(self._read("norch_sim_touches", Touch))

    def is_cut(self) -> bool:
        """Whether there were more steps than are kept."""
        return bool(self.engine.norch_sim_is_cut(self.pointer))

    def _read(self, name: str, kind: type[ctypes.Structure]) -> Iterator[ctypes.Structure]:
        """Copy an array of the engine's recorder."""
        function, count = getattr(self.engine, name), ctypes.c_int64()
        function.restype = ctypes.POINTER(kind)
        found = function(self.pointer, ctypes.byref(count))
        for i in range(count.value):
            yield kind.from_buffer_copy(found[i])
