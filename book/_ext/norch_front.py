"""The front page: `{front} start`, `reader`, `digits`, `losses`; `{benchmark}`, a table of results.

The network comes from `build/book/digits.json`, which `make book` writes (lessons/digits.py); the
benchmark from the recorded `benchmarks/results.md`. No number of either is written by hand.
`{benchmark} 1 thread` shows the columns of a table of results that fit a page.
"""

import json
import re
import shutil
from pathlib import Path
from statistics import median
from typing import ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from figures import front
from norch_times import ROOT
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

NETWORK = ROOT / "build" / "book" / "digits.json"
RESULTS = ROOT / "benchmarks" / "results.md"
SCRIPT = "digit_network.js"  # in the built book: the network as a script, which a file may load


def network() -> dict:
    """Return the network of the front page."""
    if not NETWORK.exists():
        raise FileNotFoundError(f"[book] {NETWORK.name} is not made yet: `make book` makes it")
    return json.loads(NETWORK.read_text(encoding="utf-8"))


def training_lines(found: dict) -> list[str]:
    """Say what was trained, and on what."""
    loops = len(found["history"])
    sentence = (
        f"784 pixels, {len(found['layers'][0][1])} hidden numbers, 10 scores; {found['images']:,} "
        f"digits, each shown {loops} times. It reads {found['accuracy']:.1%} of {found['tests']:,} "
        "digits that it has never seen."
    )
    if found["mnist"]:
        return [sentence]
    return [
        f"{sentence} **MNIST was not found when this book was built**, so these are the small "
        "digits that norch carries, and a drawing is often misread. Put the four files of MNIST "
        "into a folder, then `make book NORCH_DATA=that/folder` trains on them.",
    ]


def benchmark_lines(results: str) -> list[str]:
    """Say in a sentence what the benchmark's picture shows, and where it was measured."""
    ratios = front.ratios(front.rows(results, "1 thread"))
    faster = sum(one < 1 for one in ratios)
    facts = dict(re.findall(r"^\| (\w+) \| (.+?) \|$", results, re.MULTILINE))
    return [
        f"Of {len(ratios)} measured rows norch is faster in {faster}; in the middle one it takes "
        f"{median(ratios):.2f} of PyTorch's time. One dot is one row: an operation, a layer or a "
        f"training step ({facts['processor']}, one thread, {facts['date']}; PyTorch "
        f"{facts['torch']}). {{doc}}`faster` has the rows, those that are slower too.",
    ]


def table(results: str, threads: str, names: list[str]) -> list[str]:
    """Return a table of results as MyST: these rows or all, the columns that fit a page."""
    facts = dict(re.findall(r"^\| (\w+) \| (.+?) \|$", results, re.MULTILINE))
    lines = [f"({facts['processor']}, {threads}, {facts['date']}; PyTorch {facts['torch']})", ""]
    lines += ["| what | norch | PyTorch | ratio | bound |", "|---|--:|--:|--:|---|"]
    found = {}
    for row in front.rows(results, threads):
        what = row["workload"] + ", first call" * (row["call"] == "first")
        bound = f"{row['gate']} {row['verdict'].replace('aim met', 'met')}".replace("- ", "")
        found[what] = f"| {what} | {row['norch']} | {row['torch']} | {row['ratio']} | {bound} |"
    return lines + [found[name] for name in names or found]


class FrontDirective(SphinxDirective):
    """Show one part of the front page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a drawing, a sentence, the buttons, or the reader's element."""
        self.env.note_dependency(str(NETWORK))
        self.env.note_dependency(str(RESULTS))
        self.env.note_dependency(front.__file__)
        part, results = self.arguments[0], RESULTS.read_text(encoding="utf-8")
        if part in ("said", "measured"):
            lines = training_lines(network()) if part == "said" else benchmark_lines(results)
            return self.parse(lines)
        if part in PARTS:
            return [nodes.raw("", PARTS[part], format="html")]
        drawn = {
            "digits": lambda: front.digits(network()["digits"]),
            "losses": lambda: front.losses(network()["history"]),
            "benchmark": lambda: front.benchmark(front.ratios(front.rows(results, "1 thread"))),
        }[part]()
        return [nodes.raw("", drawn._repr_html_(), format="html")]

    def parse(self, lines: list[str]) -> list[nodes.Node]:
        """Return lines of MyST as nodes."""
        box = nodes.container()
        self.state.nested_parse(StringList(lines, source="front"), self.content_offset, box)
        return box.children


class BenchmarkDirective(FrontDirective):
    """Show a table of results: all rows, or those whose names stand behind `:rows:`."""

    final_argument_whitespace = True
    option_spec: ClassVar = {"rows": lambda text: [one.strip() for one in text.split(";")]}

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        self.env.note_dependency(str(RESULTS))
        box = nodes.container(classes=["benchmark"])
        results, names = RESULTS.read_text(encoding="utf-8"), self.options.get("rows", [])
        box += self.parse(table(results, self.arguments[0], names))
        return [box]


READER = (
    '<div class="digit-reader"><p>With JavaScript you can draw a digit here, and a network reads '
    f'it.</p></div>\n<script defer src="_static/{SCRIPT}"></script>'
)
START = (
    '<p class="start-buttons"><a href="chapters/01_strides.html">Start chapter 1</a> '
    '<a href="train.html">Train a network now</a></p>'
)
PARTS = {"reader": READER, "start": START}


def write_script(app: Sphinx, failure: Exception | None) -> None:
    """Put the network beside the pages, as a script (which a file may load), and the preview."""
    if not failure:
        text = f"window.digitNetwork = {json.dumps(network(), separators=(',', ':'))};\n"
        static = Path(app.outdir) / "_static"
        (static / SCRIPT).write_text(text, encoding="utf-8")
        shutil.copy(NETWORK.with_name("preview.png"), static)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("build-finished", write_script)
    app.add_directive("front", FrontDirective)
    app.add_directive("benchmark", BenchmarkDirective)
    return {"parallel_read_safe": True}
