"""What the book needs beyond Jupyter Book: exercises from their sources, listings without marks.

`{exercise} 1.6` shows the task, the hints and the solution of an exercise, each hint and the
solution folded; all of it is read from `exercises.toml` and the reference when the book is built.
`{quiz} name` shows the field of a question, and the answer folded, from `book/quizzes`.
`{times} 1` says how long chapter 1 takes (`{times} 06_parallel` the part of a chapter that has this
name), `{times}` how long all of them do. `{overview}` draws the stages.
`literalinclude` works as ever and leaves out the lines that mark an exercise's hole.
"""

import sys
from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.directives.code import LiteralInclude
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parent.parent.parent
# The exercises' engine and the figures are parts of the repository, not installed.
sys.path[:0] = [str(ROOT / "course"), str(ROOT / "book")]

import norch_quizzes  # noqa: E402
import norch_times  # noqa: E402
from figures import stages  # noqa: E402

from norch_course.catalog import Exercise as Entry, load  # noqa: E402
from norch_course.difficulty import effort  # noqa: E402
from norch_course.holes import LANGUAGES, without_marks  # noqa: E402

HINTS = ("a nudge", "the idea", "almost there")
LEXERS = {".py": "python", ".h": "cpp", ".cpp": "cpp", ".cu": "cpp"}


class MarklessInclude(LiteralInclude):
    """Include a file or an object of it, without the marks of exercises."""

    def run(self) -> list[nodes.Node]:
        """Return the listing."""
        suffix = Path(self.arguments[0]).suffix
        found = super().run()
        if suffix in LANGUAGES:
            for block in [block for node in found for block in node.findall(nodes.literal_block)]:
                text = without_marks(block.astext() + "\n", suffix).rstrip("\n")
                block.rawsource = text
                block.children = []
                block += nodes.Text(text)
        return found


def page_text(one: Entry) -> list[str]:
    """Return an exercise as lines of MyST."""
    mine = one.stub.relative_to(ROOT).as_posix()
    lines = [
        f"**{one.id} {one.title}** (about {effort(one).strip()})",
        "",
        *one.task.strip().splitlines(),
        "",
        f"Write it in `{mine}` (the first `make check {one.id}` makes the file), then "
        f"`make check {one.id}`.",
        "",
    ]
    for number, (name, hint) in enumerate(zip(HINTS, one.hints, strict=True), start=1):
        lines += [f":::{{dropdown}} Hint {number}: {name}", *hint.strip().splitlines(), ":::", ""]
    return lines + solution(one)


def solution(one: Entry) -> list[str]:
    """Return an exercise's solution, folded, as lines of MyST: it is read from the reference."""
    inside = one.source.relative_to(ROOT).as_posix()
    comment = LANGUAGES[one.suffix].comment
    return [
        ":::{dropdown} Solution",
        f"From `{inside}`:",
        "",
        f"```{{literalinclude}} /../{inside}",
        f":language: {LEXERS[one.suffix]}",
        f":start-after: '{comment} ex {one.id} begin'",
        f":end-before: '{comment} ex {one.id} end'",
        ":dedent:",
        "```",
        ":::",
    ]


class ExerciseDirective(SphinxDirective):
    """Show an exercise."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return its task, its folded hints and its folded solution."""
        one = load(ROOT).find(self.arguments[0])
        for path in (one.source, one.stage.declared / "exercises.toml"):
            self.env.note_dependency(str(path))
        box = nodes.container(classes=["exercise"], ids=[f"exercise-{one.id.replace('.', '-')}"])
        lines = StringList(page_text(one), source=str(one.source))
        self.state.nested_parse(lines, self.content_offset, box)
        return [box]


class QuizDirective(SphinxDirective):
    """Show the field of a question."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return its answers, folded, and what `quiz.js` makes the field of."""
        path = norch_quizzes.QUIZZES / f"{Path(self.env.docname).name}.toml"
        self.env.note_dependency(str(path))
        quiz = norch_quizzes.read(path)[self.arguments[0]]
        box = nodes.container(classes=["quiz"], ids=[f"quiz-{self.arguments[0]}"])
        lines = StringList(norch_quizzes.page_text(quiz), source=str(path))
        self.state.nested_parse(lines, self.content_offset, box)
        return [box, nodes.raw("", norch_quizzes.script(quiz), format="html")]


class TimesDirective(SphinxDirective):
    """Say how long a chapter takes, or all of them."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a sentence, or a table."""
        for notebook, *_ in norch_times.chapters():
            self.env.note_dependency(str(notebook))
        number = self.arguments[0] if self.arguments else None
        lines = [norch_times.sentence(number)] if number else norch_times.table()
        box = nodes.container(classes=["times"])
        self.state.nested_parse(StringList(lines, source="norch_times"), self.content_offset, box)
        return [box]


class OverviewDirective(SphinxDirective):
    """Draw the stages."""

    def run(self) -> list[nodes.Node]:
        """Return the drawing."""
        self.env.note_dependency(stages.__file__)
        return [nodes.raw("", stages.overview()._repr_html_(), format="html")]


def without_thebe(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Leave out Thebe, which runs cells on a server: the pages are read offline.

    Jupyter Book declares its constants twice, which a browser reports as an error on each page.
    """
    context["script_files"] = [
        script
        for script in context["script_files"]
        if "thebe" not in f"{script.filename} {script.attributes.get('body', '')}".lower()
    ]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("html-page-context", without_thebe, priority=900)
    app.add_directive("literalinclude", MarklessInclude, override=True)
    app.add_directive("exercise", ExerciseDirective)
    app.add_directive("quiz", QuizDirective)
    app.add_directive("times", TimesDirective)
    app.add_directive("overview", OverviewDirective)
    return {"parallel_read_safe": True}
