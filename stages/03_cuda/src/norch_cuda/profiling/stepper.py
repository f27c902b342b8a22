"""One block, replayed line by line: the recorded steps as data, and the page that shows them.

The page is stepper.html with the data put in: one file without network or libraries. A step is what
one warp does at one line, until it does something there for the second time.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from pathlib import Path
from typing import Any

from norch_cuda.profiling.machine_code import Place, places, shared_arrays
from norch_cuda.runtime.recording import (
    BARRIER,
    BLOCK,
    EXCHANGE,
    MOST_STEPS,
    READ,
    SHARED,
    Recording,
)

_WARP = 32
_INTEGERS = {"int": "i", "long long": "q", "unsigned char": "B", "signed char": "b", "Bool": "?"}
_FORMATS = {1: "B", 2: "H", 4: "f", 8: "d"}


def stepper(recording: Recording) -> str:
    """Return the page that replays the recorded block of a launch."""
    data = json.dumps(replay(recording), separators=(",", ":")).replace("</", "<\\/")
    template = (Path(__file__).parent / "stepper.html").read_text(encoding="utf-8")
    return template.replace("/* data */ null", data)


def replay(recording: Recording) -> dict[str, Any]:
    """Return what the page shows: the source, the shared arrays, and the steps in their order."""
    if not recording.steps:
        raise ValueError(
            f"[profile] block {recording.replayed} took no steps: the grid has {recording.grid} "
            "blocks"
        )
    file = Path(recording.source.file).name
    where = places(recording.library, [site.code - 1 for site in recording.sites], file)
    lines = [where[site.code - 1] for site in recording.sites]
    steps = [_step(group, recording) for group in _in_turns(_groups(recording, lines, file))]
    text = recording.source.lines
    used = [step["line"] for step in steps]
    arrays = _arrays(recording)
    _count_from_the_first(arrays, steps)
    return {
        "kernel": recording.kernel,
        "file": file,
        "block": list(recording.replayed),
        "threads": math.prod(recording.block),
        "source": [[row, text[row - 1]] for row in range(min(used), max(used) + 1)],
        "arrays": arrays,
        "steps": steps,
        "cut": MOST_STEPS if recording.is_cut else 0,
    }


Group = tuple[int, Sequence[Any]]  # a line, and the recorded steps of one warp there


def _groups(recording: Recording, lines: Sequence[Place], file: str) -> Iterator[Group]:
    """Join what a warp does at a line, as long as the same lanes do it once."""
    group: list[Any] = []
    line = 0
    for step in recording.steps:
        if lines[step.site].file != file:
            continue
        now = lines[step.site].line
        again = any(step.site == one.site for one in group)
        key = (step.epoch, step.warp, step.mask)
        if group and (again or now != line or key != _key(group[0])):
            yield line, group
            if now == line and _is_meeting(group[-1], step, recording):
                group = []
                continue
            group = []
        group, line = [*group, step], now
    if group:
        yield line, group


def _is_meeting(before: Any, step: Any, recording: Recording) -> bool:
    """Whether more lanes only come together at the end of the line that some of them were at."""
    more = before.mask | step.mask == step.mask != before.mask
    return bool(before.warp == step.warp and more and recording.sites[step.site].kind == BLOCK)


def _key(step: Any) -> tuple[int, int, int]:
    """Return what the recorded steps of a kernel that are shown as one have in common."""
    return step.epoch, step.warp, step.mask


def _in_turns(groups: Iterator[Group]) -> Iterator[Group]:
    """Let the warps take turns between two barriers."""
    for _, between in groupby(groups, key=lambda group: group[1][0].epoch):
        warps = groupby(between, key=lambda group: group[1][0].warp)
        for turn in zip_longest(*[list(mine) for _, mine in warps]):
            yield from (group for group in turn if group is not None)


def _step(group: Group, recording: Recording) -> dict[str, Any]:
    """Describe what a warp does at a line, as data of the page."""
    line, steps = group
    mask, warp = steps[0].mask, steps[0].warp
    kinds = [recording.sites[step.site].kind for step in steps]
    accesses = [
        access
        for step, kind in zip(steps, kinds, strict=True)
        for access in _accesses(step, kind, recording)
    ]
    lanes = min(_WARP, math.prod(recording.block) - warp * _WARP)
    said = [f"Warp {warp}, line {line}: {mask.bit_count()} of {lanes} lanes."]
    said += [_describe(access) for access in accesses]
    said += ["They wait at the barrier."] * (BARRIER in kinds)
    said += ["They hand numbers to each other."] * (EXCHANGE in kinds)
    return {
        "warp": warp,
        "line": line,
        "mask": mask,
        "barrier": BARRIER in kinds,
        "said": " ".join(said),
        "touched": [access for access in accesses if access["memory"] == SHARED],
    }


def _accesses(step: Any, kind: int, recording: Recording) -> Iterator[dict[str, Any]]:
    """What a step does to each memory that it touches."""
    touches = recording.touches[step.first : step.first + step.mask.bit_count()]
    for memory in sorted({touch.memory for touch in touches if touch.size}):
        mine = [touch for touch in touches if touch.memory == memory]
        yield {
            "memory": memory,
            "write": kind != READ,
            "size": mine[0].size,
            "offsets": [touch.offset for touch in mine],
            "values": [_values(touch, recording.source.element) for touch in mine],
            "ways": step.passes,
        }


def _describe(access: dict[str, Any]) -> str:
    """Say in words which memory a step reads or writes."""
    verb = "write" if access["write"] else "read"
    offsets, size = access["offsets"], access["size"]
    if access["memory"] == SHARED:
        ways = access["ways"]
        return f"They {verb} shared memory in {ways} pass{'es' * (ways > 1)}."
    many = len({byte // 32 for offset in offsets for byte in (offset, offset + size - 1)})
    first, last = min(offsets) // size, max(offsets) // size
    span = f"element {first}" if first == last else f"elements {first} to {last}"
    return f"They {verb} argument {access['memory'] + 1}, {span}: {many} sector{'s' * (many > 1)}."


def _values(touch: Any, element: str) -> list[str]:
    """The numbers of a touch, each of at most 8 bytes, as a cell shows them."""
    data, unit = bytes(touch.value)[: touch.size], min(touch.size, 8)
    if touch.size == 16:
        unit = 4 if element != "double" else 8
    return [_number(data[i : i + unit], element) for i in range(0, len(data), unit)]


def _number(data: bytes, element: str) -> str:
    """A number of unknown type: that of the elements, if its size fits; small integers are known.

    The bytes of an int below a million would be a float smaller than any that is computed.
    """
    letter = _INTEGERS.get(element, "")
    if not letter or struct.calcsize(letter) != len(data):
        letter = _FORMATS.get(len(data), "")
    if not letter:
        return data.hex()
    value = struct.unpack(f"<{letter}", data)[0]
    if letter in "fd" and 0 < abs(value) < 1e-30:
        value = int.from_bytes(data, "little")
    return f"{value:.4g}" if isinstance(value, float) else str(int(value))


def _arrays(recording: Recording) -> list[dict[str, Any]]:
    """The shared arrays that the block touched: name, first byte, bytes used, bytes of a number."""
    touches = [touch for touch in recording.touches if touch.memory == SHARED]
    fixed = [(one.name, one.offset, one.size) for one in shared_arrays(recording.library)]
    behind = max((offset + size for _, offset, size in fixed), default=0)
    dynamic = [touch for touch in touches if touch.offset >= behind]
    if dynamic:
        begin = min(touch.offset for touch in dynamic) // 128 * 128
        end = max(touch.offset + touch.size for touch in dynamic)
        fixed.append(("dynamic shared memory", begin, end - begin))
    found = []
    for name, offset, size in fixed:
        mine = [touch for touch in touches if offset <= touch.offset < offset + size]
        if mine:
            unit = min(4 if touch.size == 16 else min(touch.size, 8) for touch in mine)
            used = max(touch.offset + touch.size for touch in mine) - offset
            found.append({"name": name, "offset": offset, "size": used, "unit": unit})
    return found


def _count_from_the_first(arrays: list[dict[str, Any]], steps: list[dict[str, Any]]) -> None:
    """Count offsets from the first array: what the simulator puts before it is its own matter.

    By whole rows of 128 bytes, so that each stays in its bank.
    """
    begin = min((array["offset"] for array in arrays), default=0) // 128 * 128
    for array in arrays:
        array["offset"] -= begin
    for step in steps:
        for access in step["touched"]:
            access["offsets"] = [offset - begin for offset in access["offsets"]]
