"""Chapter 1's page, opened as a file, and what a reader does in it, for the tests of live pages."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "_build" / "html" / "chapters" / "01_strides.html"
LIVE = PAGE.parents[1] / "_static" / "live"
CHECK = '[aria-label="Check exercise {}"]'
NEEDED = [
    pytest.mark.skipif(not PAGE.exists(), reason="the book is not built: make book"),
    pytest.mark.skipif(
        PAGE.exists() and not LIVE.exists(),
        reason="the book has no Pyodide: make book, with npm or pip in reach and without LIVE=0",
    ),
]


class Live:
    """The page, and what a reader does in it."""

    def __init__(self, page, width=1280, theme="light", path=PAGE):
        self.page = page
        page.show(path, width, theme)
        page.run("localStorage.clear()")
        page.show(path, width, theme)
        self.wait('document.documentElement.dataset.live === "ready"')

    def wait(self, condition):
        """Wait until a condition holds in the page, at most as long as the browser may take."""
        self.page.run(
            f"new Promise((done) => {{ const look = () => {{ if ({condition}) done(); "
            "else setTimeout(look, 20); }; look(); })"
        )

    def click(self, label):
        """Press a button by its name."""
        self.page.run(f"document.querySelector('[aria-label={json.dumps(label)}]').click()")

    def is_idle(self):
        """Wait until no cell runs."""
        self.wait("!document.querySelector('.cell[aria-busy]')")

    def run_cell(self, number):
        """Run a cell; return its output as text."""
        self.click(f"Run cell {number}")
        self.is_idle()
        return self.page.run(f"document.querySelector('{output(number)}').innerText.trim()")

    def write(self, label, text):
        """Put a text into an editor, as typing does."""
        self.page.run(
            f"""(() => {{
              const area = document.querySelector('textarea[aria-label^={json.dumps(label)}]');
              area.value = {json.dumps(text)};
              area.dispatchEvent(new Event("input"));
            }})()"""
        )

    def check(self, id, body):
        """Write an answer and check it; return the lines of the verdict."""
        self.write(f"Your answer to exercise {id},", body)
        self.click(f"Check exercise {id}")
        self.wait(f"!document.querySelector('{CHECK.format(id)}').hasAttribute('aria-disabled')")
        return self.page.run(f"document.querySelector('{box(id)} .live-verdict').innerText")


def output(number):
    """Select the output of a cell."""
    return f'.live-output[aria-label="Output of cell {number}"]'


def box(id):
    """Select an exercise."""
    return f"#exercise-{id.replace('.', '-')}"


def nothing_outside(page):
    """Hold that the page asked for nothing but its own files, and complained of nothing."""
    outside = [one for one in page.asked() if not one.startswith(("file:", "data:", "blob:"))]
    assert outside == [] and page.complaints() == []
