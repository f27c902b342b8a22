"""What was fetched and compiled for the pages: where it lies, and whether it is there.

The programs of `make book` put it below `build/`; packing.py packs it, and pages say of what
version it is. Nothing is fetched, made or packed here.
"""

import json
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYODIDE = ROOT / "build" / "pyodide"  # fetch_pyodide.py puts it there
WASM = ROOT / "build" / "wasm"  # make_wasm.py
CLANG = ROOT / "build" / "clang"  # fetch_clang.py
LIBRARY = "python_stdlib.zip"
RUNTIME = ("pyodide.asm.wasm", "pyodide.asm.js", "pyodide.js")
MODULES = {  # where the compiled stages lie
    "_cpu": "stages/02_cpu_ops/src/norch_cpu_ops",
    "_core": "stages/04_autograd/src/norch_autograd",
}
SOURCE_OF = "https://github.com/pyodide/pyodide/tree/"
LICENCE = "https://www.mozilla.org/MPL/2.0/"


def is_there() -> bool:
    """Tell whether Pyodide has been fetched."""
    return all((PYODIDE / name).exists() for name in (*RUNTIME, LIBRARY))


def modules() -> list[Path]:
    """Return the stages that were compiled for a browser: all of them, or none."""
    found = [next(WASM.glob(f"{name}.*.so"), None) for name in MODULES]
    return [path for path in found if path] if all(found) else []


@cache
def version() -> str:
    """Return Pyodide's version."""
    return json.loads((PYODIDE / "package.json").read_text(encoding="utf-8"))["version"]


@cache
def info() -> dict[str, str]:
    """Return what Pyodide wants to know of itself."""
    return json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
