"""One sentence on what to do about a kernel, from what `Profile` counted.

Called by result.py. It names the line that loses most, by the first of four rules that holds;
nothing is measured, and where no rule holds it says what the roofline's time goes into.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_cuda.profiling.measurements import SECTOR, Line

_USEFUL, _WAYS, _LANES = 0.6, 1.5, 24.0  # less, more and fewer than this is worth a change
_NOTHING = {
    "global memory": "fetch less: let a kernel do more with what it has read, or use shared memory",
    "shared memory": "ask it less: keep in registers what a thread uses more than once",
    "arithmetic": "the accesses are as they should be; only fewer operations would help",
    "tensor cores": "the accesses are as they should be; only fewer operations would help",
}


def advice(lines: Sequence[Line], limit: str) -> str:
    """Say what to do first; `limit` is the part that needs the roofline's time."""
    moved = max(lines, key=lambda line: line.sectors * SECTOR - line.useful)
    if moved.sectors and moved.efficiency < _USEFUL:
        return (
            f"line {moved.number}: let neighbouring threads touch neighbouring elements; of what "
            f"it moves {moved.efficiency:.0%} is useful"
        )
    asked = max(lines, key=lambda line: line.passes - line.least_passes)
    if asked.ways > _WAYS:
        return (
            f"line {asked.number}: give the rows of the shared array one element more (padding); "
            f"its lanes meet in one bank, {asked.ways:.1f} ways"
        )
    idle = max(lines, key=lambda line: (32 - line.active) * line.times if line.times else 0.0)
    if idle.active < _LANES:
        return (
            f"line {idle.number}: let the lanes of a warp take one way, or give the last warp more "
            f"to do; {idle.active:.1f} of 32 are active there"
        )
    return f"{limit} is the limit: {_NOTHING[limit]}"
