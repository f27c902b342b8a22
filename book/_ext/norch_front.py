"""The front page: `{front} start`, `reader`, `said`, `live`; `{benchmark}`, a table of results.

The network is `lessons/network.json`, committed (lessons/digits.py trains it); the benchmark is the
recorded `benchmarks/results.md`. No number of either is written by hand.
`{benchmark} 1 thread` shows the columns of a table of results that fit a page.
"""

import json
import re
from pathlib import Path
from statistics import median
from typing import ClassVar

import norch_live
from docutils import nodes
from docutils.statemachine import StringList
from figures import front
from lessons import network
from norch_times import ROOT
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

RESULTS = ROOT / "benchmarks" / "results.md"
SCRIPT = "digit_network.js"  # in the built book: the network as a script, which a file may load


def training_lines(found: dict) -> list[str]:
    """Say what was trained, and on what."""
    sentence = (
        f"784 pixels, {len(found['layers'][0][1])} hidden numbers, 10 scores; {found['images']:,} "
        f"digits, each shown {len(found['history'])} times. It reads {found['accuracy']:.1%} of "
        f"{found['tests']:,} digits that it has never seen."
    )
    return [sentence]


def live_lines(live: bool) -> list[str]:
    """Say what the pages themselves can do."""
    if live:
        return [
            "Nothing is to be installed: {doc}`chapter 1 <chapters/01_strides>` runs in its page. "
            "You change its cells there, solve its exercises, and it grades your answers."
        ]
    return ["This copy is for reading: it was built without Python for its pages."]


def benchmark_lines(results: str) -> list[str]:
    """Say in a sentence what the benchmark's picture shows, and where it was measured."""
    ratios = front.ratios(front.rows(results, "1 thread"))
    faster = sum(one < 1 for one in ratios)
    facts = dict(re.findall(r"^\| (\w+) \| (.+?) \|$", results, re.MULTILINE))
    return [
        f"Of {len(ratios)} measured operations, layers and training steps, norch is faster than "
        f"PyTorch {facts['torch']} in {faster}; in the middle one it takes {median(ratios):.2f} of "
        f"PyTorch's time ({facts['processor']}, one thread, {facts['date']}). {{doc}}`faster` "
        "shows all of them, those that are slower too.",
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
        """Return a drawing, sentences, the buttons, or the reader's element."""
        for path in (network.PATH, RESULTS, front.__file__):
            self.env.note_dependency(str(path))
        part, results = self.arguments[0], RESULTS.read_text(encoding="utf-8")
        if part in PARTS:
            return [nodes.raw("", PARTS[part], format="html")]
        if part == "benchmark":
            drawn = front.benchmark(front.ratios(front.rows(results, "1 thread")))
            return [nodes.raw("", drawn._repr_html_(), format="html")]
        lines = {
            "said": lambda: training_lines(network.read()),
            "measured": lambda: benchmark_lines(results),
            "live": lambda: live_lines(norch_live.is_live()),
        }[part]()
        return self.parse(lines)

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
    '<a href="#draw-a-digit">Draw a digit</a></p>'
)
PARTS = {"reader": READER, "start": START}


def write_script(app: Sphinx, failure: Exception | None) -> None:
    """Put the network beside the pages, as a script, which a page opened as a file may load."""
    if not failure and app.builder.format == "html":
        found = json.loads(network.PATH.read_text(encoding="utf-8"))
        text = f"window.digitNetwork = {json.dumps(found, separators=(',', ':'))};\n"
        (Path(app.outdir) / "_static" / SCRIPT).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.connect("build-finished", write_script)
    app.add_directive("front", FrontDirective)
    app.add_directive("benchmark", BenchmarkDirective)
    return {"parallel_read_safe": True}
