"""Builds the C++ programs of stage 2 without installing anything; sanitize.py and others use it.

Each build has a folder of its own under build/, made by the stage's CMakeLists.txt; what did not
change is not compiled again. CMake and ninja are those of the environment.
"""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGE = ROOT / "stages" / "02_cpu_ops"
BIN = Path(sys.executable).parent


def program(name: str) -> str:
    """Return the path of a program of the environment, else of the system; stop without it."""
    beside = BIN / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        sys.exit(f"[build] {name} is not installed: make setup")
    return found


def build(folder: Path, targets: list[str], **definitions: str) -> Path:
    """Configure and build targets of stage 2 in `folder`; stop where that fails."""
    ninja = program("ninja")
    words = [f"-D{name}={value}" for name, value in definitions.items()]
    configure = ["-S", str(STAGE), "-B", str(folder), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
    run([program("cmake"), *configure, f"-DCMAKE_MAKE_PROGRAM={ninja}", *words], quiet=True)
    run([ninja, "-C", str(folder), *targets])
    return folder


def run(command: list[str], quiet: bool = False) -> None:
    """Run a step of a build; what a quiet one says is printed only if it fails."""
    answer = subprocess.run(command, capture_output=quiet, text=True, check=False)
    if answer.returncode:
        print((answer.stdout or "") + (answer.stderr or ""), end="")
        sys.exit(f"[build] {Path(command[0]).name} failed with {answer.returncode}")


def report(name: str, step: Callable[[], str]) -> bool:
    """Run a step that returns its complaint; print one line, and the complaint if there is one."""
    start = time.perf_counter()
    complaint = step()
    verdict = "FAILED" if complaint else "ok"
    print(f"{verdict:6}  {name}  ({time.perf_counter() - start:.1f} s)", flush=True)
    if complaint:
        print(complaint, flush=True)
    return not complaint


def compiler() -> str:
    """Return the C++ compiler that CMake would take."""
    return os.environ.get("CXX") or shutil.which("c++") or "g++"
