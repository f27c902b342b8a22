"""The page that trains a network in the reader's browser: `{train}` in a page.

It needs Python for a browser and the compiled stages, as live chapters do (`norch_live.py`); where
the book was built without them the page says so. What trains is `python/live_train.py`; what shows
it is `page/train.js`. MNIST's files are a pack of their own, loaded when training begins.
"""

import shutil
from pathlib import Path

from built import HERE, LICENCE, SOURCE_OF, version
from docutils import nodes
from docutils.statemachine import StringList
from norch_live import is_live
from packing import contents, size
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

NEEDS = ["course", "tensors", "library", "book"]
DIGITS = "mnist"  # the pack
FILES = ("train.js", "train.css")
WITH = """
The first training loads {size} MB from the book itself, {digits}; nothing leaves this machine. This
Python is [Pyodide {version}]({source}), under the [Mozilla Public License 2.0]({licence}).
"""
MNIST = "and MNIST's 70,000 digits, {size} MB more"
SMALL = (
    "with 1,797 small digits that norch carries: **MNIST was not found when this book was built**, "
    "so a drawing is often misread"
)
WITHOUT = """
This copy of the book was built without norch for a browser, so this page cannot train: `make book`
makes it, and says why where it cannot. In a clone, `make mnist` trains the same network.
"""
ROOM = (
    '<div class="network-trainer"><p>With JavaScript this page trains a network.</p></div>\n'
    '<script defer src="_static/live/train.js"></script>'
)


class TrainDirective(SphinxDirective):
    """Show the place where a network is trained, and say what it loads."""

    def run(self) -> list[nodes.Node]:
        """Return the trainer and the sentences about it, or why there is none."""
        if not is_live(*NEEDS):
            return [self.said(WITHOUT)]
        self.env.metadata[self.env.docname]["live"] = " ".join(NEEDS)
        more = MNIST.format(size=round(size([DIGITS]) / 1e6)) if DIGITS in contents() else SMALL
        given = {"size": round(size(["runtime", *NEEDS]) / 1e6), "digits": more}
        given |= {"version": version(), "source": SOURCE_OF + version(), "licence": LICENCE}
        return [nodes.raw("", ROOM, format="html"), self.said(WITH.format(**given))]

    def said(self, text: str) -> nodes.Node:
        """Return a paragraph of MyST."""
        box = nodes.container(classes=["live-note"])
        lines = StringList(text.strip().splitlines(), source="norch_train")
        self.state.nested_parse(lines, self.content_offset, box)
        return box


def add_style(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give the page its colours."""
    if (context.get("meta") or {}).get("live") == " ".join(NEEDS):
        app.add_css_file("live/train.css")


def write(app: Sphinx) -> None:
    """Put script and style beside those of all live pages, after these were written."""
    folder = Path(app.outdir) / "_static" / "live"
    if folder.is_dir():
        for name in FILES:
            shutil.copy(HERE / "page" / name, folder)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_directive("train", TrainDirective)
    app.connect("builder-inited", write, priority=600)
    app.connect("html-page-context", add_style)
    return {"parallel_read_safe": True}
