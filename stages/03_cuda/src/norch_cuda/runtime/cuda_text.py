"""Reading CUDA C++ text: which kernels and variables it defines, and what g++ needs put otherwise.

A scan of braces and words, no parser: what the parameters of a kernel are, the compiler says
(csrc/signature.h). Used by sources.py and the simulator; compiles nothing itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

NOISE = re.compile(
    r'//[^\n]*|/\*(?s:.*?)\*/|"(?:\\.|[^"\\\n])*"|(?<!\d)\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:.*\\\n)*.*$",
    re.MULTILINE,
)
_COMMENTS = ("//", "/*")
_SCOPE = re.compile(r'(?:inline\s+)?namespace\s*([\w:]*)\s*$|extern\s*"\s*"\s*$')
_ATTRIBUTE = re.compile(r"__align__\s*\([^()]*\)|alignas\s*\([^()]*\)|__attribute__\s*\(\(.*?\)\)")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)\s*(?:\[.*\]\s*)?$", re.DOTALL)
# The head of `extern __shared__ T name[]`, with the words in any order that C++ allows.
_EXTERN_SHARED = re.compile(
    r"extern\s+((?:\w+\s+)*?)__shared__\s+((?:[^;{}()]|\([^()]*\))*?)\b(\w+)\s*"
    r"\[\s*\]((?:\s*\[[^\]]*\])*)\s*;"
)
# What may stand around it; it is static already.
_ALIGNMENT = re.compile(r"(?:alignas|__align__)\s*(\((?:[^()]|\([^()]*\))*\))")
_SHARED_WORDS = re.compile(
    rf"(?:\b(?:{_ALIGNMENT.pattern}|(?:volatile|const|static)\b)\s*)*\b__shared__\b"
    rf"(?:\s*\b(?:{_ALIGNMENT.pattern}|(?:volatile|const|static)\b))*"
)
# `float s, a[4];`: a type of words, then names; and what else may begin with two words.
_DECLARATION = re.compile(
    r"\s*(?!(?:return|goto|using|typedef|delete|throw|case|static|extern|const|constexpr|else|do|new"
    r"|template|thread_local|volatile|__shared__|friend|namespace|asm|operator)\b)"
    r"(?:(?:unsigned|signed|long|short|struct)\s+)*[A-Za-z_][\w:]*(?:<[^;{}()]*>)?"
    r"(?:\s+(?:int|long|char|double))*[\s*]+(?P<names>[A-Za-z_][^;{}]*)"
)
_UNSET = re.compile(r"[\s*]*([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*$")
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
        full_name, limit = "::".join((*spaces, name[1])), _until_comma(inside).strip()
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
    text = NOISE.sub(lambda m: _blank(m[0]) if m[0][:2] in _COMMENTS else m[0], text)
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

    # No macro: the headers of g++ 16 have this word in attributes of their own.
    text = text.replace("__noinline__", "__attribute__((noinline))")
    text = _EXTERN_SHARED.sub(shared, text)
    return _REGISTER.sub(register, _SHARED_WORDS.sub(_shared_words, text))


def _shared_words(match: re.Match[str]) -> str:
    """Words around __shared__ in g++'s order: the macro with the alignment, then the others.

    >>> _SHARED_WORDS.sub(_shared_words, "volatile __shared__ __align__(32) float tile[8];")
    'NORCH_SHARED(alignas(32)) volatile float tile[8];'
    """
    alignments = " ".join(f"alignas{found[1]}" for found in _ALIGNMENT.finditer(match[0]))
    words = _ALIGNMENT.sub(" ", match[0])
    others = "".join(f" {word}" for word in re.findall(r"volatile|const", words))
    if words == "__shared__":
        return match[0]
    return f"NORCH_SHARED({alignments}){others}" + "\n" * match[0].count("\n")


def announce_locals(text: str) -> str:
    """Tell the simulator of local variables that begin without a value, on the same lines.

    >>> announce_locals("void f() { float s, t = 1; s += t; }")
    'void f() { float s, t = 1; norch_sim::declared(s); s += t; }'
    """
    plain = without_noise(text)
    inserts = []
    for start, end in _local_statements(plain):
        match = _DECLARATION.fullmatch(plain, start, end)
        if match is None:
            continue
        parts = _split(match["names"])
        names = [(i, found[1]) for i, part in enumerate(parts) if (found := _UNSET.match(part))]
        # One that a later initializer uses may have a value already.
        unset = [n for i, n in names if not re.search(rf"\b{n}\b", ",".join(parts[i + 1 :]))]
        if unset:
            inserts.append((end + 1, f" norch_sim::declared({', '.join(unset)});"))
    for at, call in reversed(inserts):
        text = text[:at] + call + text[at:]
    return text


def _local_statements(plain: str) -> Iterator[tuple[int, int]]:
    """Give start and end of each statement in a function that has no brackets around it."""
    scopes: list[bool] = []  # of each open brace: is it code?
    start = depth = 0
    for match in re.finditer(r"[{}();]", plain):
        at, character = match.start(), match[0]
        depth += (character == "(") - (character == ")")
        if character == "{":
            before = plain[start:at].rstrip()
            inside = bool(scopes) and scopes[-1]
            scopes.append(_opens_code(before, inside))
            depth = 0
        elif character == "}" and scopes:
            scopes.pop()
        elif character == ";" and depth == 0 and scopes and scopes[-1]:
            yield start, at
        if character in "{}" or (character == ";" and depth == 0):
            start = at + 1


def _opens_code(before: str, inside: bool) -> bool:
    """Whether a brace after this text, in code or not, begins a body and no list or class."""
    if re.search(r"\b(?:struct|class|union|enum|namespace)\b[^()]*$", before):
        return False
    head = re.search(r"\)(?:\s*(?:const|noexcept|mutable|->[^()]*))*$|\b(?:else|do|try)$", before)
    return head is not None or (inside and not before)


def _split(text: str) -> list[str]:
    """Cut at the commas that stand in no brackets."""
    parts, rest = [], text
    while rest:
        part = _until_comma(rest)
        parts.append(part)
        rest = rest[len(part) + 1 :]
    return parts


def _statements(text: str) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Give each statement outside of functions: text up to `;` or `{`, start, namespaces."""
    plain = without_noise(text)
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


def _until_comma(text: str) -> str:
    """Return what stands before the first comma that is in no brackets."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character in "(<[{") - (character in ")>]}")
        if character == "," and depth == 0:
            return text[:i]
    return text


@lru_cache(maxsize=64)
def without_noise(text: str) -> str:
    """Comments, directives and what strings say as blanks; every other place stays where it is."""

    def blank(match: re.Match[str]) -> str:
        word = match[0]
        if word[0] == '"':
            return '"' + " " * (len(word) - 2) + '"'
        return _blank(word)

    return NOISE.sub(blank, text)


def _blank(word: str) -> str:
    """Write spaces for all but line ends."""
    return re.sub(r"[^\n]", " ", word)
