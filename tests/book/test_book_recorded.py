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
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from prose import BOOK, CHAPTERS, markdown

sys.path.insert(0, str(BOOK.parent / "tools"))

import record_pages

TIMED = recorded.timed_pages()
NOTEBOOKS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in TIMED}
RECORDS = {name: recorded.read(notebook) for name, notebook in NOTEBOOKS.items()}


def test_no_two_pages_disagree_about_the_machine():
    assert RECORDS["faster"].machine, "tools/record_pages.py records the pages in one go"
    assert recorded.disagreements(RECORDS) == {}


def test_the_pages_with_a_peak_or_a_bandwidth_state_all_ceilings():
    ask = re.compile(r"(?<![A-Za-z])peak|bandwidth|measure_limits|limits\.")
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
    """Let a page measure these peaks in turn, or end with an error: a bound that did not hold."""
    left = list(peaks)

    def executed(path):
        peak = 250e9 if path.stem == "quiet" else left.pop(0)
        if isinstance(peak, Exception):
            raise peak
        said = machine.said(machine.Limits(peak, 1e11, 5e10))
        return nbformat.from_dict({**notebook(said), "nbformat": 4, "nbformat_minor": 5})

    monkeypatch.setattr(record_pages, "executed", executed)
    monkeypatch.setattr(record_pages.nbformat, "writes", json.dumps)
    return [record_pages.ROOT / "quiet.ipynb", record_pages.ROOT / "busy.ipynb"]


BROKEN = CellExecutionError("AssertionError: it is slower", "AssertionError", "")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (BROKEN, "AssertionError"),
        (DeadKernelError("Kernel died"), "Kernel died"),
        (CellTimeoutError("too long"), "too long"),
    ],
    ids=["bound", "crash", "hang"],
)
def test_a_page_that_disagrees_or_breaks_is_run_again(monkeypatch, capsys, error, words):
    pages = runs(monkeypatch, 100e9, error, 249e9)
    texts = record_pages.record(pages, {})
    assert [json.loads(text)["metadata"]["recorded_on"] for text in texts.values()] == [
        machine.processor()
    ] * 2
    told = capsys.readouterr().out
    assert told.count("busy.ipynb\n") == 3 and f"busy.ipynb: {words}" in told


def test_nothing_is_written_while_pages_disagree(monkeypatch):
    pages = runs(monkeypatch, *[100e9] * record_pages.ROUNDS)
    with pytest.raises(SystemExit, match="nothing was written: is other work"):
        record_pages.record(pages, {})
    assert not any(path.exists() for path in pages)


def test_a_part_of_the_pages_is_held_against_what_the_others_recorded(monkeypatch, tmp_path):
    _, busy = runs(monkeypatch, 100e9, 240e9, 500e9)
    here = machine.processor()
    others = {tmp_path / "faster.ipynb": page(250e9, memory=50e9, machine_name=here)}
    old = {busy: page(900e9, machine_name=here)}  # it is recorded anew: its old record is nothing
    assert [*record_pages.record([busy], {**others, **old})] == [busy]
    with pytest.raises(SystemExit, match="record the pages above as well"):
        record_pages.record([busy], others)


def test_a_page_outside_of_the_repository_is_named_by_its_path(tmp_path):
    assert record_pages.name_of(tmp_path / "x.ipynb") == str(tmp_path / "x.ipynb")
    assert record_pages.name_of(BOOK / "faster.ipynb") == "book/faster.ipynb"


def test_only_pages_that_name_their_machine_were_recorded(tmp_path):
    for name, kept in (("a", {"recorded_on": "A"}), ("b", {})):
        text = json.dumps({"cells": [], "metadata": kept})
        (tmp_path / f"{name}.ipynb").write_text(text, encoding="utf-8")
    found = record_pages.stored([tmp_path / "a.ipynb", tmp_path / "b.ipynb"])
    assert [path.stem for path in found] == ["a"]


def test_what_a_system_does_not_tell_of_itself_is_left_out(tmp_path):
    for number, (kind, size) in enumerate(
        [("Data", "32K"), ("Unified", None), ("Unified", "2048K")]
    ):
        (tmp_path / f"index{number}").mkdir()
        (tmp_path / f"index{number}" / "type").write_text(kind)
        if size:
            (tmp_path / f"index{number}" / "size").write_text(size)
    assert machine.caches(tmp_path) == "32 KiB, 2 MiB"
    assert machine.caches(tmp_path / "none") == "unknown"
    listed = tmp_path / "cpuinfo"
    for text, name in (
        ("model name : A\ncpu family : 6\nmodel : 85\n", "A (family 6, model 85)"),
        ("model name : A\nmodel : 85\n", "A (model 85)"),
        ("model name : A\n", "A"),
    ):
        listed.write_text(text)
        assert machine.processor(listed) == name
    assert machine.processor(tmp_path / "none")
