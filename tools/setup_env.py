"""Makes the virtual environment and installs the packages and a goal's tools into it.

The Makefile calls this when a stamp is missing or stale: `setup_env.py packages build test`. The
words are groups of [dependency-groups] in the root pyproject.toml; without `packages` among them
only tools are installed. It uses the standard library alone and writes nothing outside the
environment but what building the packages leaves. uv does the work, or pip where uv is not wanted.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path
from typing import Any

from progress import ROOT, watch

UV = "uv==0.13.8"
PACKAGES = [
    "stages/01_strides",
    "stages/02_cpu_ops",
    "stages/03_cuda",
    "stages/04_autograd",
    "stages/05_nn",
    "stages/06_ddp",
    "extras/norch_extras",
    "extras/norchvision",
    "norch[blas,mpi]",
]
# A checkout compiles stage 2 for this machine; `make test` and wheels ask for all machines.
NATIVE, ALL = "native", "all"
OWN_UV = Path(sys.executable).parent / "uv"  # beside the Python that runs this program
INSTALL = ["install", "--disable-pip-version-check"]  # pip's words
NO_COMPILER = """[setup] no C++ compiler found{}: stage 2 is C++17.
  Debian, Ubuntu:  sudo apt install g++
  Fedora:          sudo dnf install gcc-c++
  macOS:           xcode-select --install"""


def group_requirements(groups: dict[str, list[Any]], name: str) -> list[str]:
    """Return the requirements of one dependency group, its included groups unfolded."""
    found: list[str] = []
    for entry in groups[name]:
        if isinstance(entry, str):
            found.append(entry)
        else:
            found.extend(group_requirements(groups, entry["include-group"]))
    return list(dict.fromkeys(found))


def requirements(names: list[str]) -> tuple[list[str], list[str]]:
    """Return the requirements of the group `build`, if it is named, and of the other groups."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        groups = tomllib.load(file)["dependency-groups"]
    named = [name for name in names if name not in ("packages", "build")]
    others = [line for name in named for line in group_requirements(groups, name)]
    return (groups["build"] if "build" in names else []), others


def check_compiler() -> None:
    """Stop, before anything is installed, where no C++ compiler is on the path."""
    try:
        named = shlex.split(os.environ.get("CXX", ""))[:1]
    except ValueError as error:
        sys.exit(f"[setup] CXX={os.environ['CXX']} cannot be read: {error}")
    if not any(map(shutil.which, named or ["c++", "g++", "clang++"])):
        sys.exit(NO_COMPILER.format(f" under CXX={named[0]}" if named else ""))


def make_venv(folder: Path, with_pip: bool) -> Path:
    """Create the virtual environment unless it works already; return its interpreter."""
    python = folder / "bin" / "python"
    version = "import sys; print('%d.%d' % sys.version_info[:2])"
    found = (
        subprocess.run([python, "-c", version], capture_output=True, text=True, check=False)
        if python.exists()
        else None
    )
    if found and found.returncode == 0:
        wanted = f"{sys.version_info[0]}.{sys.version_info[1]}"
        if found.stdout.strip() != wanted:
            sys.exit(
                f"[setup] {folder.name} holds Python {found.stdout.strip()}, asked for {wanted}:"
                f" remove {folder.name}, or name another folder with VENV="
            )
        return python
    print(f"[setup] creating {folder.name} with Python {sys.version.split()[0]}", flush=True)
    venv.create(folder, with_pip=with_pip, clear=folder.exists())
    return python


def installer(python: Path, use_uv: bool) -> list[str]:
    """Return the command that installs: uv from an environment of ours, or plain pip."""
    if use_uv:
        uv = find_uv(python) or fetch_uv(python)
        if uv:
            return [str(uv), "pip", "install", "--python", str(python), *cache_option()]
        print("[setup] uv cannot be had: installing with pip (slower, same result)", flush=True)
    add_pip(python)
    return [str(python), "-m", "pip", *INSTALL]


def cache_option() -> list[str]:
    """Return where uv's cache goes if its usual place cannot be written: HOME may be read-only."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    usual = Path(os.environ.get("UV_CACHE_DIR") or Path(caches) / "uv")
    try:
        usual.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=usual).close()
    except OSError as error:
        ours = ROOT / "build" / "uv-cache"
        print(f"[setup] {usual} cannot be written ({error.strerror}): downloads go to {ours}")
        return ["--cache-dir", str(ours)]
    return []


def find_uv(python: Path) -> Path | None:
    """Return the uv of the environment, else the one beside the Python that runs this program."""
    return next((uv for uv in (python.parent / "uv", OWN_UV) if uv.exists()), None)


def fetch_uv(python: Path) -> Path | None:
    """Install uv with the pip of the Python that runs this program: making one costs seconds."""
    outer = [sys.executable, "-m", "pip"]
    if subprocess.run([*outer, "--version"], capture_output=True, check=False).returncode:
        add_pip(python)
        outer = [str(python), "-m", "pip"]
    watch([*outer, "--python", str(python), *INSTALL, "--quiet", UV], "[setup] fetching uv")
    return find_uv(python)


def add_pip(python: Path) -> None:
    """Put pip into the environment if it is not there."""
    has_pip = [str(python), "-c", "import pip"]
    if subprocess.run(has_pip, capture_output=True, check=False).returncode:
        run([str(python), "-m", "ensurepip"], python, "[setup] adding pip")


def install_all(python: Path, install: list[str], tools: list[str], asked: str) -> None:
    """Install the packages editable beside other tools: uv downloads while it compiles."""
    sets = instruction_sets(asked)
    kernels = "this machine's kernels" if sets == NATIVE else "the kernels of all machines"
    print(f"[setup] installing norch; the first time compiles {kernels}", flush=True)
    wanted = [*tools, *(word for package in PACKAGES for word in ("-e", f"./{package}"))]
    command = [*install, "--no-build-isolation", "-C", f"cmake.define.NORCH_ISAS={sets}"]
    has_core = any(ROOT.glob("stages/04_autograd/src/norch_autograd/_core.*"))
    if is_uv(install) and not has_core:  # uv may remember a build whose module was removed
        command += ["--reinstall-package", "norch-autograd"]
    offline = ["--offline"] if is_uv(install) and needs_no_network(command, wanted) else []
    run([*command, *offline, *wanted], python, "[setup] installing norch")


def instruction_sets(asked: str) -> str:
    """Return what to compile stage 2 for: what was asked, or all where all are compiled already."""
    version = "{}{}".format(*sys.version_info)
    caches = ROOT.glob(f"stages/02_cpu_ops/build/editable-cp{version}-*/CMakeCache.txt")
    has_all = (re.search(f"^NORCH_ISAS:.*={ALL}$", c.read_text(), re.MULTILINE) for c in caches)
    return ALL if any(has_all) else asked


def needs_no_network(command: list[str], wanted: list[str]) -> bool:
    """Tell whether uv has all it needs here: an edited kernel then compiles without one."""
    trial = [*command, "--offline", "--dry-run", "--quiet", *wanted]
    return subprocess.run(trial, cwd=ROOT, capture_output=True, check=False).returncode == 0


def is_uv(install: list[str]) -> bool:
    """Tell whether the install command is uv's."""
    return Path(install[0]).name == "uv"


def run(command: list[str], python: Path, what: str) -> None:
    """Run an installer with the environment's tools on the path; stop with its exit code."""
    environment = {**os.environ, "VIRTUAL_ENV": str(python.parent.parent)}
    environment["PATH"] = f"{python.parent}{os.pathsep}{environment.get('PATH', '')}"
    code = watch(command, what, cwd=ROOT, env=environment)
    if code:
        sys.exit(f"[setup] the installer failed ({code}); `make doctor` tells what is missing")


def main() -> None:
    """Create the environment, then install what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--uv", choices=["0", "1"], default="1", help="0: install with plain pip")
    parser.add_argument("--isas", choices=[NATIVE, ALL], default=NATIVE, help="stage 2's kernels")
    parser.add_argument("-r", dest="file", help="a requirements file to install")
    parser.add_argument("groups", nargs="*", help="dependency groups, or `packages`")
    arguments = parser.parse_args()
    has_packages, use_uv = "packages" in arguments.groups, arguments.uv == "1"
    if has_packages:
        check_compiler()
    python = make_venv(arguments.venv.absolute(), with_pip=not use_uv)
    install = installer(python, use_uv)
    needed, others = requirements(arguments.groups)
    if arguments.file:
        others += ["-r", arguments.file]
    if needed:  # these build the packages
        run([*install, *needed], python, "[setup] installing what builds norch")
    if has_packages:
        install_all(python, install, others, arguments.isas)
    elif others:
        run([*install, *others], python, "[setup] installing tools")


if __name__ == "__main__":
    main()
