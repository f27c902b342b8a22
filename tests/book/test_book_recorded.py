"""The book's times are of one machine: the pages that state its ceilings agree within a tenth.

What the pages have stored is compared here; `tools/record_pages.py`, which runs them in one go,
compares in the same way before it writes.
"""

import json
import re
import sys

import nbformat
import pytest
from lessons import machine, recorded
from nbclient.exceptions import CellExecutionError
from prose import BOOK, CHAPTERS, markdown

sys.path.insert(0, str(BOOK.parent / "tools"))

import record_pages

TIMED = recorded.timed_pages()
NOTEBOOKS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in TIMED}
RECORDS = {name: recorded.read(notebook) for name, notebook in NOTEBOOKS.items()}


def test_no_two_pages_disagree_about_the_machine():
    if RECORDS["faster"].machine is None:
        pytest.skip("the pages were not recorded in one go yet: tools/record_pages.py does it")
    assert recorded.disagreements(RECORDS) == {}


def test_the_pages_with_a_peak_or_a_bandwidth_state_all_ceilings():
    ask = re.compile(r"peak|bandwidth|measure_limits|limits\.")
    asked = [
        name
        for name, page in NOTEBOOKS.items()
        if any(ask.search(text) for text in recorded.cells(page))
    ]
    counted = {"01_strides", "03_cuda"}  # a `.peak` of nothing: no machine's is stated
    assert {"02_cpu", "faster", "quantization"} <= set(asked)
    for name in set(asked) - counted:
        assert RECORDS[name].limits.keys() == recorded.LIMITS.keys(), name


@pytest.mark.parametrize("path", TIMED, ids=lambda path: path.stem)
def test_a_page_with_times_leads_to_the_machine(path):
    text = markdown(path)
    assert "<the-machine>" in text or "(the-machine)=" in text or "```{times}" in text
    assert path not in CHAPTERS or "```{times}" in text


def test_what_a_page_prints_is_read_again():
    said = machine.said(machine.Limits(2.5e11, 1.21e11, 4.7e10))
    page = notebook(said, "naive   8.3 billion bytes a second, off", machine="A")
    assert recorded.read(page) == (
        "A",
        {"arithmetic": 250.0, "a cache": 121.0, "memory": 47.0},
        [8.3],
    )


def test_the_machine_is_named():
    lines = machine.described().splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "processor",
        "cores for us",
        "kernels for",
        "caches of a core",
    ]
    assert machine.processor() in lines[0]


def notebook(*printed, machine=None):
    """Return a page that printed these texts."""
    outputs = [{"output_type": "stream", "name": "stdout", "text": text} for text in printed]
    cell = {"cell_type": "code", "source": "", "outputs": outputs}
    return {"cells": [cell], "metadata": {"recorded_on": machine} if machine else {}}


def page(peak, memory=50e9, rate=None, machine_name="A"):
    """Return what a page recorded."""
    said = machine.said(machine.Limits(peak, 1e11, memory))
    rates = f"sum {rate} billion bytes a second" if rate else ""
    return recorded.read(notebook(said, rates, machine=machine_name))


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (page(245e9), None),
        (page(200e9), "arithmetic: 200 here, 250 on another page"),
        (page(250e9, memory=40e9), "memory: 40 here, 50 on another page"),
        (page(250e9, rate=54.9), None),
        (page(250e9, rate=61.4), "reads 61, above its own 50"),
        (page(250e9, machine_name="B"), "recorded on B, another one on A"),
    ],
)
def test_pages_that_disagree_are_named(other, words):
    found = recorded.disagreements({"one": page(250e9), "other": other})
    assert found == ({} if words is None else {"other": words})


def runs(monkeypatch, *peaks):
    """Let a page measure these peaks in turn; None is a bound that did not hold."""
    left = list(peaks)

    def executed(path):
        if path.stem == "quiet":
            left_now = 250e9
        elif (left_now := left.pop(0)) is None:
            raise CellExecutionError("trace", "AssertionError", "")
        said = machine.said(machine.Limits(left_now, 1e11, 5e10))
        return nbformat.from_dict({**notebook(said), "nbformat": 4, "nbformat_minor": 5})

    monkeypatch.setattr(record_pages, "executed", executed)
    monkeypatch.setattr(record_pages.nbformat, "writes", json.dumps)
    return [record_pages.ROOT / "quiet.ipynb", record_pages.ROOT / "busy.ipynb"]


def test_a_page_that_disagrees_is_run_again(monkeypatch, capsys):
    pages = runs(monkeypatch, 100e9, None, 249e9)
    texts = record_pages.record(pages)
    assert [json.loads(text)["metadata"]["recorded_on"] for text in texts.values()] == [
        machine.processor()
    ] * 2
    assert capsys.readouterr().out.count("busy.ipynb\n") == 3


def test_nothing_is_written_while_pages_disagree(monkeypatch):
    pages = runs(monkeypatch, *[100e9] * record_pages.ROUNDS)
    with pytest.raises(SystemExit, match="nothing was written"):
        record_pages.record(pages)
    assert not any(path.exists() for path in pages)
