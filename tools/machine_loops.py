"""Counts the instructions of a GPU kernel's inner loops, in what nvdisasm prints.

gpu_static.py asks; nothing is run here. A loop is what lies between a label and a branch back to
it; only loops that hold no other loop are counted.
"""

import re
from collections import Counter
from dataclasses import dataclass

_SECTION = re.compile(r"^//-+ \.text\.(\w+) +-+$", re.MULTILINE)
_LABEL = re.compile(r"^(\.L_\w+):")
_INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ +)?([A-Z][\w.]*)\s*(.*?);")
_TARGET = re.compile(r"`\((\.L_\w+)\)")
_MEMORY = ("LD", "ST", "ATOM", "RED", "CCTL", "MEMBAR")
_FLOATS = ("F", "D", "MUFU", "H")  # FADD, DFMA, HADD2 ... none of the whole numbers begin so
_DOUBLES = ("DADD", "DMUL", "DFMA", "DSETP", "DMNMX")
_CONTROL = ("BRA", "EXIT", "CALL", "RET", "BSYNC", "BSSY", "BAR", "NOP", "WARPSYNC", "YIELD")


@dataclass(frozen=True)
class Loop:
    """The instructions of one inner loop, by their full names: LDG.E.128, FFMA ..."""

    counts: Counter[str]

    def number(self, prefix: str) -> int:
        """Count the instructions whose name is `prefix`, or it and then a dot."""
        return sum(n for name, n in self.counts.items() if f"{name}.".startswith(f"{prefix}."))

    @property
    def wide_loads(self) -> int:
        """Loads of 16 bytes a thread from global memory."""
        loads = [name for name in self.counts if name.startswith("LDG.") and ".128" in name]
        return sum(self.counts[name] for name in loads)

    @property
    def doubles(self) -> int:
        """Arithmetic of doubles, and conversions from and to them."""
        found = (
            n for name, n in self.counts.items() if name.startswith(_DOUBLES) or ".F64" in name
        )
        return sum(found)

    @property
    def integers(self) -> int:
        """All that is no memory access, no arithmetic of floats and no branch: mostly addresses."""
        others = (*_MEMORY, *_FLOATS, *_CONTROL)
        return sum(n for name, n in self.counts.items() if not name.startswith(others))


def inner_loops(disassembly: str) -> dict[str, list[Loop]]:
    """Return the inner loops of each kernel of an image."""
    parts = _SECTION.split(disassembly)[1:]
    return {name: _loops(text) for name, text in zip(parts[::2], parts[1::2], strict=True)}


def _loops(text: str) -> list[Loop]:
    """Return the inner loops of one kernel."""
    instructions: list[str] = []
    labels: dict[str, int] = {}
    spans: list[tuple[int, int]] = []
    for line in text.splitlines():
        if label := _LABEL.match(line):
            labels[label[1]] = len(instructions)
        elif found := _INSTRUCTION.match(line):
            instructions.append(found[1])
            target = _TARGET.search(found[2])
            begin = labels.get(target[1]) if target and found[1].startswith("BRA") else None
            if begin is not None and begin < len(instructions) - 1:
                spans.append((begin, len(instructions)))
    inner = [a for a in spans if not any(a[0] <= b[0] and b[1] <= a[1] and a != b for b in spans)]
    return [Loop(Counter(instructions[begin:end])) for begin, end in inner]
