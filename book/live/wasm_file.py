"""What a WebAssembly file imports and exports: `make_wasm.py` asks what a module would lack.

The format is read as the specification has it (https://webassembly.github.io/spec/core/binary),
as far as two of its sections go. Nothing is executed.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

IMPORTS, EXPORTS = 2, 7  # numbers of sections
FUNCTION, TABLE, MEMORY, GLOBAL, TAG = range(5)
# Emscripten's loader gives each side module these itself.
OF_THE_LOADER = {"__memory_base", "__table_base", "__indirect_function_table", "memory"}
OF_THE_LOADER |= {"__stack_pointer", "__cpp_exception"}


class Symbol(NamedTuple):
    """A name, where it comes from, and whether it is a function, a table, ..."""

    module: str
    name: str
    kind: int


class Reader:
    """Bytes, read from front to back."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def byte(self) -> int:
        """Read one byte."""
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        """Read a number in LEB128: seven bits a byte, the last byte below 128."""
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def take(self, count: int) -> bytes:
        """Read so many bytes."""
        self.at += count
        return self.data[self.at - count : self.at]

    def name(self) -> str:
        """Read a length and a text."""
        return self.take(self.number()).decode()

    def skip_type(self, kind: int) -> None:
        """Read past the type of an import."""
        if kind == GLOBAL:
            self.take(2)
            return
        if kind in (TABLE, TAG):
            self.byte()
        has_most = self.number() & 1 if kind in (TABLE, MEMORY) else 0
        for _ in range(1 + has_most):
            self.number()


def sections(path: Path) -> Iterator[tuple[int, Reader]]:
    """Return the number and the content of each section."""
    file = Reader(path.read_bytes())
    if file.take(8) != b"\0asm\1\0\0\0":
        raise ValueError(f"[wasm] {path} is no WebAssembly module of version 1")
    while file.at < len(file.data):
        number, size = file.byte(), file.number()
        yield number, Reader(file.take(size))


def imports(path: Path) -> list[Symbol]:
    """List what a file asks of others."""
    found = []
    for section in (reader for number, reader in sections(path) if number == IMPORTS):
        for _ in range(section.number()):
            symbol = Symbol(section.name(), section.name(), section.byte())
            section.skip_type(symbol.kind)
            found.append(symbol)
    return found


def exports(path: Path) -> set[str]:
    """Return the names that a file has for others."""
    found = set()
    for section in (reader for number, reader in sections(path) if number == EXPORTS):
        for _ in range(section.number()):
            found.add(section.name())
            section.byte()
            section.number()
    return found


def unresolved(side: Path, main: Path) -> list[str]:
    """List what a side module asks for, and neither of the two nor the loader has."""
    there = exports(main) | exports(side) | OF_THE_LOADER
    return sorted(symbol.name for symbol in imports(side) if symbol.name not in there)
