"""Makes the virtual environment and installs the packages and a goal's tools into it.

The Makefile calls this when a stamp is missing or stale: `setup_env.py packages build test`. The
words are groups of [dependency-groups] in the root pyproject.toml; without `packages` among them
only tools are installed. It uses the standard library alone and writes nothing outside the
environment but stamps, and what building the packages leaves. install.py does the work, by uv or
pip; alone.py lets one set-up after the other do it.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Any

import supported
from alone import alone, is_fresh, now, write_stamps
from install import installer, is_uv, run
from progress import ROOT, until_stopped
from settings import environment

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
# A checkout compiles stage 2 for this machine; `make test` and wheels ask for all machines. The
# exercises need it soon, and not fast.
QUICK, NATIVE, ALL = LEVELS = ("quick", "native", "all")
WORK, ALONE = 60, 8  # seconds of a processor for QUICK, and those of them that one core must do
MADE_AT = re.compile(r"^command = .* -m venv (?:--\S+ )*(/.+)$", re.MULTILINE)  # of pyvenv.cfg
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
    if found := version_of(python):
        wanted = f"{sys.version_info[0]}.{sys.version_info[1]}"
        if found != wanted:
            sys.exit(
                f"[setup] {folder.name} holds Python {found}, asked for {wanted}:"
                f" remove {folder.name}, or name another folder with VENV="
            )
        adopt(folder)
        return python
    refuse_folder(folder)
    print(f"[setup] creating {folder.name} with Python {sys.version.split()[0]}", flush=True)
    try:  # links, as `python -m venv` makes them: some Pythons do not start as a copy
        venv.create(folder, with_pip=with_pip, clear=folder.exists(), symlinks=True)
    except OSError as error:
        sys.exit(f"[setup] {folder} cannot be made: {error}: name another folder with VENV=")
    return python


def refuse_folder(folder: Path) -> None:
    """Stop where an environment would take the place of something else."""
    if os.path.lexists(folder) and not folder.is_dir():
        what = "a link that leads nowhere" if folder.is_symlink() else "a file"
        sys.exit(f"[setup] {folder} is {what}: remove it, or name another folder with VENV=")
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").exists():
        sys.exit(f"[setup] {folder} holds other files: name an empty or new folder with VENV=")


def version_of(python: Path) -> str:
    """Return the version of an interpreter, as 3.N; nothing where it does not start."""
    command = [str(python), "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:  # it is not there, or for another machine
        return ""
    return "" if answer.returncode else answer.stdout.strip()


def adopt(folder: Path) -> None:
    """Let an environment that was moved or copied call its own Python: its programs name it."""
    settings = folder / "pyvenv.cfg"
    made = MADE_AT.search(settings.read_text(encoding="utf-8")) if settings.exists() else None
    if not made or (Path(made[1]).exists() and folder.samefile(made[1])):
        return
    print(f"[setup] {folder.name} comes from {made[1]}: its programs are mended", flush=True)
    old = re.compile(rb"(?<![\w.~/-])" + re.escape(made[1].encode()) + rb"(?![\w.-])")
    new = str(folder).encode()
    programs = [path for path in (folder / "bin").iterdir() if not path.is_symlink()]
    for path in [*filter(Path.is_file, programs), settings]:  # these at last: they say it is done
        text = path.read_bytes()
        if b"\0" not in text and old.search(text):
            path.write_bytes(old.sub(lambda found: new, text))


def install_all(python: Path, install: list[str], tools: list[str], asked: str) -> None:
    """Install the packages editable beside other tools: uv downloads while it compiles."""
    sets = instruction_sets(asked)
    kernels = "the kernels of all machines" if sets == ALL else "this machine's kernels"
    if sets == QUICK:
        cores = processors()
        seconds = 5 * round((ALONE + (WORK - ALONE) / cores) / 5)
        kernels = f"what the exercises run on, once: about {seconds} s on {cores} cores"
    print(f"[setup] installing norch; the first time compiles {kernels}", flush=True)
    wanted = [*tools, *(word for package in PACKAGES for word in ("-e", f"./{package}"))]
    command = [*install, "--no-build-isolation", "-C", f"cmake.define.NORCH_ISAS={sets}"]
    has_core = any(ROOT.glob("stages/04_autograd/src/norch_autograd/_core.*"))
    if is_uv(install) and not has_core:  # uv may remember a build whose module was removed
        command += ["--reinstall-package=norch-autograd"]
    no_network = is_uv(install) and needs_no_network(command, wanted, python)
    offline = ["--offline"] if no_network else []
    run([*command, *offline, *wanted], python, "[setup] installing norch")


def processors() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def instruction_sets(asked: str) -> str:
    """Return what to compile stage 2 for: what was asked, or what is compiled if that is more."""
    version = "{}{}".format(*sys.version_info)
    caches = ROOT.glob(f"stages/02_cpu_ops/build/editable-cp{version}-*/CMakeCache.txt")
    built = (re.findall(r"^NORCH_ISAS:\w*=(\w+)$", c.read_text(), re.MULTILINE) for c in caches)
    known = [level for levels in built for level in levels if level in LEVELS]
    return str(max([asked, *known], key=LEVELS.index))


def needs_no_network(command: list[str], wanted: list[str], python: Path) -> bool:
    """Tell whether uv has all it needs here: an edited kernel then compiles without one."""
    trial = [*command, "--offline", "--dry-run", "--quiet", *wanted]
    answer = subprocess.run(
        trial, cwd=ROOT, env=environment(python), capture_output=True, check=False
    )
    return answer.returncode == 0


def refuse_missing(python: Path, wanted: list[str]) -> None:
    """Stop where an installer ended well and the environment has not got what it was asked for."""
    names = [re.split(r"[^\w.-]", line)[0] for line in wanted if ";" not in line]
    question = (
        "import importlib.metadata as m, sys;"
        "print(*[n for n in sys.argv[1:] if not any(m.Distribution.discover(name=n))])"
    )
    command = [python, "-I", "-c", question, *names]
    missing = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    if missing:
        sys.exit(
            f"[setup] the installer ended well, and {python.parent.parent} lacks"
            f" {', '.join(missing)}: remove that folder and run it again"
        )


def parse() -> argparse.Namespace:
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv")
    parser.add_argument("--uv", choices=["0", "1"], default="1", help="0: install with plain pip")
    parser.add_argument("--isas", choices=LEVELS, default=NATIVE, help="stage 2's kernels")
    parser.add_argument("-r", dest="file", help="a requirements file to install")
    parser.add_argument("--stamps", default="", help="files that say that it is done")
    parser.add_argument("--after", default="", help="files whose change makes it necessary")
    parser.add_argument("groups", nargs="*", help="dependency groups, or `packages`")
    return parser.parse_args()


def main() -> None:
    """Install what the command line names, unless another make did while this one waited for it."""
    arguments = parse()
    if "packages" in arguments.groups:
        supported.demand()
        check_compiler()
    stamps = [Path(word) for word in arguments.stamps.split()]
    with alone(ROOT) as has_waited:
        if has_waited and is_fresh(stamps, map(Path, arguments.after.split())):
            return
        began = now(ROOT)
        set_up(arguments)
        write_stamps(stamps, began)


def set_up(arguments: argparse.Namespace) -> None:
    """Create the environment, then install into it."""
    has_packages, use_uv = "packages" in arguments.groups, arguments.uv == "1"
    python = make_venv(arguments.venv.absolute(), with_pip=not use_uv)
    install = installer(python, use_uv)
    needed, others = requirements(arguments.groups)
    wanted = [*needed, *others, *(["norch"] if has_packages else [])]
    if arguments.file:
        others += ["-r", arguments.file]
    if needed:  # these build the packages
        run([*install, *needed], python, "[setup] installing what builds norch")
    if has_packages:
        install_all(python, install, others, arguments.isas)
    elif others:
        run([*install, *others], python, "[setup] installing tools")
    refuse_missing(python, wanted)


if __name__ == "__main__":
    until_stopped(main)
