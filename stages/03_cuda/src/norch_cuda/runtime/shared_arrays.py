"""Where the `__shared__` arrays of a checked library lie: its symbol table says it.

`__shared__` variables are the library's thread-local ones (csrc/cuda_on_cpu.h), so their symbols
have a place in shared memory and a size. Called by the simulator for checked launches, on Linux.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_SYMBOL_TABLE, _THREAD_LOCAL = 2, 6  # SHT_SYMTAB, STT_TLS of <elf.h>
# A local variable of a function: _ZZ, the function, E, and the name with its length.
_LOCAL = re.compile(r"E(\d+)(\w+)$")
_OF_FILE = re.compile(r"^_ZN?L?(\d+)(\w+)$")


class SharedArray(NamedTuple):
    """One array: bytes from the start of shared memory, bytes in all, and what it is called."""

    offset: int
    size: int
    name: str


def shared_arrays(library: Path) -> list[SharedArray]:
    """List the `__shared__` arrays of a library, but for the gaps between them."""
    content = library.read_bytes()
    if content[:5] != b"\x7fELF\x02":
        return []
    found = []
    for name, offset, size in _thread_local_symbols(content):
        plain = _plain_name(name)
        if not plain.startswith("norch_gap_"):
            found.append(SharedArray(offset, size, plain))
    return sorted(found)


def _thread_local_symbols(content: bytes) -> Iterator[tuple[str, int, int]]:
    (headers,) = struct.unpack_from("<Q", content, 0x28)
    size, count = struct.unpack_from("<HH", content, 0x3A)
    sections = [
        struct.unpack_from("<IIQQQQIIQQ", content, headers + i * size) for i in range(count)
    ]
    for section in sections:
        if section[1] != _SYMBOL_TABLE:
            continue
        start, length, strings = section[4], section[5], sections[section[6]][4]
        for at in range(start, start + length, 24):
            name, info, _, _, value, extent = struct.unpack_from("<IBBHQQ", content, at)
            if info & 15 == _THREAD_LOCAL:
                end = content.index(b"\0", strings + name)
                yield content[strings + name : end].decode(), value, extent


def _plain_name(symbol: str) -> str:
    """Read a C++ symbol's own name.

    >>> _plain_name("_ZZ6lessonE4tile"), _plain_name("_ZZ6lessonE4tile_0"), _plain_name("tile")
    ('tile', 'tile', 'tile')
    """
    match = (_LOCAL if symbol.startswith("_ZZ") else _OF_FILE).search(symbol)
    return match[2][: int(match[1])] if match else symbol
