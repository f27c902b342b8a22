"""How many registers a thread takes, by NVIDIA's compiler: read from the file that NVRTC writes.

Needs CuPy and NVRTC, but no GPU. Where they are not installed, it is not known.
"""

from __future__ import annotations

import struct

from norch_cuda.runtime.nvrtc import image_of
from norch_cuda.runtime.sources import KernelSource

_REGISTERS = 0x2F  # EIATTR_REGCOUNT: a symbol's number, and its registers
_WITH_BYTES = 4  # the form of an attribute that is followed by as many bytes as it says


def registers_of(source: KernelSource, kernel: str, capability: int) -> int | None:
    """Compile a kernel for a compute capability (80 is 8.0); None where NVRTC does not."""
    try:
        image = image_of(source, capability)
    except (ImportError, RuntimeError):
        return None
    if not image.code.startswith(b"\x7fELF"):
        return None  # PTX: this NVRTC does not know the architecture, the driver would finish it
    sections = _sections(image.code)
    code = sections.get(f".text.{image.names[kernel]}")
    if code is None:
        return None
    symbol = code[0] & 0xFFFFFF
    return _attributes(sections[".nv.info"][1]).get(symbol)


def _sections(elf: bytes) -> dict[str, tuple[int, bytes]]:
    """`sh_info` and content of each section, by name."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    entry, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    rows = [struct.unpack_from("<IIQQQQIIQQ", elf, table + entry * i) for i in range(count)]
    strings = rows[names][4]
    found = {}
    for name, _, _, _, offset, size, _, info, _, _ in rows:
        begin = strings + name
        text = elf[begin : elf.index(b"\0", begin)].decode()
        found[text] = (info, elf[offset : offset + size])
    return found


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
