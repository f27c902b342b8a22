"""The build's own parts, tried in its environment: they need no norch, and stop at what is wrong.

The sphinx extensions are not installed where tests run, so each test starts a small program.
"""

import json
import subprocess

import pytest
from prose import BOOK

ROOT = BOOK.parent
PYTHON = ROOT / "build" / "book-venv" / "bin" / "python"
PACKAGES = sorted(
    one.name
    for place in ("stages/*/src/*", "extras/*/src/*", "norch/src/*")
    for one in ROOT.glob(place)
    if (one / "__init__.py").exists()
)
HEAD = f"""
import json, logging, sys
sys.path[:0] = {[str(BOOK / one) for one in ("_ext", "live", "")]!r} + [{str(ROOT / "course")!r}]
"""
pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="no environment that builds the book here: make book"
)


def built(program, *given):
    """Return what a program prints as JSON in the environment that builds the book."""
    asked = [str(PYTHON), "-c", HEAD + program, *given]
    run = subprocess.run(asked, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


NORCH_IS_GONE = """
import importlib
from pathlib import Path
packages = json.loads(sys.argv[1])

class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in packages:
            raise ImportError(f"building the book asks for {name}")

sys.meta_path.insert(0, Nothing())
names = sorted(one.stem for one in Path(sys.argv[2]).glob("norch_*.py"))
for name in [*names, "norch_live", "norch_train", "fetch_mnist"]:
    importlib.import_module(name)
import fetch_mnist, norch_front as front
from lessons import network
results = front.RESULTS.read_text(encoding="utf-8")
print(json.dumps([
    names, sorted(fetch_mnist.told("SHA256")), len(fetch_mnist.told("MIRRORS")),
    len(fetch_mnist.places()), front.training_lines(network.read()),
    front.benchmark_lines(results), front.live_lines(True), front.table(results, "1 thread", [])]))
"""


def test_building_the_book_needs_no_norch():
    assert {"norch", "norch_cpu_ops", "norchvision"} <= set(PACKAGES)
    names, files, mirrors, places, *lines = built(
        NORCH_IS_GONE, json.dumps(PACKAGES), str(BOOK / "_ext")
    )
    assert len(names) > 15 and len(files) == 4 and mirrors and places and all(lines)


MATHEMATICS = """
import norch_math
from docutils import nodes
said = []
norch_math.LOG.warning = lambda text, *given, location: said.append(text % given)
node = nodes.math_block(sys.argv[1], sys.argv[1], **json.loads(sys.argv[2]))
print(json.dumps([norch_math.mathml(node, "block"), said]))
"""


@pytest.mark.parametrize(
    ("formula", "given", "said", "seen"),
    [
        (r"\frac{a}{b} < 1", {}, "", "<mfrac>"),
        (r"\nosuchthing x", {}, "not known", "nosuchthing"),
        ("a = b", {"label": "sum"}, "number is not shown", "<math"),
        (r"a < \left( b", {}, "formula", "<code>a &lt; "),
    ],
)
def test_a_formula_that_is_not_written_wholly_is_a_warning(formula, given, said, seen):
    found, warnings = built(MATHEMATICS, formula, json.dumps(given))
    assert seen in found
    assert said in " ".join(warnings) if said else warnings == []


ICONS = """
import norch_icons
from sphinx.errors import ExtensionError
try:
    print(json.dumps(norch_icons.drawn(sys.argv[1])))
except ExtensionError as wrong:
    print(json.dumps(str(wrong)))
"""


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<i class="fas fa-file"></i>', '<svg class="icon" viewBox'),
        ('<span title="x" class="fa-solid fa-sun big"></span>', '<svg class="icon big" title="x"'),
        ('<i class="fas fa-rocket"></i>', "draws no icon for 'fas fa-rocket'"),
        ('<b>x</b><i class="other"></i>', '<i class="other"></i>'),
    ],
)
def test_an_icon_is_drawn_or_named(html, found):
    assert found in built(ICONS, html)


LIGHT = """
import norch_light
from sphinx.errors import ExtensionError
needs = {"togglebutton": norch_light.NEEDED["togglebutton"]}
try:
    print(json.dumps(norch_light.without_idle_scripts(sys.argv[1], needs)))
except ExtensionError as wrong:
    print(json.dumps(str(wrong)))
"""


@pytest.mark.parametrize(
    ("words", "stays"),
    [
        ("admonition dropdown note", True),
        ("dropdown admonition", True),
        ("cell toggle", True),
        ("admonition note", False),
        ("dropdown", False),
    ],
)
def test_a_page_with_a_folded_admonition_keeps_its_script(words, stays):
    page = f'<script src="_static/togglebutton.js?v=1"></script><div class="{words}"></div>'
    assert ("togglebutton" in built(LIGHT, page)) == stays


def test_a_script_that_nobody_has_placed_stops_the_build():
    assert "which pages need new.js" in built(LIGHT, '<script src="_static/new.js"></script>')
    kept = '<script src="../_static/print.js?v=2"></script>'
    assert built(LIGHT, kept) == kept
