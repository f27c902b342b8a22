"""What a GPU's assembler makes of every shipped kernel: `make gpu-static`. No GPU takes part.

gpu_assembler.py compiles each .cu file and element type for five architectures. No kernel may keep
anything in local memory (a stack frame, a spill), and the loops that gpu_expectations.toml names
must be as lean as it says. Registers go to the table of the package (register_table.py); `--check`
fails where that table is another. `--quick`, for `.ci/run`, assembles the texts of those loops
alone, and fails where a text has changed since the table was written: then all of it is to be done
again. Where the wheels cannot be had it says so and stops.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor
from typing import Any

from machine_loops import Loop
from pytest_runs import ROOT
from setup_env import requirements

sys.path.insert(0, str(ROOT / "stages" / "03_cuda" / "tests"))  # which kernels there are
from gpu_assembler import Kernels, Programs, assemble
from test_gpu_compilers import FAMILIES  # type: ignore[import-not-found]

from norch_cuda.profiling.gpus import GPUS, occupancy
from norch_cuda.profiling.register_table import CAPABILITIES, TABLE, fingerprint
from norch_cuda.runtime.sources import family_source

FOLDER = ROOT / "build" / "gpu_static"
EXPECTATIONS = ROOT / "stages" / "03_cuda" / "tests" / "gpu_expectations.toml"
THREADS = 256  # of a block, in the table's last columns
# Whose SM each architecture's occupancy is of; one of 12.0 holds what one of 8.9 does.
SMS = {75: "T4", 80: "A100", 89: "RTX 4090", 90: "H100", 120: "RTX 4090"}
# The digits of 2/pi that CUDA's own sin, cos and tan multiply a large angle by.
ANGLE_BYTES = 56
OF_ANGLES = {"sin_kernel", "cos_kernel", "tan_kernel", "normal_kernel"}
HEAD = f"""# Written by `make gpu-static`: what ptxas gives each shipped kernel. No GPU took part.
# A line: a .cu file; then each element type, with the text's fingerprint, and its kernels: names,
# bytes of shared memory, registers a thread, blocks of {THREADS} threads on an SM; the last two for
# sm_{" sm_".join(map(str, CAPABILITIES))}.
"""
_PIECE = re.compile(r"\S+@\S+(?: [^@\s]+(?!\S))*")  # of a line: one element type


def skip(reason: str) -> None:
    """Say why nothing is checked, and leave without an error."""
    print(f"[gpu-static] skipped: {reason}")
    sys.exit(0)


def programs() -> Programs:
    """Make an environment with the wheels; find the compilers in it."""
    folder = FOLDER / "venv"
    command = [sys.executable, "tools/setup_env.py", "--venv", str(folder), "gpu-static"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        skip("the wheels of the group gpu-static in pyproject.toml cannot be had (see above)")
    (nvidia,) = folder.glob("lib/python*/site-packages/nvidia")
    found = Programs(
        nvidia / "cuda_nvrtc/lib/libnvrtc.so.12",
        nvidia / "cuda_nvcc/bin/ptxas",
        nvidia / "cu13/bin/nvdisasm",
        str(requirements(["gpu-static"])),
    )
    for program in (found.ptxas, found.nvdisasm):
        program.chmod(0o755)
    return found


def beginning(family: str, element: str) -> str:
    """Return the beginning of a piece of the table: which text it is about."""
    return f"{element.replace(' ', '_')}@{fingerprint(family_source(family, element))}"


def stale(pieces: list[str], jobs: list[tuple[str, str]]) -> list[str]:
    """List the texts that the table does not have: they were changed after it was written."""
    known = {piece.split()[0] for piece in pieces}
    return [
        f"{job[0]} of {job[1]}: not in the table" for job in jobs if beginning(*job) not in known
    ]


def describe(found: dict[int, Kernels], kernel: str) -> str:
    """Return a kernel's row: what stands behind its name in the table."""
    rows = [found[capability][kernel] for capability in CAPABILITIES]
    blocks = [
        occupancy(GPUS[SMS[capability]], THREADS, row.shared, row.registers).blocks
        for capability, row in zip(CAPABILITIES, rows, strict=True)
    ]
    columns = ["/".join(map(str, numbers)) for numbers in ([r.registers for r in rows], blocks)]
    return f"{rows[0].shared}:{':'.join(columns)}"


def table(assembled: dict[tuple[str, str], dict[int, Kernels]]) -> dict[tuple[str, str], str]:
    """Return the pieces of the package's table; kernels with the same row share it."""
    pieces = {}
    for job, found in assembled.items():
        alike: dict[str, list[str]] = {}
        for kernel in family_source(*job).kernels:
            alike.setdefault(describe(found, kernel), []).append(kernel.removesuffix("_kernel"))
        rows = (f"{','.join(names)}:{row}" for row, names in alike.items())
        pieces[job] = " ".join([beginning(*job), *rows])
    return pieces


def write(pieces: dict[tuple[str, str], str]) -> None:
    """Write the package's table, a line a file."""
    lines: dict[str, list[str]] = {}
    for (family, _), piece in pieces.items():
        lines.setdefault(family, [family]).append(piece)
    TABLE.write_text(HEAD + "".join(" ".join(line) + "\n" for line in lines.values()))


def frames(assembled: dict[tuple[str, str], dict[int, Kernels]]) -> list[str]:
    """List the kernels that keep something in local memory: an array, a copy, a spill."""
    return [
        f"{family} of {element}: {kernel} keeps {row.frame} bytes in local memory on sm_{where}"
        for (family, element), found in assembled.items()
        for where, kernels in found.items()
        for kernel, row in kernels.items()
        if row.frame > (ANGLE_BYTES if kernel in OF_ANGLES else 0)
    ]


def judge(rule: dict[str, Any], loops: list[Loop]) -> str:
    """Say what is wrong with a kernel's loops by one rule; nothing if they are as it says."""
    if (least := rule.get("products_for_a_shared_load")) is not None:
        best = max(loops, key=lambda loop: loop.number("FFMA"))
        ratio = best.number("FFMA") / max(1, best.number("LDS"))
        return "" if ratio >= least else f"{ratio:.1f} FFMA for an LDS, expected {least}"
    if "doubles" in rule:
        found = sum(loop.doubles for loop in loops if loop.number("LDG"))
        return "" if found <= rule["doubles"] else f"{found} instructions of doubles where it reads"
    wide = [loop for loop in loops if loop.wide_loads]
    if not wide:
        return "no loop loads 16 bytes at once"
    width = rule.get("width", 4)  # elements in one store
    most = max(loop.integers / (width * loop.number("STG")) for loop in wide)
    limit = rule["integers_an_element"]
    return "" if most <= limit else f"{most:.2f} integer instructions an element, at most {limit}"


def wrong_loops(
    rules: list[dict[str, Any]], assembled: dict[tuple[str, str], dict[int, Kernels]]
) -> list[str]:
    """List the inner loops that are not as they must be."""
    wrong = []
    for rule in rules:
        for capability, kernels in assembled[rule["family"], rule["element"]].items():
            for name in rule["kernels"]:
                if reason := judge(rule, kernels[f"{name}_kernel"].loops):
                    wrong.append(f"{rule['family']}: {name} on sm_{capability}: {reason}")
    return wrong


def assemble_all(
    jobs: list[tuple[str, str]], looked_at: set[tuple[str, str]]
) -> dict[tuple[str, str], dict[int, Kernels]]:
    """Assemble some texts, a process a core: NVRTC compiles one text at a time in each."""
    tools, kept = programs(), FOLDER / "kept"
    kept.mkdir(exist_ok=True)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = [
            pool.submit(assemble, tools, family_source(*job), kept, job in looked_at)
            for job in jobs
        ]
        return {job: each.result() for job, each in zip(jobs, found, strict=True)}


def main() -> None:
    """Assemble; write or compare the table; fail where a kernel is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare the table, write nothing")
    parser.add_argument("--quick", action="store_true", help="the same, of the named loops alone")
    given = parser.parse_args()
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        skip("the assembler is taken from wheels for Linux on x86-64")
    start = time.monotonic()
    rules = tomllib.loads(EXPECTATIONS.read_text()).get("loop", [])
    looked_at = {(rule["family"], rule["element"]) for rule in rules}
    every = [(family, element) for family in FAMILIES for element in FAMILIES[family]]
    jobs = [job for job in every if job in looked_at or not given.quick]
    assembled = assemble_all(jobs, looked_at)
    wrong = frames(assembled) + wrong_loops(rules, assembled)
    pieces, before = table(assembled), _PIECE.findall(TABLE.read_text() if TABLE.exists() else "")
    if given.check or given.quick:
        missing = stale(before, every) or [
            f"not so: {piece[:60]}" for piece in pieces.values() if piece not in before
        ]
        wrong += [f"{TABLE.relative_to(ROOT)}, {one}: make gpu-static" for one in missing]
    elif not wrong:
        write(pieces)
    number = sum(len(found[CAPABILITIES[0]]) for found in assembled.values())
    seconds = time.monotonic() - start
    done = f"{number} kernels for {len(CAPABILITIES)} architectures, {seconds:.0f} s"
    for line in (done, *wrong):
        print(f"[gpu-static] {line}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
