"""What the pages have recorded of the machine, read from their stored outputs, and compared.

A test asks whether two pages disagree, and `tools/record_pages.py` before it writes any. Nothing
here measures.
"""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

BOOK = Path(__file__).resolve().parent.parent
TIMED = ("perf_counter", "timeit", ".measure_")  # a cell with one of these words measures time
LIMITS = {
    "arithmetic": r"^arithmetic: +(\d+) billion operations a second$",
    "a cache": r"^bytes from a cache: +(\d+) billion a second$",
    "memory": r"^bytes from memory: +(\d+) billion a second$",
}
FROM_MEMORY = r"([\d.]+) billion bytes a second"
TOLERANCE = 1.1


class Record(NamedTuple):
    """What one page says: its machine, its ceilings, the rates at which it read from memory."""

    machine: str | None
    limits: dict[str, float]
    rates: list[float]


def cells(notebook: dict[str, Any]) -> list[str]:
    """Return the text of each cell of code."""
    return ["".join(x["source"]) for x in notebook["cells"] if x["cell_type"] == "code"]


def is_timed(notebook: dict[str, Any]) -> bool:
    """Tell whether a page measures time."""
    return any(word in text for text in cells(notebook) for word in TIMED)


def timed_pages() -> list[Path]:
    """Return the notebooks that measure time, the chapters first."""
    pages = [*sorted((BOOK / "chapters").glob("*.ipynb")), *sorted(BOOK.glob("*.ipynb"))]
    return [page for page in pages if is_timed(json.loads(page.read_text(encoding="utf-8")))]


def read(notebook: dict[str, Any]) -> Record:
    """Read what a page has recorded."""
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
    printed = "\n".join("".join(output.get("text", "")) for output in outputs)
    found = {name: re.search(rule, printed, re.MULTILINE) for name, rule in LIMITS.items()}
    limits = {name: float(match[1]) for name, match in found.items() if match}
    rates = [float(rate) for rate in re.findall(FROM_MEMORY, printed)]
    return Record(notebook["metadata"].get("recorded_on"), limits, rates)


def disagreements(records: dict[str, Record]) -> dict[str, str]:
    """Say, for each page that should be run again, what does not fit; nothing where all agree.

    Other work only slows a page down, so of two pages the slower one is wrong.
    """
    found, machine = {}, next(iter(records.values())).machine if records else None
    best = {
        name: max((x.limits[name] for x in records.values() if name in x.limits), default=0.0)
        for name in LIMITS
    }
    for page, one in records.items():
        for name, rate in one.limits.items():
            if rate * TOLERANCE < best[name]:
                found[page] = f"{name}: {rate:.0f} here, {best[name]:.0f} on another page"
        for rate in one.rates:
            if "memory" in one.limits and rate > TOLERANCE * one.limits["memory"]:
                found[page] = f"reads {rate:.0f}, above its own {one.limits['memory']:.0f}"
        if one.machine != machine:
            found[page] = f"recorded on {one.machine}, another one on {machine}"
    return found
