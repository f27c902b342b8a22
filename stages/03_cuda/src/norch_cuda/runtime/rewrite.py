"""CUDA C++ put as C++ for g++: what neither headers nor macros can give a meaning.

Kernels, `<<<...>>>`, `__shared__`, threadIdx and its kin, in a text that the preprocessor has been
through and on the same lines. Called by the simulator and by whole programs; compiles nothing.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from norch_cuda.runtime.definitions import (
    KernelHead,
    kernels_of,
    plain_names,
    tables,
    variables_of,
)
from norch_cuda.runtime.sources import OURS
from norch_cuda.runtime.tokens import Tokens, is_name

# One copy for each OS thread, since each runs a block of its own; aligned as for a float4.
_STORAGE = {"linux": "thread_local"}.get(
    sys.platform, '__attribute__((section("__DATA,norch_shared")))'
)
_SHARED = f"static {_STORAGE} __attribute__((aligned(16)))"
_INSTEAD = {
    "__global__": "",  # the header's macro of this name puts an attribute before it
    "__device__": "",
    "__host__": "",
    "__constant__": "",
    "__managed__": "",
    # No macro: the headers of g++ 16 have this word in attributes of their own.
    "__noinline__": "__attribute__((noinline))",
}
_INDICES = {
    "threadIdx": "(norch_sim::self->thread_index)",
    "blockIdx": "(norch_sim::self->block_index)",
    "blockDim": "(norch_sim::self->block_dim)",
    "gridDim": "(norch_sim::self->grid_dim)",
}
_OF_HEADERS = re.compile(
    rf"\b(?:__device__|__host__)\b|(?<![\w.>])({'|'.join(_INDICES)})(?=\.[xyz]\b)"
)
_OF_DEVICE = {"__global__", "__device__"}
_TYPES = {"dim3", "uint3", "auto", "int", "unsigned", "const"}
_BASIC = {"const", "volatile", "unsigned", "signed", "long", "short", "int", "char", "float"}
_BASIC |= {"double", "bool", "void", "struct", "auto"}
# The assembler that is ordinary: reading one of a thread's special registers.
_REGISTER = re.compile(
    r'\w+ (?:volatile |__volatile__ )?\( "\s*mov\.\w+\s+%0\s*,\s*%+(\w+)\s*;\s*" :'
    r' "=[rl]" \( ([^()]*) \) \)'
)
# `float s, a[4];`: a type of words, then names; and what else may begin with two words.
_DECLARATION = re.compile(
    r"\s*(?!(?:return|goto|using|typedef|delete|throw|case|static|extern|const|constexpr|else|do|new"
    r"|template|thread_local|volatile|__shared__|friend|namespace|asm|operator)\b)"
    r"(?:(?:unsigned|signed|long|short|struct)\s+)*[A-Za-z_][\w:]*(?:<[^;{}()]*>)?"
    r"(?:\s+(?:int|long|char|double))*[\s*]+(?P<names>[A-Za-z_][^;{}]*)"
)
_UNSET = re.compile(r"[\s*]*([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The text for g++, and what it defines."""

    text: str
    kernels: list[KernelHead]
    variables: tuple[str, ...]


def rewrite(preprocessed: str, program: bool, announce: bool = False) -> Rewritten:
    """Rewrite what comes from the user's own files, on the same lines.

    In a `program` a kernel is a function that hands its body to the engine; elsewhere it stays
    what it is. `announce` tells the simulator of local variables that begin without a value.

    >>> rewrite("void f() { add<<<1, n>>>(x); }", program=True).text
    'void f() { (norch_sim::configure(1 , n), add (x)); }'
    """
    text = _Text(preprocessed)
    kernels, variables = kernels_of(text), tuple(dict(variables_of(text)))
    text.put_words()
    text.put_registers()
    if program:
        for kernel in kernels:
            text.hand_over(kernel)
        text.put_launches()
    text.put_shared()
    if announce:
        text.announce_locals(program)
    return Rewritten("".join(text.out), kernels, variables)


def rewrite_library(file: str, expression: str, announce: bool, preprocessed: str) -> str:
    """Rewrite the text of a kernel library; behind it come the tables that Python reads.

    They list the kernels that a plain name tells, or the one that `expression` says.
    """
    made = rewrite(preprocessed, False, announce)
    if not made.kernels and not expression:
        raise RuntimeError(f"[cuda-sim] {Path(file).name} defines no __global__ function")
    listed = [expression] if expression else plain_names(made.kernels)
    return f'{made.text}\n# 1 "{OURS}/tables"\n{tables(listed, made.kernels, made.variables)}'


class _Text(Tokens):
    """The tokens of a text, and in `out` what stands in their place."""

    def __init__(self, text: str) -> None:
        """Begin with what is there; system headers lose words that only CUDA knows."""
        super().__init__(text)
        self.out = list(self.tokens)
        for i, token in enumerate(self.tokens):
            if token[0] == "#" and "\n" in token:
                self.out[i] = _OF_HEADERS.sub(lambda m: _INDICES.get(m[1], ""), token)

    def put(self, start: int, end: int, text: str = "") -> None:
        """Put a text in the place of words."""
        for i in range(start, end):
            self.out[self.real[i]] = text if i == start else ""

    def before(self, at: int, text: str) -> None:
        """Put a text before a word."""
        self.out[self.real[at]] = text + self.out[self.real[at]]

    def after(self, at: int, text: str) -> None:
        """Put a text behind a word."""
        self.out[self.real[at]] += text

    def put_words(self) -> None:
        """Put simple words otherwise; threadIdx and its kin where functions have none of theirs."""
        for i, word in enumerate(self.words):
            if word in _INSTEAD:
                self.put(i, i + 1, _INSTEAD[word])
            elif word == "__launch_bounds__" and i + 1 in self.partner:
                self.put(i, self.partner[i + 1] + 1)
        for function in self.functions:
            inside = range(function.head, function.end)
            found = [i for i in inside if self.words[i] in _INDICES]
            own = {self.words[i] for i in found if self._declares(i)}
            for i in found:
                if self.words[i] not in own and self.words[i - 1] not in (".", "->", "::"):
                    self.put(i, i + 1, _INDICES[self.words[i]])

    def _declares(self, at: int) -> bool:
        """Whether `dim3 blockDim(...)` or its like declares the name at `at`."""
        if self.words[at - 1] != ",":
            typed = self.words[at - 2] if self.words[at - 1] in "&*" else self.words[at - 1]
            return typed in _TYPES
        return self.words[at + 1] in ("(", "=", ";", "{") and any(
            s.start < at < s.end and "dim3" in self.words[s.start : s.start + 3]
            for s in self.statements
        )

    def put_registers(self) -> None:
        """Call the simulator where assembler reads a special register."""
        for i, word in enumerate(self.words):
            if word in ("asm", "__asm__", "__asm"):
                opened = i + 1 + (self.words[i + 1] != "(")
                end = self.partner.get(opened, opened) + 1
                said = _REGISTER.fullmatch(self.text(i, end))
                if said:
                    self.put(i, end, f"({said[2]} = norch_sim::register_{said[1]}())")

    def hand_over(self, kernel: KernelHead) -> None:
        """Make a kernel hand its body to the engine, with its parameters as they are given."""
        opened, body = kernel.opened, kernel.body
        names = self._names(opened + 1, self.partner.get(opened, body.start))
        self.after(
            body.start,
            f" if (norch_sim::packed) norch_sim::unpack({', '.join(names)});"
            f' norch_sim::launch("{kernel.name}", ({kernel.bounds or 0}), [=]() mutable {{',
        )
        self.before(body.end, "});")

    def _names(self, start: int, end: int) -> list[str]:
        """Give the address of each parameter, nullptr for one without a name."""
        names = []
        while start < end:
            stop = self.comma(start, end)
            words = [self.words[i] for i in self.plain(start, stop)]
            words = words[: words.index("=")] if "=" in words else words
            cut = next((i for i, word in enumerate(words) if i and word in "[)"), len(words))
            last = words[cut - 1]
            typed = [word for word in words[: cut - 1] if word not in ("const", "volatile")]
            named = typed and typed[-1] != "::" and is_name(last) and last not in _BASIC
            rest = "..." if "..." in "".join(words) else ""
            names += [f"&{last}{rest}" if named else "nullptr"] if words != ["void"] else []
            start = stop + 1
        return names

    def put_launches(self) -> None:
        """Make each `kernel<<<grid, block>>>(x)` tell the engine the sizes, then call."""
        for i, word in enumerate(self.words):
            behind = range(i, len(self.words)) if word == "<<<" else ()
            end = next((k for k in behind if self.words[k : k + 2] == [">>>", "("]), None)
            if end is None:
                continue
            sizes = " ".join(filter(None, (self.out[self.real[k]] for k in range(i + 1, end))))
            sizes = sizes.replace("< <", "<<").replace("> >", ">>")
            self.put(i, end + 1)
            self.before(self._callee(i - 1), f"(norch_sim::configure({sizes}), ")
            self.after(self.partner.get(end + 1, end), ")")

    def _callee(self, at: int) -> int:
        """Return where the expression begins that ends at `at`."""
        while at > 0:
            if self.words[at][0] == ">":
                at = self.before_angles(at)
            elif self.words[at] == "]" or self._is_call(at):
                at = self.partner[at] - 1
            else:
                at = self.partner.get(at, at)
                at -= self.words[at - 1] == "template"
                if self.words[at - 1] not in ("::", ".", "->"):
                    return at
                at -= 1
                if not (self.ends_value(at - 1) or self.words[at - 1][0] == ">"):
                    return at
                at -= 1
        return at

    def _is_call(self, at: int) -> bool:
        """Whether the word at `at` closes the arguments of a call."""
        return self.words[at] == ")" and self.ends_value(self.partner[at] - 1)

    def put_shared(self) -> None:
        """Put `__shared__` in words that g++ takes, and arrays whose size the launch decides."""
        of_file = []
        for _, start, end, around, _ in self.statements:
            words = self.words[start:end]
            if "__shared__" not in words[: words.index("{") if "{" in words else None]:
                continue  # inside of a class, it is a statement of its own
            if "extern" not in words or "[" not in words:
                self._put_static(start, end)
                continue
            plain = [self.words[i] for i in self.plain(start, end)]
            brackets = plain.index("[")
            element = [w for w in plain[: brackets - 1] if w not in ("extern", "__shared__")]
            kind = f"norch_element<{' '.join(element + plain[brackets + 2 :])}>"
            name = plain[brackets - 1]
            pointer = f"{kind}* {name} = norch_dynamic_shared<{kind}>();"
            self.put(start, end + 1, pointer if "code" in around else "")
            of_file += [] if "code" in around else [(name, pointer, end)]
        for name, pointer, end in of_file:
            for body in self.functions:
                head, code = self.words[body.head : body.start], self.words[body.start : body.end]
                if body.head > end and name in code and name not in head:
                    self.after(body.start, f" {pointer} {{")
                    self.before(body.end, "}")

    def _put_static(self, start: int, end: int) -> None:
        """Put a `__shared__` variable in g++'s order: alignas before all other words."""
        for at in range(start, end):
            word = self.words[at]
            if word == "alignas":
                close = self.partner[at + 1] + 1
                self.put(at, close)
                self.before(start, f"{self.text(at, close)} ")
            elif word in ("__shared__", "static"):
                self.put(at, at + 1, _SHARED if word == "__shared__" else "")

    def announce_locals(self, program: bool) -> None:
        """Tell the simulator of local variables that begin without a value."""
        bodies = [
            b
            for b in self.functions
            if not program or _OF_DEVICE.intersection(self.words[b.head : b.start])
        ]
        for _, start, end, around, _ in self.statements:
            is_code = around[-1:] == ("code",) and any(b.start < start < b.end for b in bodies)
            text = "".join(self.tokens[self.real[start] : self.real[end]]) if is_code else ""
            match = _DECLARATION.fullmatch(text)
            unset = _unset(match["names"]) if match else []
            if unset:
                self.after(end, f" norch_sim::declared({', '.join(unset)});")


def _unset(names: str) -> list[str]:
    """Give those of declared names that have no value; one used further on may have one already.

    >>> _unset("a, b[2], c = 1, d = b[0]")
    ['a']
    """
    text, found, start = Tokens(names), [], 0
    while start < len(text.words):
        stop = text.comma(start, len(text.words))
        match = _UNSET.fullmatch(text.text(start, stop))
        if match and match[1] not in text.words[stop:]:
            found.append(match[1])
        start = stop + 1
    return found
