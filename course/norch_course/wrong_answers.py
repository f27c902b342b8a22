"""Known wrong answers: the format of `stages/*/exercises/wrong/4.1.py`, one file an exercise.

An answer opens with comments (`//:` in C++ and CUDA): its name, the words of the task that it does
not heed if it heeds all others, and the sentence that names the mistake, after "It looks as if":

    #: own_factor | drops: stands for `x * y`
    #: you multiplied each factor's gradient by the factor itself. A product follows x as
    #: strongly as y is large: take the OTHER factor.
            dx = grad * self.saved(0) if self.needs(0) else None

What follows, up to the next such comment, stands in the hole, to the byte. The catalog reads the
files; this one knows text only, and refuses what it cannot read.
"""

import re
from dataclasses import dataclass
from itertools import groupby

from norch_course.holes import LANGUAGES

# A name, what it drops (on a line of its own where the two are long), and the sentence.
HEAD = re.compile(r"(\w+)(?:[ \n]\| drops: ([^\n]+))?(?:\n(.+))?", re.DOTALL)
NAME = re.compile(r"\w+|.* \| drops: .*")  # no line of a sentence: another answer's name

Numbered = list[tuple[int, str]]  # lines, with their numbers (from 1)


class AnswerError(ValueError):
    """The line of a file of wrong answers that cannot be read, and what should stand there."""


@dataclass(frozen=True)
class Wrong:
    """A known wrong answer: what stands in the hole, and the sentence that names the mistake.

    `drops` are the words of the task that it does not heed, if it is right but for these. Code that
    is given to be mended, and that no learner would write, has no sentence.
    """

    name: str
    body: str
    says: str
    drops: str = ""


def parse(text: str, suffix: str) -> tuple[Wrong, ...]:
    """Return the answers of a file in their order; raises AnswerError at what it cannot read."""
    mark = LANGUAGES[suffix].comment + ":"

    def opens(line: tuple[int, str]) -> bool:
        return line[1].lstrip().startswith(mark)

    lines = enumerate(text.splitlines(keepends=True), start=1)
    parts = [list(part) for _, part in groupby(lines, opens)]
    if not parts or not opens(parts[0][0]):
        raise AnswerError(f"line 1: no answer begins here: write '{mark} its_name' above it")
    if len(parts) % 2:
        raise AnswerError(f"line {parts[-1][0][0]}: the file ends before the text of this answer")
    found: dict[str, Wrong] = {}
    for head, body in zip(parts[::2], parts[1::2], strict=True):
        one = _answer(head, "".join(line for _, line in body), mark)
        if one.name in found:
            raise AnswerError(f"line {head[0][0]}: a second answer named '{one.name}': rename it")
        found[one.name] = one
    return tuple(found.values())


def _answer(head: Numbered, body: str, mark: str) -> Wrong:
    words = [_words(number, line, mark) for number, line in head]
    parts = HEAD.fullmatch("\n".join(words))
    if not parts:
        expected = f"'{mark} its_name' or '{mark} its_name | drops: words of the task'"
        raise AnswerError(f"line {head[0][0]}: found '{words[0]}', expected {expected}")
    name, drops, says = parts[1], parts[2] or "", parts[3] or ""
    for line in says.split("\n"):
        if NAME.fullmatch(line):
            raise AnswerError(f"line {head[0][0]}: '{name}' has no text before '{line}'")
    return Wrong(name, body, says.replace("\n", " "), drops)


def _words(number: int, line: str, mark: str) -> str:
    found = re.fullmatch(rf"{mark} (\S|\S.*\S)\n", line)
    if not found:
        raise AnswerError(f"line {number}: found '{line.rstrip()}', expected '{mark} words'")
    return found[1]
