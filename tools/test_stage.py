"""Tests a stage in an environment that holds only the stages up to it: `test_stage.py 3`.

`make test-stage 3` calls this. The environment, build/stage-3, is made anew each time from wheels,
which are built once for all stages that are named; building them shares the compiled objects of
stage 2 with .venv, so only an edit compiles anything. Before the tests run, every later package is
shown to be absent: the import rule is a fact there, not a promise.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import supported
from install import installer, run
from progress import ROOT, until_stopped
from pytest_runs import run_pytest
from setup_env import NATIVE, check_compiler, instruction_sets, make_venv, requirements
from wheels import build_wheels

STAGES = [
    ("stages/01_strides", "norch_strides"),
    ("stages/02_cpu_ops", "norch_cpu_ops"),
    ("stages/03_cuda", "norch_cuda"),
    ("stages/04_autograd", "norch_autograd"),
    ("stages/05_nn", "norch_nn"),
    ("stages/06_ddp", "norch_ddp"),
]
OFFERED = ["norch_extras", "norchvision", "norch"]  # what stands on the stages
DOCTESTED = (1, 4, 5, 6)


def extras(folder: str) -> str:
    """Return the extras of the stage under test: test, and mpi where it has one."""
    with (ROOT / folder / "pyproject.toml").open("rb") as file:
        known = tomllib.load(file)["project"]["optional-dependencies"]
    return ",".join(name for name in ("test", "mpi") if name in known)


def build_environment(number: int, wheels: list[Path], use_uv: bool) -> Path:
    """Make build/stage-N from nothing with stages 1 to N; return its interpreter."""
    *below, last = wheels[:number]
    folder = ROOT / "build" / f"stage-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    python = make_venv(folder, with_pip=not use_uv)
    # pytest and the workers of `make test`
    runner = [line for line in requirements(["test"])[1] if line.startswith("pytest")]
    wanted = [*map(str, below), f"{last}[{extras(STAGES[number - 1][0])}]", *runner]
    run([*installer(python, use_uv), *wanted], python, "[test-stage] installing the wheels")
    return python


def prove_absence(number: int, python: Path) -> None:
    """Stop unless no later stage, nor what stands on them, can be imported."""
    later = [name for _, name in STAGES[number:]] + OFFERED
    question = (
        "import importlib.util as u, sys;"
        "print(*[name for name in sys.argv[1:] if u.find_spec(name)])"
    )
    answer = subprocess.run(
        [python, "-I", "-c", question, *later], capture_output=True, text=True, check=True
    )
    if answer.stdout.strip():
        sys.exit(f"[test-stage] stage {number} can import {answer.stdout.strip()}: not allowed")
    print(
        f"[test-stage] stage {number}: not importable, as it must be: {', '.join(later)}",
        flush=True,
    )


def run_tests(number: int, python: Path) -> int:
    """Run the stage's tests, and its docstring examples where it promises them."""
    folder, name = STAGES[number - 1]
    names = ROOT / folder / "src" / "conftest.py"  # what the examples use without an import
    if names.exists():
        (packages,) = (ROOT / "build" / f"stage-{number}").glob("lib/python*/site-packages")
        shutil.copy(names, packages / name)
    doctests = ["--doctest-modules", "--pyargs"] if number in DOCTESTED else []
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    options = ["-m", "not slow and not long", *doctests]
    paths = [f"{folder}/tests", *([name] if doctests else [])]
    return run_pytest(python, options, paths, PATH=path)


def test_stage(number: int, wheels: list[Path], use_uv: bool) -> int:
    """Build the environment of one stage and test the stage there; return pytest's exit code."""
    print(f"[test-stage] making build/stage-{number} from wheels", flush=True)
    python = build_environment(number, wheels, use_uv)
    prove_absence(number, python)
    return run_tests(number, python)


def main() -> None:
    """Build the wheels once, then test each stage, also where an earlier one fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--uv", choices=["0", "1"], default="1", help="0: install with plain pip")
    parser.add_argument("numbers", type=int, nargs="+", choices=range(1, len(STAGES) + 1))
    arguments = parser.parse_args()
    last = max(arguments.numbers)
    if last > 1:  # the first is Python alone
        supported.demand()
        check_compiler()
    what = "; the first time compiles stage 2 (minutes)" if last > 1 else ""
    print(f"[test-stage] building the wheels of {last} stages{what}", flush=True)
    folders = [path for path, _ in STAGES[:last]]
    wheels = build_wheels(folders, ROOT / "build" / "wheels", instruction_sets(NATIVE))
    codes = [test_stage(number, wheels, arguments.uv == "1") for number in arguments.numbers]
    sys.exit(1 if any(codes) else 0)


if __name__ == "__main__":
    until_stopped(main)
