"""Cells that run and exercises that check themselves, in the reader's browser: `{live}` in a page.

The directive names the packs that a page needs beside the course, and says what the page can do;
this writes `_static/live/` and adds the page's scripts. `build/pyodide` holds Python for a browser
(`fetch_pyodide.py`) and `build/wasm` the compiled stages (`make_wasm.py`); without them, or with
LIVE=0, the page says how to run things elsewhere and nothing is added.
"""

import base64
import hashlib
import json
import os
import shutil
from functools import cache
from pathlib import Path

from built import HERE, LICENCE, ROOT, SOURCE_OF, info, is_there, version
from docutils import nodes
from docutils.statemachine import StringList
from editor_text import editor_text
from packing import PACKS, contents, packs, parts, size
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from norch_course.catalog import load
from norch_course.running import TIME_LIMIT

PAGE = ("python.js", "visit.js", "store.js", "colours.js", "editor.js", "output.js", "ranks.js")
PAGE = (*PAGE, "cells.js", "clang.js", "answers.js", "exercises.js")  # in the order they are read
FRONT = ("visit.js", "store.js", "front.js")  # what the first page has
ANY = ("visit.js",)  # what the other pages have
JUDGED = ("1", "2", "4", "5")  # stages whose exercises a page judges
COMPILED = "2"  # of these the one in C++
WITH = """
**On this page Python runs.** *Run* below a cell runs it and all above, *Edit* lets you change
it{judge}. The first time loads {size} MB from the book itself; nothing leaves this machine. This
Python is [Pyodide {version}]({source}), under the [Mozilla Public License 2.0]({licence}).
"""
JUDGE = ", and *Check* below an exercise grades your answer as `make check` does"
CPP = """
The first check of an answer in C++ loads {size} MB more: [clang](https://github.com/YoWASP/clang),
under [Apache-2.0 with LLVM's exceptions](https://llvm.org/LICENSE.txt), which compiles it here.
"""
WITHOUT = """
In a clone, `make check` grades the exercises, and the cells of this page run in any notebook
program. The page could run itself, but this copy was built without what that needs in a browser:
`make book` fetches it, and says why where it cannot.
"""


def is_live(*needs: str) -> bool:
    """Tell whether pages that need these packs get a Python."""
    is_wanted = os.environ.get("LIVE", "1") != "0"
    return is_wanted and is_there() and set(needs) <= set(packs())


def is_judged(stage: str) -> bool:
    """Tell whether pages judge the exercises of a stage; those in C++ want a compiler."""
    return stage in JUDGED and (stage != COMPILED or "compiler" in contents())


def stage_of(page: str) -> str:
    """Return the number of the stage whose chapter a page is, or nothing."""
    chapter = page.rpartition("/")[2].partition("_")[0]
    return chapter.lstrip("0") if chapter.isdigit() else ""


@cache
def digest() -> str:
    """Return what tells one build's packs from another's."""
    packed = hashlib.sha256()
    for pack in contents():
        for data in parts(pack).values():
            packed.update(data)
    return packed.hexdigest()[:12]


def exercises(page: str) -> list[dict[str, str]]:
    """Return what the editors of a page show."""
    stage = stage_of(page)
    return [editor_text(one) for one in load(ROOT).select(stage)] if is_judged(stage) else []


def beginning(page: str, needs: list[str]) -> str:
    """Return the script that stands in the page itself."""
    given = {
        "page": page,
        "version": digest(),
        "limit": TIME_LIMIT,
        "info": info(),
        "path": (HERE / "python" / "live_path.py").read_text(encoding="utf-8"),
        "packs": contents(),
        "needs": needs,
        "exercises": exercises(page),
    }
    return f"window.norchLive={json.dumps(given)};".replace("</", "<\\/")


class LiveDirective(SphinxDirective):
    """Make a page run its cells, and say so: `{live} tensors book` names packs of packing.py."""

    optional_arguments = len(PACKS)

    def run(self) -> list[nodes.Node]:
        """Return the sentences about it."""
        text = WITHOUT
        needs = ["course", *self.arguments]
        if is_live(*needs):
            weight = round(size(["runtime", *needs]) / 1e6)
            source = SOURCE_OF + version()
            stage = stage_of(self.env.docname)
            judge = JUDGE if is_judged(stage) else ""
            links = {"version": version(), "source": source, "licence": LICENCE}
            text = WITH.format(size=weight, judge=judge, **links)
            if stage == COMPILED and judge:
                text += CPP.format(size=round(size(["compiler"]) / 1e6))
            self.env.metadata[self.env.docname]["live"] = " ".join(needs)
        box = nodes.container(classes=["live-note"])
        lines = StringList(text.strip().splitlines(), source="norch_live")
        self.state.nested_parse(lines, self.content_offset, box)
        return [box]


def front_page(app: Sphinx) -> str:
    """Return the script of the front page: which exercises each live page has."""
    live = sorted(name for name, meta in app.env.metadata.items() if "live" in meta)
    found = {name: [one["id"] for one in exercises(name)] for name in live}
    return f"window.norchLive={json.dumps({'chapters': found})};"


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give a page its scripts; the large ones come with the first Run."""
    if not is_live():
        return
    names = ANY
    needs = (context.get("meta") or {}).get("live", "")
    if needs:
        names = PAGE
        app.add_js_file(None, body=beginning(page, needs.split()))
    elif page == app.config.root_doc:
        names = FRONT
        app.add_js_file(None, body=front_page(app))
    app.add_css_file("live/live.css")
    for name in names:
        app.add_js_file(f"live/{name}", loading_method="defer")


def write(app: Sphinx) -> None:
    """Write the folder that the pages read from, or remove it."""
    folder = Path(app.outdir) / "_static" / "live"
    shutil.rmtree(folder, ignore_errors=True)
    if not is_live() or app.builder.format != "html":
        return
    folder.mkdir(parents=True)
    for name in {*PAGE, *FRONT, "live.css"}:
        shutil.copy(HERE / "page" / name, folder)
    source = f"{SOURCE_OF}{version()}, under {LICENCE}"
    for pack in contents():
        data = b"".join(parts(pack).values())
        (folder / f"{pack}.pack").write_bytes(data)
        head = f"/*! Pyodide {version()}: {source} */\n" if pack == "runtime" else ""
        text = json.dumps(base64.b64encode(data).decode())
        script = f"{head}norchLive.pack({json.dumps(pack)},{text});\n"
        (folder / f"{pack}.js").write_text(script, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_directive("live", LiveDirective)
    app.connect("builder-inited", write)
    app.connect("html-page-context", add_scripts)
    return {"parallel_read_safe": True}
