"""Cells that run and exercises that check themselves, in the reader's browser: `{live}` in a page.

The directive says what the page can do; for a page that has it, this writes `_static/live/` and
adds its scripts. `build/pyodide` holds Python for a browser (`fetch_pyodide.py`); without it, or
with LIVE=0, the page says how to run things elsewhere and nothing is added.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from packing import HERE, LICENCE, ROOT, SOURCE_OF, is_there, scripts, version
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from norch_course.catalog import Exercise, load
from norch_course.holes import find_hole, strip
from norch_course.running import TIME_LIMIT

PAGE = ("python.js", "editor.js", "cells.js", "exercises.js")  # in the order they are read
STAGE = "1"
WITH = """
**On this page Python runs.** *Run* below a cell runs it and all above, *Edit* lets you change it,
and *Check* below an exercise grades your answer as `make check` does. The first time loads {size}
MB from the book itself; nothing leaves this machine. This Python is [Pyodide {version}]({source}),
under the [Mozilla Public License 2.0]({licence}).
"""
WITHOUT = """
In a clone, `make check 1` grades the exercises of this page, and its cells run in any notebook
program from `book/chapters`. The page could do both itself, but this copy was built without Python
for a browser: `make book` fetches it, and says why where it cannot.
"""


def is_live() -> bool:
    """Tell whether pages get a Python."""
    return os.environ.get("LIVE", "1") != "0" and is_there()


def editor_text(one: Exercise) -> dict[str, str]:
    """Return what an exercise's editor shows: the function up to the hole, and the hole."""
    text = strip(one.reference, one.suffix, given=one.stage.given)
    hole = find_hole(text, one.suffix, one.id)
    lines = text.splitlines()[: hole.begin - 1]
    start = max(number for number, line in enumerate(lines) if line.startswith("def "))
    before = "\n".join(lines[start:])
    return {"id": one.id, "title": one.title, "before": before, "hole": hole.body}


def beginning() -> str:
    """Return the script that stands in the page itself."""
    digest = hashlib.sha256("".join(scripts().values()).encode()).hexdigest()[:12]
    exercises = [editor_text(one) for one in load(ROOT).select(STAGE)]
    given = {"version": digest, "limit": TIME_LIMIT, "exercises": exercises}
    return f"window.norchLive={json.dumps(given)};".replace("</", "<\\/")


class LiveDirective(SphinxDirective):
    """Make a page run its cells, and say so."""

    def run(self) -> list[nodes.Node]:
        """Return the sentences about it."""
        text = WITHOUT
        if is_live():
            size = round(sum(map(len, scripts().values())) / 1e6)
            source = SOURCE_OF + version()
            text = WITH.format(size=size, version=version(), source=source, licence=LICENCE)
            self.env.metadata[self.env.docname]["live"] = "1"
        box = nodes.container(classes=["live-note"])
        lines = StringList(text.strip().splitlines(), source="norch_live")
        self.state.nested_parse(lines, self.content_offset, box)
        return [box]


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give a live page its scripts; the large ones come with the first Run."""
    if "live" in (context.get("meta") or {}):
        app.add_js_file(None, body=beginning())
        app.add_css_file("live/live.css")
        for name in PAGE:
            app.add_js_file(f"live/{name}", loading_method="defer")


def write(app: Sphinx) -> None:
    """Write the folder that the pages read from, or remove it."""
    folder = Path(app.outdir) / "_static" / "live"
    shutil.rmtree(folder, ignore_errors=True)
    if not is_live() or app.builder.format != "html":
        return
    folder.mkdir(parents=True)
    for name in (*PAGE, "live.css"):
        shutil.copy(HERE / "page" / name, folder)
    for name, text in scripts().items():
        (folder / name).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_directive("live", LiveDirective)
    app.connect("builder-inited", write)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True}
