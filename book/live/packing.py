"""Pack what the first Run of a page reads: Python for a browser, and the course that runs in it.

`runtime.js` holds Pyodide and `sources.js` the course, each file packed and spelled in base64: a
page opened by double click may load classic scripts, and may neither fetch nor start a worker from
a file. `norch_live.py` writes both into the book. Nothing here is fetched.
"""

import base64
import gzip
import io
import json
import shutil
import subprocess
import tempfile
import zipfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PYODIDE = ROOT / "build" / "pyodide"  # fetch_pyodide.py puts it there
RUNTIME = ("pyodide.asm.wasm", "python_stdlib.zip", "pyodide.asm.js", "pyodide.js")
SOURCES = (
    "book/figures/__init__.py",
    "book/figures/memory.py",
    "book/figures/svg.py",
    "course/norch_course/*.py",
    "stages/01_strides/exercises/exercises.toml",
    "stages/01_strides/exercises/wrong/*",
    "stages/01_strides/src/norch_strides/*.py",
    "stages/01_strides/tests/test_exercises.py",
)
MAKING = 120  # seconds for a snapshot, which takes three
LATER = "[book] no snapshot, so Python starts some seconds later in the pages"
SOURCE_OF = "https://github.com/pyodide/pyodide/tree/"
LICENCE = "https://www.mozilla.org/MPL/2.0/"


def is_there() -> bool:
    """Tell whether Pyodide has been fetched."""
    return all((PYODIDE / name).exists() for name in RUNTIME)


@cache
def version() -> str:
    """Return Pyodide's version."""
    return json.loads((PYODIDE / "package.json").read_text(encoding="utf-8"))["version"]


def part(name: str, data: bytes) -> str:
    """Return a line of script that hands over one file to python.js."""
    text = base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
    return f"norchLive.part({json.dumps(name)},{json.dumps(text)});\n"


@cache
def sources() -> bytes:
    """Return the course, stage 1 and its figures as an archive that unpacks to /norch."""
    found = [path for glob in SOURCES for path in sorted(ROOT.glob(glob)) if path.is_file()]
    files = {path: path.relative_to(ROOT) for path in found}
    own = HERE / "python"
    files |= {path: Path("live", path.relative_to(own)) for path in sorted(own.rglob("*.py"))}
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for path, name in files.items():
            archive.writestr(zipfile.ZipInfo(name.as_posix()), path.read_bytes())
    return target.getvalue()


def snapshot() -> bytes | None:
    """Return the memory of a Python that has started; None where node is missing or fails."""
    node = shutil.which("node")
    if not node:
        print(f"{LATER}: node is not installed", flush=True)
        return None
    with tempfile.TemporaryDirectory() as name:
        archive, out = Path(name, "sources.zip"), Path(name, "snapshot")
        archive.write_bytes(sources())
        given = [PYODIDE, archive, HERE / "python" / "live_path.py", out]
        command = [node, HERE / "snapshot.cjs", *given]
        try:
            subprocess.run(command, check=True, timeout=MAKING, capture_output=True, text=True)
            return out.read_bytes()
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", "") or str(error)).strip()
            print(f"{LATER}: {said}", flush=True)
            return None


@cache
def scripts() -> dict[str, str]:
    """Return what the first Run reads: Python, and what it runs."""
    info = json.loads((PYODIDE / "pyodide-lock.json").read_text(encoding="utf-8"))["info"]
    path = (HERE / "python" / "live_path.py").read_text(encoding="utf-8")
    memory = snapshot()
    files = {name: (PYODIDE / name).read_bytes() for name in RUNTIME}
    head = f"/*! Pyodide {version()}, unchanged: {SOURCE_OF}{version()}, under {LICENCE} */\n"
    head += f"norchLive.runtime={json.dumps({'info': info, 'path': path})};\n"
    files |= {} if memory is None else {"snapshot": memory}
    course = {"sources.zip": sources(), "worker.js": (HERE / "page" / "worker.js").read_bytes()}
    return {
        "runtime.js": head + "".join(part(name, data) for name, data in files.items()),
        "sources.js": "".join(part(name, data) for name, data in course.items()),
    }
