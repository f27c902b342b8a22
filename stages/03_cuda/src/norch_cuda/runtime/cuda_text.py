"""Reading CUDA C++ text: which kernels and variables it defines, and what g++ needs put otherwise.

A scan of braces and words, no parser: what the parameters of a kernel are, the compiler says
(csrc/signature.h). Used by sources.py and the simulator; compiles nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

_NOISE = re.compile(
    r'//[^\n]*|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:.*\\\n)*.*$",
    re.MULTILINE,
)
_SCOPE = re.compile(r'(?:inline\s+)?namespace\s*([\w:]*)\s*$|extern\s*"\s*"\s*$')
_ATTRIBUTE = re.compile(r"__align__\s*\([^()]*\)|alignas\s*\([^()]*\)|__attribute__\s*\(\(.*?\)\)")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*(?:\[.*\]\s*)?$", re.DOTALL)
# The head of `extern __shared__ T name[]`, with the words in any order that C++ allows.
_EXTERN_SHARED = re.compile(
    r"extern\s+((?:\w+\s+)*?)__shared__\s+((?:[^;{}()]|\([^()]*\))*?)\b(\w+)\s*"
    r"\[\s*\]((?:\s*\[[^\]]*\])*)\s*;"
)
# A __shared__ variable is static already.
_STATIC_SHARED = re.compile(r"\bstatic(?=\s+__shared__\b)|(?<=__shared__)(\s+)static\b")
# The assembler that is ordinary: reading one of a thread's special registers.
_REGISTER = re.compile(
    r'\basm\s*(?:volatile\s*|__volatile__\s*)?\(\s*"\s*mov\.\w+\s+%0\s*,\s*%+(\w+)\s*;\s*"\s*:'
    r'\s*"=[rl]"\s*\(([^()]*)\)\s*\)'
)


@dataclass(frozen=True, slots=True)
class KernelHead:
    """What stands before the body of a `__global__` function, without its comments."""

    name: str  # with its namespaces
    position: int  # in the text
    template: str  # "template <class T>", or ""
    bounds: str  # the number of threads in __launch_bounds__, as written; "" without


def kernel_heads(text: str) -> list[KernelHead]:
    """Find the kernels that `text` defines outside of macros.

    >>> kernel_heads("template <class T> __global__ void scale(T* x) {}")[0].name
    'scale'
    """
    found = []
    for head, start, spaces in _statements(text):
        word = head.find("__global__")
        if word < 0 or not head.endswith("{"):
            continue
        bounds = re.search(r"__launch_bounds__\s*\(", head[word:])
        end = word + bounds.end() if bounds else word
        inside = _until_closed(head, end) if bounds else ""
        rest = _ATTRIBUTE.sub(" ", head[end + len(inside) :])
        name = re.search(r"(\w+)\s*\(", rest)
        if name is None:
            continue
        template = re.search(r"\btemplate\s*<.*>", head[:word], re.DOTALL)
        full_name, limit = "::".join((*spaces, name[1])), _first_argument(inside)
        found.append(KernelHead(full_name, start + word, template[0] if template else "", limit))
    return found


def variables(text: str) -> tuple[str, ...]:
    """Find the `__constant__` and `__device__` variables that a host can read and write.

    >>> variables("__constant__ float weights[9]; __device__ int count = 0;")
    ('weights', 'count')
    """
    found = []
    for head, _, spaces in _statements(text):
        declared = _ATTRIBUTE.sub(" ", head[:-1].partition("=")[0])
        if not re.search(r"__(constant|device|managed)__", declared) or "(" in declared:
            continue
        if re.search(r"\b(template|typedef|using|struct|class|extern)\b|__shared__", declared):
            continue
        name = _VARIABLE.search(declared.strip())
        if name:
            found.append("::".join((*spaces, name[1])))
    return tuple(found)


def for_gcc(text: str) -> str:
    """Put otherwise what no macro can give a meaning, on the same lines.

    >>> for_gcc("extern __shared__ float tile[];")
    'static const norch_sim::DynamicShared<norch_element<float>> tile{};'
    """
    of_file = [(start, start + len(head)) for head, start, _ in _statements(text)]

    def shared(match: re.Match[str]) -> str:
        words, element, name, rows = match.groups()
        element = ("volatile " if "volatile" in words else "") + _ATTRIBUTE.sub("", element).strip()
        kind, lines = f"norch_element<{element}{rows}>", "\n" * match[0].count("\n")
        if any(begin <= match.start() < end for begin, end in of_file):
            return f"static const norch_sim::DynamicShared<{kind}> {name}{{}};{lines}"
        return f"{kind}* {name} = norch_dynamic_shared<{kind}>();{lines}"

    def register(match: re.Match[str]) -> str:
        return f"({match[2]} = norch_sim::register_{match[1]}())" + "\n" * match[0].count("\n")

    text = _STATIC_SHARED.sub(r"\1", _EXTERN_SHARED.sub(shared, text))
    return _REGISTER.sub(register, text)


def _statements(text: str) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Give each statement outside of functions: text up to `;` or `{`, start, namespaces."""
    plain = _without_noise(text)
    spaces: list[str] = []
    start = i = 0
    while i < len(plain):
        character = plain[i]
        if character == "}":
            if spaces:
                spaces.pop()
        elif character in ";{":
            lead = len(plain[start:i]) - len(plain[start:i].lstrip())
            head = plain[start + lead : i + 1]
            scope = _SCOPE.search(head[:-1]) if character == "{" else None
            if scope:
                spaces.append(scope[1] or "")
            else:
                yield head, start + lead, tuple(space for space in spaces if space)
                i += len(_until_closed(plain, i + 1, "{}")) + 1 if character == "{" else 0
        else:
            i += 1
            continue
        start = i = i + 1


def _until_closed(text: str, start: int, brackets: str = "()") -> str:
    """Return what stands from `start` to the bracket that closes one opened just before."""
    depth = 1
    for i in range(start, len(text)):
        depth += (text[i] == brackets[0]) - (text[i] == brackets[1])
        if depth == 0:
            return text[start:i]
    return text[start:]


def _first_argument(text: str) -> str:
    """Cut at the first comma that stands in no brackets."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and depth == 0:
            return text[:i].strip()
    return text.strip()


@lru_cache(maxsize=64)
def _without_noise(text: str) -> str:
    """Comments, directives and what strings say as blanks; every other place stays where it is."""

    def blank(match: re.Match[str]) -> str:
        word = match[0]
        if word[0] == '"':
            return '"' + " " * (len(word) - 2) + '"'
        return re.sub(r"[^\n]", " ", word)

    return _NOISE.sub(blank, text)
