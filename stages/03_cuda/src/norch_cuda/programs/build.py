"""Builds a whole CUDA program: preprocess, rewrite, compile, link with the simulator.

Each step is kept in the cache by what goes into it: an object by its preprocessed text, a program
by its objects. Called by command.py; csrc/simulator/programs is what a program calls at run time.
"""

from __future__ import annotations

import hashlib
import inspect
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from norch_cuda.programs.shelves import header_folders, where_to_look
from norch_cuda.runtime import definitions, flags, library_variables, rewrite, tokens
from norch_cuda.runtime.compiler import (
    CompilationError,
    build_library,
    compiler_identity,
    engine_library,
    find_compiler,
    is_clang,
    run_together,
)
from norch_cuda.runtime.flags import ENGINE, kernel_flags
from norch_cuda.runtime.library_cache import build_once, cache_directory
from norch_cuda.runtime.sources import OURS, source_directory

# Programs contain what nvcc warns of at most.
_LANGUAGE = ("-std=c++17", "-w", "-fpermissive", "-ffp-contract=off")
_HOST = ("-O2", "-g1")
# What means something else in a kernel: csrc/simulator/programs/host.cpp.
_WRAPPED: tuple[str, ...] = ("exit", "_exit", "abort", "__assert_fail", "malloc", "free")
_WRAPPED += ("_Znwm", "_Znam", "_ZdlPv", "_ZdaPv", "_ZdlPvm")
_LINK = (*(f"-Wl,--wrap={name}" for name in _WRAPPED), "-Wl,--sort-section=name", "-pthread")
_SHARED = """#include "cuda_on_cpu.h"
extern "C" void norch_program_shared(char** begin, char** end) { norch_shared_memory(begin, end); }
"""
_RULES = (definitions, flags, rewrite, tokens)  # a text is rewritten anew when they are
_ELSEWHERE = (
    "[norch-nvcc] whole programs run on Linux (on Windows: in WSL), and this system is {}; kernels "
    "run here too: norch_cuda.load_kernel"
)
_MOST_SHARED = 48 * 1024
_TOO_MUCH_SHARED = (
    "[{}] its __shared__ arrays have {} bytes, a kernel has {}; `extern __shared__` can have more"
)
_KERNEL_FILES = (".cu", ".cuh")


@dataclass(frozen=True)
class Program:
    """What a program is built from: its files, flags for the compiler and the linker."""

    sources: tuple[Path, ...]
    flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    checked: bool = False


def build(program: Program) -> Path:
    """Build a program, or find it built; CompilationError says what a compiler refuses."""
    if sys.platform != "linux":  # its variables are read from an ELF file, its memory from /proc
        raise CompilationError("norch-nvcc", _ELSEWHERE.format(platform.system()))
    objects = [_object(program, source) for source in program.sources]
    objects.append(_shared_bounds(program))
    libraries = [runtime_library(), engine_library()]
    key = _key(*map(str, (*objects, *libraries)), repr((_LINK, program.libraries)))
    target = cache_directory("cuda-sim") / f"{_plain(program.sources[0].stem)}-{key}"
    build_once(target, partial(_link, program, objects, libraries))
    return target


def runtime_library() -> Path:
    """Build (or find) the CUDA runtime API of programs."""
    folder = source_directory() / "simulator"
    sources = sorted((folder / "programs").glob("*.cpp"))
    headers = sorted([*folder.glob("*.h"), *folder.rglob("programs/*.h")])
    return build_library("programs", sources, "", headers, ENGINE)


def _object(program: Program, source: Path) -> Path:
    """Compile one file, or find it compiled."""
    text = _preprocess(program, source)
    if source.suffix not in _KERNEL_FILES:
        return _compile(source.stem, text, program.flags, lambda: (text, _HOST))
    rules = "".join(inspect.getsource(module) for module in _RULES)
    rules += Path(__file__).read_text(encoding="utf-8")

    def put() -> tuple[str, tuple[str, ...]]:
        changed = rewrite.rewrite(text, program=True, announce=program.checked)
        return changed.text, kernel_flags(program.checked, is_clang(), _is_volatile(text), True)

    return _compile(source.stem, text, (*program.flags, f"{program.checked}", rules), put)


def _is_volatile(text: str) -> bool:
    """Whether the program's own part of a preprocessed text has something volatile.

    >>> _is_volatile('# 1 "a.h" 1 3' + chr(10) + 'volatile int x;' + chr(10) + '# 2 "a.cu" 2')
    False
    """
    _, *pieces = re.split(r'^# \d+ "[^"\n]*"(.*)$', text, flags=re.MULTILINE)
    marked = zip(pieces[::2], pieces[1::2], strict=True)
    return any("volatile" in piece for mark, piece in marked if "3" not in mark)


def _shared_bounds(program: Program) -> Path:
    """The object that tells where the program's `__shared__` variables lie."""
    command = [*find_compiler(), *_LANGUAGE, *_searched(), "-E", "-x", "c++", "-"]
    text = _run(command, _SHARED)
    return _compile("shared", text, (), lambda: (text, _HOST))


def _searched() -> list[str]:
    """Where headers are found: those that CUDA brings, the shelves, and last what both share."""
    folder = source_directory() / "simulator"
    folders = (folder, folder / "device_library", *header_folders().values())
    places = [f"-isystem{place}" for place in folders]
    return ["-DNORCH_PROGRAM", *places, f"-idirafter{source_directory()}"]


def _preprocess(program: Program, source: Path) -> str:
    """Return the text of a file after the preprocessor."""
    command = [*find_compiler(), *_LANGUAGE, *program.flags, *_searched(), "-E", "-x", "c++"]
    if source.suffix in _KERNEL_FILES:
        command += ["-include", "cuda_on_cpu.h"]
        command += ["-DNORCH_CHECKED"] if program.checked else []
    return _run([*command, str(source)])


def _run(command: Sequence[str], given: str = "") -> str:
    """Run a compiler and return what it prints."""
    done = subprocess.run(command, input=given, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        said = f"{done.stderr}\n{where_to_look(done.stderr)}"
        raise CompilationError(Path(command[0]).name, said.strip())
    return done.stdout


def _compile(
    name: str,
    text: str,
    options: Sequence[str],
    put: Callable[[], tuple[str, tuple[str, ...]]],
) -> Path:
    """Compile preprocessed text, as `put` gives it with its flags, or find it compiled.

    What `put` gives follows from the text and the options.
    """
    compiler = find_compiler()
    key = _key(compiler_identity(compiler), repr((_LANGUAGE, _HOST, *options)), text)
    target = cache_directory("cuda-sim") / f"{_plain(name)}-{key}.o"

    def compile_it(built: Path) -> None:
        changed, flags = put()
        file = built.with_suffix(".ii")
        file.write_text(changed, encoding="utf-8")
        said = [flag for flag in options if flag.startswith(("-f", "-m"))]
        ours = (source_directory(), *header_folders().values())
        named = [f"-fdebug-prefix-map={folder}={OURS}" for folder in ours]
        command = [*compiler, *_LANGUAGE, *said, *flags, *named, "-fpreprocessed", "-x", "c++"]
        run_together([[*command, "-c", str(file), "-o", str(built)]])

    build_once(target, compile_it)
    return target


def _link(
    program: Program, objects: Sequence[Path], libraries: Sequence[Path], built: Path
) -> None:
    """Link a program; a checked one has gaps between its variables, and their list behind it."""
    inputs = [*map(str, objects)]
    if program.checked:
        added = built.with_name("added.s")
        added.write_text(library_variables.gaps_behind(list(objects)), encoding="utf-8")
        inputs.append(str(added))
    inputs += [*map(str, libraries), *_LINK, *program.libraries]
    run_together([[*find_compiler(), "-o", str(built), *inputs]])
    size, kernel = library_variables.most_shared(built)
    if size > _MOST_SHARED:
        raise CompilationError("norch-nvcc", _TOO_MUCH_SHARED.format(kernel, size, _MOST_SHARED))
    if program.checked:
        shared, others = library_variables.variables_of(built)
        rows = [("s", v) for v in shared] + [("o", v) for v in others]
        lines = [f"{k} {v.offset} {v.size} {int(v.role)} {v.name}" for k, v in rows]
        with built.open("a", encoding="utf-8") as file:
            file.write("\n".join(["\nnorch variables", *lines, ""]))


def _plain(name: str) -> str:
    """Write a file's name without dots: the cache tells its files apart by what follows one."""
    return re.sub(r"\W", "_", name)


def _key(*parts: str) -> str:
    """Name what is built by all that goes into it."""
    key = hashlib.sha256()
    for part in parts:
        key.update(part.encode(errors="replace") + b"\0")
    return key.hexdigest()[:20]
