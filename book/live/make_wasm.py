"""Compile stages 2 and 4 for the Python of the pages: `make wasm` runs `make_wasm.py`.

Zig's clang compiles, by the stages' own CMakeLists.txt and wasm/toolchain.cmake; no Emscripten is
run. The compiler and Pyodide come from registries, pinned with hashes; Python's headers from the
Python of the same version that is installed here. Where one cannot be had, a line says which, and
`make book` goes on with chapter 1 alone (--if-possible). `build/wasm` gets the modules.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from built import HERE, PYODIDE, ROOT, WASM, is_there, version
from fetch_pyodide import NPM, Missing, run
from wasm_file import unresolved

ZIG = ROOT / "build" / "ziglang"
PATIENCE = 600  # seconds for the compiler's 101 MB
STAGES = {"02_cpu_ops": "_cpu", "04_autograd": "_core"}
SYSCONFIG = "_sysconfigdata__emscripten_wasm32-emscripten"


def zig() -> Path:
    """Return the folder of the compiler, after fetching it where it is not there."""
    package = ZIG / "ziglang"
    wanted = HERE / "wasm" / "requirements.txt"
    stamp = ZIG / wanted.name
    if not stamp.exists() or stamp.read_bytes() != wanted.read_bytes():
        shutil.rmtree(ZIG, ignore_errors=True)
        uv = Path(sys.executable).with_name("uv")
        by_pip = [sys.executable, "-m", "pip", "install", "--quiet", "--retries=0"]
        by_uv = [str(uv), "pip", "install", "--quiet", "--python", sys.executable]
        install = by_uv if uv.exists() else by_pip
        words = ["--no-deps", "--require-hashes", "--target", str(ZIG), "-r", str(wanted)]
        run([*install, *words], ROOT, PATIENCE)
        shutil.copy(wanted, stamp)
    return package


def python(version: str) -> str:
    """Return a Python of this version that is here with its headers."""
    command = ["sh", str(ROOT / "tools" / "find_python.sh"), "--all", "--compile"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    for line in found.splitlines():
        number, _, path = line.partition(" ")
        if number == version:
            return path
    raise Missing(f"no Python {version} with its headers is installed: the pages' Python is that")


def build_time_vars() -> dict[str, object]:
    """Return what Pyodide's Python says of its own building; leave it where CMake finds it."""
    with zipfile.ZipFile(PYODIDE / "python_stdlib.zip") as archive:
        text = archive.read(f"{SYSCONFIG}.py").decode()
    (WASM / f"{SYSCONFIG}.py").write_text(text, encoding="utf-8")
    space: dict[str, dict[str, object]] = {}
    exec(text, space)  # the file is a table, held to its hash
    return space["build_time_vars"]


def headers(own: Path, values: dict[str, object]) -> Path:
    """Return a folder with Python's headers and the pyconfig.h of Pyodide's own building."""
    target = WASM / "python"
    others = shutil.ignore_patterns("pyconfig.h")  # Python.h takes the one beside it
    shutil.copytree(own, target, dirs_exist_ok=True, ignore=others)
    names = re.findall(
        r"^(?:/\* )?#\s*(?:define|undef)\s+(\w+)", (own / "pyconfig.h").read_text(), re.M
    )
    known = {name: values[name] for name in names if values.get(name) not in (None, 0)}
    lines = [f"#define {name} {value}" for name, value in known.items()]
    text = "\n".join(["#pragma once", *lines, ""])
    path = target / "pyconfig.h"
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    return target


def compile_stage(stage: str, module: str, given: dict[str, str], soabi: str) -> Path:
    """Compile one stage's module by its own CMakeLists.txt; return it."""
    folder = WASM / stage
    env = {name: value for name, value in os.environ.items() if "LAUNCHER" not in name}
    env |= {"_PYTHON_SYSCONFIGDATA_NAME": SYSCONFIG, "PYTHONPATH": str(WASM)}
    words = [f"-D{name}={value}" for name, value in given.items()]
    tools = Path(sys.executable).parent
    given_to, made_by = HERE / "wasm" / "toolchain.cmake", folder / "toolchain.cmake"
    is_same = made_by.exists() and made_by.read_bytes() == given_to.read_bytes()
    anew = [] if is_same else ["--fresh"]  # CMake reads a toolchain's flags once
    place = ["-S", ROOT / "stages" / stage, "-B", folder]
    configure = [tools / "cmake", "-GNinja", *anew, *place, *words]
    ninja = [tools / "ninja", "-C", folder, module]
    for command in (configure, ninja):
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"[wasm] {module} does not compile for a browser:\n{done.stdout}{done.stderr}")
    shutil.copy(given_to, made_by)
    return next(folder.glob(f"{module}.{soabi}.*"))


def said_by(*command: str) -> str:
    """Return what a command prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def make() -> None:
    """Compile what has changed."""
    if not is_there() or version() != NPM.partition("@")[2]:
        raise Missing(f"{NPM} is not here, which the modules are made for")
    WASM.mkdir(parents=True, exist_ok=True)
    values = build_time_vars()
    interpreter = python(str(values["VERSION"]))
    compiler = zig()
    include = said_by(interpreter, "-c", "import sysconfig; print(sysconfig.get_path('include'))")
    given = {
        "CMAKE_TOOLCHAIN_FILE": str(HERE / "wasm" / "toolchain.cmake"),
        "NORCH_ZIG": str(compiler),
        "Python_EXECUTABLE": interpreter,
        "Python_INCLUDE_DIR": str(headers(Path(include), values)),
        "pybind11_DIR": said_by(sys.executable, "-m", "pybind11", "--cmakedir"),
    }
    for stage, module in STAGES.items():
        made = compile_stage(stage, module, given, str(values["SOABI"]))
        lacking = unresolved(made, PYODIDE / "pyodide.asm.wasm")
        if lacking:
            made.unlink()
            sys.exit(
                f"[wasm] {made.name} calls what the pages' Python has not: {', '.join(lacking)}"
            )
        shutil.copy(made, WASM / f"{module}{values['EXT_SUFFIX']}")


def main() -> None:
    """Make the modules, or say why not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--if-possible", action="store_true", help="a missing tool is no error")
    try:
        is_optional = parser.parse_args().if_possible
        make()
    except (Missing, OSError) as error:
        said = f"[wasm] not compiled for a browser, so chapter 1 alone runs in its page: {error}"
        sys.exit(None if is_optional and not print(said, flush=True) else said)


if __name__ == "__main__":
    main()
