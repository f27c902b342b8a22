"""The tokens of a C++ text, which brackets belong together, and what each brace opens.

A text may come from the preprocessor: what its marks say is of the system's headers stays in one
piece. Called by definitions.py, rewrite.py and those who look for lines; it changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_TOKEN = re.compile(
    r'(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\((?s:.*?)\)(?P=delimiter)"'
    r'|(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"'
    r"|(?:u8|[uUL])?'(?:\\.|[^'\\\n])+'"
    r"|\.?\d(?:[eEpP][+-]|'?[\w.])*"
    r"|[A-Za-z_$][\w$]*"
    r"|//(?:\\\n|[^\n])*|/\*(?s:.*?)\*/"
    r"|^[ \t]*\#(?:\\\n|[^\n])*"
    r"|\n|[^\S\n]+|<<[ \t]*<|>>[ \t]*>|::|->|.",
    re.MULTILINE,
)
# `# 1 "file" 1 3` begins a file of the system, `# 5 "kernel.cu" 2` comes back from one.
_MARK = re.compile(r'^# \d+ "(?:\\.|[^"\\\n])*"(?P<flags>[ 0-9]*)$', re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_PARTNER = {")": "(", "]": "[", "}": "{"}
_ATTRIBUTES = {"__attribute__", "alignas", "__align__", "__launch_bounds__", "noexcept", "decltype"}
_CLASSES = {"struct", "class", "union", "enum"}
_QUALIFIERS = {"const", "noexcept", "mutable", "override", "final", "try", "&"}
_KEYWORDS = {"return", "else", "do", "case", "throw", "goto", "delete", "new"}


class Piece(NamedTuple):
    """A function or a statement, its ends as numbers of words."""

    head: int
    start: int  # the brace that opens a function's body
    end: int  # the brace that closes it, or a statement's semicolon
    around: tuple[str, ...]  # what the braces around it are: "namespace", "class", "code", "list"
    spaces: tuple[str, ...]  # the names of the namespaces around it


def split(text: str) -> Iterator[str]:
    """Give the tokens of a text; blanks, comments and directives are some too.

    >>> list(split("k<<<1, n>>>(x);"))
    ['k', '<<<', '1', ',', ' ', 'n', '>>>', '(', 'x', ')', ';']
    """
    return (match[0] for match in _TOKEN.finditer(text))


def is_noise(token: str) -> bool:
    """Whether a token says nothing to the compiler itself: a blank, a comment, a directive."""
    return token.isspace() or token.startswith(("//", "/*")) or token.lstrip()[0] == "#"


class Tokens:
    """A text in tokens; `words` are those that say something, the word i is tokens[real[i]]."""

    def __init__(self, text: str) -> None:
        """Cut a text into tokens, the parts of system headers into one each."""
        self.tokens: list[str] = []
        for is_system, part in _parts(text):
            self.tokens.extend([part] if is_system else split(part))
        self.real = [i for i, token in enumerate(self.tokens) if not is_noise(token)]
        self.words = [self.tokens[i] for i in self.real]
        for i, word in enumerate(self.words):
            if word[0] in "<>" and len(word) > 1:
                self.words[i] = word[0] * 3
        self.partner = _partners(self.words)
        self.functions: list[Piece] = []  # without those inside of others
        self.statements: list[Piece] = []
        self._read()

    def text(self, start: int, end: int) -> str:
        """Return words as one line."""
        return " ".join(self.words[start:end])

    def comma(self, start: int, end: int) -> int:
        """Find the first comma that stands in no brackets, `end` if there is none."""
        at, angles = start, 0
        while at < end:
            word = self.words[at]
            if word == "," and angles <= 0:
                return at
            angles += _angles(word)
            at = max(at, self.partner.get(at, at)) + 1
        return end

    def before_angles(self, at: int) -> int:
        """Return the word before the `<` that belongs to the `>` at `at`."""
        depth = _angles(self.words[at])
        while at > 0 and depth < 0:
            at = min(at, self.partner.get(at, at)) - 1
            depth += _angles(self.words[at])
        return at - 1

    def plain(self, start: int, end: int) -> list[int]:
        """Give the words between two places without attributes and their like."""
        found, at = [], start
        while at < end:
            if self.words[at] in _ATTRIBUTES and self.words[at + 1 : at + 2] == ["("]:
                at = self.partner.get(at + 1, at + 1) + 1
            else:
                found.append(at)
                at += 1
        return found

    def _read(self) -> None:
        """Go through the words once; semicolons in round brackets end nothing."""
        kinds: tuple[str, ...] = ()
        spaces: tuple[str, ...] = ()
        opened: list[tuple[int, int, int, tuple[str, ...]]] = []
        start = depth = 0
        unclosed = len(self.words) - 1  # the compiler will complain of braces that end there
        ends = [*enumerate(self.words), *[(unclosed, "}")] * self.words.count("{")]
        for i, word in ends:
            depth += (word in "([") - (word in ")]")
            if word == "{":
                kind, name = self._opens(start, i, kinds)
                opened.append((start, i, depth, spaces))
                kinds, depth = (*kinds, kind), 0
                spaces = (*spaces, name) if name else spaces
                start = start if kind == "list" else i + 1
            elif word == "}" and opened:
                kind, kinds = kinds[-1], kinds[:-1]
                head, brace, depth, spaces = opened.pop()
                if kind == "code" and "code" not in kinds:
                    self.functions.append(Piece(head, brace, i, kinds, spaces))
                start = i + 1 if kind in ("code", "namespace") else head
            elif word == ";" and depth <= 0:
                self.statements.append(Piece(start, start, i, kinds, spaces))
                start, depth = i + 1, 0

    def _opens(self, start: int, at: int, around: tuple[str, ...]) -> tuple[str, str]:
        """Tell by the words before a brace what it opens, and the name if that is a namespace."""
        head = [self.words[i] for i in self.plain(start, at)]
        if "namespace" in head:
            return "namespace", "".join(head[head.index("namespace") + 1 :])
        if len(head) == 2 and head[0] == "extern":
            return "namespace", ""
        last = max((i for i, word in enumerate(head) if word in "()"), default=-1)
        if _CLASSES.intersection(head[last + 1 :]):
            return "class", ""
        is_body = self._is_body(head, last) if head else around[-1:] == ("code",)
        return ("code" if is_body or self._is_lambda(at) else "list"), ""

    def _is_body(self, head: Sequence[str], last: int) -> bool:
        """Whether words whose last round bracket is `last` stand before a function or a block."""
        if "__global__" in head or head[-1] in ("else", "do", "try", "}"):
            return True
        if head[-1] == ":":
            return len(head) == 2 or head[0] == "case"
        behind = head[last + 1 :]
        returns = "->" in behind and "=" not in behind
        return last >= 0 and head[last] == ")" and (returns or _QUALIFIERS.issuperset(behind))

    def _is_lambda(self, at: int) -> bool:
        """Whether the words before a brace are a lambda's `[...]` alone."""
        capture = self.partner.get(at - 1, 0)
        return self.words[at - 1] == "]" and not self.ends_value(capture - 1)

    def ends_value(self, at: int) -> bool:
        """Whether an expression, and no keyword, ends with the word at `at`."""
        word = self.words[at]
        return word in (")", "]") or (is_name(word) and word not in _KEYWORDS)


def _angles(word: str) -> int:
    """Count the `<` of a word less its `>`."""
    return 0 if word == "->" else word.count("<") - word.count(">")


def is_name(word: str) -> bool:
    """Whether a token of a CUDA text is a name or a keyword."""
    return _NAME.fullmatch(word) is not None


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Cut a text where files begin and end; tell which parts come from the system's headers."""
    above, at = [False], 0
    for mark in _MARK.finditer(text):
        flags = mark["flags"].split()
        if "1" not in flags and "2" not in flags:
            continue
        yield above[-1], text[at : mark.start()]
        at = mark.start()
        if "1" in flags:
            above.append("3" in flags)
        elif len(above) > 1:
            above.pop()
    yield above[-1], text[at:]


def _partners(words: Sequence[str]) -> dict[int, int]:
    """Give for each bracket the place of the one that belongs to it."""
    opened: list[int] = []
    partner = {}
    for i, word in enumerate(words):
        if word in ("(", "[", "{"):
            opened.append(i)
        elif word in _PARTNER and opened and words[opened[-1]] == _PARTNER[word]:
            partner[i] = opened.pop()
            partner[partner[i]] = i
    return partner
