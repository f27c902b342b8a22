"""Runs pages of the book and stores their outputs: `tools/run_page.py book/fusion.ipynb`.

As nbval compares them: what one cell prints is one output, and no times are stored. `make book`
only shows what is stored. `tools/record_pages.py` runs all pages that measure time.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "book"))

from lessons import machine


def executed(path: Path) -> nbformat.NotebookNode:
    """Run all cells in order, in the page's own folder, and return the notebook."""
    page = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    NotebookClient(page, resources=folder, coalesce_streams=True, record_timing=False).execute()
    return page


def run_page(path: Path) -> None:
    """Run a page and write it back; where it names the machine of its times, this one."""
    page = executed(path)
    if "recorded_on" in page.metadata:
        page.metadata["recorded_on"] = machine.processor()
    path.write_text(nbformat.writes(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for word in sys.argv[1:]:
        run_page(Path(word))
