"""Runs stage 2's kernels as an ARM machine would and compares the results: `make check-arm`.

Debian's cross compiler turns the same sources into aarch64 code (NEON by way of kernels/vec.h), and
qemu runs it. The program is tests/programs/families.cpp: every kernel family on seeded inputs in
four layouts of memory, one line a result. Whole numbers, truths, places and errors must be equal,
floating numbers nearly: ARM rounds a multiply-add once, the baseline of x86 twice.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from native import ROOT, build

FOLDER = ROOT / "build" / "arm"
COMPILER = "aarch64-linux-gnu-g++"
EMULATORS = ("qemu-aarch64", "qemu-aarch64-static")
HOW = "apt install g++-aarch64-linux-gnu qemu-user (Debian, Ubuntu)"
LIBRARIES = "/usr/aarch64-linux-gnu"  # where Debian keeps the C library of the other machine
RELATIVE = {"float64": 1e-9, "float32": 2e-4, "float16": 4e-3, "bfloat16": 3e-2}


def tools() -> tuple[str, str]:
    """Return the cross compiler and the emulator; stop, with what to install, where one misses."""
    compiler = shutil.which(COMPILER)
    emulator = next((found for found in map(shutil.which, EMULATORS) if found), None)
    if compiler is None or emulator is None:
        missing = [COMPILER] if compiler is None else []
        missing += [EMULATORS[0]] if emulator is None else []
        sys.exit(f"[check-arm] {' and '.join(missing)} not found: {HOW}")
    return compiler, emulator


def read(command: list[str]) -> dict[str, list[str]]:
    """Run a program; return its lines by name, each as dtype, shape and values."""
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        sys.exit(f"[check-arm] {command[-1]} left with {answer.returncode}: {answer.stderr}")
    lines = [line.split(" ") for line in answer.stdout.splitlines()]
    twice = [name for name, count in Counter(words[0] for words in lines).items() if count > 1]
    if twice:
        sys.exit(f"[check-arm] two results are called {twice[0]}")
    return {name: words for name, *words in lines}


def differ(here: str, there: str, tolerance: float) -> bool:
    """Tell whether two printed numbers are further apart than rounding explains."""
    x, y = float(here), float(there)
    if x != x or y != y:
        return (x == x) != (y == y)
    return x != y and not abs(x - y) <= tolerance * (1 + abs(x))


def complaint(here: list[str], there: list[str]) -> str:
    """Return how two results of one name differ, or nothing."""
    if here == there:
        return ""
    tolerance = RELATIVE.get(here[0])
    if tolerance is None or here[:2] != there[:2] or len(here) != len(there):
        pairs = [pair for pair in zip(here, there, strict=False) if pair[0] != pair[1]]
        return f"{pairs[0][1]} instead of {pairs[0][0]}" if pairs else "another number of values"
    for place, (x, y) in enumerate(zip(here[2:], there[2:], strict=True)):
        if differ(x, y, tolerance):
            return f"element {place} is {y} instead of {x}"
    return ""


def compare(here: dict[str, list[str]], there: dict[str, list[str]]) -> list[str]:
    """Return one line for each result that is missing or differs."""
    found = [f"{name}: only one machine has it" for name in sorted(here.keys() ^ there.keys())]
    for name in here.keys() & there.keys():
        if said := complaint(here[name], there[name]):
            found.append(f"{name}: {said}")
    return sorted(found)


def build_both(compiler: str) -> tuple[Path, Path]:
    """Build the program for this machine's baseline and for ARM; return both."""
    plain = {"NORCH_BINDINGS": "OFF", "NORCH_BASELINE_ONLY": "ON"}
    cross = {"CMAKE_SYSTEM_NAME": "Linux", "CMAKE_SYSTEM_PROCESSOR": "aarch64"}
    here = build(FOLDER / "here", ["families"], **plain)
    os.environ.pop("CXX", None)
    there = build(FOLDER / "there", ["families"], CMAKE_CXX_COMPILER=compiler, **plain, **cross)
    return here / "families", there / "families"


def main() -> None:
    """Build, run and compare; leave with 1 if the machines disagree."""
    compiler, emulator = tools()
    print("[check-arm] building in build/arm; minutes the first time", flush=True)
    here, there = build_both(compiler)
    lines = read([str(here)])
    print(f"[check-arm] {len(lines)} results here; now the same under {emulator}", flush=True)
    found = compare(lines, read([emulator, "-L", LIBRARIES, str(there)]))
    families = Counter(re.split(r"[:/]", name)[0] for name in lines)
    print(f"{len(lines)} results of {len(families)} operations, {len(found)} differ")
    print("".join(f"{line}\n" for line in found[:20]), end="")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
