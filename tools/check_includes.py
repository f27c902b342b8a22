"""Checks the floors of the C++: `#include` lines of the stages' csrc lead down, never up or aside.

`make lint` runs it and tests/test_import_rule.py plants a line against each rule. FLOORS lists
them, lowest first; `|` parts rooms of one floor, which do not include each other. A room is a
folder of csrc or the stem of a file in it; `*` is every other one. Reads files; compiles nothing.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLOORS = {
    "02_cpu_ops": ["core", "kernels", "scalar_kernels", "ops", "bindings"],
    # Kernels are CUDA: that a simulator can run them too, they do not know.
    "03_cuda": ["half | signature", "* | simulator"],
    "04_autograd": [
        "ref | array_api",
        "text | array",
        "mode | state",
        "tensor_state | node_state",
        "record | pass",
        "plan",
        "module",
    ],
}
# Further families, on floors of the same names. The rest of a stage includes them here alone.
MORE = "more"
DOORS = {
    ("ops/conv.cpp", "more/ops/fast_conv.h"),
    ("ops/matmul.cpp", "more/kernels/quantized.h"),
    ("bindings/bind_conv.cpp", "more/ops/fast_conv.h"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def room(path: Path, rooms: list[str]) -> str:
    """Return the room of a file of csrc, given by its path there; "" where it has none."""
    parts = path.parts[1:] if path.parts[0] == MORE else path.parts
    name = Path(parts[0]).stem
    return name if name in rooms else "*" if "*" in rooms else ""


def read_includes(csrc: Path, file: Path) -> Iterator[Path]:
    """Yield the files of csrc that a file of it includes, as paths there."""
    for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
        for folder in (file.parent, csrc):
            found = Path(os.path.normpath(folder / name))
            if found.is_file() and found.is_relative_to(csrc):
                yield found.relative_to(csrc)
                break


def complaint(file: Path, other: Path, floors: dict[str, int]) -> str:
    """Return what is wrong with one file of csrc including another, or nothing."""
    here, there = (room(path, list(floors)) for path in (file, other))
    if there and here != there and floors[here] <= floors[there]:
        return f"{there} does not lie below {here}"
    is_inside = file.parts[0] == MORE or other.parts[0] != MORE
    if not is_inside and (file.as_posix(), other.as_posix()) not in DOORS:
        return f"only {', '.join(sorted(name for name, _ in DOORS))} include from {MORE}/"
    return ""


def complaints(csrc: Path, table: list[str]) -> Iterator[str]:
    """Yield a line for each file of csrc that has no floor, and for each include against them."""
    floors = {name: floor for floor, row in enumerate(table) for name in row.split(" | ")}
    files = (path for path in sorted(csrc.rglob("*")) if path.suffix in {".h", ".cpp", ".cu"})
    for file in files:
        path = file.relative_to(csrc)
        if not room(path, list(floors)):
            yield f"{path.as_posix()}: stands on no floor: name one in tools/check_includes.py"
            continue
        for other in read_includes(csrc, file):
            if said := complaint(path, other, floors):
                yield f'{path.as_posix()}: #include "{other.as_posix()}": {said}'


def main() -> None:
    """Print what is wrong in every stage; leave with 1 if anything is."""
    found = [
        f"stages/{stage}/csrc/{line}"
        for stage, table in FLOORS.items()
        for line in complaints(ROOT / "stages" / stage / "csrc", table)
    ]
    print("".join(f"{line}\n" for line in found), end="")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
