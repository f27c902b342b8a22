"""Builds the packages as wheels and proves that they need no compiler: `make wheels`.

dist/ gets wheels for the Python that runs this, with the kernels of all instruction sets. With
--cibuildwheel the compiled packages are built for every Python of [tool.cibuildwheel] in the root's
pyproject.toml, on Linux in containers: that is what CI does. Then auditwheel says on which systems
the compiled ones run, and a small model is trained in an empty environment without a compiler.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from install import installer, run
from progress import ROOT
from setup_env import ALL, PACKAGES, make_venv

FOLDERS = [package.partition("[")[0] for package in PACKAGES]
COMPILED = [folder for folder in FOLDERS if (ROOT / folder / "CMakeLists.txt").exists()]
SHARED_OBJECTS = "build/editable-{wheel_tag}"  # where an editable install compiles
TAG = re.compile(r'platform\s+tag:\s+"(\w+)"')
PROGRAM = """import norch, norch_cpu_ops, norch_autograd.types.core as core
sets = norch_cpu_ops.instruction_sets()
assert sets[0] == "baseline", f"the kernels of {sets} alone"
assert core.is_core_used(), core.core_status()
x = norch.randn(64, 2, generator=norch.Generator().manual_seed(0))
y = x.sum(1, keepdim=True)
model = norch.nn.Sequential(norch.nn.Linear(2, 8), norch.nn.Tanh(), norch.nn.Linear(8, 1))
optimizer = norch.optim.SGD(model.parameters(), lr=0.1)
losses = []
for step in range(100):
    loss = norch.nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
assert losses[-1] < losses[0] / 5, losses
print(f"[wheels] trained without a compiler: loss {losses[0]:.3f} -> {losses[-1]:.3f}")
"""


def build_wheels(packages: list[str], folder: Path, sets: str) -> list[Path]:
    """Build packages as wheels into an empty folder; what did not change is not compiled again."""
    shutil.rmtree(folder, ignore_errors=True)
    python = Path(sys.executable)
    wheel = [str(python), "-m", "pip", "wheel", "--disable-pip-version-check", "--no-deps"]
    options = ["--no-build-isolation", "--wheel-dir", str(folder)]
    options += ["-C", f"build-dir={SHARED_OBJECTS}", "-C", f"cmake.define.NORCH_ISAS={sets}"]
    run([*wheel, *options, *(f"./{name}" for name in packages)], python, "[wheels] building")
    return [next(folder.glob(f"{distribution(name)}-*.whl")) for name in packages]


def distribution(folder: str) -> str:
    """Return the name that opens a package's wheel: stages/01_strides is norch_strides."""
    name = Path(folder).name
    return f"norch_{name[3:]}" if folder.startswith("stages/") else name


def build_for_all(folder: Path) -> None:
    """Build the compiled packages for every Python, on Linux in containers; the others as usual."""
    build_wheels([name for name in FOLDERS if name not in COMPILED], folder, ALL)
    for name in COMPILED:
        command = [str(Path(sys.executable).parent / "cibuildwheel"), "--output-dir", str(folder)]
        subprocess.run([*command, "--config-file", "pyproject.toml", name], cwd=ROOT, check=True)


def audit(wheel: Path) -> str:
    """Return the oldest Linux that a compiled wheel runs on; stop if it needs more than Linux."""
    command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    tag = TAG.search(answer.stdout)
    if answer.returncode or tag is None or not tag[1].startswith("manylinux"):
        sys.exit(f"[wheels] {wheel.name} is tied to this machine:\n{answer.stdout}{answer.stderr}")
    return tag[1]


def prove(folder: Path, use_uv: bool) -> None:
    """Install the wheels into an empty environment and train there, no program on the path."""
    environment = ROOT / "build" / "wheels-venv"
    shutil.rmtree(environment, ignore_errors=True)
    python = make_venv(environment, with_pip=not use_uv)
    install = [*installer(python, use_uv), "--only-binary", ":all:", "--find-links", str(folder)]
    # First ours alone, from the folder: `norch` on the index is another project.
    ours = [distribution(name).replace("_", "-") for name in FOLDERS]
    # Without a cache: uv's remembers the wheel that had this name and version before.
    fresh = ["--no-index", "--no-deps", "--no-cache-dir"]
    run([*install, *fresh, *ours], python, "[wheels] installing")
    run([*install, "norch"], python, "[wheels] installing what norch needs")
    (nothing := environment / "empty").mkdir()
    variables = {"PATH": str(nothing), "HOME": os.environ.get("HOME", "")}
    code = subprocess.run([python, "-I", "-c", PROGRAM], env=variables, check=False).returncode
    if code:
        sys.exit(f"[wheels] the installed wheels do not train ({code})")


def main() -> None:
    """Build, audit, prove."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--uv", choices=["0", "1"], default="1", help="0: install with plain pip")
    parser.add_argument("--cibuildwheel", action="store_true", help="for every supported Python")
    parser.add_argument("--prove", action="store_true", help="only try the wheels of dist/")
    arguments = parser.parse_args()
    folder = ROOT / "dist"
    if arguments.cibuildwheel:
        build_for_all(folder)
    elif not arguments.prove:
        build_wheels(FOLDERS, folder, ALL)
    for wheel in sorted(folder.glob("*linux_*.whl")) if sys.platform == "linux" else []:
        print(f"[wheels] {wheel.name} runs on {audit(wheel)} and later", flush=True)
    prove(folder, arguments.uv == "1")


if __name__ == "__main__":
    main()
