"""Which kernels and variables a CUDA C++ text defines, and the tables of them in a library.

What the parameters of a kernel are, the compiler says (csrc/signature.h). Called by rewrite.py for
a text that the preprocessor has been through, by sources.py and nvrtc.py for one as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from norch_cuda.runtime.tokens import Piece, Tokens, is_name

_PLACES = {"__constant__", "__device__", "__managed__"}
_NO_VARIABLE = {"template", "typedef", "using", "struct", "class", "extern", "__shared__", "("}


@dataclass(frozen=True, slots=True)
class KernelHead:
    """What stands before the body of a `__global__` function."""

    name: str  # with its namespaces
    template: str  # "template < class T >", or ""
    bounds: str  # the number of threads in __launch_bounds__, as written; "" without
    parameters: str
    opened: int  # the word that opens them
    body: Piece


def kernels_of(text: Tokens) -> list[KernelHead]:
    """Find the kernels that a text defines outside of macros, specializations too."""
    found = []
    for body in text.functions:
        if "__global__" not in text.words[body.head : body.start]:
            continue
        marker = text.words.index("__global__", body.head)
        plain = text.plain(marker, body.start)
        opened = next((i for i in plain if text.words[i] == "("), None)
        if opened is None:
            continue
        last = plain[plain.index(opened) - 1]
        last = text.before_angles(last) if text.words[last][0] == ">" else last
        name = "::".join((*body.spaces, text.words[last]))
        parameters = text.text(opened + 1, text.partner.get(opened, body.start))
        template = _template(text, body.head, marker)
        found.append(KernelHead(name, template, _bounds(text, body), parameters, opened, body))
    return found


def _template(text: Tokens, start: int, end: int) -> str:
    """Return the `template <...>` between two places."""
    template = next((i for i in range(start, end) if text.words[i] == "template"), end)
    angles = [i for i in range(template, end) if text.words[i][0] == ">"]
    return text.text(template, angles[-1] + 1) if angles else ""


def _bounds(text: Tokens, body: Piece) -> str:
    """Return the first of the numbers in __launch_bounds__."""
    for i in range(body.head, body.start):
        if text.words[i] == "__launch_bounds__" and i + 1 in text.partner:
            return text.text(i + 2, text.comma(i + 2, text.partner[i + 1]))
    return ""


def variables_of(text: Tokens) -> list[tuple[str, int]]:
    """Find the `__constant__` and `__device__` variables of a host, and the word that ends each."""
    found = []
    for statement in text.statements:
        if not {*statement.around} <= {"namespace"}:
            continue
        plain = [text.words[i] for i in text.plain(statement.start, statement.end)]
        cut = min((plain.index(word) for word in "={" if word in plain), default=len(plain))
        declared = plain[: plain.index("[") if "[" in plain[:cut] else cut]
        if _PLACES.isdisjoint(declared) or not _NO_VARIABLE.isdisjoint(plain[:cut]):
            continue
        names = [word for word in declared if is_name(word)]
        found.append(("::".join((*statement.spaces, names[-1])), statement.end))
    return found


@lru_cache(maxsize=512)
def definitions(text: str) -> tuple[list[KernelHead], tuple[str, ...]]:
    """Find the kernels and the variables of a text.

    >>> kernels, variables = definitions("__constant__ int n; __global__ void fill(int* p) {}")
    >>> kernels[0].name, variables
    ('fill', ('n',))
    """
    tokens = Tokens(text)
    return kernels_of(tokens), tuple(dict(variables_of(tokens)))


def plain_names(kernels: Sequence[KernelHead]) -> list[str]:
    """Give the names that alone tell which kernel is meant: of no template and no overload.

    Kernels of the same parameters stand in branches of an #if: only one of them is there.
    """
    heads: dict[str, set[tuple[str, str]]] = {}
    for kernel in kernels:
        heads.setdefault(kernel.name, set()).add((kernel.template, kernel.parameters))
    return [name for name, (head, *more) in heads.items() if not more and not head[0]]


def head_of(expression: str, kernels: Sequence[KernelHead]) -> KernelHead | None:
    """Return what stands before the body of the kernel that a C++ expression names."""
    base = re.sub(r"^static_cast<.*>\((.*)\)$", r"\1", expression).partition("<")[0]
    return next((kernel for kernel in kernels if kernel.name == base), None)


def tables(
    expressions: Sequence[str], kernels: Sequence[KernelHead], variables: Sequence[str]
) -> str:
    """Write the end of a library's text: the kernels and variables that Python finds in it."""
    helpers, rows = "", []
    for i, name in enumerate(expressions):
        head, limit = head_of(name, kernels), "0"
        if head is not None and head.bounds:
            space, _, _ = head.name.rpartition("::")
            using = f"using namespace {space}; " if space else ""
            body = f"{{ {using}return {head.bounds}; }}"
            helpers += f"{head.template} constexpr long long norch_limit_{i}() {body}\n"
            limit = f"norch_limit_{i}{name[name.index('<') :] if head.template else ''}()"
        kernel = f"norch_kernel_{i}"
        helpers += f"static constexpr auto {kernel} = {name};\n"
        signature = f"reinterpret_cast<const char*>(norch::Signature<{kernel}>::items)"
        rows.append(f'{{"{name}", {signature}, norch_sim::Caller<{kernel}>::call, {limit}}},\n')
    symbols = [
        f'{{"{name}", &{name}, norch_sim::writable_bytes<decltype({name})>}},\n'
        for name in variables
    ]
    return (
        f"{helpers}static const norch_sim::Kernel norch_kernels[] = {{\n{''.join(rows)}}};\n"
        f"static const norch_sim::Symbol norch_symbols[] = {{\n{''.join(symbols)}{{}}}};\n"
        'extern "C" __attribute__((visibility("default"))) const norch_sim::Library norch_library '
        f"= {{norch_kernels, {len(rows)}, norch_shared_memory, norch_symbols, {len(symbols)}}};\n"
    )
