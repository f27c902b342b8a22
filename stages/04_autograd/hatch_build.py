"""Builds the C++ core into the package where it can be built, and does without where it cannot.

hatchling calls this for the wheel and for `pip install -e`. CMakeLists.txt decides whether there is
anything to build: without a compiler, Python's headers or a Python it knows it makes no target but
a text that says so. An editable install finds either beside the Python files, one for each
interpreter.
"""

import importlib.machinery
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "_core" + importlib.machinery.EXTENSION_SUFFIXES[0]
REASON = f"_no{MODULE}.txt"  # why there is none, for types/core.py


class CoreHook(BuildHookInterface):
    """Compiles csrc/ with CMake before the files of a wheel are gathered."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, then give the module to the wheel, or put it beside the sources."""
        built = compiled(Path(self.root))
        name = REASON if built.suffix == ".txt" else MODULE
        if name == MODULE:
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
        if version == "editable":
            package = Path(self.root) / "src" / "norch_autograd"
            for old in (MODULE, REASON):
                (package / old).unlink(missing_ok=True)  # a program that runs keeps its module
            shutil.copy2(built, package / name)
        else:
            build_data["force_include"][str(built)] = f"norch_autograd/{name}"


def compiled(folder: Path) -> Path:
    """The compiled module, or a text that says why CMake found nothing to build it with."""
    cmake, ninja = shutil.which("cmake"), shutil.which("ninja")
    build = folder / "build" / MODULE.removesuffix(".so")
    reason = build / "no_core.txt"
    if cmake is None:
        build.mkdir(parents=True, exist_ok=True)
        reason.write_text("cmake was not found")
        return reason
    options = ["-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"]
    generator = ["-G", "Ninja"] if ninja else []
    if is_of_another(folder, build):
        shutil.rmtree(build)  # CMake would refuse it
    subprocess.run([cmake, "-S", folder, "-B", build, *generator, *options], check=True)
    if reason.exists():
        return reason
    subprocess.run([cmake, "--build", build], check=True)
    return build / MODULE


def is_of_another(folder: Path, build: Path) -> bool:
    """Tell whether a build was made for other sources: it came with a copy or a moved folder."""
    cache = build / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.exists() else ""
    made = [line for line in text.splitlines() if line.startswith("CMAKE_HOME_DIRECTORY:")]
    sources = [Path(line.partition("=")[2]) for line in made]
    return not all(path.exists() and path.samefile(folder) for path in sources)
