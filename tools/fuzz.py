"""Runs the differential fuzzer, tests/fuzz: random calls of every public function.

`make fuzz MINUTES=10` calls this. It runs beside PyTorch where that is installed, in this
environment or in the one of the interpreter that `--torch` names; with `--sanitize` on stage 2
built under the sanitizers of address and undefined behaviour, and then without PyTorch.
"""

import argparse
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from parity import packages_of
from sanitize import PYTHON, build_module, check_machine, library

ROOT = Path(__file__).resolve().parent.parent
TESTS = (ROOT / "tests", ROOT / "tests" / "parity")


def use_sanitizers(environment: dict[str, str]) -> list[str]:
    """Let the run import the sanitized module; return the options of Python that this needs.

    -S keeps out the import hooks of editable installs, which would find the ordinary module.
    """
    check_machine()
    print("[fuzz] building in build/sanitize; minutes the first time", flush=True)
    sources = [*ROOT.glob("stages/*/src"), *ROOT.glob("extras/*/src"), ROOT / "norch" / "src"]
    paths = [build_module(), *sources, sysconfig.get_path("purelib")]
    environment["PYTHONPATH"] = os.pathsep.join(map(str, (*TESTS, *paths)))
    environment["LD_PRELOAD"] = f"{library('libasan.so')} {library('libstdc++.so')}"
    environment.update(PYTHON)
    environment["UBSAN_OPTIONS"] += ":halt_on_error=1"
    return ["-S"]


def main() -> None:
    """Run the fuzzer and leave with its exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    parser.add_argument("--sanitize", action="store_true", help="under the sanitizers")
    options, extra = parser.parse_known_args()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, TESTS))}
    words = use_sanitizers(environment) if options.sanitize else []
    if options.torch and not options.sanitize:
        environment["NORCH_PARITY_TORCH"] = packages_of(options.torch)
    command = [sys.executable, "-P", *words, "-m", "fuzz", *extra]
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
