"""The program as of a section, folded: `{sofar} 4.2` in a chapter; `{growth}` for all of them.

Its files are made by `book/steps`. A listing holds a file's whole text and marks its new lines, and
`steps.js` takes the program from the listings and runs it in the page. The files of the chapters
before lie in a script of their own, which the page loads when a reader opens a step.
"""

import json
import shutil
import sys
from difflib import SequenceMatcher
from functools import cache
from html import escape
from itertools import pairwise
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

BOOK = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(BOOK.parent / "course"), str(BOOK)]

from figures.svg import Figure  # noqa: E402
from steps import cells  # noqa: E402
from steps.programs import Files, Step, count, manifest, numbered, program, source_of  # noqa: E402

PAGE = BOOK / "steps" / "page"
ROW, LEFT, WIDE = 26, 250, 330  # of the figure


def before(step: Step) -> Files:
    """Return the program of the step before; nothing before the first."""
    place = numbered(step.id)
    return program(manifest()[0][place - 1].id) if place else {}


@cache
def new_lines(old: str, text: str) -> tuple[int, ...]:
    """Return which lines of a text are new, from 1; empty ones are not counted."""
    lines = text.splitlines()
    matcher = SequenceMatcher(a=old.splitlines(), b=lines, autojunk=False)
    changed = [
        k for tag, _, _, *span in matcher.get_opcodes() if tag != "equal" for k in range(*span)
    ]
    return tuple(k + 1 for k in changed if lines[k].strip())


def growth(step: Step) -> tuple[int, int]:
    """Return how many lines a step's program has, and how many of them are new."""
    old, files = before(step), program(step.id)
    return count(files), sum(len(new_lines(old.get(path, ""), files[path])) for path in files)


def listing(path: str, text: str, new: tuple[int, ...]) -> str:
    """Return a file, folded, with its new lines marked."""
    words = said(count({path: text}), len(new))
    return (
        f'<details class="step-file"><summary><code>{path}</code> {words}</summary>'
        f"{code(path, marked(text, set(new)))}</details>"
    )


def code(path: str, html: str) -> str:
    """Return the place of a file's text; `steps.js` colours it."""
    return f'<div class="highlight"><pre tabindex="0" data-path="{path}">{html}</pre></div>'


def marked(text: str, new: set[int]) -> str:
    """Return a text for a page, each run of new lines in a mark; empty lines end none."""
    out, blanks, is_open = [], "", False
    for k, line in enumerate(text.splitlines(keepends=True), start=1):
        if not line.strip():
            blanks += line
            continue
        if is_open and k not in new:
            out += ["</mark>", blanks]
        else:
            out += [blanks, "<mark>"] if k in new and not is_open else [blanks]
        is_open, blanks = k in new, ""
        out.append(escape(line, quote=False))
    return "".join(out) + "</mark>" * is_open + blanks


def said(lines: int, new: int) -> str:
    """Say how long a file is."""
    amount = f"{lines:,} line" + "s" * (lines != 1)
    return f"{amount}, new" if new == lines else f"{amount}, {new:,} new"


def as_before(files: Files) -> str:
    """Name the files that a step has not touched."""
    names = ", ".join(f"<code>{path}</code>" for path in files)
    return f'<p class="step-rest">As before: {names}.</p>' if files else ""


def first_steps() -> list[Step]:
    """Return the first step of each chapter but the first: its page lacks the files before it."""
    steps = manifest()[0]
    return [one for last, one in pairwise(steps) if one.chapter != last.chapter]


def lines_to_run(step: Step) -> str:
    """Return what the editor below a step begins with: the cells of its section."""
    parts = [step.begin, *(one.code for one in cells.cells(step)), step.more]
    return "\n\n".join(one.strip("\n") for one in parts if one) + "\n"


def page_html(step: Step) -> str:
    """Return a step as it stands in a page."""
    old, files = before(step), program(step.id)
    touched = {path: text for path, text in files.items() if old.get(path) != text}
    rest = {path: text for path, text in files.items() if path not in touched}
    total, new = growth(step)
    new_of = {path: new_lines(old.get(path, ""), text) for path, text in touched.items()}
    lists = "".join(listing(path, text, new_of[path]) for path, text in touched.items())
    most = max(new_of, key=lambda path: len(new_of[path]))  # the file that an editor shows first
    facts = {"id": step.id, "file": most, "run": lines_to_run(step)}
    if step in first_steps():
        facts["before"] = f"step-{step.id}.js"
    given = json.dumps(facts, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<details class="step" id="step-{step.id.replace(".", "-")}"><summary>The program so far: '
        f"{total:,} lines, {new:,} new</summary><p><b>{step.id} {escape(step.title)}.</b> "
        f"{escape(step.says)} Made from norch's own files, without what comes later.</p>"
        f'<script type="application/json">{given}</script>{lists}'
        f"{as_before(rest)}</details>"
    )


class StepDirective(SphinxDirective):
    """Show the program as of a section."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return it, folded."""
        try:
            step = manifest()[0][numbered(self.arguments[0])]
        except KeyError as error:
            raise self.error(error.args[0]) from error
        for path in program(step.id):
            self.env.note_dependency(str(source_of(path)))
        for path in (BOOK / "steps").glob("*.*"):
            self.env.note_dependency(str(path))
        facts = self.env.metadata[self.env.docname]
        html = page_html(step)
        facts["steps"] = f"{facts.get('steps', '')} {step.id}".strip()
        return [nodes.raw("", html, format="html")]


def drawing() -> Figure:
    """Draw how the program grows: a bar for each step, its new lines at the end."""
    steps = manifest()[0]
    sizes = [growth(one) for one in steps]
    most = max(total for total, _ in sizes)
    says = "; ".join(f"{s.id} {s.title}: {n:,}" for s, (n, _) in zip(steps, sizes, strict=True))
    figure = Figure(LEFT + WIDE + 70, len(steps) * ROW + 14, f"lines of the program: {says}")
    for k, (step, (total, new)) in enumerate(zip(steps, sizes, strict=True)):
        y = 8 + k * ROW
        figure.text(8, y + 16, f"{step.id} {step.title}", 14, anchor="start")
        old, wide = WIDE * (total - new) / most, WIDE * total / most
        figure.box(LEFT, y, max(old, 0), ROW - 6, "c0")
        figure.box(LEFT + old, y, wide - old, ROW - 6, "c1")
        figure.text(LEFT + wide + 8, y + 16, f"{total:,}", 14, anchor="start")
    return figure


class StepsDirective(SphinxDirective):
    """Show how the program grows, with a way to each step."""

    def run(self) -> list[nodes.Node]:
        """Return a figure and a table."""
        lines = ["| step | | lines | new |", "|---|---|---|---|"]
        for step in manifest()[0]:
            total, new = growth(step)
            way = f"chapters/{step.chapter}.html#step-{step.id.replace('.', '-')}"
            name = f'<a href="{way}">{step.id} {escape(step.title)}</a>'
            lines.append(f"| {name} | {step.says} | {total:,} | {new:,} |")
        box = nodes.container(classes=["steps"])
        self.state.nested_parse(StringList(lines, source="steps.toml"), self.content_offset, box)
        return [nodes.raw("", drawing()._repr_html_(), format="html"), box]


def add_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give pages with steps their style and script."""
    if "steps" in (context.get("meta") or {}):
        app.add_css_file("steps.css")
        app.add_js_file("steps.js", loading_method="defer", priority=900)  # after the live scripts
        here = json.dumps((BOOK / "steps" / "here.py").read_text(encoding="utf-8"))
        app.add_js_file(None, body=f"window.norchSteps={{here:{here}}};".replace("</", "<\\/"))


def write(app: Sphinx) -> None:
    """Put the script and the style beside the others."""
    folder = Path(app.outdir) / "_static"
    if app.builder.format == "html":
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("steps.js", "steps.css"):
            shutil.copy(PAGE / name, folder)
        for step in first_steps():
            text = json.dumps(before(step), ensure_ascii=False)
            (folder / f"step-{step.id}.js").write_text(f"norchSteps.before({text});\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_directive("sofar", StepDirective)
    app.add_directive("growth", StepsDirective)
    app.connect("html-page-context", add_scripts)
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
