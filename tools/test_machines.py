"""Runs the numeric tests and the notebooks as other machines would: `make test-machines`.

A machine is what decides the last digits of a result: the kernels that OpenBLAS takes, norch's
instruction set (NumPy's and the C library's with it), the number of threads; one has an OpenBLAS
that rounds otherwise on purpose. Its output is kept in build/machines; a table at the end tells
what failed. ONLY=name runs one machine; QUICK=1 runs the notebooks and the most delicate files on
the two that differ most.
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy
import pytest_runs
import run_tests
from native import compiler
from progress import ROOT
from run_tests import SANITIZER, notebooks

from norch_cpu_ops.openblas import library_path

FOLDER = ROOT / "build" / "machines"
LAST_DIGIT = FOLDER / "last-digit"
EMULATORS = ("qemu-x86_64", "qemu-x86_64-static")
# What computes no float is not run again, whatever the machine: text, pages, processes, the tree.
# Everything else is, so a new file is run until somebody names it here.
LEFT_OUT = ["course/tests", "stages/01_strides/tests", "tests/book"]
LEFT_OUT += [
    f"stages/03_cuda/tests/test_{name}.py"
    for name in (
        *("build", "checker", "errors", "faults", "gpu", "gpu_compilers", "gpu_graphs"),
        *("image_errors", "kernel_arguments", "layer_errors", "memory_checker", "simulator"),
        *("stepper", "streams", "texts"),
    )
]
LEFT_OUT += [
    f"stages/06_ddp/tests/test_{name}.py"
    for name in ("nccl", "process_group", "rendezvous", "run", "sampler", "spawn", "store")
]
LEFT_OUT += [
    f"tests/test_{name}.py"
    for name in (
        *("adding", "benchmarks", "book", "calls", "community", "doctor", "drills", "faces"),
        *("find_python", "floors", "fresh_install", "fuzz", "import_rule", "install", "machines"),
        *("make", "names", "native_tools", "norch_package", "packages", "public_names"),
        *("pytest_runs", "setup_env", "sizes", "tree", "types", "versions", "weigh", "wheels"),
        *("alone", "wrong_arguments"),
    )
]
LEFT_OUT += [
    "extras/norch_extras/tests/test_accelerate_names.py",
    "extras/norchvision/tests/test_download.py",
    "extras/norchvision/tests/test_harmful_files.py",
    "extras/norchvision/tests/test_lying_proxy.py",
    "stages/02_cpu_ops/tests/test_stub.py",
    "stages/04_autograd/tests/test_compiled_core.py",
    "stages/04_autograd/tests/test_core_references.py",
    "stages/05_nn/tests/test_nn_temporary_files.py",
    "stages/05_nn/tests/test_nn_workers.py",
    "stages/06_ddp/tests/test_two_hosts.py",
]
# Where a last digit decides something: what the rest did not find, these did.
EMULATED = ["stages/02_cpu_ops/tests/test_linalg.py", "stages/04_autograd/tests/test_linalg.py"]
DELICATE = ["stages/02_cpu_ops/tests/test_linalg.py", "stages/04_autograd/tests/test_linalg.py"]
# Without AVX the C library takes other loops too, as on a processor that has none.
NO_AVX = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F"}
CANNOT = (77, -4)  # exit codes: an instruction set that was refused, or one that the kernels lack
# What a machine computes with: the kernels of OpenBLAS, norch's instruction set, threads.
ASK = """
import norch, norch_cpu_ops as cpu
a = norch.ones(64, 64)
assert (a @ a).sum().item() == 64.0 ** 3
blas = cpu.blas().split()
print("no OpenBLAS" if blas == ["norch"] else "OpenBLAS " + blas[-2], end=", ")
print(f"{cpu.instruction_set()}, {cpu.get_num_threads()} threads")
"""


@dataclass(frozen=True)
class Machine:
    """A name, the variables that make the machine, and what starts its Python."""

    name: str
    variables: dict[str, str]
    start: tuple[str, ...] = ()

    def command(self, words: list[str]) -> list[str]:
        """Return the command that runs Python on this machine."""
        return [*self.start, sys.executable, "-P", *words]

    def environment(self) -> dict[str, str]:
        """Return the environment of its Python, and of all that it starts."""
        paths = [str(ROOT / "tools" / "machine"), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **self.variables}

    def answer(self) -> str:
        """Return what it computes with, as it says itself; nothing where it cannot run here.

        Anything else that goes wrong stops the whole: a machine that is skipped shows nothing.
        """
        if any(shutil.which(word) is None for word in self.start[:1]):
            return ""
        if self.variables.get("MACHINE_OPENBLAS") == str(LAST_DIGIT) and not build_last_digit():
            return ""
        command, environment = self.command(["-c", ASK]), self.environment()
        said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        if said.returncode and said.returncode not in CANNOT:
            sys.exit(f"[test-machines] {self.name} does not start:\n{said.stderr}")
        return said.stdout.strip() if said.returncode == 0 else ""


def build_last_digit() -> bool:
    """Build an OpenBLAS with other last digits, as a package; tell whether that could be done."""
    real = library_path()
    if not real or sys.platform != "linux":
        return False
    folder = LAST_DIGIT / "scipy_openblas32"
    (folder / "lib").mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").touch()
    source, built = ROOT / "tools/machine/last_digit.cpp", folder / "lib/libscipy_openblas_other.so"
    words = ["-O2", "-std=c++17", "-shared", "-fPIC", f'-DLIBRARY="{real}"', str(source), "-ldl"]
    words += ["-o", str(built), "-Wl,--no-as-needed", real, f"-Wl,-rpath,{Path(real).parent}"]
    if subprocess.run([*shlex.split(compiler()), *words]).returncode:
        sys.exit(f"[test-machines] {source} does not compile")
    return True


def numpy_without(*beginnings: str) -> dict[str, str]:
    """Return the variable with which NumPy leaves out what this processor has of these sets."""
    found = numpy.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    unwanted = " ".join(name for name in found if name.startswith(beginnings))
    return {"NPY_DISABLE_CPU_FEATURES": unwanted} if unwanted else {}


def threads(count: int) -> dict[str, str]:
    """Return the variables that give norch and NumPy's OpenBLAS so many threads."""
    return dict.fromkeys(("NORCH_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(count))


def machines() -> list[Machine]:
    """Return all machines, in the order in which they run."""
    processors = ("Nehalem", "Haswell", "Zen", "SkylakeX", "SapphireRapids")
    no_avx = {"MACHINE_ISA": "baseline", **numpy_without(""), **NO_AVX}
    emulator = next(filter(shutil.which, EMULATORS), EMULATORS[0])
    return [
        *(Machine(name.lower(), {"OPENBLAS_CORETYPE": name}) for name in processors),
        Machine("baseline", no_avx),
        Machine("avx2", {"MACHINE_ISA": "avx2", **numpy_without("X86_V4", "AVX512")}),
        Machine("avx512", {"MACHINE_ISA": "avx512"}),
        Machine("1-thread", threads(1)),
        Machine("4-threads", threads(4)),
        Machine("no-openblas", {"MACHINE_OPENBLAS": "none"}),
        Machine("last-digit", {"MACHINE_OPENBLAS": str(LAST_DIGIT), "MACHINE_ISA": "baseline"}),
        Machine("qemu", {}, (emulator, "-cpu", "Nehalem")),
    ]


def quick_machines() -> list[Machine]:
    """Return the two that differ most: a processor of 2008, and one that no list foresees."""
    found = {machine.name: machine.variables for machine in machines()}
    old = {**found["nehalem"], **found["baseline"], **found["1-thread"]}
    other = {**found["last-digit"], **found["4-threads"]}
    return [Machine("oldest", old), Machine("last-digit-4-threads", other)]


def tests_of(machine: Machine, quick: bool) -> list[str]:
    """Return what the machine runs, as pytest's words."""
    if machine.name == "qemu":
        return EMULATED
    nbval = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with", SANITIZER]
    if quick:
        return [*nbval, *notebooks(), *DELICATE]
    ignored = [f"--ignore={path}" for path in LEFT_OUT]
    # What is given is not ignored.
    paths = [path for path in run_tests.paths() if path not in LEFT_OUT]
    return ["--doctest-modules", *nbval, *ignored, *paths]


def run(machine: Machine, words: list[str]) -> tuple[int, str]:
    """Run the tests on a machine and keep their words; return the exit code and the last line."""
    options = pytest_runs.options(1 if machine.start else pytest_runs.workers())
    log = FOLDER / f"{machine.name}.log"
    start = [*machine.start, sys.executable]
    with log.open("w") as file:
        words = [*options, "-m", "not slow", "-rf", *words]
        done = pytest_runs.run(start, words, machine.environment(), file)
    lines = log.read_text(errors="replace").splitlines() or [""]
    print("".join(f"{line}\n" for line in lines if re.match("(FAILED|ERROR) ", line)), end="")
    return done.code, lines[-1].strip("= ")


def chosen(only: str, quick: bool) -> list[Machine]:
    """Return the machines that were asked for; stop at a name that is none."""
    known = quick_machines() if quick else machines()
    names = [machine.name for machine in known]
    if only and only not in names:
        sys.exit(f"[test-machines] ONLY={only} is no machine, expected one of {', '.join(names)}")
    return [machine for machine in known if only in ("", machine.name)]


def rows_of(wanted: list[Machine], quick: bool) -> Iterator[tuple[int | None, str]]:
    """Run the machines in turn; yield for each a row of the table, and its exit code if it ran."""
    seen: dict[str, str] = {}
    for machine in wanted:
        answer = machine.answer()
        if not answer:
            code, verdict = None, "skipped: cannot run here"
        elif answer in seen:
            code, verdict = None, f"skipped: computes as {seen[answer]}"
        else:
            seen[answer] = machine.name
            print(f"[test-machines] {machine.name}: {answer}", flush=True)
            code, verdict = run(machine, tests_of(machine, quick))
        yield code, f"{machine.name:21} {answer:39} {verdict}".rstrip()


def main() -> None:
    """Run what was asked for; leave with 1 if anything failed on one of the machines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="the name of one machine")
    parser.add_argument("--quick", action="store_true", help="two machines, the delicate files")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = list(rows_of(chosen(options.only, options.quick), options.quick))
    print(*(row for _, row in rows), sep="\n")
    ran = [code for code, _ in rows if code is not None]
    if not ran:
        sys.exit("[test-machines] no machine could run here")
    sys.exit(1 if any(ran) else 0)


if __name__ == "__main__":
    main()
