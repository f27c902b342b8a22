"""Kernel sources: where the .cu files lie, which kernels they define, for which element type.

A family (one .cu file) is plain CUDA C++ in which `T` is the element type; it is compiled once for
each type that is used. Called by both backends; compiles nothing itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

# What the dtypes of stage 2 are called in CUDA C++.
ELEMENTS = {
    "float32": "float",
    "float64": "double",
    "float16": "Float16",
    "bfloat16": "BFloat16",
    "int64": "long long",
    "int32": "int",
    "uint8": "unsigned char",
    "int8": "signed char",
    "bool": "Bool",
}

_DIRECT = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\s*\(")
_INCLUDE = re.compile(r'^#include "(\w+\.h)"', re.MULTILINE)
_MACRO = re.compile(r"^#define (\w+)\((\w+)[^)]*\)((?:.*\\\n)*.*)$", re.MULTILINE)


@dataclass(frozen=True)
class KernelSource:
    """The text of one .cu file, the name it goes by, and what `T` stands for in it.

    `watched` asks the simulator to end it when its time is over; the shipped kernels go without.
    """

    text: str
    file: str
    element: str
    watched: bool = False

    @property
    def family(self) -> str:
        """Name of the file without folder and ending."""
        return Path(self.file).stem

    @property
    def typed_text(self) -> str:
        """The text behind the line that says what T is, with its own line numbers kept."""
        return f'#include "kernel.h"\nusing T = {self.element};\n#line 1 "{self.file}"\n{self.text}'

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels, in the order of the text."""
        return kernel_names(self.text)


def kernel_names(text: str) -> tuple[str, ...]:
    """Find every `__global__` function, those that a macro defines included.

    A macro that defines a kernel, here or in a header that is included, names it
    `<first argument>_kernel`.

    >>> kernel_names('extern "C" __global__ void fill_kernel(T* out) {}')
    ('fill_kernel',)
    """
    texts = [text, *map(_header_text, _INCLUDE.findall(text))]
    macros = [m[1] for t in texts for m in _MACRO.finditer(t) if "__global__" in m[3]]
    found = [(m.start(), m[1]) for m in _DIRECT.finditer(_MACRO.sub(_blank, text))]
    for macro in macros:
        uses = re.finditer(rf"^{macro}\((\w+)", text, re.MULTILINE)
        found += [(m.start(), f"{m[1]}_kernel") for m in uses]
    return tuple(name for _, name in sorted(found))


@lru_cache(maxsize=64)
def _header_text(name: str) -> str:
    """Return the text of a header of csrc/; of any other nothing, which the compiler reports."""
    path = source_directory() / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


@lru_cache(maxsize=1)
def source_directory() -> Path:
    """The folder with the .cu files: inside the installed package, or beside src/ in a checkout."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "csrc", package.parents[1] / "csrc"):
        if (folder / "kernel.h").is_file():
            return folder
    raise RuntimeError(
        f"[norch_cuda] the kernel sources are missing beside {package}: install it again"
    )


@lru_cache(maxsize=256)
def family_source(family: str, element: str) -> KernelSource:
    """Read the .cu file of a family."""
    path = source_directory() / f"{family}.cu"
    return KernelSource(path.read_text(encoding="utf-8"), str(path), element)
