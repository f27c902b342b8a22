"""Runs stage 2 under the sanitizers of address, undefined behaviour, threads: `make sanitize`.

First each sanitizer must catch faults that are planted (a gate that sees nothing is no gate). Then
the stress program (pool, allocator, references, forks) and the tests of stage 2 run under them. The
builds lie in build/sanitize, with the kernels of all instruction sets. It takes minutes the first
time, and installs nothing.
"""

import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path

from native import ROOT, STAGE, build, compiler, report

FOLDER = ROOT / "build" / "sanitize"
HOW = "apt install g++ | dnf install gcc-c++ libasan libubsan libtsan"
# What each planted fault (tests/programs/stress.cpp) must be called.
FAULTS = {
    "address": {
        "overflow": "use-after-poison",
        "use-after-free": "use-after-poison",
        "leak": "detected memory leaks",
        "undefined": "signed integer overflow",
    },
    "thread": {"race": "data race"},
}
# A forked child that computes starts threads of its own: ThreadSanitizer dies there unless told
# that this is meant.
STRESS = {"TSAN_OPTIONS": "halt_on_error=1 die_after_fork=0"}
# Python keeps objects until it ends, so leaks are looked for in the stress program alone. Tests ask
# for more memory than there is and expect to be told so.
PYTHON = {
    "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def ask(*words: str) -> str:
    """Return what a command prints, stripped."""
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout.strip()


def library(name: str) -> str:
    """Return the path of a library of the compiler; stop where it has none."""
    found = ask(*compiler().split(), f"-print-file-name={name}")
    if not Path(found).is_absolute():
        sys.exit(f"[sanitize] {compiler()} has no {name}: {HOW}")
    return str(Path(found).resolve())


def check_machine() -> None:
    """Stop where the sanitizers cannot run, and say what would help."""
    if platform.system() != "Linux":
        sys.exit(f"[sanitize] runs on Linux, this is {platform.system()}: use a Linux machine")
    first = (ask(*compiler().split(), "--version").splitlines() or ["no compiler"])[0]
    if "clang" in first or not first:
        sys.exit(f"[sanitize] needs g++, CXX is {compiler()} ({first}): make sanitize CXX=g++")
    for name in ("libasan.so", "libubsan.so", "libtsan.so"):
        library(name)


def try_program(words: list[str], environment: dict[str, str]) -> tuple[int, str]:
    """Run a program under its sanitizer; return its exit code and what it said."""
    for prefix in ([], ["setarch", "-R"]):
        answer = subprocess.run(
            [*prefix, *words],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        said = answer.stdout + answer.stderr
        # Newer kernels place programs where GCC's ThreadSanitizer does not expect them.
        if "unexpected memory mapping" not in said or shutil.which("setarch") is None:
            break
    return answer.returncode, said


def blind_to(program: Path, fault: str, name: str) -> str:
    """Return a complaint unless the program, asked to commit a fault, is caught by that name."""
    code, said = try_program([str(program), "--plant", fault], STRESS)
    if code and name in said:
        return ""
    return f"[sanitize] the planted fault '{fault}' was not reported as '{name}':\n{said}"


def complaint_of(program: Path) -> str:
    """Return the end of what a sanitizer says about a program, or nothing."""
    code, said = try_program([str(program)], STRESS)
    return "\n".join(said.splitlines()[-80:]) if code else ""


def check_program(kind: str, folder: Path) -> bool:
    """Plant the faults, then run the stress program; tell whether all went as it must."""
    program = folder / "stress"
    steps = {
        f"{kind}: a planted {fault} is caught": partial(blind_to, program, fault, name)
        for fault, name in FAULTS[kind].items()
    }
    steps[f"{kind}: stress program"] = partial(complaint_of, program)
    reports = [report(name, step) for name, step in steps.items()]  # all of them, always
    return all(reports)


def build_module() -> Path:
    """Build the Python module under both sanitizers; return a folder to import it from."""
    pybind = ask(sys.executable, "-m", "pybind11", "--cmakedir")
    folder = build(
        FOLDER / "address",
        ["_cpu", "stress", "families"],
        NORCH_SANITIZE="address,undefined",
        Python_EXECUTABLE=sys.executable,
        pybind11_DIR=pybind,
    )
    site = FOLDER / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(STAGE / "src", site, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    shutil.copy2(folder / f"_cpu{suffix}", site / "norch_cpu_ops")
    return site


def run_tests(site: Path) -> bool:
    """Run the tests of stage 2 on the sanitized module; tell whether they pass.

    -S keeps out the import hooks of editable installs, which would find the ordinary module.
    """
    paths = [site, ROOT / "stages/01_strides/src", sysconfig.get_path("purelib")]
    environment = {
        **os.environ,
        **PYTHON,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "LD_PRELOAD": f"{library('libasan.so')} {library('libstdc++.so')}",
    }
    command = [sys.executable, "-S", "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    # The sanitizer keeps freed memory aside to catch late uses, so the resident size tells nothing.
    command += ["-m", "not slow", "-k", "not resident_memory", "--capture=sys"]
    command += [str(STAGE / "tests"), *sys.argv[1:]]

    def step() -> str:
        code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        return f"code {code}" if code else ""

    return report("address, undefined: tests of stage 2", step)


def main() -> None:
    """Build, plant, run; leave with 1 if anything was found."""
    check_machine()
    print("[sanitize] building in build/sanitize; minutes the first time", flush=True)
    threads = build(
        FOLDER / "thread",
        ["stress"],
        NORCH_SANITIZE="thread",
        NORCH_BASELINE_ONLY="ON",
        NORCH_BINDINGS="OFF",
    )
    fine = check_program("thread", threads)
    site = build_module()
    fine = check_program("address", FOLDER / "address") and fine
    families = partial(complaint_of, FOLDER / "address" / "families")
    fine = report("address: every kernel family", families) and fine
    sys.exit(0 if run_tests(site) and fine else 1)


if __name__ == "__main__":
    main()
