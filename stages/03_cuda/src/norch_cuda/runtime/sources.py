"""Kernel sources: where the .cu files lie, which kernels they define, for which element type.

A family (one .cu file) is plain CUDA C++ in which `T` is the element type; it is compiled once for
each type that is used. Called by both backends; compiles nothing itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from norch_cuda.runtime.definitions import definitions, plain_names
from norch_cuda.runtime.tokens import split

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

_INCLUDE = re.compile(r'^#include "(\w+\.h)"', re.MULTILINE)
_BESIDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"')
_ONCE = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+once\b")
_MACRO = re.compile(r"^#define (\w+)\((\w+)[^)]*\)((?:.*\\\n)*.*)$", re.MULTILINE)
# In this text itself, whatever the macro makes of it.
_MACRO_OF_KERNELS = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*__global__", re.MULTILINE)

# What a text may use of kernel.h without including it. One that uses nothing of it, or has its own
# `T`, is ordinary CUDA and gets no names that could be in its way.
_WORDS = [
    "T", "i64", "u32", "u64", "Bool", "Layout", "kWarp", "kAllLanes", "Float16", "BFloat16",
    "NORCH_TODO",
]  # fmt: skip
_CALLS = ["at", "infinity", "first_element", "element_step"]
_DEFINED = r"\b(?!return\b)\w+[\s*&]+{}\s*\("
_DECLARED = r"(?:class|typename|struct|using|#\s*define|typedef\b[^;{{}}]*|const\w*\s+\w+)\s+{}\b"
_DEFAULT_SHARED = 48 * 1024
# What csrc/ is called in libraries, for one may come from another copy of the same headers.
OURS = "/norch_cuda/csrc"


@dataclass(frozen=True)
class KernelSource:
    """The text of one .cu file, the name it goes by, and what `T` stands for in it.

    `watched` asks the simulator to end it when its time is over; the shipped kernels go without.
    `expression` names in C++ the one kernel it is for, if that is an instance of a template, an
    overload or in a namespace; `max_dynamic_shared` is how many bytes a launch can ask for;
    `own_text` is the file's, if in `text` headers have taken the place of their #include.
    """

    text: str
    file: str
    element: str
    watched: bool = False
    expression: str = ""
    max_dynamic_shared: int = _DEFAULT_SHARED
    own_text: str = ""

    @property
    def lines(self) -> list[str]:
        """The lines of the file, as its author counts them."""
        return (self.own_text or self.text).splitlines()

    @property
    def family(self) -> str:
        """Name of the file without folder and ending."""
        return Path(self.file).stem

    @property
    def typed_text(self) -> str:
        """The text behind the line that says what T is, with its own line numbers kept."""
        opening = ""
        if _uses_kernel_h(self.text):
            opening = f'#include "kernel.h"\nusing T = {self.element};\n'
        return f'{opening}#line 1 "{self.file}"\n{self.text}'

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels that can be launched."""
        return (self.expression,) if self.expression else kernel_names(self.text)


@lru_cache(maxsize=512)
def _uses_kernel_h(text: str) -> bool:
    """Whether a text uses names of kernel.h that it does not define itself."""
    words = [w for w in _WORDS if re.search(rf"\b{w}\b", text)]
    calls = [w for w in _CALLS if re.search(rf"(?<![\w.:>]){w}\s*\(", text)]
    return not (
        all(re.search(_DECLARED.format(word), text) for word in words)
        and all(re.search(_DEFINED.format(call), text) for call in calls)
    )


@lru_cache(maxsize=512)
def kernel_names(text: str) -> tuple[str, ...]:
    """Find every `__global__` function that its name alone tells, those of macros included.

    A macro that defines a kernel, here or in a header that is included, names it
    `<first argument>_kernel`.

    >>> kernel_names('extern "C" __global__ void fill_kernel(T* out) {}')
    ('fill_kernel',)
    """
    found = plain_names(definitions(text)[0])
    for macro in _kernel_macros(text):
        uses = re.finditer(rf"^{macro}\((\w+)", text, re.MULTILINE)
        found += [f"{use[1]}_kernel" for use in uses]
    return tuple(found)


def kernel_expression(text: str, file: str, name: str) -> str:
    """Return "" if the plain name tells the kernel, else the C++ expression that does.

    >>> text = "template <class T> __global__ void scale(T* x) {}"
    >>> kernel_expression(text, "kernel.cu", "scale<float>")
    'scale<float>'
    """
    wanted = re.fullmatch(r"\s*([\w:]+)\s*(<.*>)?\s*(\(.*\))?\s*", name, re.DOTALL)
    base, arguments, parameters = wanted.groups("") if wanted else (name, "", "")
    defined = definitions(text)[0]
    # Those of the same parameters stand in branches of an #if: only one is there.
    heads = {head.parameters: head for head in defined if head.name == base}
    if not heads and name not in kernel_names(text) and _MACRO_OF_KERNELS.search(text):
        return base  # of a macro of the text's own: the compiler will say if it is none
    if not heads and not _kernel_macros(text):
        names = list(dict.fromkeys(head.name for head in defined))
        if not names:
            raise RuntimeError(f"[{name}] {Path(file).name} defines no __global__ function")
        raise RuntimeError(f"[{name}] no such kernel; there are {', '.join(names)}")
    if not arguments and any(head.template for head in heads.values()):
        raise RuntimeError(
            f'[{name}] is a template: say what for, as in load_kernel(text, "{base}<float>")'
        )
    if len(heads) > 1 and not arguments and not parameters:
        raise RuntimeError(
            f"[{name}] {len(heads)} kernels have this name: say the parameters too, as in "
            f'load_kernel(text, "{base}(float*, int)")'
        )
    if parameters:
        return f"static_cast<void (*){parameters}>({base}{arguments})"
    return f"{base}{arguments}" if arguments else ""


def _kernel_macros(text: str) -> list[str]:
    """Find the macros of a text and its headers that define kernels."""
    texts = [text, *map(_header_text, _INCLUDE.findall(text))]
    return [m[1] for t in texts for m in _MACRO.finditer(t) if "__global__" in m[3]]


def included_headers(text: str) -> tuple[str, ...]:
    """Return the texts of the headers of csrc/ that a text includes, those of headers too."""
    found: dict[str, str] = {}
    waiting = _INCLUDE.findall(text)
    while waiting:
        name = waiting.pop(0)
        if name not in found:
            found[name] = _header_text(name)
            waiting += _INCLUDE.findall(found[name])
    return tuple(found.values())


@lru_cache(maxsize=64)
def _header_text(name: str) -> str:
    """Return the text of a header of csrc/; of any other nothing, which the compiler reports."""
    path = source_directory() / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


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
    """Read the .cu file of a family; the folder is not named, as it changes nothing that is built.

    So a copy of the package, as a check of an exercise makes it, finds what was built before.
    """
    path = source_directory() / f"{family}.cu"
    return KernelSource(path.read_text(encoding="utf-8"), f"{family}.cu", element)


def insert_headers(text: str, file: Path) -> str:
    """Put each header of the file's folder in the place of its `#include "name"`, lines marked.

    So what reads the text, and the key of the compiled library, see them too; headers of CUDA, of
    the system and of csrc/ stay what they are. A header with `#pragma once` comes once; one that
    includes itself on the way ends there.
    """
    return _insert_headers(text, file, [file.resolve()], set())


def _insert_headers(text: str, file: Path, above: list[Path], once: set[Path]) -> str:
    """Replace the headers of one text; `above` are the files that include it."""

    parts: list[str] = []
    line = 1
    for token in split(text):
        line += token.count("\n")
        found = _BESIDE.match(token)
        header = (file.parent / found[1]).resolve() if found else file.parent
        if not header.is_file():
            parts.append("" if _ONCE.match(token) else token)
            continue
        content = "" if header in above or header in once else header.read_text(encoding="utf-8")
        if any(map(_ONCE.match, split(content))):
            once.add(header)
        inside = _insert_headers(content, header, [*above, header], once)
        parts.append(f'#line 1 "{header}"\n{inside}\n#line {line + 1} "{file}"')
    return "".join(parts)
