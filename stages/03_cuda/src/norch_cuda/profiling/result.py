"""`Profile`: what one kernel did on "cuda-sim", as numbers, a table, a heat map and a page.

profile.py makes it. Counts are exact for the simulator's build of the kernel; what they would mean
on a GPU is an estimate of gpus.py. Nothing here measures time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from norch_cuda.profiling.advice import advice
from norch_cuda.profiling.gpus import GPUS, Estimate, Occupancy, gpu, occupancy, roofline
from norch_cuda.profiling.heat_map import heat_map
from norch_cuda.profiling.machine_code import registers_of, shared_arrays
from norch_cuda.profiling.measurements import SECTOR, Line, lines_of
from norch_cuda.profiling.stepper import stepper
from norch_cuda.runtime.backend import Dims
from norch_cuda.runtime.recording import Recording

HEADS = ("line", "warps", "lanes", "sectors", "useful", "ways", "barriers", "operations", "source")
_LONGEST = 60  # characters of a source line


class Profile:
    """What one kernel did: print it, or look at `lines`, at a number, or at `svg()`.

    The lines are those that were executed, in their order.
    """

    def __init__(self, launches: Sequence[Recording]) -> None:
        self.launches = tuple(launches)
        self.kernel = launches[0].kernel
        self.source = launches[0].source
        self.lines = lines_of(launches)

    @property
    def threads(self) -> int:
        """CUDA threads launched."""
        return sum(launch.threads for launch in self.launches)

    @property
    def block(self) -> int:
        """Threads of a block of the first launch."""
        return math.prod(self.launches[0].block)

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block: of the arrays that were touched, and what the launch gave."""
        first = self.launches[0]
        touched = [site for site in first.sites if site.shared_requests]
        arrays = [
            array.size
            for array in shared_arrays(first.library)
            if any(
                site.shared_low < array.offset + array.size and array.offset < site.shared_high
                for site in touched
            )
        ]
        return sum(arrays) + first.dynamic_shared

    def _sum(self, name: str) -> int:
        """Add up one number of all lines."""
        return sum(getattr(line, name) for line in self.lines)

    @property
    def requests(self) -> int:
        """Requests of warps to global memory."""
        return self._sum("requests")

    @property
    def sectors(self) -> int:
        """Pieces of 32 bytes that were moved to and from global memory."""
        return self._sum("sectors")

    @property
    def sectors_per_request(self) -> float:
        """Sectors of a request of a warp; 4 is what neighbouring floats need."""
        return self.sectors / max(1, self.requests)

    @property
    def efficiency(self) -> float:
        """Part of the bytes moved to and from global memory that was asked for, 0 to 1."""
        return self._sum("useful") / max(1, self.sectors * SECTOR)

    @property
    def bytes_read(self) -> int:
        """Bytes that the threads read from global memory."""
        return self._sum("bytes_read")

    @property
    def bytes_written(self) -> int:
        """Bytes that the threads wrote to global memory."""
        return self._sum("bytes_written")

    @property
    def ways(self) -> float:
        """Bank conflicts: how often shared memory is asked instead of once, at the worst access."""
        return max((line.ways for line in self.lines), default=0.0)

    @property
    def active(self) -> float:
        """Lanes of a warp that are active: the mean of the lines, each as often as warps came."""
        came = [line for line in self.lines if line.times]
        lanes = sum(line.active * line.times for line in came)
        return lanes / max(1, sum(line.times for line in came))

    @property
    def barriers(self) -> float:
        """Barriers that a thread waited at, on average."""
        return sum(line.barriers for line in self.lines)

    @property
    def operations(self) -> int:
        """Operations on floats: + - * / sqrt min max, and one for each call such as expf."""
        return self._sum("operations")

    @property
    def tensor_operations(self) -> int:
        """Those of them that tensor cores do: a warp's product of fragments, 2 m n k."""
        return self._sum("tensor_operations")

    @property
    def intensity(self) -> float:
        """Arithmetic intensity: operations for each byte moved to and from global memory."""
        return self.operations / max(1, self.sectors * SECTOR)

    def registers(self, name: str = "A100") -> int | None:
        """Registers of a thread on a GPU: of shipped kernels from a table, of others by NVRTC.

        None where that is not installed.
        """
        return registers_of(self.source, self.kernel, int(gpu(name).capability.replace(".", "")))

    def occupancy(self, name: str = "A100") -> Occupancy | None:
        """How full an SM of a GPU can be with this kernel's blocks, if its registers are known."""
        known = self.registers(name)
        return None if known is None else occupancy(gpu(name), self.block, self.shared_bytes, known)

    def roofline(self, name: str = "A100") -> Estimate:
        """The least time on a GPU, estimated from its peaks, as if nothing were cached."""
        tensor = self.tensor_operations
        counted = (self.sectors * SECTOR, self._sum("passes"), self.operations - tensor, tensor)
        return roofline(gpu(name), *counted, self.source.element == "double")

    def __str__(self) -> str:
        """The table of all lines, and what they come to."""
        first = self.launches[0]
        grid, block = map(_write_dims, (first.grid, first.block))
        times = "" if len(self.launches) == 1 else f"{len(self.launches)} launches, the first of "
        title = f"{self.kernel}: {times}{grid} blocks of {block} threads"
        return table(self.lines, Path(self.source.file).name, title, self._notes())

    def _notes(self) -> list[str]:
        """Write what stands below a profile's table."""
        moved = self.sectors * SECTOR
        notes = [
            f"global memory  {self.bytes_read:,} bytes read, {self.bytes_written:,} written, "
            f"{moved:,} moved: {self.efficiency:.0%} useful, "
            f"{self.sectors_per_request:.1f} sectors a request",
            f"shared memory  {self.shared_bytes:,} bytes a block, at worst {self.ways:.1f} ways",
            f"threads        {self.active:.1f} of 32 lanes active, the mean of the warps above; "
            f"{self.barriers:.4g} barriers",
            f"arithmetic     {self.operations:,} operations, {self.intensity:.2f} for a byte moved",
            "occupancy, and the roofline's time (an estimate from peaks, nothing was measured):",
        ]
        for name in GPUS:
            full, time = self.occupancy(name), self.roofline(name)
            known = (
                "not known without the registers"
                if full is None
                else f"{full.fraction:4.0%}: {full.blocks} blocks, limit: {full.limit}, "
                f"{self.registers(name)} registers"
            )
            notes.append(f"  {name:9}    {known}; {time.microseconds:.3g} us for {time.limit}")
        return [*notes, "", f"What to do: {self.advice}"]

    @property
    def advice(self) -> str:
        """One sentence on what to do first."""
        return advice(self.lines, self.roofline().limit)

    def svg(self, path: str | Path | None = None) -> str:
        """The source as a heat map; also written to `path`, if there is one."""
        text = heat_map(self.lines, self.kernel, self.source)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def _repr_svg_(self) -> str:
        """Show the heat map in a notebook."""
        return self.svg()

    def html(self, path: str | Path | None = None) -> str:
        """A page that replays one block line by line; also written to `path`, if there is one."""
        text = stepper(self.launches[0])
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text


def _write_dims(dims: Dims) -> str:
    """Write the size of a grid or a block into a profile's heading."""
    x, y, z = dims
    shown = (x, y, z) if z > 1 else (x, y) if y > 1 else (x,)
    return " x ".join(map(str, shown))


def _number(value: float, form: str) -> str:
    """Format a number of a profile; nothing where it is 0 or not known."""
    return "" if math.isnan(value) or value == 0 else format(value, form)


def cells(line: Line, file: str) -> tuple[str, ...]:
    """Write one line's numbers in a profile; what did not happen there stays empty."""
    text = line.text.strip()
    return (
        str(line.number) if line.file == file else f"{line.file}:{line.number}",
        f"{line.times:,}",
        _number(line.active, ".1f"),
        _number(line.sectors_per_request, ".1f"),
        _number(line.efficiency, ".0%"),
        _number(line.ways, ".1f"),
        _number(line.barriers, ".4g"),
        _number(line.operations, ","),
        text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}...",
    )


def table(lines: Sequence[Line], file: str, title: str, notes: Sequence[str]) -> str:
    """Align a profile's columns; numbers stand on the right, the source on the left."""
    rows = [HEADS, *(cells(line, file) for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS) - 1)]
    drawn = [
        "  ".join([*(cell.rjust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]
    rule = "  ".join("-" * width for width in (*widths, len(HEADS[-1])))
    return "\n".join([title, "", drawn[0], rule, *drawn[1:], "", *notes])
