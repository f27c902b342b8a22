"""Records the times of the whole book on this machine: `.venv/bin/python tools/record_pages.py`.

Runs every notebook that measures time, or those that are named, and writes none unless they and
the other recorded pages agree within a tenth about what the machine can do at most
(`book/lessons/recorded.py`). A page that disagrees, or whose bounds did not hold, is run again,
four times at most: so it wants a machine with nothing else to do.
"""

import json
import sys
from pathlib import Path

import nbformat
from nbclient.exceptions import CellControlSignal, DeadKernelError
from run_page import executed

# After run_page, which makes the book's folder known.
from lessons import machine, recorded  # isort: skip

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 5


FAILED = (CellControlSignal, DeadKernelError, TimeoutError)  # a bound, a crash, a hang


def name_of(path: Path) -> str:
    """Return what a page is called: its path in the repository, if it lies there."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def stored(pages: list[Path]) -> dict[Path, recorded.Record]:
    """Return what pages had recorded before, of those that name their machine."""
    texts = {path: json.loads(path.read_text(encoding="utf-8")) for path in pages}
    found = {path: recorded.read(page) for path, page in texts.items()}
    return {path: one for path, one in found.items() if one.machine}


def record(pages: list[Path], others: dict[Path, recorded.Record]) -> dict[Path, str]:
    """Run pages until they agree with each other and with what others have recorded; return their
    new texts, or end with what does not fit.
    """
    texts: dict[Path, str] = {}
    records = {path: one for path, one in others.items() if path not in pages}
    again = pages
    for number in range(ROUNDS):
        wrong = {}
        for path in again:
            print(f"[record] round {number + 1}: {name_of(path)}", flush=True)
            try:
                page = executed(path)
            except FAILED as error:
                wrong[path] = (str(error).splitlines() or [type(error).__name__])[-1]
                continue
            page.metadata["recorded_on"] = machine.processor()
            texts[path] = nbformat.writes(page) + "\n"
            records[path] = recorded.read(json.loads(texts[path]))
        compared = {str(path): one for path, one in records.items()}
        unlike = {Path(path): why for path, why in recorded.disagreements(compared).items()}
        wrong = unlike | wrong
        for path, why in wrong.items():
            print(f"[record] {name_of(path)}: {why}", flush=True)
        if not wrong:
            return texts
        again = [path for path in wrong if path in pages]
        if not again:
            raise SystemExit("[record] nothing was written: record the pages above as well")
    raise SystemExit("[record] nothing was written: is other work on this machine?")


if __name__ == "__main__":
    timed = recorded.timed_pages()
    named = [Path(word).resolve() for word in sys.argv[1:]]
    found = record(named or timed, stored(timed))
    for one, text in found.items():
        one.write_text(text, encoding="utf-8")
    print(f"[record] {len(found)} pages agree and are written")
