"""The command line of whole programs: norch-nvcc, and `python -m norch_cuda run`.

Takes nvcc's flags: those that matter here are passed on, those that only a GPU needs are dropped.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from norch_cuda.programs.build import Program, build
from norch_cuda.runtime.compiler import CompilationError

_USAGE = """usage: norch-nvcc file.cu [more.cu more.cpp -I folder ...] [--check] -o program
       python -m norch_cuda run file.cu [more.cu ...] [--check] [--async] [--summary] [-- args]

--check    name every fault of a kernel with its line: races, indices, memory nobody has written
--async    work waits for a synchronising call, so that a missing one shows
--summary  kernels, launches, times and bytes copied, at the end"""
# Flags of nvcc that say something about a GPU, with a word of their own behind them, and without.
_DROPPED_TWO = re.compile(
    r"--?(?:arch|gencode|gpu-architecture|code|Xptxas|maxrregcount|generate-code|ccbin|x|std|t|threads)"
)
_DROPPED = re.compile(
    r"--?(?:O|std|rdc|expt|extended|lineinfo|G|g|use_fast_math|arch|gencode|ptxas|m64|generate|threads"
    r"|lcu|lnv|Wno|t=|dc|w|v)"
)
_SETTINGS = {"--check": "NORCH_CHECK", "--async": "NORCH_ASYNC", "--summary": "NORCH_SUMMARY"}


def parse(words: Sequence[str]) -> tuple[Program, str, list[str]]:
    """Return the program, where it is to lie, and the settings among nvcc's words.

    >>> program, output, settings = parse(["add.cu", "-arch=sm_80", "-I", "inc", "-o", "add"])
    >>> program.sources[0].name, program.flags, output, settings
    ('add.cu', ('-Iinc',), 'add', [])
    """
    sources, flags, libraries, output, settings = [], [], [], "a.out", []
    left = list(words)
    while left:
        word = left.pop(0)
        if word == "-o":
            output = _behind(word, left)
        elif word in ("-I", "-D", "-U", "-include", "-isystem"):
            flags += [word, _behind(word, left)] if word[1] == "i" else [word + _behind(word, left)]
        elif word in ("-Xcompiler", "--compiler-options", "-L"):
            given = _behind(word, left)
            flags += [flag for flag in given.split(",") if flag == "-fopenmp"]
            libraries += [f"-L{given}"] if word == "-L" else []
        elif word in _SETTINGS:
            settings.append(word)
        elif _DROPPED_TWO.fullmatch(word):
            _behind(word, left)
        elif _DROPPED.match(word):
            continue
        elif word.startswith(("-l", "-L", "-Wl")):
            libraries.append(word)
        elif word.startswith("-"):
            flags.append(word)
        else:
            sources.append(Path(word))
    libraries += [flag for flag in flags if flag == "-fopenmp"]
    checked = "--check" in settings
    return Program(tuple(sources), tuple(flags), tuple(libraries), checked), output, settings


def _behind(word: str, left: list[str]) -> str:
    """Take the word that a flag wants behind it."""
    if not left:
        raise SystemExit(f"norch-nvcc: {word} wants a word behind it\n{_USAGE}")
    return left.pop(0)


def _built(program: Program) -> Path:
    """Build a program; what a compiler refuses ends this one."""
    if not program.sources:
        raise SystemExit(_USAGE)
    for source in program.sources:
        if not source.is_file():
            raise SystemExit(f"norch-nvcc: {source} is no file")
    try:
        return build(program)
    except CompilationError as error:
        raise SystemExit(error.output.strip()) from None


def nvcc() -> None:
    """Build a program: `norch-nvcc file.cu -o program`."""
    program, output, _ = parse(sys.argv[1:])
    shutil.copy2(_built(program), output)


def main() -> None:
    """Build a program and become it: `python -m norch_cuda run file.cu -- arguments`."""
    words = sys.argv[1:]
    if words[:1] != ["run"]:
        raise SystemExit(_USAGE)
    end = words.index("--") if "--" in words else len(words)
    program, _, settings = parse(words[1:end])
    path = _built(program)
    os.environ.update({_SETTINGS[word]: "1" for word in settings})
    os.execv(path, [str(path), *words[end + 1 :]])
