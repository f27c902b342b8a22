"""Records the times of the whole book on this machine: `.venv/bin/python tools/record_pages.py`.

Runs every notebook that measures time, and writes none unless all agree within a tenth about what
the machine can do at most (`book/lessons/recorded.py`). A page that disagrees, or whose bounds did
not hold, is run again, four times at most: so it wants a machine with nothing else to do.
"""

import json
import sys
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError
from run_page import executed

# After run_page, which makes the book's folder known.
from lessons import machine, recorded  # isort: skip

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5


def record(pages: list[Path]) -> dict[Path, str]:
    """Run pages until they agree; return their new texts, or end with what does not fit."""
    texts: dict[Path, str] = {}
    again = pages
    for number in range(ROUNDS):
        wrong = {}
        for path in again:
            print(f"[record] round {number + 1}: {path.relative_to(ROOT)}", flush=True)
            try:
                page = executed(path)
            except CellExecutionError as error:
                wrong[path] = str(error).splitlines()[-1]
                continue
            page.metadata["recorded_on"] = machine.processor()
            texts[path] = nbformat.writes(page) + "\n"
        records = {str(path): recorded.read(json.loads(text)) for path, text in texts.items()}
        wrong |= {Path(path): why for path, why in recorded.disagreements(records).items()}
        for path, why in wrong.items():
            print(f"[record] {path.relative_to(ROOT)}: {why}", flush=True)
        again = list(wrong)
        if not again:
            return texts
    raise SystemExit("[record] nothing was written: is other work on this machine?")


if __name__ == "__main__":
    found = record([Path(word).resolve() for word in sys.argv[1:]] or recorded.timed_pages())
    for one, text in found.items():
        one.write_text(text, encoding="utf-8")
    print(f"[record] {len(found)} pages agree and are written")
