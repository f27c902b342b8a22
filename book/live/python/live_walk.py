"""Record a formula that a reader has typed into the autograd stepper of chapter 4.

The page calls `record`: JSON in, JSON out. Whatever is wrong with the formula comes back as a
sentence. lessons/recording.py computes, figures/stepper.py draws.
"""

import json
import sys
from collections.abc import Callable

BOOK = "/norch/book"  # where the pack `book` brings lessons and figures


def record(given: str, tell: Callable[[str, str], None]) -> str:
    """Return the drawing of a formula's walk, {"walk": html}, or {"problem": sentence}."""
    if BOOK not in sys.path:
        sys.path.append(BOOK)
    from figures.stepper import Walk
    from lessons.formulas import FormulaError
    from lessons.recording import record as recorded

    try:
        walk = Walk(recorded(json.loads(given)["formula"]))
    except FormulaError as error:
        return json.dumps({"problem": str(error)})
    return json.dumps({"walk": walk._repr_html_()})
