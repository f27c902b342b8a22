"""Builds shared libraries with g++ at run time, once: library_cache.py keeps them.

A library is named by a hash of everything that goes into it (sources, headers, compiler, flags), so
an edited kernel is a new file and an old one is never wrong. Called by the simulator only.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

from norch_cuda.runtime.flags import ENGINE
from norch_cuda.runtime.library_cache import build_once, cache_directory
from norch_cuda.runtime.sources import OURS, source_directory

_COMMON = ("-std=c++17", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off", "-Wall")
# Names come from the library itself first, then from the simulator, which is loaded before it.
_DARWIN = sys.platform == "darwin"
# The latter: see norch_shared_memory, and library_variables.py.
_LINUX_LINK = ("-Wl,-Bsymbolic", "-Wl,--sort-section=name")
_LINK = ("-undefined", "dynamic_lookup") if _DARWIN else _LINUX_LINK
Compiler = tuple[str, ...]  # a command: the program, then arguments of its own


class CompilationError(RuntimeError):
    """A compiler refused a text; `output` is all that it said."""

    def __init__(self, command: str, output: str) -> None:
        """Keep what the compiler called `command` said."""
        super().__init__(f"[cuda-sim] {command} could not compile the kernels:\n{output.strip()}")
        self.command, self.output = command, output


@lru_cache(maxsize=1)
def find_compiler() -> Compiler:
    """Command of the C++ compiler: what CXX says, arguments too, else g++, c++ or clang++."""
    named = os.environ.get("CXX", "")
    for name, *words in [shlex.split(named)] if named.strip() else [["g++"], ["c++"], ["clang++"]]:
        path = shutil.which(name)
        if path:
            return (path, *words)
    looked = named or "g++, c++ or clang++"
    raise RuntimeError(
        f"[cuda-sim] no C++ compiler ({looked}) was found, and the simulator compiles the kernels "
        "with one; install g++ (Debian: apt install g++, macOS: xcode-select --install)"
    )


@lru_cache(maxsize=4)
def compiler_identity(compiler: Compiler) -> str:
    """Return what the C++ compiler says of its version."""
    answer = subprocess.run([*compiler, "--version"], capture_output=True, text=True, check=False)
    if answer.returncode != 0 or not answer.stdout:
        raise RuntimeError(
            f"[cuda-sim] {shlex.join(compiler)} does not say its version, as C++ compilers do: "
            "name one in CXX, or leave CXX unset"
        )
    return f"{compiler[1:]} {answer.stdout}"


def is_clang() -> bool:
    """Tell whether the compiler is clang, which needs other words for a few things."""
    return "clang" in compiler_identity(find_compiler())


def engine_library() -> Path:
    """Build (or find) the simulator itself: what kernel libraries and programs call."""
    folder = source_directory() / "simulator"
    headers = sorted(folder.glob("*.h"))
    return build_library("simulator", sorted(folder.glob("*.cpp")), "", headers, ENGINE)


def build_library(
    name: str,
    sources: Sequence[Path],
    text: str,
    headers: Sequence[Path],
    flags: Sequence[str],
    add: Callable[[list[Path]], str] | None = None,
    rewrite: Callable[[str], str] | None = None,
) -> Path:
    """Compile `sources`, and `text` if there is any, into one shared library, or find it built.

    `add` is given the object files and returns assembler text that is linked to them; `rewrite` is
    given what the preprocessor made of `text` and returns what is compiled.

    CompilationError carries the compiler's own message. Any number of processes may ask at once.
    """
    compiler = find_compiler()
    key = hashlib.sha256()
    # Headers count by what they say, not by where they lie.
    options = [flag for flag in flags if not flag.startswith(("-I", "-isystem"))]
    whole = repr((*_COMMON, *options, OURS, *_LINK))
    for part in (compiler_identity(compiler), whole, text):
        key.update(part.encode() + b"\0")
    adding = [Path(add.__code__.co_filename)] if add else []
    for path in (*headers, *sources, *adding):
        key.update(path.read_bytes() + b"\0")
    target = cache_directory("cuda-sim") / f"{name}-{key.hexdigest()[:20]}.so"
    build_once(target, lambda built: _build(built, compiler, sources, text, flags, add, rewrite))
    return target


def _build(
    built: Path,
    compiler: Compiler,
    sources: Sequence[Path],
    text: str,
    flags: Sequence[str],
    add: Callable[[list[Path]], str] | None,
    rewrite: Callable[[str], str] | None,
) -> None:
    """Compile and link one kernel library."""
    inputs = [str(path) for path in sources]
    if text:
        generated = built.with_name("kernels.cpp")
        generated.write_text(text, encoding="utf-8")
        if rewrite:
            text = rewrite(preprocess(generated, flags))
            generated = built.with_name("kernels.ii")
            generated.write_text(text, encoding="utf-8", errors="surrogateescape")
        inputs.append(str(generated))
    objects = [str(built.with_name(Path(source).stem + ".o")) for source in inputs]
    named = f"-fdebug-prefix-map={source_directory()}={OURS}"
    commands = [
        [*compiler, *_COMMON, *flags, named, "-c", source, "-o", output]
        for source, output in zip(inputs, objects, strict=True)
    ]
    run_together(commands)
    if add is not None:
        added = built.with_name("added.s")
        added.write_text(add([Path(name) for name in objects]), encoding="utf-8")
        objects.append(str(added))
    run_together([[*compiler, "-shared", "-o", str(built), *objects, "-pthread", *_LINK]])
    if not built.exists():
        command = shlex.join(compiler)
        raise RuntimeError(f"[cuda-sim] {command} built nothing: is it a C++ compiler?")


def preprocess(source: Path, flags: Sequence[str]) -> str:
    """Return what the preprocessor makes of a C++ file."""
    made = source.with_suffix(".expanded")
    command = [*find_compiler(), *_COMMON, *flags, "-E", str(source), "-o", str(made)]
    run_together([command])
    return made.read_text(encoding="utf-8", errors="surrogateescape")


def run_together(commands: Sequence[list[str]]) -> None:
    """Run compilers side by side; the first message of one that fails is raised."""
    quiet = subprocess.DEVNULL
    running = [
        subprocess.Popen(command, stdout=quiet, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    messages = [process.communicate()[1] for process in running]
    for command, process, message in zip(commands, running, messages, strict=True):
        if process.returncode != 0:
            raise CompilationError(Path(command[0]).name, message)


def open_library(path: Path, mode: int = ctypes.DEFAULT_MODE) -> ctypes.CDLL:
    """Load a built library."""
    try:
        return ctypes.CDLL(str(path), mode=mode)
    except OSError as error:
        raise RuntimeError(
            f"[cuda-sim] the system does not load {path} ({error}); NORCH_CACHE names another "
            "folder for built kernels, one whose files may be run"
        ) from error


def source_line(library: Path, offsets: Sequence[int]) -> str:
    """Name the `file:line` that machine code at the first of `offsets` was compiled from.

    Where that is a function of a header, ours or the system's, the line that calls it: the one that
    it was inlined into, else that of the next offset.
    """
    if not offsets:
        return "an unknown line"
    tool = shutil.which("addr2line")
    if tool is None:
        return "a line that only addr2line (package binutils) can name"
    command = [tool, "-i", "-e", str(library), *map(hex, offsets)]
    answer = subprocess.run(command, capture_output=True, text=True).stdout
    # A folder's name may have spaces too.
    places = [Path(line.partition(" (discriminator ")[0]) for line in answer.splitlines()]
    known = [place for place in places if "?" not in str(place)]
    called_by = [place for place in known if not _is_called(place)]
    return next((place.name for place in (*called_by, *known)), "an unknown line")


def _is_called(place: Path) -> bool:
    """Whether a `source_line` lies in a header whose functions a kernel calls, not in its text."""
    file = Path(os.path.normpath(str(place).rpartition(":")[0]))
    if file.is_relative_to(OURS):
        return file.suffix != ".cu"
    return any(file.is_relative_to(folder) for folder in _system_folders(find_compiler()))


@lru_cache(maxsize=4)
def _system_folders(compiler: Compiler) -> tuple[str, ...]:
    """Where the C++ compiler finds the system's headers, by what it says of itself."""
    command = [*compiler, "-E", "-v", "-x", "c++", os.devnull]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    listed = said.partition("#include <...>")[2].partition("End of search list")[0]
    return tuple(os.path.normpath(line.strip()) for line in listed.splitlines()[1:])
