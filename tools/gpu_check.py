"""Runs stage 3's tests and the cross tests where a GPU is: `make gpu-check`.

A machine without a GPU is an error here, unlike in `make test`, where the same tests are skipped:
who asks for this goal wants to know that they ran.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "import norch_cuda, sys; sys.exit(0 if norch_cuda.is_available() else 1)"


def main() -> None:
    """Refuse without a GPU, else run the tests and leave with pytest's exit code."""
    if subprocess.run([sys.executable, "-P", "-c", QUESTION], cwd=ROOT, check=False).returncode:
        driver = "found" if shutil.which("nvidia-smi") else "not found"
        sys.exit(
            f"[gpu-check] no usable GPU: the NVIDIA driver is {driver}; CuPy comes with "
            f"{sys.executable} -m pip install -e './norch[cuda12]'. `make doctor` tells more."
        )
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-rs", "-m", "not slow"]
    paths = ["stages/03_cuda/tests", "tests"]
    sys.exit(subprocess.run([*command, *paths], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
