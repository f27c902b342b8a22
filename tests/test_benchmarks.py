"""The benchmark program: it catches wrong values, names what is missing, measures what it is told.

No test judges a time. Rows are measured inside this process, on workloads made for the test; one
test runs the program as `make bench ONLY=small QUICK=1` does.
"""

import importlib
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import norch

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks" / "results.md"


@pytest.fixture
def bench(monkeypatch):
    """Return the program's modules by name, and its workloads."""
    monkeypatch.syspath_prepend(str(ROOT))
    threads = norch.get_num_threads()
    parts = ["chart", "driver", "machine", "processes", "report", "row", "worker", "workload"]
    parts.append("workloads")
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in parts}
    yield SimpleNamespace(**modules, WORKLOADS=modules["workloads"].WORKLOADS)
    norch.set_num_threads(threads)


def test_workload(bench, **options):
    """Return a workload that adds two arrays, changed by `options`."""
    given = {
        "inputs": bench.workload.normal(a=(3, 5), b=(3, 5)),
        "build": lambda lib, given: lambda: lib.from_numpy(given["a"]) + lib.from_numpy(given["b"]),
        "numpy": lambda lib, given: lambda: given["a"] + given["b"],
    }
    return bench.workload.Workload("a + b", "test", **(given | options))


test_workload.__test__ = False


def measured(bench, monkeypatch, frameworks=("norch", "numpy"), rounds=2, **options):
    """Return the row of a workload made for the test."""
    workload = test_workload(bench, **options)
    monkeypatch.setattr(bench.worker, "by_name", lambda name: workload)
    sessions = [bench.worker.Session(framework) for framework in frameworks]
    return bench.driver.measure(workload, sessions, 1, rounds, 1e-5)


def test_right_values_are_timed_by_every_library(bench, monkeypatch):
    row = measured(bench, monkeypatch)
    assert (row.wrong, row.checked) == ("", "numpy")
    assert [len(row.times[name]) for name in ("norch", "numpy")] == [2, 2]


def test_a_wrong_value_before_timing_voids_the_row(bench, monkeypatch):
    row = measured(bench, monkeypatch, numpy=lambda lib, given: lambda: given["a"] * 1.01)
    assert row.wrong.startswith("norch, before timing: value 0 is off by")
    assert row.times == {}
    assert bench.row.judge(row).startswith("WRONG VALUE: norch, before timing")


def test_a_value_that_turns_wrong_while_it_is_timed_voids_the_row(bench, monkeypatch):
    def turning(lib, given):
        calls = iter(range(10**9))
        a, b = lib.from_numpy(given["a"]), lib.from_numpy(given["b"])
        return lambda: a + b if next(calls) < 2 else a - b

    row = measured(bench, monkeypatch, build=turning)
    assert row.times["norch"]
    assert row.wrong.startswith("norch, after timing: value 0 is off by")
    assert (row.ratio, row.rate, row.spread) == (None, None, None)


def test_a_training_step_is_checked_by_its_first_values_again(bench, monkeypatch):
    def counting(lib, given):
        state = {"calls": 0}

        def work():
            state["calls"] += 1
            return np.float32(state["calls"])

        return work

    row = measured(bench, monkeypatch, build=counting, numpy=counting, stateful=True)
    assert row.wrong == ""


@pytest.mark.parametrize(
    ("found", "phrase"),
    [
        ([1.0, 2.0], ""),
        ([1.0, 2.001], "value 0 is off by 5.0e-04 of the largest, 1e-04 allowed"),
        ([1.0, math.nan], "value 0 is off by nan of the largest, 1e-04 allowed"),
        ([1.0], "value 0 has shape (1,), (2,) expected"),
    ],
)
def test_differences_are_told_in_one_phrase(bench, found, phrase):
    expected = [np.array([1.0, 2.0])]
    assert bench.driver.difference([np.array(found)], expected, 1e-4) == phrase


def test_missing_values_are_a_difference(bench):
    assert bench.driver.difference([], [np.ones(1)], 1e-4) == "0 values, 1 expected"


def test_infinities_agree_only_in_the_same_place_with_the_same_sign(bench):
    values, turned = [np.array([1.0, math.inf])], [np.array([1.0, -math.inf])]
    assert bench.driver.difference(values, values, 1e-4) == ""
    told = bench.driver.difference(turned, values, 1e-4)
    assert told == "value 0 is finite, or not, where it should not be"


def test_a_failing_workload_is_a_row(bench, monkeypatch):
    def failing(lib, given):
        raise RuntimeError("no such kernel")

    row = measured(bench, monkeypatch, build=failing)
    assert bench.row.judge(row) == "failed: RuntimeError: no such kernel"


def test_a_worker_that_dies_is_an_answer(bench):
    worker = bench.driver.Worker("numpy", 1)
    worker.process.kill()
    worker.process.wait()
    for _ in range(2):
        answer = worker.ask({"do": "stop"})
        assert answer == {"status": "failed", "reason": "the worker ended: -9"}
    worker.close()


@pytest.mark.parametrize(
    ("needs", "kernels", "verdict"),
    [
        (("nn.functional.nothing",), ("nothing",), "waits for stage 2: nothing"),
        (("nn.functional.nothing",), ("add",), "waits for stage 5: nn.functional.nothing"),
        (("nn.functional.relu",), ("nothing",), "not measured"),
    ],
)
def test_what_norch_lacks_is_a_row_that_waits(bench, monkeypatch, needs, kernels, verdict):
    row = measured(bench, monkeypatch, needs=needs, kernels=kernels)
    assert bench.row.judge(row) == verdict
    assert row.name in bench.report.line(row, None)


def test_stage_2_alone_stands_in_and_is_marked(bench, monkeypatch):
    def arrays(ops, given):
        a, b = ops.from_buffer(given["a"]), ops.from_buffer(given["b"])
        return lambda: ops.add(a, b)

    row = measured(
        bench, monkeypatch, needs=("nn.nothing",), kernels=("add",), arrays=arrays, gate=1.0
    )
    row.times["torch"] = row.times["norch"]
    assert (row.level, row.wrong) == ("arrays", "")
    assert bench.report.verdict(row) == "met (stage 2 alone)"
    row.gate = 0.5
    assert bench.report.verdict(row) == "**missed** (stage 2 alone)"


@pytest.mark.parametrize(
    ("norch", "gate", "aim", "verdict"),
    [
        ([1.0], 2.0, 1.0, "aim met"),
        ([1.5], 2.0, 1.0, "met"),
        ([2.5], 2.0, 1.0, "missed"),
        ([2.5], None, None, "no gate"),
        ([], 2.0, 1.0, "not measured"),
    ],
)
def test_verdicts(bench, norch, gate, aim, verdict):
    row = bench.row.Row("x", "g", 1, gate, aim, times={"norch": norch, "torch": [1.0]})
    assert bench.row.judge(row) == verdict


@pytest.mark.parametrize(
    ("threads", "others", "norch", "verdict"),
    [
        (2, 0.1, 0.5, "met"),
        (2, 1.4, 0.5, "not judged: other work on 1.4 of 2 cores"),
        (2, 1.4, 5.0, "missed"),
        (1, 1.4, 0.5, "met"),
    ],
)
def test_no_gate_is_met_by_threads_without_cores(bench, threads, others, norch, verdict):
    times = {"norch": [norch], "torch": [1.0]}
    row = bench.row.Row("x", "g", threads, 1.0, times=times, others=others, cores=2)
    assert bench.row.judge(row) == verdict


def test_other_work_is_seen(bench):
    if bench.machine.busy_seconds() is None:
        pytest.skip("this system does not tell how busy it is")
    watch = bench.driver.Watch([])
    subprocess.run([sys.executable, "-c", "sum(range(20_000_000))"], check=True)
    assert watch.others() > 0.1


def test_the_ratio_is_the_median_of_the_rounds_not_of_the_times(bench):
    row = bench.row.Row("x", "g", 1, times={"norch": [1.0, 20.0, 6.0], "torch": [2.0, 10.0, 3.0]})
    assert row.ratio == 2.0
    assert row.median("norch") / row.median("torch") == 2.0
    row.times["norch"][0] = 40.0
    assert row.ratio == 2.0
    assert row.median("norch") / row.median("torch") > 6


def test_a_row_draws_the_same_inputs_every_time(bench):
    workload = test_workload(bench)
    first, second = workload.draw(), workload.draw()
    assert all(np.array_equal(first[name], second[name]) for name in ("a", "b"))
    assert not np.array_equal(first["a"], first["b"])


def test_a_missing_torch_is_named_with_the_way_to_it(bench, monkeypatch):
    version = bench.machine.version
    monkeypatch.setattr(bench.machine, "version", lambda x: "" if x == "torch" else version(x))
    assert "torch" not in bench.machine.installed()
    sentence = bench.machine.missing_torch()
    assert "torch is not installed" in sentence
    assert "-m pip install torch==2.13.0" in sentence
    assert f"> {sentence}" in bench.report.page([], {}, {}, [sentence])


def names(bench):
    return [w.name for w in bench.WORKLOADS], [w.group for w in bench.WORKLOADS]


def test_only_chooses_by_group_and_by_word(bench):
    every, groups = names(bench)
    conv2d = bench.workloads.chosen("conv2d", every, groups)
    assert conv2d == [name for name, g in zip(every, groups, strict=True) if g == "conv2d"]
    assert bench.workloads.chosen("16M exp, add (8,8)"[:7], every, groups) == ["16M exp"]
    assert bench.workloads.chosen("lstm,small", every, groups)[-1].startswith("LSTM")
    assert bench.workloads.chosen("", every, groups) == every


def test_an_unknown_only_is_refused_with_the_list(bench):
    every, groups = names(bench)
    with pytest.raises(ValueError, match=r"\[bench\] no workload has 'conv3d' in its name") as told:
        bench.workloads.chosen("small,conv3d", every, groups)
    assert all(name in str(told.value) for name in every)


# The table of gates: (words in the row's name, gate, aim).
GATES = [
    ("add (8,8)", 0.60, 0.30),
    ("add (8,8), recorded", 0.55, 0.25),
    ("20 small ops + backward", 0.40, 0.20),
    ("1M add", 1.05, 0.90),
    ("1M sum", 1.05, 0.90),
    ("1M add, broadcast row", 1.05, 0.90),
    ("1M exp", 0.35, 0.25),
    ("1M gelu", 1.0, 0.6),
    ("16M add", 0.35, 0.15),
    ("16M A + B.T", 0.25, 0.12),
    ("matmul 128", 1.0, 0.90),
    ("matmul 2048", 1.0, 0.90),
    ("MLP 784-30-10 step, batch 32, SGD", 0.25, 0.12),
    ("MLP 784-512-256-10 step, batch 128, Adam", 0.75, 0.60),
    ("CNN step, batch 64, Adam", 0.60, 0.40),
    ("conv2d 3x3 (64,32,28,28)->64", 0.60, 0.40),
    ("conv2d 5x5 (32,32,14,14)->64", 1.3, 1.0),
    ("LayerNorm (4096,768)", 0.85, 0.65),
    ("BatchNorm2d (64,64,28,28)", 0.55, 0.40),
    ("softmax (4096,1024)", 0.85, 0.60),
    ("cross-entropy (4096,1024)", 0.35, 0.20),
    ("GPT block (4,256,256)", 0.95, 0.75),
    ("LSTM 128->256 (64,32,128)", 1.15, 0.90),
    ("DataLoader epoch, 20,000 images, batch 64", 0.15, 0.07),
    ("import time", 0.10, 0.02),
    ("memory after import", 0.20, 0.06),
    ("peak memory, CNN step", 0.60, None),
]


@pytest.mark.parametrize(("name", "gate", "aim"), GATES)
def test_every_gate_has_its_row(bench, name, gate, aim):
    rows = {each.name: each for each in (*bench.WORKLOADS, *bench.processes.PROCESSES)}
    assert (rows[name].gate, rows[name].aim) == (gate, aim)


@pytest.mark.parametrize(
    "word", ["1x1", "3x3", "5x5", "7x7", "stride 2", "groups", "depthwise", "odd", "dilation"]
)
def test_convolutions_of_every_kind_are_rows(bench, word):
    found = [w.name for w in bench.WORKLOADS if w.group == "conv2d"]
    assert len(found) >= 12
    assert any(word in name for name in found)


def test_names_are_unique(bench):
    every = [each.name for each in (*bench.WORKLOADS, *bench.processes.PROCESSES)]
    assert len(set(every)) == len(every)


def rows(bench):
    times = {"norch": [1.0, 1.0], "torch": [2.0, 2.0]}
    good = bench.row.Row("a & b", "g", 1, 0.6, 0.4, times=times)
    bad = bench.row.Row("c", "g", 1, 0.4, 0.2, times=times)
    return [good, bad, bench.row.Row("d", "g", 1, absent={"norch": "waits for stage 2: d"})]


def test_the_chart_is_the_same_each_time_and_shows_what_has_a_ratio(bench):
    drawing = bench.chart.chart(rows(bench))
    assert drawing == bench.chart.chart(rows(bench))
    words = [each.text for each in ET.fromstring(drawing).iter() if each.text]
    assert {"a & b", "c", "0.50", "0.50 missed"} <= set(words)
    assert "d" not in words


def test_the_page_counts_and_names(bench):
    page = bench.report.page(rows(bench), {}, {"processor": "Abacus 1"}, [])
    assert "Gates met: 1 of 2 measured, 0 of them at the aim; 1 missed; 1 rows wait" in page
    assert "| processor | Abacus 1 |" in page
    assert "| a & b | 1.00 s | 2.00 s | - | 0.50 | 0.50 to 0.50 | 0.60 | 0.40 | met |" in page


def program(*words):
    command = [sys.executable, "-m", "benchmarks", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_program_refuses_before_it_measures():
    done = program("--only", "conv3d")
    assert done.returncode == 1
    assert "no workload has 'conv3d' in its name" in done.stderr
    assert "conv2d: conv2d 3x3" in done.stderr
    assert program("--threads", "0").stderr.startswith("[bench] threads 0: numbers from 1 to")


def test_a_quick_look_measures_and_keeps_the_record():
    record = RECORD.exists() and RECORD.read_bytes()
    done = program("--only", "small", "--quick")
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.startswith("| add (8,8)")]
    assert len(lines) == 2
    assert "WRONG" not in done.stdout
    assert (RECORD.exists() and RECORD.read_bytes()) == record
    assert "1 thread" in (ROOT / "build" / "bench" / "results.md").read_text()


def test_make_hands_its_variables_on():
    words = ["ONLY=conv2d 3x3", "QUICK=1", "THREADS=1,2"]
    inherited = ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS")
    environment = {key: value for key, value in os.environ.items() if key not in inherited}
    command = ["make", "-n", "bench", *words]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    given = " ".join(done.stdout.replace("\\\n", " ").split())
    assert "-m benchmarks --only 'conv2d 3x3' --threads '1,2' --quick" in given
