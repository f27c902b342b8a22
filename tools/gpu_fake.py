"""Runs the CUDA tests on a stand-in for a GPU's driver: `make gpu-fake`. No GPU takes part.

CuPy and NVRTC are real and come into an environment of their own; the driver is tests/fake_gpu, and
kernels run in the simulator. That tries everything between norch and a GPU, and nothing of the GPU:
what passes here still wants `make gpu-check`. Where the wheels cannot be had it says so and stops.
"""

import hashlib
import os
import platform
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from pytest_runs import ROOT, run_pytest

FOLDER = ROOT / "build" / "fake_gpu"
PARTS = ROOT / "tests" / "fake_gpu"
TESTS = ["stages/03_cuda/tests", "stages/04_autograd/tests/test_pinned.py"]
TESTS += [f"stages/05_nn/tests/test_{name}.py" for name in ("cuda_graphs", "pinned_batches")]
TESTS += ["extras/norch_extras/tests/test_cuda_graphs.py"]
TESTS += ["stages/06_ddp/tests/test_nccl.py", "tests/fake_gpu", "tests/test_launch_counts.py"]
CANNOT_BE_HAD = 3  # the exit code of build.py for a download that failed


def skip(reason: str) -> None:
    """Say why nothing is tested, and leave without an error."""
    print(f"[gpu-fake] skipped: {reason}")
    sys.exit(0)


def environment() -> Path:
    """Make an environment with the wheels, in which this one's packages can be imported too."""
    folder = FOLDER / "venv"
    command = [sys.executable, "tools/setup_env.py", "--venv", str(folder), "gpu-fake"]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        skip("the wheels of the group gpu-fake in pyproject.toml cannot be had (see above)")
    python = folder / "bin" / "python"
    question = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    site = subprocess.run([python, "-c", question], capture_output=True, text=True, check=True)
    ours = sysconfig.get_paths()["purelib"]
    line = f"import site; site.addsitedir({ours!r})\n"
    (Path(site.stdout.strip()) / "norch_environment.pth").write_text(line)
    return python


def build(python: Path) -> None:
    """Build the stand-in, unless it is there from the same sources."""
    sources = [ROOT / "pyproject.toml", *sorted(PARTS.glob("*"))]
    key = hashlib.sha256(b"".join(path.read_bytes() for path in sources if path.is_file()))
    stamp = FOLDER / "ready"
    if stamp.exists() and stamp.read_text() == key.hexdigest():
        return
    print("[gpu-fake] building the stand-in for the driver in build/fake_gpu", flush=True)
    code = subprocess.run([python, PARTS / "build.py"], cwd=ROOT, check=False).returncode
    if code == CANNOT_BE_HAD:
        skip("CuPy's source cannot be had (see above)")
    if code:
        sys.exit(code)
    stamp.write_text(key.hexdigest())


def main() -> None:
    """Set up, build, run the tests; leave with pytest's exit code."""
    if platform.system() != "Linux":
        skip("CuPy has wheels for Linux alone (and Windows, where norch has none)")
    start = time.monotonic()
    python = environment()
    build(python)
    print(f"[gpu-fake] ready after {time.monotonic() - start:.0f} s; the tests begin", flush=True)
    path = os.pathsep.join(map(str, [FOLDER, PARTS]))
    # The stand-in runs texts that it saw when they were compiled (build/fake_gpu/texts), so images
    # that another checkout left in the user's cache are none for it.
    chosen = {"PYTHONPATH": path, "NORCH_CACHE": str(FOLDER / "cache")}
    code = run_pytest(python, ["-m", "gpu and not slow"], TESTS, **chosen)
    print("[gpu-fake] no GPU took part: `make gpu-check` is for a machine that has one")
    sys.exit(code)


if __name__ == "__main__":
    main()
