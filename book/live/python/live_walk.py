"""Record a formula that a reader has typed into the autograd stepper of chapter 4.

The page calls `record`: JSON in, JSON out. Whatever is wrong with the formula comes back as a
sentence. lessons/walk_record.py computes, figures/stepper.py draws.
"""

import json
import sys
from collections.abc import Callable

BOOK = "/norch/book"  # where the pack `book` brings lessons and figures


def record(given: str, tell: Callable[[str, str], None]) -> str:
    """Return a formula's walk, {"walk": html, "told": sentence}, or {"problem": sentence}."""
    if BOOK not in sys.path:
        sys.path.append(BOOK)
    from figures.stepper import Walk
    from lessons.formulas import FormulaError
    from lessons.walk_record import gradients, record as recorded

    try:
        found = recorded(json.loads(given)["formula"])
        told = f"norch has recorded it. {gradients(found)} Step through it below."
        return json.dumps({"walk": Walk(found)._repr_html_(), "told": told})
    except FormulaError as error:
        return json.dumps({"problem": str(error)})
    except Exception as error:  # this Python goes on, and so does the page
        words = f"this cannot be shown: {type(error).__name__}: {error}"
        return json.dumps({"problem": words})
