"""Runs stage 3's tests and the cross tests where a GPU is: `make gpu-check`.

A machine without a GPU is an error here, unlike in `make test`, where the same tests are skipped:
who asks for this goal wants to know that they ran. What they said, and what the lesson kernels take
there, is written to benchmarks/results_gpu.md.
"""

import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results_gpu.md"
QUESTION = "import norch_cuda, sys; sys.exit(0 if norch_cuda.is_available() else 1)"


def write_results(verdict: str) -> None:
    """Keep what was found, with the machine it was found on."""
    table = subprocess.run(
        [sys.executable, "-m", "benchmarks.gpu"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    RESULTS.write_text(
        f"# norch on a GPU\n\nWritten by `make gpu-check` on {date.today()}.\n\n| | |\n|---|---|\n"
        f"| tests | {verdict} |\n{table}"
    )


def main() -> None:
    """Refuse without a GPU, else run the tests, write the results, leave with their exit code."""
    if subprocess.run([sys.executable, "-P", "-c", QUESTION], cwd=ROOT, check=False).returncode:
        driver = "found" if shutil.which("nvidia-smi") else "not found"
        sys.exit(
            f"[gpu-check] no usable GPU: the NVIDIA driver is {driver}; CuPy comes with "
            f"{sys.executable} -m pip install -e './norch[cuda12]'. `make doctor` tells more."
        )
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-rs", "-m", "not slow"]
    paths = ["stages/03_cuda/tests", "tests"]
    last = ""
    with subprocess.Popen([*command, *paths], cwd=ROOT, stdout=subprocess.PIPE, text=True) as tests:
        for line in tests.stdout or ():
            print(line, end="", flush=True)
            last = line.strip() or last
    write_results(last)
    sys.exit(tests.returncode)


if __name__ == "__main__":
    main()
