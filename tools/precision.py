"""Measures how many digits are right, tests/support/precision: norch beside PyTorch, in ulp.

`--torch` names the interpreter of another environment that has PyTorch; `--record FILE` puts the
table into a page.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from parity import packages_of

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """Measure, and leave with the exit code of that."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter that has PyTorch")
    options, extra = parser.parse_known_args()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "support")}
    if options.torch:
        environment["NORCH_PARITY_TORCH"] = packages_of(options.torch)
    command = [sys.executable, "-P", "-m", "precision", *extra]
    sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
