"""The part of a page that a program writes: the lines between two marks in docs/architecture.md.

tools/architecture.py draws the floors there and tools/weigh.py the sizes. Nothing outside the
marks is ever changed.
"""

import sys
from collections.abc import Callable
from operator import eq
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "architecture.md"


def redraw(subject: str, program: str, text: str, same: Callable[[str, str], bool] = eq) -> None:
    """Write the text between the subject's marks; under --check leave with 1 where it is not the
    same as what stands there.
    """
    begin, end = f"<!-- {subject}: written by {program} -->", f"<!-- end of the {subject} -->"
    page = PAGE.read_text(encoding="utf-8")
    before, found, after = parts(page, begin, end)
    if "--check" not in sys.argv:
        PAGE.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")
    elif not same(found.strip(), text):
        sys.exit(f"{PAGE.name} does not show the {subject} of today: run python {program}")


def parts(page: str, begin: str, end: str) -> tuple[str, str, str]:
    """Return what stands before, between and after the marks."""
    before, opened, rest = page.partition(begin)
    between, closed, after = rest.partition(end)
    if not (opened and closed):
        sys.exit(f"{PAGE.name} has no lines '{begin}' and '{end}': write them where they belong")
    return before, between, after
