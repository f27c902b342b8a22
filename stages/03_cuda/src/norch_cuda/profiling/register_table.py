"""Registers of the shipped kernels, as `make gpu-static` found them: known without a compiler.

registers.txt has a line for each .cu file: of each element type a fingerprint of the text, then its
kernels. An edited text has another fingerprint, so its kernels are not found. Compiles nothing.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from norch_cuda.runtime.sources import KernelSource, included_headers

TABLE = Path(__file__).with_name("registers.txt")
CAPABILITIES = (75, 80, 89, 90, 120)  # a column each


Rows = dict[str, tuple[int, ...]]  # by a kernel's name: registers, in the order of CAPABILITIES


def fingerprint(source: KernelSource) -> str:
    """Name a text, its element type and the headers of csrc/ that it includes."""
    whole = "\0".join([source.typed_text, *included_headers(source.typed_text)])
    return hashlib.sha256(whole.encode()).hexdigest()[:12]


def read_table(text: str) -> dict[str, Rows]:
    """Read a table: the rows of each text, by its fingerprint.

    >>> read_table("# a line a file\\nreduce float@12ab sum,prod:128:16/18/18/20/20:4/8/6/8/6")
    {'12ab': {'sum_kernel': (16, 18, 18, 20, 20), 'prod_kernel': (16, 18, 18, 20, 20)}}
    """
    found: dict[str, Rows] = {}
    for line in text.splitlines():
        for word in [] if line.startswith("#") else line.split()[1:]:
            if "@" in word:
                rows = found.setdefault(word.partition("@")[2], {})
                continue
            names, _, registers, _ = word.split(":")
            row = tuple(map(int, registers.split("/")))
            rows |= {f"{name}_kernel": row for name in names.split(",")}
    return found


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Rows]:
    """Read the table of the package."""
    return read_table(TABLE.read_text(encoding="utf-8"))


def shipped_registers(source: KernelSource, kernel: str, capability: int) -> int | None:
    """Look up the registers of a shipped kernel; None for any other text or capability."""
    row = _shipped().get(fingerprint(source), {}).get(kernel)
    if row is None or capability not in CAPABILITIES:
        return None
    return row[CAPABILITIES.index(capability)]
