"""Builds the packages as wheels and proves that they need no compiler: `make wheels`.

dist/ gets wheels for every supported Python of this machine, with the kernels of all instruction
sets. With --cibuildwheel the compiled packages are built for every Python of [tool.cibuildwheel] in
the root's pyproject.toml, on Linux in containers: that is what CI does. Each wheel is opened and
must carry what wheel_contents.py asks for, auditwheel says on which systems the compiled ones run,
and with each Python a small model is trained in an empty environment without a compiler.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from install import installer, run
from progress import ROOT, until_stopped
from settings import read_pips_files
from setup_env import ALL, PACKAGES, check_compiler, make_venv
from wheel_contents import refuse_incomplete

FOLDERS = [package.partition("[")[0] for package in PACKAGES]
COMPILED = [folder for folder in FOLDERS if (ROOT / folder / "CMakeLists.txt").exists()]
SHARED_OBJECTS = "build/editable-{wheel_tag}"  # where an editable install compiles
GLIBC = re.compile(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?")
# What auditwheel may find that no other machine has, beside a C library newer than its tags.
TIES = ("external_libs", "policy_upgrades", "unsupported_isa", "pyfpe", "ucs2")
UNFIT = re.compile(r"^ +(.+?) ((?:has|does) .*)$", re.MULTILINE)  # of another version is no news
HERE = "python{}.{}".format(*sys.version_info)
PROGRAM = """import importlib.metadata, platform, norch, norch_cpu_ops, \
    norch_autograd.types.core as core
installed = importlib.metadata.version("norch")
assert installed == norch.__version__, f"{norch.__version__} calls itself {installed}"
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
python = "Python {}.{}".format(*platform.python_version_tuple())
print(f"[wheels] {python} trained without a compiler: loss {losses[0]:.3f} -> {losses[-1]:.3f}")
"""


def build_wheels(packages: list[str], folder: Path, sets: str) -> list[Path]:
    """Build packages as wheels into an empty folder; what did not change is not compiled again."""
    shutil.rmtree(folder, ignore_errors=True)
    python = Path(sys.executable)
    read_pips_files(python)
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


def build_here(folder: Path) -> None:
    """Add the compiled packages for the Python that runs this to the wheels of a folder."""
    own = ROOT / "build" / f"wheels-{HERE}" / "dist"
    for wheel in build_wheels(COMPILED, own, ALL):
        shutil.copy2(wheel, folder)


def others() -> dict[str, str]:
    """Return this machine's other Pythons that can set norch up by their names, naming the rest."""
    asked = ["sh", str(ROOT / "tools" / "find_python.sh"), "--all"]
    every = {**os.environ, "PYTHON": ""}  # not only the one that was named
    answer = subprocess.run(asked, env=every, capture_output=True, text=True, check=False)
    lines = (line.partition(" ") for line in answer.stdout.splitlines())
    found = {f"python{version}": path for version, _, path in lines}
    for python, reason in UNFIT.findall(answer.stderr):
        if Path(python).name not in (*found, HERE):
            print(f"[wheels] no wheels for {python}: {reason}", flush=True)
    return {name: path for name, path in found.items() if name != HERE}


def do_beside(name: str, python: str, words: list[str]) -> None:
    """Do the same with another Python, in an environment of its own: this program, once more."""
    environment = ROOT / "build" / f"wheels-{name}"
    setup = [python, "tools/setup_env.py", "--venv", str(environment), *words, "build", "wheels"]
    again = [str(environment / "bin" / "python"), "tools/wheels.py", "--beside", *words]
    for command in (setup, again):
        code = subprocess.run(command, cwd=ROOT, check=False).returncode
        if code:
            sys.exit(f"[wheels] {name}: see above ({code})")


def audit(wheel: Path) -> str:
    """Return the oldest Linux that a compiled wheel runs on; stop if it needs more than Linux."""
    command = [sys.executable, "-m", "auditwheel", "show", "--json", str(wheel)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    said = json.loads(answer.stdout) if answer.returncode == 0 else {}
    if (tag := str(said.get("overall_tag"))).startswith("manylinux"):
        return tag
    if not said or any(said[reason] for reason in TIES):
        sys.exit(f"[wheels] {wheel.name} is tied to this machine:\n{answer.stdout}{answer.stderr}")
    # Built on a system newer than the newest tag: only its C library says how old one may be.
    names = (name for symbols in said["versioned_symbols"].values() for name in symbols)
    needed = (GLIBC.fullmatch(name) for name in names)
    major, minor = max((int(found[1]), int(found[2])) for found in needed if found)
    return f"Linux with glibc {major}.{minor}"


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


def check(folder: Path) -> None:
    """Open the wheels of every package, and say on which systems the compiled ones run."""
    wheels = {
        wheel: name
        for name in FOLDERS
        for wheel in sorted(folder.glob(f"{distribution(name)}-*.whl"))
    }
    if missing := set(FOLDERS) - set(wheels.values()):
        sys.exit(f"[wheels] {folder.name} has no wheel of {', '.join(sorted(missing))}")
    refuse_incomplete(wheels)
    for wheel in sorted(folder.glob("*linux_*.whl")) if sys.platform == "linux" else []:
        print(f"[wheels] {wheel.name} runs on {audit(wheel)} and later", flush=True)


def main() -> None:
    """Build, check, audit, prove; then the same with the machine's other Pythons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--uv", choices=["0", "1"], default="1", help="0: install with plain pip")
    parser.add_argument("--cibuildwheel", action="store_true", help="for every supported Python")
    parser.add_argument("--prove", action="store_true", help="only try the wheels of dist/")
    parser.add_argument("--quick", action="store_true", help="for this Python alone")
    parser.add_argument("--beside", action="store_true", help="add this Python's to dist/")
    arguments = parser.parse_args()
    folder = ROOT / "dist"
    if not (arguments.cibuildwheel or arguments.prove):
        check_compiler()
    if arguments.cibuildwheel:
        build_for_all(folder)
    elif arguments.beside:
        build_here(folder)
    elif not arguments.prove:
        build_wheels(FOLDERS, folder, ALL)
    check(folder)
    prove(folder, arguments.uv == "1")
    if not any((arguments.cibuildwheel, arguments.prove, arguments.beside, arguments.quick)):
        for name, python in others().items():
            do_beside(name, python, ["--uv", arguments.uv])


if __name__ == "__main__":
    until_stopped(main)
