"""The pages that are live repeat their notebooks: every cell, in order, and again after an edit.

In node, with the Python that the pages carry, the stack and the memory of a browser's worker. What
it shows is compared with what is stored, as nbval compares. `test_live.py` is about the pages.
"""

import json
import shutil
import subprocess
from pathlib import Path

import built
import notebooks
import packing
import pytest

ROOT = Path(__file__).resolve().parents[2]
RUNNER = Path(__file__).with_name("live_cells.cjs")
STACK = 480  # KiB: Chromium's workers have about 500, and no browser's have less
AGAIN = "\n# edited"
PAGES = (
    "chapters/01_strides",
    "chapters/02_cpu",
    "chapters/04_autograd",
    "chapters/05_nn",
    "chapters/06_ddp",
    "chapters/06_fsdp",
    "chapters/06_parallel",
    "chapters/07_attention",
    "fusion",
    "planning",
    "quantization",
)

pytestmark = [
    pytest.mark.skipif(not shutil.which("node"), reason="node is not installed"),
    pytest.mark.skipif(not built.is_there(), reason="the book has no Pyodide: make book"),
    pytest.mark.skipif(not built.modules(), reason="no compiled modules: make wasm"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a function that runs cells in a fresh Python; each gives what it showed and found."""
    folder = tmp_path_factory.mktemp("live")
    archives = [str(folder / f"{pack}.tar") for pack in packing.PACKS]
    for pack, file in zip(packing.PACKS, archives, strict=True):
        Path(file).write_bytes(packing.archive(packing.sources(pack)))

    def run(page, cells):
        job = {"pyodide": str(built.PYODIDE), "archives": archives, "page": page, "cells": cells}
        job["path"] = (built.HERE / "python" / "live_path.py").read_text(encoding="utf-8")
        file = folder / "job.json"
        file.write_text(json.dumps(job), encoding="utf-8")
        command = ["node", f"--stack-size={STACK}", RUNNER, file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    return run


def shown_by(run, *codes):
    """Run some cells that belong to no page."""
    cells = [{"code": code, "name": f"<cell {k}>"} for k, code in enumerate(codes, 1)]
    return run("chapters/none", cells)


@pytest.mark.parametrize("page", [pytest.param(page, marks=pytest.mark.long) for page in PAGES])
def test_a_page_repeats_its_notebook_and_again_after_an_edit(run, page):
    cells = notebooks.cells(page)
    jobs = [job for edit in ("", AGAIN) for job in notebooks.jobs(cells, edit)]
    told = run(page, jobs)
    assert len(told) == len(jobs)
    assert notebooks.differences(cells * 2, told) == []


START_DEEP = "import norch\nm = norch.nn.Identity()\ny = []\nfor _ in range(100_000): y = [y]"
DEEP = {
    "calls": "def f(n): return f(n + 1)\nf(0)",
    "a repr": "class R:\n    def __repr__(self): return repr(self)\nR()",
    "a key": "def s(x): return sorted([2, 1], key=s)\ns(1)",
    "an attribute": "class A:\n    def __getattr__(self, name): return getattr(self, name)\nA().x",
    "a shown list": "y",
    "json": "import json\njson.dumps(y)",
    "json, read": "json.loads('[' * 100_000)",
    "pickle": "import pickle\npickle.dumps(y)",
    "copy": "import copy\ncopy.deepcopy(y)",
    "comparing": "z = []\nfor _ in range(100_000): z = [z]\ny == z",
    "a raised limit": "import sys\nsys.setrecursionlimit(10**6)\nrepr(R())",
    "modules": "sys.setrecursionlimit(1000)\n"
    "for _ in range(1000): m = norch.nn.Sequential(m)\nm(norch.ones(1))",
}


def test_what_is_too_deep_is_a_recursion_error_and_the_next_cell_runs(run):
    _, *told, last = shown_by(run, START_DEEP, *DEEP.values(), "1 + 1")
    errors = [one["found"].get("error", "").splitlines()[-1:] for one in told]
    for name, error in zip(DEEP, errors, strict=True):
        assert error and error[0].startswith("RecursionError: "), name
    assert last["found"] == {"text": "2"}


def test_a_deep_record_is_walked_and_freed(run):
    start = "import norch\nx = y = norch.ones(1, requires_grad=True)"
    chain = "for _ in range(100_000): y = y * 1\ny.backward()\nx.grad"
    *_, chained, freed = shown_by(run, start, chain, "y = x\n1")
    assert [chained["found"], freed["found"]] == [{"text": "tensor([1.])"}, {"text": "1"}]


MUCH = {
    # Views that repeat one number: more elements than addresses, and hardly any memory.
    "norch.zeros(1).expand(2**31 + 5).tolist()": "norch.zeros(1)",
    "len(norch.zeros(1).expand(2**31 + 5).array)": "norch.zeros(1)",
    "norch.zeros(1).expand(2**31 + 5).kthvalue(1)": "norch.zeros(1)",
    "norch.zeros(1).expand(2**31 + 5).unique()": "norch.zeros(1)",
    "memoryview(norch.zeros(1).expand(2**31 + 5).array)": "norch.zeros(1)",
    "norch.zeros(10**12)": "norch.zeros(1)",
    "norch.zeros(2**29 + 5)": "norch.zeros(1)",
    "norch.zeros(2**31 + 8, dtype=norch.uint8)": "norch.zeros(1)",
    "kept = []\nwhile True: kept.append([0] * 100_000)": "kept.clear()\nnorch.zeros(1)",
    "while True: kept.append(norch.zeros(1 << 16))": "kept.clear()\nnorch.zeros(1)",
    "kept = {}\nwhile True: kept[len(kept)] = 1.5": "del kept\nnorch.zeros(1)",
}


def test_too_much_memory_is_a_memory_error_and_the_next_cell_runs(run):
    told = shown_by(run, "import norch", *(cell for pair in MUCH.items() for cell in pair))[1:]
    for code, one, after in zip(MUCH, told[::2], told[1::2], strict=True):
        assert one["found"]["error"].splitlines()[-1].startswith("MemoryError"), code
        assert after["found"] == {"text": "tensor([0.])"}, code


def test_what_a_cell_shows_keeps_its_order(run):
    (one,) = shown_by(
        run,
        "import sys\nfrom IPython.display import HTML, SVG\n"
        "print('a', end='')\nprint('b', end='')\nprint('c', file=sys.stderr)\n"
        "display(HTML('<b>d</b>'), [1])\nprint('e')\nSVG('<svg/>')",
    )
    assert one["shown"] == [
        {"kind": "line", "stream": "out", "line": "ab", "end": ""},
        {"kind": "line", "stream": "err", "line": "c", "end": "\n"},
        {"kind": "shown", "html": "<b>d</b>", "plain": "<IPython.core.display.HTML object>"},
        {"kind": "shown", "text": "[1]"},
        {"kind": "line", "stream": "out", "line": "e", "end": "\n"},
    ]
    assert one["found"]["html"] == "<svg/>"


def test_values_and_errors_are_those_of_a_notebook(run):
    told = shown_by(
        run,
        "6 * 7",
        "_ + 1;",
        "_",
        "list(range(40))",
        "def f():\n    return 1 / 0",
        "f()",
        "x = (1,\ny y",
        "input('name? ')",
        "import sys\nsys.exit(3)",
        "%%nothing\nx",
    )
    found = [one["found"] for one in told]
    assert found[:3] == [{"text": "42"}, {}, {"text": "42"}]
    assert found[3]["text"].startswith("[0,\n 1,\n")
    errors = [one["error"] for one in found[5:]]
    assert errors[0].splitlines()[:5] == [
        "Traceback (most recent call last):",
        '  File "<cell 6>", line 1, in <module>',
        "    f()",
        "    ~^^",
        '  File "<cell 5>", line 2, in f',
    ]
    ends = [error.splitlines()[-1] for error in errors]
    assert ends[0] == "ZeroDivisionError: division by zero"
    assert ends[1].startswith("SyntaxError: ")
    assert ends[2].startswith("EOFError: input() reads a keyboard")
    assert ends[3:] == ["SystemExit: 3", "NameError: this page has no command %%nothing"]


def test_a_clock_of_coarse_steps_measures_too(monkeypatch):
    from lessons import machine

    monkeypatch.setattr(machine.lessons, "best_seconds", lambda *_: 0.0)  # below one step
    assert 0 < machine.measure_seconds(lambda: sum(range(1000))) < 60
