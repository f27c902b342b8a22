"""Where the variables of a checked library lie, and the gaps that keep them apart: ELF, on Linux.

`__shared__` variables are the library's thread-local ones (csrc/simulator/cuda_on_cpu.h), so their
symbols have a place in shared memory; those of all others have one in the library. Called by the
simulator for checked launches; elsewhere there are none, and the checker knows less.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

_SYMBOL_TABLE = 2  # SHT_SYMTAB of <elf.h>; below: STT_OBJECT, STT_TLS, SHF_ALLOC, SHF_MERGE
_OBJECT, _THREAD_LOCAL = 1, 6
_IN_MEMORY, _MERGED = 2, 16
# With -fdata-sections every variable has a section of its own; those without a name stay together.
_OF_VARIABLE = re.compile(r"\.(data|bss|rodata|tdata|tbss)\.(?!\.|str|cst)[\w.$]+$")
_FLAGS = {"data": '"aw",@progbits', "bss": '"aw",@nobits', "rodata": '"a",@progbits'}
_FLAGS |= {"tdata": '"awT",@progbits', "tbss": '"awT",@nobits'}
_GAP_BYTES = 256
_ALIGNMENT = 64  # most that a variable asks for: so much may lie between a gap and the next one
# A local variable of a function: _ZZ, the function, E, and the name with its length.
_LOCAL = re.compile(r"E(\d+)(\w+)$")


class Role(IntEnum):
    """What may touch a variable; the mirror is in csrc/simulator/checker.h."""

    ARRAY, GAP, COMPILERS = range(3)


class Variable(NamedTuple):
    """One variable: bytes from the start of its memory, bytes in all, its name, and its role."""

    offset: int
    size: int
    name: str
    role: Role


def variables_of(library: Path) -> tuple[list[Variable], list[Variable]]:
    """List the `__shared__` variables of a library, and all others."""
    shared: list[Variable] = []
    others: list[Variable] = []
    for name, kind, offset, size in _symbols(library.read_bytes()):
        gap, own = name.startswith("norch_gap_"), name.startswith(("_ZGV", "_ZTH"))
        role = Role.GAP if gap or "norch_gap_" in name else Role.COMPILERS if own else Role.ARRAY
        found = Variable(offset, size, _plain_name(name), role)
        if kind in (_OBJECT, _THREAD_LOCAL) and size > 0:
            (shared if kind == _THREAD_LOCAL else others).append(found)
    return sorted(shared), _up_to_the_next(sorted(others))


def most_shared(library: Path) -> tuple[int, str]:
    """Return the most bytes of `__shared__` variables that one function has, and its name."""
    sums: Counter[str] = Counter({"": 0})
    for name, kind, _, size in _symbols(library.read_bytes()):
        local = _LOCAL.search(name) if name.startswith("_ZZ") and "norch_gap_" not in name else None
        if local and kind == _THREAD_LOCAL:
            sums[_plain_name("_Z" + name[: local.start()].lstrip("_Z"))] += size
    return max((size, name) for name, size in sums.items())


def _up_to_the_next(variables: list[Variable]) -> list[Variable]:
    """Make each gap end where the variable behind it begins."""
    found = variables[:1]
    for variable in variables[1:]:
        last = found[-1]
        if last.role == Role.GAP and variable.offset - last.offset < last.size + _ALIGNMENT:
            found[-1] = last._replace(size=variable.offset - last.offset)
        found.append(variable)
    return found


def gaps_behind(objects: list[Path]) -> str:
    """Return assembler text: a gap for each variable of these object files, behind it.

    The linker lays sections out by their names, so that of `.bss.x` is called `.bss.x.gap`. One
    before the first variable of each kind is called `.bss.0gap`.
    """
    names = sorted({name for path in objects for name in _variable_sections(path.read_bytes())})
    kinds = sorted({name.split(".")[1] for name in names} - {"tdata", "tbss"})
    rows = []
    for i, name in enumerate([*(f".{kind}.0" for kind in kinds), *(f"{n}." for n in names)]):
        label = f"norch_gap_{i}"
        flags = _FLAGS[name.split(".")[1]]
        rows += [f'.section "{name}gap",{flags}', f".size {label}, {_GAP_BYTES}"]
        kind = "tls_object" if name.startswith(".t") else "object"
        rows += [f".type {label}, @{kind}", f"{label}:", f".zero {_GAP_BYTES}"]
    return "\n".join([*rows, '.section .note.GNU-stack,"",@progbits', ""])


class Section(NamedTuple):
    """One row of an ELF file's table of sections, with its name."""

    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int


def elf_sections(content: bytes) -> list[Section]:
    """Read the sections of an ELF file, a kernel library or a GPU's machine code; else none."""
    if content[:5] != b"\x7fELF\x02":
        return []
    (table,) = struct.unpack_from("<Q", content, 0x28)
    entry, count, names = struct.unpack_from("<HHH", content, 0x3A)
    rows = [struct.unpack_from("<IIQQQQIIQQ", content, table + i * entry) for i in range(count)]
    strings = rows[names][4] if rows else 0
    return [
        Section(_text_at(content, strings + name), kind, flags, offset, size, link, info)
        for name, kind, flags, _, offset, size, link, info, _, _ in rows
    ]


def _text_at(content: bytes, place: int) -> str:
    """Read the C string at a place of a file."""
    return content[place : content.index(b"\0", place)].decode()


def _variable_sections(content: bytes) -> Iterator[str]:
    """Give the names of the sections that hold one variable each."""
    for section in elf_sections(content):
        alone = section.flags & _IN_MEMORY and not section.flags & _MERGED
        if alone and _OF_VARIABLE.match(section.name):
            yield section.name


def _symbols(content: bytes) -> Iterator[tuple[str, int, int, int]]:
    """Give name, type, value and size of each symbol that the file defines."""
    sections = elf_sections(content)
    for section in sections:
        if section.type != _SYMBOL_TABLE:
            continue
        strings = sections[section.link].offset
        for at in range(section.offset, section.offset + section.size, 24):
            name, info, _, defined, value, extent = struct.unpack_from("<IBBHQQ", content, at)
            if defined != 0:
                yield _text_at(content, strings + name), info & 15, value, extent


def _plain_name(symbol: str) -> str:
    """Read a C++ symbol's own name.

    >>> _plain_name("_ZZ6lessonE4tile"), _plain_name("_ZZ6lessonE4tile_0"), _plain_name("tile")
    ('tile', 'tile', 'tile')
    >>> _plain_name("_ZL5table"), _plain_name("_ZN3lib5tableE")
    ('table', 'table')
    """
    if symbol.startswith("_ZZ"):
        match = _LOCAL.search(symbol)
        return match[2][: int(match[1])] if match else symbol
    rest, name = symbol.removeprefix("_Z").removeprefix("N").lstrip("L"), symbol
    while symbol.startswith("_Z") and (match := re.match(r"L?(\d+)", rest)):
        name = rest[match.end() : match.end() + int(match[1])]
        rest = rest[match.end() + int(match[1]) :]
    return name
