"""What built kernels say about themselves: lines, arithmetic, shared arrays, and registers.

binutils read the simulator's libraries (addr2line, objdump, nm), which g++ needs as well. How many
registers a thread takes stands in the table of the package (register_table.py), or in the file that
NVRTC writes, which needs no GPU. Nothing is run.
"""

from __future__ import annotations

import math
import re
import shutil
import struct
import subprocess
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from norch_cuda.profiling.register_table import shipped_registers
from norch_cuda.runtime.library_variables import elf_sections
from norch_cuda.runtime.nvrtc import image_of
from norch_cuda.runtime.sources import KernelSource

_CALL = re.compile(r"^\s+([0-9a-f]+):\s+(?:call|bl)\s.*<(\w+)(?:@[^>]*)?>")
_INSTRUCTION = re.compile(r"^\s+([0-9a-f]+):\s+(\S+)")
_BLOCK_BEGINS = "__sanitizer_cov_trace_pc"
# Additions, subtractions, multiplications, divisions, roots, minima and maxima of floats: the
# scalar instructions of x86-64 and aarch64.
_ARITHMETIC = re.compile(
    r"v?(add|sub|mul|div|sqrt|min|max)s[sd]|f(add|sub|n?mul|div|sqrt|min|max|minnm|maxnm)"
)
# A warp's product of fragments, by the sizes in its mangled name: device_library/mma.h.
_FRAGMENTS = re.compile(r"multiply_fragmentsILi(\d+)ELi(\d+)ELi(\d+)E")
_FUNCTIONS = frozenset((
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sin", "cos", "tan", "tanh",
    "sinh", "cosh", "asin", "acos", "atan", "atan2", "erf", "erfc", "lgamma", "tgamma", "fmod",
    "hypot", "cbrt", "floor", "ceil", "trunc", "rint", "round", "fmin", "fmax", "sqrt",
))  # fmt: skip

_REGISTERS = 0x2F  # EIATTR_REGCOUNT: a symbol's number, and its registers
_WITH_BYTES = 4  # the form of an attribute that is followed by as many bytes as it says


class Place(NamedTuple):
    """A line of a file, by the file's name without its folder."""

    file: str
    line: int


class Arithmetic(NamedTuple):
    """An instruction that computes with floats: where, how many operations, who would do them."""

    address: int
    operations: int
    on_tensor_cores: bool


class SharedArray(NamedTuple):
    """A `__shared__` variable: its name and where it lies in the block's memory."""

    name: str
    offset: int
    size: int


def _tool(name: str, *arguments: str, given: str | None = None) -> str:
    """Run a program of binutils on machine code that is profiled; return what it prints."""
    path = shutil.which(name)
    if path is None:
        raise RuntimeError(
            f"[profile] {name} was not found, and the lines of a kernel are read with it; install "
            "binutils (Debian: apt install binutils)"
        )
    answer = subprocess.run(
        [path, *arguments], capture_output=True, text=True, check=True, input=given
    )
    return answer.stdout


def places(library: Path, offsets: Iterable[int], file: str) -> dict[int, Place]:
    """Name the line that a profile books each machine code offset on: the innermost in `file`."""
    wanted = sorted(set(offsets))
    asked = "\n".join(map(hex, wanted))
    text = _tool("addr2line", "-a", "-i", "-e", str(library), given=asked)
    chains = re.split(r"^0x[0-9a-f]+\n", text, flags=re.MULTILINE)[1:]
    return {
        offset: _innermost(chain.splitlines(), file)
        for offset, chain in zip(wanted, chains, strict=True)
    }


def _innermost(chain: list[str], file: str) -> Place:
    """Choose, for a profile, the innermost line in `file` among inlined calls."""
    found = []
    for frame in chain:
        path, _, line = frame.partition(" (discriminator ")[0].rpartition(":")
        found.append(Place(Path(path).name, int(line) if line.isdigit() else 0))
    return next((place for place in found if place.file == file), found[0])


@lru_cache(maxsize=64)
def arithmetic(library: Path) -> dict[int, tuple[Arithmetic, ...]]:
    """Where each basic block computes with floats: by the offset at which it was announced."""
    found: dict[int, list[Arithmetic]] = {}
    block: list[Arithmetic] | None = None
    begins = inside = False
    for row in _tool("objdump", "-d", "--no-show-raw-insn", str(library)).splitlines():
        if row.endswith(">:"):
            block, begins = None, False  # another function
            inside = _FRAGMENTS.search(row) is not None  # counted where it is called
            continue
        instruction = _INSTRUCTION.match(row)
        if instruction is None:
            continue
        address = int(instruction[1], 16)
        if begins:
            block, begins = found.setdefault(address, []), False
        call = _CALL.match(row)
        begins = call is not None and call[2] == _BLOCK_BEGINS
        if block is not None and not inside:
            block += _arithmetic_of(address, instruction[2], call[2] if call else "")
    return {begin: tuple(computed) for begin, computed in found.items()}


def _arithmetic_of(address: int, instruction: str, called: str) -> list[Arithmetic]:
    """What an instruction computes, of one lane: nothing, or one item.

    Fragments of all types count alike: gpus.py takes them for float16, of which tensor cores
    multiply twice as many as of tf32.
    """
    if fragments := _FRAGMENTS.search(called):
        of_warp = 2 * math.prod(map(int, fragments.groups()))
        return [Arithmetic(address, of_warp // 32, True)]
    if called:
        name = called if called in _FUNCTIONS else called.removesuffix("f")
        count = 2 if name == "fma" else int(name in _FUNCTIONS)
    else:
        count = int(_ARITHMETIC.fullmatch(instruction) is not None)
    return [Arithmetic(address, count, False)] if count else []


@lru_cache(maxsize=64)
def shared_arrays(library: Path) -> tuple[SharedArray, ...]:
    """List the `__shared__` variables that a profile names, in order of their memory."""
    found = []
    for row in _tool("nm", "-C", "-f", "sysv", str(library)).splitlines():
        name, *rest = row.rsplit("|", 6)
        if (
            len(rest) == 6
            and rest[2].strip() == "TLS"
            and rest[3].strip()
            and "guard variable" not in name
        ):
            short = name.strip().rpartition("::")[2]
            found.append(SharedArray(short, int(rest[0], 16), int(rest[3], 16)))
    return tuple(sorted(found, key=lambda array: array.offset))


def registers_of(source: KernelSource, kernel: str, capability: int) -> int | None:
    """Look a shipped kernel up for a compute capability (80 is 8.0), or compile it.

    None for texts of one's own where NVRTC is not installed, or refuses them.
    """
    if (known := shipped_registers(source, kernel, capability)) is not None:
        return known
    try:
        image = image_of(source, capability)
    except (ImportError, RuntimeError):
        return None
    # Of PTX there are none: this NVRTC does not know the architecture, the driver would finish it.
    sections = {section.name: section for section in elf_sections(image.code)}
    code = sections.get(f".text.{image.names[kernel]}")
    if code is None:
        return None
    info = sections[".nv.info"]
    content = image.code[info.offset : info.offset + info.size]
    return _attributes(content).get(code.info & 0xFFFFFF)


def _attributes(info: bytes) -> dict[int, int]:
    """Registers by the number of the kernel's symbol."""
    found, place = {}, 0
    while place + 4 <= len(info):
        form, kind, size = struct.unpack_from("<BBH", info, place)
        place += 4
        if form == _WITH_BYTES:
            if kind == _REGISTERS:
                symbol, registers = struct.unpack_from("<II", info, place)
                found[symbol] = registers
            place += size
    return found
