"""A chapter: 1,500 to 3,500 words of prose, read in 40 minutes, with three figures or more. Times
are counted, added up and shown, with a word where it is too much.

That its eight beats stand in order, that cells were run, and that figures are described is tested
in tests/test_book.py; how its words and numbers come about, beside this file.
"""

import json
import os
import re
import subprocess
import sys

import norch_times
import pytest
from prose import BOOK, CHAPTERS, cells, markdown, plain

FEWEST, MOST = 1500, 3500
MINUTES = 40
FIGURES = 3


def figures(path):
    """Return the descriptions of a notebook's drawings."""
    outputs = [output for one in cells(path, "code") for output in one["outputs"]]
    html = "".join("".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    return re.findall(r'<svg [^>]*aria-label="([^"]+)"', html)


def notebook(tmp_path, *texts):
    """Write a notebook of markdown cells."""
    found = [{"cell_type": "markdown", "source": [text]} for text in texts]
    path = tmp_path / "01_page.ipynb"
    path.write_text(json.dumps({"cells": found}), encoding="utf-8")
    return path


def test_there_are_seven_chapters_and_the_sixth_has_three_parts():
    numbers = ["01", "02", "03", "04", "05", "06", "06", "06", "07"]
    assert [path.name[:2] for path in CHAPTERS] == numbers


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_is_neither_short_nor_long(path):
    assert FEWEST <= len(plain(markdown(path)).split()) <= MOST
    assert norch_times.words(path).prose <= MOST
    assert norch_times.reading(path) <= MINUTES


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_has_three_figures_that_differ(path):
    assert len(set(figures(path))) >= FIGURES


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_says_how_long_it_takes_by_counting(path):
    first = next(one for one in CHAPTERS if one.name[:2] == path.name[:2])
    name = int(path.name[:2]) if path == first else path.stem
    assert f"```{{times}} {name}\n```" in markdown(path)
    assert not re.search(r"\d+ (?:minutes|hours)", plain(markdown(path)))


def test_reading_times_are_words_and_minutes(tmp_path):
    page = notebook(tmp_path, "word " * 900, "```{exercise} 1.1\n```\n", "word " * 101)
    assert norch_times.words(page) == (1001, 0)
    assert norch_times.reading(page) == 10  # 5.005 minutes, in fives
    assert norch_times.Words(1000, 0).minutes == 5 and norch_times.Words(0, 301).minutes == 10
    assert norch_times.spell(40) == "40 minutes"
    assert norch_times.spell(60) == "1 hour"
    assert norch_times.spell(135) == "2 hours 15 minutes"


FOLDED = ":::{dropdown} `f` (yours)\n```{literalinclude} code.py\n:pyobject: f\n```\n:::\n\nsaid"
LISTED = """said

```{literalinclude} code.py
:language: python
:start-at: 'return [1'
:end-at: '2]'
```

```python
x = 1  # what it is
```
"""
CODE = """import this


class A:
    @property
    def f(self):
        # ex 1.1 begin
        return [1,
                2]
        # ex 1.1 end

    def g(self): ...
"""


def test_listings_are_code_and_what_is_folded_is_nothing(tmp_path):
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    page = notebook(tmp_path, FOLDED, LISTED)
    assert norch_times.words(page) == (2, 3 + 7)
    cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
    for text, tags in (("a = 1", []), ("import b", ["hide-cell"]), ("c", ["hide-output"])):
        cells.append({"cell_type": "code", "source": text, "metadata": {"tags": tags}})
    page.write_text(json.dumps({"cells": cells}), encoding="utf-8")
    assert norch_times.words(page) == (2, 10 + 4)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (":pyobject: A.f", "@property def f(self): return [1, 2]"),
        (":start-after: class A\n:end-before: return", "@property def f(self):"),
        (":start-at: def g\n:end-at: def g", "def g(self): ..."),
    ],
)
def test_a_listing_is_cut_as_the_book_cuts_it(tmp_path, options, shown):
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    assert norch_times.listing(f"code.py\n{options}", tmp_path).split() == shown.split()


@pytest.mark.parametrize(
    "option", [":pyobject: A.g2", ":pyobject: B.f", ":start-at: gone", ":end-before: import this"]
)
def test_a_listing_that_shows_nothing_is_named(tmp_path, option):
    (tmp_path / "code.py").write_text(CODE, encoding="utf-8")
    with pytest.raises(ValueError, match=f"code.py: nothing is found by {option}"):
        norch_times.listing(f"code.py\n{option}", tmp_path)


def test_the_times_of_the_exercises_are_those_of_the_course():
    files = [BOOK.parent / "stages" / stage for stage in ("01_strides", "06_ddp")]
    texts = [(one / "exercises" / "exercises.toml").read_text(encoding="utf-8") for one in files]
    minutes = [sum(map(int, re.findall(r"^minutes = (\d+)", text, re.MULTILINE))) for text in texts]
    found = norch_times.chapters()
    assert [found[0][3], sum(one[3] for one in found if one[0].name[:2] == "06")] == minutes
    assert norch_times.spell(minutes[0]) in norch_times.sentence("1")
    prose, code = norch_times.words(CHAPTERS[0])
    assert f"{round(prose, -2):,} words of prose at 200" in norch_times.sentence("1")
    assert f"{round(code, -2):,} of code at 60" in norch_times.sentence("1")
    parts = [one for one in found if one[0].stem.startswith("06_")]
    said = [norch_times.sentence(name) for name in ("6", "06_fsdp", "06_parallel")]
    assert said == [norch_times.sentence(one[0].stem) for one in parts] and len({*said}) == 3
    last = norch_times.table()[-1]
    assert norch_times.spell(sum(one[3] for one in found)) in last


def test_short_pages_and_missing_figures_are_noticed(tmp_path):
    page = notebook(tmp_path, "# One\n\n```python\n" + "word " * 2000 + "\n```\n")
    assert len(plain(markdown(page)).split()) < FEWEST
    assert figures(page) == []


NOTEBOOK = """{"cells": [{"cell_type": "code", "id": "a", "execution_count": 1, "metadata": {},
"outputs": [{"name": "stdout", "output_type": "stream", "text": ["2\\n"]}],
"source": ["print(2)"]}],
"metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
"nbformat": 4, "nbformat_minor": 5}"""

NBVAL = ("--nbval", "--nbval-current-env")


@pytest.mark.parametrize(("limit", "verdict"), [("300", "ok"), ("0", "too long")])
def test_notebooks_that_take_too_long_are_told(tmp_path, limit, verdict):
    text = (BOOK / "conftest.py").read_text(encoding="utf-8")
    (tmp_path / "conftest.py").write_text(text.replace("LIMIT = 300", f"LIMIT = {limit}"), "utf-8")
    (tmp_path / "page.ipynb").write_text(NOTEBOOK, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "nbval.plugin", *NBVAL, "page.ipynb"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # others take a second
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang
        check=False,
    )
    assert f"s  of at most {limit} s: {verdict}" in run.stdout, run.stdout
    assert "1 passed" in run.stdout
    assert run.returncode == 0  # a busy machine takes longer, and nothing is wrong
