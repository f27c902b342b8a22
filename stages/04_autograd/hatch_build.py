"""Builds the C++ core into the package where it can be built, and does without where it cannot.

hatchling calls this for the wheel and for `pip install -e`. CMakeLists.txt decides whether there is
anything to build: it makes no target without a compiler, Python's headers or a Python it knows. An
editable install finds the module beside the Python files, one for each interpreter.
"""

import importlib.machinery
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "_core" + importlib.machinery.EXTENSION_SUFFIXES[0]


class CoreHook(BuildHookInterface):
    """Compiles csrc/ with CMake before the files of a wheel are gathered."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, then give the module to the wheel, or put it beside the sources."""
        folder = Path(self.root)
        beside = folder / "src" / "norch_autograd" / MODULE
        built = compiled(folder)
        if built is None:
            beside.unlink(missing_ok=True)
            return
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        if version == "editable":
            beside.unlink(missing_ok=True)  # a program that runs keeps the old one
            shutil.copy2(built, beside)
        else:
            build_data["force_include"][str(built)] = f"norch_autograd/{MODULE}"


def compiled(folder: Path) -> Path | None:
    """The compiled module, or None where CMake found nothing to build with."""
    cmake, ninja = shutil.which("cmake"), shutil.which("ninja")
    if cmake is None:
        print("[norch-autograd] no cmake: no core, stage 4 runs as Python alone")
        return None
    build = folder / "build" / MODULE.removesuffix(".so")
    options = ["-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}"]
    generator = ["-G", "Ninja"] if ninja else []
    subprocess.run([cmake, "-S", folder, "-B", build, *generator, *options], check=True)
    subprocess.run([cmake, "--build", build], check=True)
    module = build / MODULE
    return module if module.exists() else None
