"""The headers that lie beside a .cu file, put where it includes them: one text for what follows.

What reads a text (which kernels and variables it has), what puts it otherwise for g++, and the key
of the compiled library then see them too, on the simulator and for NVRTC. Headers of CUDA, of the
system and of csrc/ stay what they are. Called by load_kernel.
"""

from __future__ import annotations

import re
from pathlib import Path

from norch_cuda.runtime.cuda_text import NOISE

_INCLUDE = re.compile(r'[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"')
_ONCE = re.compile(r"[ \t]*#[ \t]*pragma[ \t]+once\b")


def with_included(text: str, file: Path) -> str:
    """Put each header of the file's folder in the place of its `#include "name"`, lines marked.

    A header with `#pragma once` comes once; one that includes itself on the way ends there.
    """
    return _read(text, file, [file.resolve()], set())


def _read(text: str, file: Path, above: list[Path], once: set[Path]) -> str:
    """Replace the headers of one text; `above` are the files that include it."""

    def put(match: re.Match[str]) -> str:
        found = _INCLUDE.match(match[0])
        if found is None:
            return "" if _ONCE.match(match[0]) else match[0]
        header = (file.parent / found[1]).resolve()
        if not header.is_file():
            return match[0]
        behind = text.count("\n", 0, match.end()) + 2
        content = "" if header in above or header in once else header.read_text(encoding="utf-8")
        if any(_ONCE.match(noise[0]) for noise in NOISE.finditer(content)):
            once.add(header)
        inside = _read(content, header, [*above, header], once)
        return f'#line 1 "{header}"\n{inside}\n#line {behind} "{file}"'

    return NOISE.sub(put, text)


def missing_header(message: str, file: str) -> str:
    """Say where headers are looked for, if a compiler's message says that one was not found."""
    found = re.search(r"([\w./-]+): No such file|cannot open source file \"([^\"]+)\"", message)
    if found is None:
        return ""
    name = found[1] or found[2]
    if Path(file).parent == Path():
        return (
            f'\n"{name}" was not found: a text has no folder to look in; write it to a file beside '
            'the header, load_kernel(Path("kernel.cu"), ...), or put the header into the text'
        )
    return f'\n"{name}" was not found: headers are looked for in {Path(file).parent}'
