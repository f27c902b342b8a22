"""Runs pages of the book and stores their outputs: `tools/run_page.py book/fusion.ipynb`.

As nbval compares them: what one cell prints is one output, and no times are stored. `make book`
only shows what is stored.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def run_page(path: Path) -> None:
    """Run all cells in order, in the page's own folder, and write the notebook back."""
    page = nbformat.reads(path.read_text(encoding="utf-8"), as_version=4)
    folder = {"metadata": {"path": str(path.parent)}}
    NotebookClient(page, resources=folder, coalesce_streams=True, record_timing=False).execute()
    path.write_text(nbformat.writes(page) + "\n", encoding="utf-8")


if __name__ == "__main__":
    for word in sys.argv[1:]:
        run_page(Path(word))
