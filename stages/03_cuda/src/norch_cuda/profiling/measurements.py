"""What was counted, by line and in all: from the sites of recorded launches to lines of the source.

Used by result.py; heat_map.py and stepper.py show it too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from norch_cuda.profiling.machine_code import Place, arithmetic, places
from norch_cuda.runtime.recording import ATOMIC, BARRIER, BLOCK, READ, WRITE, Recording, Site
from norch_cuda.runtime.sources import source_directory

SECTOR = 32  # bytes: the least that a GPU fetches


@dataclass(slots=True)
class Line:
    """What happened at one line of the source, in all threads of all launches."""

    file: str
    number: int
    text: str
    times: int = 0  # how often a warp came here
    executions: int = 0  # by warps, of each place in the line's machine code
    lanes: int = 0  # the same by threads
    accesses: int = 0  # those of the executions that touch memory
    access_lanes: int = 0
    requests: int = 0  # of warps to global memory
    sectors: int = 0  # pieces of 32 bytes that these move
    useful: int = 0  # different bytes that their lanes asked for
    bytes_read: int = 0
    bytes_written: int = 0
    shared_requests: int = 0
    passes: int = 0  # of shared memory, which serves a word of each bank at a time
    least_passes: int = 0  # what they would be without conflicts
    ways: float = 0.0  # passes over least passes, of the worst access of the line
    barriers: float = 0.0  # that a thread waited at, on average
    operations: int = 0  # on floats
    tensor_operations: int = 0  # those of them that tensor cores would do

    @property
    def active(self) -> float:
        """Lanes of a warp that are active here, on average: when they touch memory, if they do."""
        if self.accesses:
            return self.access_lanes / self.accesses
        return self.lanes / self.executions if self.executions else math.nan

    @property
    def sectors_per_request(self) -> float:
        """Sectors that one request of a warp moves: 4 for neighbouring floats."""
        return self.sectors / self.requests if self.requests else math.nan

    @property
    def efficiency(self) -> float:
        """Part of the bytes moved to and from global memory that was asked for."""
        return self.useful / (self.sectors * SECTOR) if self.sectors else math.nan


def lines_of(launches: Sequence[Recording]) -> tuple[Line, ...]:
    """Add up the sites of recorded launches by the lines of the source."""
    first = launches[0]
    file, text = Path(first.source.file).name, first.source.lines
    computing = arithmetic(first.library)
    # A site is named by where its call returns to: one byte earlier is still in its line.
    wanted = {site.code - 1 for launch in launches for site in launch.sites}
    wanted |= {one.address for block in computing.values() for one in block}
    where = places(first.library, wanted, file)
    found: dict[Place, Line] = {}
    threads = sum(launch.threads for launch in launches)

    def line(offset: int) -> Line:
        place = where[offset]
        known = place.file == file and 0 < place.line <= len(text)
        return found.setdefault(place, Line(*place, text[place.line - 1] if known else ""))

    for launch in launches:
        for site in launch.sites:
            _count(line(site.code - 1), site, threads)
            if site.kind == BLOCK:
                for one in computing.get(site.code, ()):
                    line(one.address).operations += one.operations * site.lanes
                    tensor = one.operations * one.on_tensor_cores
                    line(one.address).tensor_operations += tensor * site.lanes
    order = sorted(found, key=lambda place: (place.file != file, place))
    seen = [found[p] for p in order if p.file == file or p.file not in _simulators_own()]
    return tuple(line for line in seen if line.executions)


@lru_cache(maxsize=1)
def _simulators_own() -> frozenset[str]:
    """The names of the simulator's files: what calls a kernel, and what it calls."""
    return frozenset(path.name for path in (source_directory() / "simulator").rglob("*"))


def _count(line: Line, site: Site, threads: int) -> None:
    """Add what happened at one site to its line."""
    line.times = max(line.times, site.executions)
    line.executions += site.executions
    line.lanes += site.lanes
    if site.requests or site.shared_requests:
        line.accesses += site.executions
        line.access_lanes += site.lanes
    line.requests += site.requests
    line.sectors += site.sectors
    line.useful += site.bytes
    line.bytes_read += site.moved * (site.kind in (READ, ATOMIC))
    line.bytes_written += site.moved * (site.kind in (WRITE, ATOMIC))
    line.shared_requests += site.shared_requests
    line.passes += site.passes
    line.least_passes += site.least_passes
    if site.least_passes:
        line.ways = max(line.ways, site.passes / site.least_passes)
    line.barriers += site.lanes / threads * (site.kind == BARRIER)
