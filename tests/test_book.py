"""The book is whole: every cell was run, every picture is described, every page stands in the list.
In the built book every link leads somewhere.

Here are only the checks that nbval cannot make; nbval compares the outputs themselves. Links are
followed where `make book` has built the pages; `.ci/run` does so before it runs the tests. How the
pages look in a browser is tested in tests/book.
"""

import json
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
BOOK = ROOT / "book"
CHAPTERS = sorted((BOOK / "chapters").glob("*.ipynb"))
NOTEBOOKS = [*CHAPTERS, *sorted(BOOK.glob("*.ipynb"))]
FOLDERS = ("library", "capstone")  # of pages that are plain text
PAGES = [*NOTEBOOKS, *sorted(BOOK.glob("*.md"))]
PAGES += [path for folder in FOLDERS for path in sorted(BOOK.glob(f"{folder}/*.md"))]
LONGEST_CELL = 20


def cells(path, kind):
    """Return the cells of one kind, with their text as one string."""
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [
        {**cell, "text": "".join(cell["source"])} for cell in found if cell["cell_type"] == kind
    ]


def prose(path):
    """Return the text of a page."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n".join(cell["text"] for cell in cells(path, "markdown"))


def not_run(code_cells):
    """Name the cells that were not run, in order, from a fresh kernel."""
    counts = [cell["execution_count"] for cell in code_cells]
    return [cell["text"] for cell, n in zip(code_cells, counts, strict=True) if n is None] or (
        [] if counts == list(range(1, len(counts) + 1)) else [f"run out of order: {counts}"]
    )


def errors(code_cells):
    """Name the errors stored in the outputs."""
    outputs = [output for cell in code_cells for output in cell["outputs"]]
    return [output["ename"] for output in outputs if output["output_type"] == "error"]


def torn(code_cells):
    """Name the cells whose printed text is stored in pieces: a page shows several boxes."""
    kinds = [[output["output_type"] for output in cell["outputs"]] for cell in code_cells]
    pairs = zip(code_cells, kinds, strict=True)
    return [cell["text"] for cell, found in pairs if found.count("stream") > 1]


def undescribed(code_cells):
    """Name the pictures in the outputs that say nothing to those who cannot see them."""
    missing = []
    for cell in code_cells:
        for output in cell["outputs"]:
            data = output.get("data", {})
            missing += [kind for kind in data if kind in ("image/png", "image/jpeg")]
            html = "".join(data.get("text/html", []))
            drawings = re.findall(r"<svg [^>]*>\s*<title>", html)
            named = [one for one in drawings if re.search(r'aria-label="[^"]{20,}"', one)]
            outer = re.findall(r"<svg (?!x=)", html)  # those inside a drawing have a place in it
            missing += ["svg"] * (len(outer) - len(named))
            missing += re.findall(r"<img (?![^>]*alt=\"[^\"]+\")[^>]*>", html)
    return missing


def test_there_is_a_chapter():
    assert [path.name for path in NOTEBOOKS][:1] == ["01_strides.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_was_run_without_error(path):
    code = cells(path, "code")
    assert code and all(cell["text"].strip() for cell in code)
    assert not_run(code) == []
    assert errors(code) == []
    assert torn(code) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_picture_is_described(path):
    assert undescribed(cells(path, "code")) == []
    assert re.findall(r"!\[\s*\]\(", prose(path)) == []


def test_these_checks_can_fail():
    drawing = {
        "data": {"text/html": ['<svg viewBox="0 0 1 1"></svg>']},
        "output_type": "display_data",
    }
    broken = {"ename": "ValueError", "output_type": "error"}
    cell = {"text": "1 + 1", "execution_count": None, "outputs": [drawing, broken]}
    assert not_run([cell]) == ["1 + 1"]
    assert not_run([{**cell, "execution_count": 7}]) == ["run out of order: [7]"]
    assert errors([cell]) == ["ValueError"]
    assert torn([{**cell, "outputs": [{"output_type": "stream"}] * 2}]) == ["1 + 1"]
    assert undescribed([cell]) == ["svg"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_are_short_and_timed_cells_hold_a_bound(path):
    for cell in cells(path, "code"):
        assert cell["text"].count("\n") < LONGEST_CELL, cell["text"]
        timed = any(word in cell["text"] for word in ("perf_counter", "timeit", ".measure_"))
        ignored = "nbval-ignore-output" in cell["metadata"].get("tags", [])
        assert ignored == (timed or is_of_training(path, cell)), cell["text"]
        assert not ignored or "assert " in cell["text"], cell["text"]


def is_of_training(path, cell):
    """Whether a cell prints what training gave: its last digits are the processor's."""
    starts = {"quantization": ("@norch.no_grad()\ndef answers", "found = {}", "seen, wanted =")}
    return cell["text"].startswith(starts.get(path.stem, ()))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_its_eight_beats_in_order(path):
    beats = [
        "The question",
        "What PyTorch does",
        "By hand",
        "The code",
        "Predict, then run",
        "Your turn",
        "What it costs",
        "What we left out",
    ]
    found = re.findall(r"^## (.+)$", prose(path), re.MULTILINE)
    assert [name for name in found if name in beats] == beats


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_of_the_library_is_included_from_its_source(path):
    pattern = r"```\{literalinclude\} (\S+)\n(?::language: \w+\n)?:pyobject: (\w+)"
    for file, name in re.findall(pattern, prose(path)):
        source = (path.parent / file).resolve().read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {name}\b", source, re.MULTILINE), (file, name)
    assert "\ndef " not in prose(path), "code pasted into prose"


@cache
def all_files():
    """List the files and folders of stages, course, benchmarks, examples, the book's programs."""
    return [
        path
        for top in ("stages", "extras", "benchmarks", "examples", "norch", "course", "book/lessons")
        for path in (ROOT / top).rglob("*")
        if "build" not in path.parts
    ]


PYTORCHS = ("aten/", "c10/", "torch/", "tools/autograd/", "ProcessGroupGloo.cpp")


def no_such_file(text):
    """Name the files of norch that a text names in code type, and that are not there."""
    named = re.findall(r"`([\w.]+/?[\w./]*(?:\.(?:py|cpp|cuh?|h|md|toml)|/))`", text)
    ours = [one for one in named if not one.startswith((*PYTORCHS, "workbook/"))]
    there = [f"/{one.relative_to(ROOT).as_posix()}{'/' * one.is_dir()}" for one in all_files()]
    return [one for one in ours if not any(path.endswith(f"/{one}") for path in there)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_files_that_a_page_names_exist(path):
    assert no_such_file(prose(path)) == []


def test_a_file_that_is_gone_is_found():
    found = no_such_file("`layout.py`, `optim/`, `core/plan.cpp`, `gone.py`, `torch/nn/init.py`")
    assert found == ["gone.py"]


def test_the_list_of_pages_is_complete():
    listed = set(re.findall(r"(?:root|file): (\S+)", (BOOK / "_toc.yml").read_text("utf-8")))
    assert listed == {str(path.relative_to(BOOK).with_suffix("")) for path in PAGES}


def test_nothing_is_fetched_from_the_network():
    for path in (BOOK / "_static").glob("*.*"):
        assert not re.search(r"https?://(?!www\.w3\.org)", path.read_text("utf-8", "replace")), path


def test_figures_are_the_same_on_every_run():
    draw = "from figures import memory; from norch_strides import contiguous as c; "
    draw += "print(memory.walk(c((3, 4)), 12).svg(), memory.table_and_memory(c((2, 3)), 6).svg())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", draw],
            cwd=BOOK,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


HTML = Path(__file__).resolve().parent.parent / "book" / "_build" / "html"
BUILT = sorted(
    path for folder in (".", "chapters", *FOLDERS) for path in (HTML / folder).glob("*.html")
)
BUILT = [path for path in BUILT if path.name not in ("search.html", "genindex.html", "index.html")]


class Links(HTMLParser):
    """Collects what a page points to, and the places in it that can be pointed to."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.ids = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids.add(found.get("id"))
        target = found.get("href") if tag in ("a", "link") else found.get("src")
        if target:
            self.targets.append(target)


def broken(path, parsed):
    """Name the links of a page that lead nowhere inside the book."""
    missing = []
    for target in parsed[path].targets:
        parts = urlsplit(target)
        if parts.scheme or parts.netloc:
            continue
        file = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        ids = parsed[file].ids if file in parsed else {parts.fragment}
        if not file.exists() or (parts.fragment and parts.fragment not in ids):
            missing.append(target)
    return missing


@pytest.mark.skipif(not BUILT, reason="the book is not built here: make book")
def test_every_link_inside_the_book_leads_somewhere():
    parsed = {path: Links(path) for path in BUILT}
    assert {path.name: broken(path, parsed) for path in BUILT if broken(path, parsed)} == {}


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.html"
    page.write_text('<a href="nowhere.html">x</a><a href="#here">y</a><p id="there">', "utf-8")
    assert broken(page, {page: Links(page)}) == ["nowhere.html", "#here"]
