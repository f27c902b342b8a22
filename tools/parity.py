"""Runs the parity suite, tests/parity: norch beside PyTorch, call by call.

`make parity` calls this. PyTorch may be installed in this environment or in another one of the same
Python version, which `--torch` names by its interpreter. Without it the program says how to get it.
Other arguments go to pytest.
"""

import argparse
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WANTED = "torch==2.13.0"
ASK = "import sys, torch; print(*sys.version_info[:2], torch.__path__[0], sep=chr(10))"


def packages_of(python: str) -> str:
    """Return the folder of packages in which the interpreter `python` finds PyTorch."""
    try:
        found = subprocess.run([python, "-c", ASK], capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"[parity] {python} cannot be run: {error.strerror}")
    if found.returncode:
        last = (found.stderr.strip().splitlines() or ["it failed"])[-1]
        sys.exit(f"[parity] {python} has no PyTorch ({last}): {python} -m pip install {WANTED}")
    major, minor, folder = found.stdout.split("\n")[:3]
    if (int(major), int(minor)) != sys.version_info[:2]:
        own = f"{sys.version_info[0]}.{sys.version_info[1]}"
        sys.exit(f"[parity] {python} is Python {major}.{minor}; norch is installed for {own}")
    return str(Path(folder).parent)


def main() -> None:
    """Find PyTorch, run the suite and leave with pytest's exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    options, extra = parser.parse_known_args()
    environment = dict(os.environ)
    if options.torch:
        environment["NORCH_PARITY_TORCH"] = packages_of(options.torch)
    elif importlib.util.find_spec("torch") is None:
        sys.exit(
            f"[parity] PyTorch is not installed: {sys.executable} -m pip install {WANTED}\n"
            "  or name a Python of this version that has it: make parity TORCH=/path/to/python"
        )
    command = [sys.executable, "-P", "-m", "pytest", "-q", "tests/parity", *extra]
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
