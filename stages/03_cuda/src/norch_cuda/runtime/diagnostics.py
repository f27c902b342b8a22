"""What g++ says of a kernel's text, told by the lines that its author wrote.

The generated file has our headers before the text and tables behind it; errors that show up there
are led back to the line that used a macro of ours, or to the brace that was never closed. Called by
the simulator when a kernel does not compile, by nvrtc.py and programs for a missing header.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from norch_cuda.runtime.tokens import split

_MOST = 5  # errors that are shown; the first is most often the only one that matters
_SAID = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+)(?::\d+)?:\s*(?P<what>.*)")
_ERROR = re.compile(r"(?:fatal )?error: ")
# The assembler of the CPU, or g++ about its operands: it was given that of a GPU.
_ASSEMBLER = re.compile(r"Error: |error: .*(\basm\b|constraint|instruction mnemonic)")
_NO_PTX = "error: cuda-sim runs no assembler of a GPU but `mov` of a special register: write C++"
# What g++ and clang say where a brace is missing, and where something else swallowed it.
_BRACES = re.compile(r"function.definition is not allowed here|expected .\}")
_UNTERMINATED = re.compile(r"unterminated|missing terminating")
# What g++, clang and NVRTC say of a header that a line includes.
_MISSING = re.compile(
    r":\d+: fatal error: '?([^':\n]+)'?(?:: No such file| file not found)"
    r'|cannot open source file "([^"]+)"'
)
_LEADS_BACK = re.compile(r"note: in expansion of macro|required from|in .constexpr. expansion")


class _Error(NamedTuple):
    file: str
    line: int
    message: str


def readable(output: str, text: str, file: str) -> str:
    """Return the errors with the lines they are about; g++'s own words if none can be told.

    `text` is what was compiled under the name `file`, other files in it marked by #line.
    """
    lines = {(name, number): row for name, number, row in _lines_of(text, file)}
    errors = list(_errors(output, lines))
    if _BRACES.search(output) and not _UNTERMINATED.search(output):
        brace = _open_brace(text, file)
        if brace is not None:
            message = "error: a `{` is not closed: this one, by what stands below it"
            errors = [error for error in errors if not _BRACES.search(error.message)]
            errors.append(_Error(*brace, message))
    rows = []
    for error in list(dict.fromkeys(errors))[:_MOST]:
        rows.append(f"{Path(error.file).name}:{error.line}: {error.message}")
        rows.append(f"    {lines[error.file, error.line].strip()}")
    return "\n".join(rows) or output.strip()


def _lines_of(text: str, file: str) -> Iterator[tuple[str, int, str]]:
    """Give each line of the text with its file and number; marks have those of the line before."""
    number = 0
    for row in text.splitlines():
        mark = re.match(r'\s*#\s*line\s+(\d+)(?:\s+"([^"]*)")?', row)
        number, file = (int(mark[1]) - 1, mark[2] or file) if mark else (number + 1, file)
        yield file, number, row


def _errors(output: str, lines: dict[tuple[str, int], str]) -> Iterator[_Error]:
    """Give the errors; one in a header of ours where the text led to it, before or after."""
    led_from: tuple[str, int] | None = None
    pending: str | None = None
    for row in output.splitlines():
        said = _SAID.match(row)
        if said is None:
            continue
        place, what = (said["file"], int(said["line"])), said["what"]
        if _LEADS_BACK.match(what) and place in lines:
            if pending is not None:
                yield _Error(*place, pending)
                pending = None
            else:
                led_from = place
        elif _ASSEMBLER.match(what) and place in lines:
            yield _Error(*place, _NO_PTX)
        elif error := _ERROR.match(what):
            message = f"error: {what[error.end() :]}"
            if place in lines:
                yield _Error(*place, message)
            elif led_from is not None:
                yield _Error(*led_from, message)
            else:
                pending = message
            led_from = None


def _open_brace(text: str, file: str) -> tuple[str, int] | None:
    """Find a brace that is never closed: one whose partner is indented otherwise, else the last."""
    rows, number = text.splitlines(), 0
    opened: list[int] = []  # the rows of those that are open
    odd: int | None = None
    for token in split(text):
        if token == "{":
            opened.append(number)
        elif token == "}" and opened:
            partner, row = opened.pop(), rows[number]
            if odd is None and row.lstrip()[0] == "}" and _indent(row) < _indent(rows[partner]):
                odd = partner
        number += token.count("\n")
    if not opened:
        return None
    name, number, _ = list(_lines_of(text, file))[odd if odd is not None else opened[-1]]
    return name, number


def _indent(row: str) -> int:
    """Count the spaces before a line of a .cu text, to find its open brace."""
    return len(row) - len(row.lstrip())


def header_not_found(message: str) -> str:
    """Return the header that a compiler's message says was not found, or "".

    >>> header_not_found("a.cu:1:10: fatal error: cufft.h: No such file or directory")
    'cufft.h'
    """
    found = _MISSING.search(message)
    return "" if found is None else found[1] or found[2]


def missing_header(message: str, file: str) -> str:
    """Say where headers are looked for, if a compiler's message says that one was not found."""
    name = header_not_found(message)
    if not name:
        return ""
    if Path(file).parent == Path():
        return (
            f'\n"{name}" was not found: a text has no folder to look in; write it to a file beside '
            'the header, load_kernel(Path("kernel.cu"), ...), or put the header into the text'
        )
    return f'\n"{name}" was not found: headers are looked for in {Path(file).parent}'
