"""Makes the virtual environment and installs the seven packages and a goal's tools into it.

The Makefile calls this when a stamp is missing or stale: `setup_env.py packages build test`. The
words are groups of [dependency-groups] in the root pyproject.toml; without `packages` among them
only tools are installed. It uses the standard library alone and writes nothing outside the
environment but what building the packages leaves.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = "uv==0.13.8"
PACKAGES = [
    "stages/01_strides",
    "stages/02_cpu_ops",
    "stages/03_cuda",
    "stages/04_autograd",
    "stages/05_nn",
    "stages/06_ddp",
    "norch[blas,mpi]",
]
OWN_UV = Path(sys.executable).parent / "uv"  # beside the Python that runs this program
NO_COMPILER = """[setup] no C++ compiler found{}: stage 2 is C++17.
  Debian, Ubuntu:  sudo apt install g++
  Fedora:          sudo dnf install gcc-c++
  macOS:           xcode-select --install"""


def group_requirements(groups: dict[str, list], name: str) -> list[str]:
    """Return the requirements of one dependency group, its included groups unfolded."""
    found: list[str] = []
    for entry in groups[name]:
        if isinstance(entry, str):
            found.append(entry)
        else:
            found.extend(group_requirements(groups, entry["include-group"]))
    return list(dict.fromkeys(found))


def check_compiler() -> None:
    """Stop, before anything is installed, where no C++ compiler is on the path."""
    named = shlex.split(os.environ.get("CXX", ""))[:1]
    if not any(map(shutil.which, named or ["c++", "g++", "clang++"])):
        sys.exit(NO_COMPILER.format(f" under CXX={named[0]}" if named else ""))


def make_venv(folder: Path, with_pip: bool = True) -> Path:
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
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    if not use_uv:
        return pip
    if not (python.parent / "uv").exists() and not OWN_UV.exists():
        subprocess.run([*pip, "--quiet", UV], check=False)
    for uv in (python.parent / "uv", OWN_UV):
        if uv.exists():
            return [str(uv), "pip", "install", "--python", str(python)]
    print("[setup] uv cannot be had: installing with pip (slower, same result)", flush=True)
    return pip


def install_packages(python: Path, install: list[str]) -> None:
    """Install the seven packages editable, compiling stage 2 with the tools already installed."""
    editable = [word for package in PACKAGES for word in ("-e", f"./{package}")]
    was_cleaned = not (ROOT / "stages/02_cpu_ops/build").exists()
    again = ["--reinstall-package", "norch-cpu-ops"] if was_cleaned and is_uv(install) else []
    print("[setup] installing norch; the first time compiles stage 2 (minutes)", flush=True)
    command = [*install, "--no-build-isolation", *again]
    offline = ["--offline"] if is_uv(install) and needs_no_network(command, editable) else []
    run([*command, *offline, *editable], python)


def needs_no_network(command: list[str], packages: list[str]) -> bool:
    """Tell whether uv has all it needs here: an edited kernel then compiles without one."""
    trial = [*command, "--offline", "--dry-run", "--quiet", *packages]
    return subprocess.run(trial, cwd=ROOT, capture_output=True, check=False).returncode == 0


def is_uv(install: list[str]) -> bool:
    """Tell whether the install command is uv's."""
    return Path(install[0]).name == "uv"


def run(command: list[str], python: Path) -> None:
    """Run an installer with the environment's tools on the path; stop with its exit code."""
    environment = {**os.environ, "VIRTUAL_ENV": str(python.parent.parent)}
    environment["PATH"] = f"{python.parent}{os.pathsep}{environment.get('PATH', '')}"
    code = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    if code:
        sys.exit(f"[setup] the installer failed ({code}); `make doctor` tells what is missing")


def main() -> None:
    """Create the environment, then install what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--uv", choices=["0", "1"], default="1", help="0: install with plain pip")
    parser.add_argument("-r", dest="file", help="a requirements file to install")
    parser.add_argument("groups", nargs="*", help="dependency groups, or `packages`")
    arguments = parser.parse_args()
    with (ROOT / "pyproject.toml").open("rb") as file:
        groups = tomllib.load(file)["dependency-groups"]
    if "packages" in arguments.groups:
        check_compiler()
    python = make_venv(arguments.venv.absolute())
    install = installer(python, arguments.uv == "1")
    wanted = [name for name in arguments.groups if name != "packages"]
    requirements = [line for name in wanted for line in group_requirements(groups, name)]
    if arguments.file:
        requirements += ["-r", arguments.file]
    if requirements:
        run([*install, *requirements], python)
    if "packages" in arguments.groups:
        install_packages(python, install)


if __name__ == "__main__":
    main()
