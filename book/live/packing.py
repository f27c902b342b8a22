"""Pack what a page's Python reads: Pyodide itself, the course, and the stages in packs.

A pack is a row of parts, each compressed; `norch_live.py` writes every pack twice, as bytes to
fetch and as a script in base64, because a page opened by double click may load classic scripts and
may neither fetch nor start a worker from a file. A part is one file of Pyodide, or an archive (tar)
that unpacks to /norch, where all lies as in this repository. Nothing here is fetched.
"""

import gzip
import io
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections import ChainMap
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from pathlib import Path

import cpp_pack
import fetch_clang
from built import (
    CLANG,
    HERE,
    LIBRARY,
    MODULES,
    PYODIDE,
    ROOT,
    RUNTIME,
    WASM,
    modules,
)

from norch_course.catalog import Stage
from norch_course.compiling import is_current
from norch_course.holes import LANGUAGES

HOLES = (  # the sources of stage 2 that hold exercises: the others are its compiler's alone
    "core/plan.cpp",
    "kernels/conv.cpp",
    "kernels/lessons.cpp",
    "kernels/norm.cpp",
    "kernels/optimizer.cpp",
    "kernels/random_fill.h",
    "kernels/softmax.cpp",
    "scalar_kernels/histogram.cpp",
)
# Globs of what lies at the same place below /norch. Chapter 1 needs the first pack alone.
PACKS = {
    "course": (
        "book/figures/__init__.py",
        "book/figures/memory.py",
        "book/figures/svg.py",
        "course/norch_course/*.py",
        "stages/01_strides/exercises/exercises.toml",
        "stages/01_strides/exercises/wrong/*",
        "stages/01_strides/src/norch_strides/*.py",
        "stages/01_strides/tests/test_exercises.py",
    ),
    "tensors": (
        "stages/02_cpu_ops/exercises/exercises.toml",
        "stages/02_cpu_ops/exercises/wrong/*",
        "stages/02_cpu_ops/tests/test_exercises.py",
        *(f"stages/02_cpu_ops/csrc/{name}" for name in HOLES),
        "stages/02_cpu_ops/src/**/*.py",
        "stages/03_cuda/src/**/*.py",
        "stages/04_autograd/src/**/*.py",
        "stages/04_autograd/exercises/exercises.toml",
        "stages/04_autograd/exercises/wrong/*",
        "stages/04_autograd/tests/test_exercises*.py",
    ),
    "library": (
        "stages/05_nn/src/**/*.py",
        "stages/05_nn/exercises/exercises.toml",
        "stages/05_nn/exercises/wrong/*",
        "stages/05_nn/tests/test_exercises*.py",
        "stages/06_ddp/src/**/*.py",
        "norch/src/**/*.py",
        "extras/*/src/**/*.py",
        "extras/norchvision/src/norchvision/datasets/*.gz",
    ),
    "book": ("book/figures/*.py", "book/lessons/*.py", "examples/gpt2.py", "examples/mnist.py"),
    "mnist": ("build/book/mnist/*",),  # fetch_mnist.py puts them there, where MNIST can be had
}
# What needs a network or a terminal, which a page has not, and two that stand for C that is here.
LEFT_OUT = ("_pyrepl", "ftplib", "imaplib", "mailbox", "poplib", "smtplib", "socketserver")
LEFT_OUT = (*LEFT_OUT, "wsgiref", "xmlrpc", "_pydatetime", "_pyio", "doctest", "optparse", "pdb")
LEFT_OUT = (*LEFT_OUT, "xml", "zoneinfo")
# Of the course: what commands do that no page has.
COMMANDS = ("certificate", "classroom", "commands", "forge", "gates", "inputs", "marking", "moving")
COMMANDS = (*COMMANDS, "on_save", "projects", "ranks", "ready")
KEPT_ENCODINGS = ("__init__", "aliases", "ascii", "cp437", "idna", "latin_1", "punycode", "utf")
COMPILED = ("stages/01", "stages/02", "stages/04", "stages/05", "course/", "live/")
UNPACKED = {"__pycache__", "conftest.py"}
MAKING = 240  # seconds for compiling Python, which takes ten
LATER = "[book] modules are not compiled, so Python starts some seconds later in the pages"
Files = Mapping[str, bytes]  # by their place below /norch


def has_compiler() -> bool:
    """Tell whether pages can compile C++: clang is there, and objects that fit the sources."""
    return bool(modules()) and fetch_clang.is_there(CLANG) and is_current(WASM / "02_cpu_ops")


@cache
def sources(pack: str) -> Files:
    """Return the files of a pack."""
    found = [path for glob in PACKS[pack] for path in sorted(ROOT.glob(glob)) if path.is_file()]
    kept = [path for path in found if not UNPACKED & set(path.parts)]
    if pack == "course":
        kept = [
            path for path in kept if path.stem not in COMMANDS or "norch_course" not in path.parts
        ]
    files = {path.relative_to(ROOT).as_posix(): text_of(path) for path in kept}
    if pack == "course":
        own = HERE / "python"
        found = [path for path in sorted(own.rglob("*.py")) if not UNPACKED & set(path.parts)]
        files |= {f"live/{path.relative_to(own).as_posix()}": path.read_bytes() for path in found}
    if pack == "tensors":
        files |= {
            f"{MODULES[path.name.partition('.')[0]]}/{path.name}": path.read_bytes()
            for path in modules()
        }
    return files


def text_of(path: Path) -> bytes:
    """Return what pages need of a file: of wrong answers, the sentences alone.

    An answer that is given to be mended stays whole: it stands in the hole at first.
    """
    if path.parent.name != "wrong" or path.suffix not in LANGUAGES:
        return path.read_bytes()
    mark = LANGUAGES[path.suffix].comment + ":"
    given = {one.get("given") for one in Stage(path.parents[2]).entries if one["id"] == path.stem}
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    parts = [list(part) for _, part in groupby(lines, lambda line: line.startswith(mark))]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    kept = [[*head, *(body if head[0].split()[1] in given else "\n")] for head, body in pairs]
    return "".join(line for part in kept for line in part).encode()


def archive(files: Files) -> bytes:
    """Return files as one tar, the same for the same files."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(files, key=module_of):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            tar.addfile(entry, io.BytesIO(files[name]))
    return target.getvalue()


def module_of(name: str) -> tuple[str, str, str]:
    """Return the place of a file in a tar: a module's .pyc stands beside its source.

    Both hold the same docstrings and messages, and gzip finds again what is at most 32 KB away.
    """
    folder, _, file = name.rpartition("/")
    return folder.removesuffix("/__pycache__"), file.partition(".")[0], file


def packs() -> list[str]:
    """Return the names of the archives that can be made: without compiled stages, chapter 1's."""
    return [name for name in PACKS if sources(name)] if modules() else ["course"]


@cache
def compiled() -> Files:
    """Return the .pyc of the modules that pages load: Pyodide compiles them, in node."""
    node = shutil.which("node")
    if not node:
        print(f"{LATER}: node is not installed", flush=True)
        return {}
    with tempfile.TemporaryDirectory() as name:
        given, out = Path(name, "sources.tar"), Path(name, "compiled.tar")
        texts = [sources(pack) for pack in packs() if pack != "mnist"]
        given.write_bytes(archive(dict(ChainMap(*texts))))
        command = [node, HERE / "compile_modules.cjs", PYODIDE, given, HERE / "python", out]
        try:
            subprocess.run(command, check=True, timeout=MAKING, capture_output=True, text=True)
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", "") or str(error)).strip()
            print(f"{LATER}: {said}", flush=True)
            return {}
        with tarfile.open(out) as tar:
            return {one.name: tar.extractfile(one).read() for one in tar if one.isfile()}


def library() -> bytes:
    """Return Python's standard library, compiled as far as pages load it.

    Character sets that no lesson reads a text in stay away, and what no page can use: half a MB.
    """
    ready = {name.removeprefix("lib/"): data for name, data in compiled().items()}
    target = io.BytesIO()
    with zipfile.ZipFile(PYODIDE / LIBRARY) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            folder, _, file = entry.filename.partition("/")
            if folder.removesuffix(".py") in LEFT_OUT:
                continue
            if folder == "encodings" and file and not file.startswith(KEPT_ENCODINGS):
                continue
            short = f"{entry.filename}c"
            name, data = (short, ready[short]) if short in ready else (entry.filename, None)
            new.writestr(zipfile.ZipInfo(name), old.read(entry) if data is None else data)
    return target.getvalue()


def with_compiled(files: Files) -> Files:
    """Return files, and beside each what Python compiled of it."""
    found = {}
    for name in files:
        folder, _, file = name.rpartition("/")
        short = f"{folder}/__pycache__/{file.removesuffix('.py')}.cpython-313.pyc"
        if short in compiled() and name.startswith(COMPILED):
            found[short] = compiled()[short]
    return {**files, **found}


@cache
def parts(pack: str) -> dict[str, bytes]:
    """Return the parts of a pack, compressed."""
    if pack == "runtime":
        files = {name: (PYODIDE / name).read_bytes() for name in RUNTIME}
        files[LIBRARY] = library()
        files["worker.js"] = (HERE / "page" / "worker.js").read_bytes()
    elif pack == "compiler":
        files = cpp_pack.parts(CLANG, WASM / "02_cpu_ops")
    else:
        files = {f"{pack}.tar": archive(with_compiled(sources(pack)))}
    return {name: gzip.compress(data, 9, mtime=0) for name, data in files.items()}


@cache
def contents() -> dict[str, list[tuple[str, int]]]:
    """Return the parts of every pack, with their compressed sizes, in the order of the bytes."""
    names = ["runtime", *packs(), *["compiler"] * has_compiler()]
    return {pack: [(name, len(data)) for name, data in parts(pack).items()] for pack in names}


def size(wanted: list[str]) -> int:
    """Return how many bytes these packs have."""
    return sum(count for pack in wanted for _, count in contents()[pack])
