"""The fuzzer finds what is planted, shrinks it and groups it; and a seeded part of it runs here.

Each run is a process of its own, as `make fuzz` starts it; PyTorch is not asked for.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
PLANTED = HERE / "fuzz" / "planted_faults.py"
WAYS = HERE / "fuzz" / "planted_ways.py"
FAULTS = {
    "neg": "crash neg SIGABRT",
    "sin": "hang sin",
    "cos": "memory cos",
    "tan": "value tan",
    "exp": "gradient exp value",
    "tanh": "edit tanh",
    "atan": "words atan KeyError",
}


def run(*words):
    paths = os.pathsep.join(map(str, (HERE, HERE / "parity")))
    return subprocess.run(
        [sys.executable, "-P", *map(str, words)],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=600,  # ends only a hang of the fuzzer itself
        check=False,
    )


@pytest.fixture(scope="module")
def said():
    return run(PLANTED).stdout


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_found_shrunk_and_grouped(said, name):
    fault = FAULTS[name]
    (found,) = re.findall(rf"^{fault} \(seed 1, call \d+\): .*\n((?:.+\n)+)", said, re.MULTILINE)
    grad = ".requires_grad_()" if name == "exp" else ""
    imported, made, called, *_ = found.splitlines()
    assert imported == "import norch"
    assert made == f"x = norch.tensor([1.0] * 17, dtype=norch.float32){grad}"
    assert called.endswith(f"norch.{name}(x)")
    assert re.search(rf"^  \d+ x {fault}$", said, re.MULTILINE)


@pytest.fixture(scope="module")
def said_of_ways():
    return run(WAYS).stdout


@pytest.mark.parametrize(
    "found", ["compiled", "rounded_linear", "SGD", "StepLR object", "qr", "ConstantLR"]
)
def test_a_fault_of_another_way_is_found(said_of_ways, found):
    """Compiled, int8, step by step; ConstantLR is right, and steps the optimizer that is not."""
    assert re.search(rf"^value {found} \(seed 1, call \d+\): ", said_of_ways, re.MULTILINE)


@pytest.mark.parametrize("cause", ["flag", "dtype", "flag and dtype", "infinite", "layout"])
def test_a_reason_is_proved_by_a_second_call(said_of_ways, cause):
    """A flag that is read as what it is not, a dtype computed wrongly: no reason for those."""
    (right, wrong) = re.findall(rf"^{cause}(?:, .*)?: (.*)$", said_of_ways, re.MULTILINE)
    assert right.endswith("both agree") and wrong == ""
    assert all(word in right for word in cause.split(" and "))


def test_pages_take_the_counts_of_two_seeds():
    made = (
        "from fuzz.batch import Counts\n"
        "from fuzz.record import BEGIN, END, read_tables, record\n"
        "import pathlib, tempfile\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    page = pathlib.Path(folder, 'page.md')\n"
        "    page.write_text(f'a\\n{BEGIN}\\nold\\n{END}\\nb\\n')\n"
        "    for seed, left in ((1, {}), (2, {('value', 'f', ''): 2})):\n"
        "        counts = Counts(1000 * seed, 500, 400, {'a_b | c': 5, f'of {seed}': 1})\n"
        "        record(page, counts, left, 'PyTorch', seed, add=seed == 2)\n"
        "    text = page.read_text()\n"
        "assert text.startswith('a\\n') and text.endswith('b\\n') and 'old' not in text\n"
        "rows, left, reasons = read_tables(text)\n"
        "assert ['1,000' in rows[0], '2,000' in rows[1], len(rows)] == [True, True, 2], rows\n"
        "assert left == {'value f': 2} and sorted(reasons.values()) == [1, 1, 10], text\n"
    )
    result = run("-c", made)
    assert result.returncode == 0, result.stderr


def test_nothing_else_is_found_and_each_kind_is_printed_once(said):
    printed = re.findall(r"^(\w+ \w+).* \(seed 1, call", said, re.MULTILINE)
    assert {" ".join(fault.split()[:2]) for fault in FAULTS.values()} == set(printed)
    kinds, total = map(int, re.findall(r"(\d+) kinds of failure, (\d+) in all", said)[0])
    assert len(printed) == kinds < total


def test_without_a_fault_nothing_is_found():
    result = run("-m", "fuzz", "--only", r"^t\.exp\(x\)$", "--seed", "1", "--calls", "600")
    assert result.returncode == 0, result.stdout
    assert "600 calls" in result.stdout


@pytest.mark.long
def test_no_call_breaks_the_process():
    words = ("--seed", "1", "--calls", "8000", "--jobs", "2")
    result = run("-X", "faulthandler", "-m", "fuzz", *words)
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]
    counts = re.findall(r"(\d+) returned, (\d+) were refused", result.stdout)[0]
    returned, refused = map(int, counts)
    assert returned > 2000 and refused > 1000


def test_no_child_is_forked_beside_another_thread():
    """Such a child kept the lock of tempfile, which the other job had at that moment."""
    watch = (
        "import os, sys, threading, fuzz.__main__ as main\n"
        "fork = os.fork\n"
        "def alone():\n"
        "    assert threading.active_count() == 1, threading.enumerate()\n"
        "    return fork()\n"
        "os.fork = alone\n"
        "sys.argv[1:] = '--seed 1 --calls 4000 --jobs 2'.split()\n"
        "main.BATCH = 500\n"
        "main.main()\n"
    )
    result = run("-c", watch)
    assert result.returncode == 0, result.stdout + result.stderr[-2000:]


def test_a_call_repeats():
    """The same seed makes the same calls in every process, whatever was tried before."""
    made = "import norch, fuzz.generate as g; print(list(map(g.Generator(norch, 3).call, {})))"
    first, again = (run("-c", made.format(numbers)).stdout for numbers in ("[7, 8]", "[1, 7, 8]"))
    assert "Call(" in first and first.strip("[]\n") in again
