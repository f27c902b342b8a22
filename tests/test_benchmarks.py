"""The benchmark program: it catches wrong values, names what is missing, measures what it is told.

No test judges a time. Rows are measured inside this process, on workloads made for the test; one
test runs the program as `make bench ONLY=small QUICK=1` does.
"""

import contextlib
import importlib
import importlib.util
import math
import os
import subprocess
import sys
import time
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
    parts += ["checkpoints", "memory", "noise", "random_table", "workloads"]
    parts += [f"workloads.{name}" for name in ("examples", "further", "programs", "random_shapes")]
    modules = {
        name.rpartition(".")[2]: importlib.import_module(f"benchmarks.{name}") for name in parts
    }
    yield SimpleNamespace(**modules, WORKLOADS=modules["workloads"].WORKLOADS)
    norch.set_num_threads(threads)


def test_workload(bench, **options):
    """Return a workload that adds two arrays, changed by `options`."""
    given = {
        "inputs": bench.workload.normal(a=(3, 5), b=(3, 5)),
        "build": lambda lib, given: lambda: given["a"] + given["b"],
        "numpy": lambda lib, given: lambda: given["a"] + given["b"],
        "gate": 1.0,
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
        calls, a, b = iter(range(10**9)), given["a"], given["b"]
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


def test_what_draws_lots_is_compared_without_them(bench, monkeypatch):
    drawn = lambda lib, given: lambda: given["a"] * np.random.random()  # noqa: E731
    row = measured(bench, monkeypatch, build=drawn, numpy=drawn)
    assert row.wrong.startswith("norch, before timing")
    fixed = lambda lib, given: lambda: given["a"] * 2  # noqa: E731
    row = measured(bench, monkeypatch, build=drawn, numpy=drawn, check=fixed)
    assert row.wrong == "" and row.times["norch"]
    wrong = lambda lib, given: lambda: given["a"] * (2 if lib is np else 3)  # noqa: E731
    row = measured(bench, monkeypatch, build=drawn, numpy=drawn, check=wrong)
    assert row.wrong.startswith("norch, before timing")


@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_inputs_lie_where_the_row_says(bench, dtype):
    array = np.arange(6, dtype=dtype).reshape(2, 3)
    own = bench.workload.place(norch, array, "own")
    assert own.data_ptr() % 64 == 0 and own.data_ptr() != array.ctypes.data
    user = bench.workload.place(norch, array, "user")
    assert user.data_ptr() % 64 == 16
    assert bench.workload.place(np, array, "user").ctypes.data % 64 == 16
    assert own.tolist() == user.tolist() == array.tolist()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems place large arrays elsewhere")
def test_numpy_places_large_arrays_as_the_rows_of_user_memory_have_them():
    assert np.empty(1 << 26, np.uint8).ctypes.data % 64 == 16


def test_a_worker_works_on_the_memory_of_the_row(bench, monkeypatch):
    for memory, skip in (("own", 0), ("user", 16)):
        workload = test_workload(bench, memory=memory)
        session = bench.worker.Session("norch")
        session.prepare(workload)
        assert [each.data_ptr() % 64 for each in session.inputs.values()] == [skip, skip]


def test_one_thread_of_norch_may_be_what_it_is_held_against(bench, monkeypatch):
    workload = test_workload(bench, beside="one thread", threads=2)
    monkeypatch.setattr(bench.worker, "by_name", lambda name: workload)
    sessions = [bench.worker.Session("norch"), bench.worker.Session("norch")]
    sessions[1].name = bench.driver.ALONE
    row = bench.driver.measure(workload, sessions, 2, 3, 1e-5)
    assert (row.checked, len(row.times["one thread"])) == ("one thread", 3)
    row.times = {"norch": [3.0], "one thread": [2.0], "torch": [9.0]}
    assert (row.ratio, bench.row.judge(row)) == (1.5, "missed")


def test_a_slow_row_ends_after_its_fewest_rounds(bench, monkeypatch):
    monkeypatch.setattr(bench.driver, "SLOW", 0.0)
    row = measured(bench, monkeypatch, rounds=50)
    assert len(row.times["norch"]) == bench.driver.FEWEST


def test_threads_that_still_run_are_seen(bench):
    if not Path("/proc/self/task").exists():
        pytest.skip("this system does not tell what its threads do")
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    idle = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    until = time.monotonic() + 60
    while not (bench.machine.runs(busy.pid) and not bench.machine.runs(idle.pid)):
        assert time.monotonic() < until
        time.sleep(0.05)
    for process in (busy, idle):
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("norch", "gate", "aim", "verdict"),
    [
        ([1.0], 2.0, 1.0, "aim met"),
        ([1.5], 2.0, 1.0, "met"),
        ([2.5], 2.0, 1.0, "missed"),
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
    row = bench.row.Row(
        "x", "g", 1, 1.0, times={"norch": [1.0, 20.0, 6.0], "torch": [2.0, 10.0, 3.0]}
    )
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
    assert "torch" not in bench.machine.find_frameworks()
    sentence = bench.machine.missing_torch()
    assert "torch is not installed" in sentence
    assert "-m pip install torch==2.13.0" in sentence
    assert f"> {sentence}" in bench.report.page([], {}, {}, [sentence], [])


def test_the_page_names_both_copies_of_openblas_as_the_workers_have_them(bench, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")  # the oldest there is, of this shell alone
    facts = bench.machine.facts()
    assert "BLAS: " in facts["norch"] and "BLAS: " in facts["numpy"]
    assert "Prescott" not in facts["norch"] + facts["numpy"]


def names(bench):
    return [w.name for w in bench.WORKLOADS], [w.group for w in bench.WORKLOADS]


def test_only_chooses_by_group_and_by_word(bench):
    every, groups = names(bench)
    conv2d = bench.workloads.choose("conv2d", every, groups)
    assert conv2d == [name for name, g in zip(every, groups, strict=True) if g == "conv2d"]
    assert bench.workloads.choose("16M exp, add (8,8)"[:7], every, groups) == ["16M exp"]
    assert bench.workloads.choose("lstm,small", every, groups)[-1].startswith("LSTM")
    assert bench.workloads.choose("", every, groups) == every


def test_an_unknown_only_is_refused_with_the_list(bench):
    every, groups = names(bench)
    with pytest.raises(ValueError, match=r"\[bench\] no workload has 'conv3d' in its name") as told:
        bench.workloads.choose("small,conv3d", every, groups)
    assert all(name in str(told.value) for name in every)


# The table of gates: (words in the row's name, gate, aim).
GATES = [
    ("add (8,8)", 0.25, 0.20),
    ("add (8,8), recorded", 0.26, 0.19),
    ("20 small ops + backward", 0.15, 0.12),
    ("stack of 32 (8,8)", 1.0, 0.7),
    ("default_collate of 32 pairs", 1.0, 0.7),
    ("list(x) of 64 rows", 1.0, 0.7),
    ("64 item()", 1.0, 0.7),
    ("w[idx] of 64 rows", 1.0, 0.7),
    ("x[1:6] = y", 1.0, 0.7),
    ("1M add", 0.97, 0.90),
    ("(1024,1) + (1,1024)", 1.0, 0.90),
    ("(16384,1) + (1,64)", 1.0, 0.90),
    ("(256,1) + (1,4096)", 1.0, 0.90),
    ("1M sum", 1.03, 0.90),
    ("1M add, broadcast row", 0.85, 0.80),
    ("1M exp", 0.35, 0.25),
    ("1M gelu", 0.75, 0.6),
    ("16M add", 0.14, 0.12),
    ("16M add, broadcast row", 0.12, 0.10),
    ("16M sum", 1.0, 0.90),
    ("16M copy into a tensor", 1.0, 0.90),
    ("16M A + B.T", 0.22, 0.12),
    ("matmul 128", 1.0, 0.90),
    ("matmul 2048", 1.0, 0.90),
    ("MLP 784-30-10 step, batch 32, SGD", 0.18, 0.15),
    ("MLP 784-512-256-10 step, batch 128, Adam", 0.75, 0.60),
    ("CNN step, batch 64, Adam", 0.38, 0.36),
    ("conv2d 3x3 (64,32,28,28)->64", 0.40, 0.36),
    ("conv2d 5x5 (32,32,14,14)->64", 1.3, 1.0),
    ("LayerNorm (4096,768)", 0.72, 0.65),
    ("BatchNorm2d (64,64,28,28)", 0.44, 0.40),
    ("softmax (4096,1024)", 0.75, 0.60),
    ("cross-entropy (4096,1024)", 0.30, 0.20),
    ("GPT block (4,256,256)", 0.85, 0.75),
    ("LSTM 128->256 (64,32,128)", 0.95, 0.90),
    ("int8 Linear 1024->4096 (16,1024)", 1.0, 0.90),
    ("int8 Linear 1024->4096 (256,1024)", 1.0, 0.90),
    ("DataLoader epoch, 20,000 images, batch 64", 0.12, 0.07),
    ("import time", 0.25, 0.10),
    ("memory after import", 0.20, 0.06),
    ("peak memory, CNN step", 0.60, None),
    ("resnet50.py, ResNet-18 step, batch 8 of 64 x 64, first call", 1.0, 0.7),
]
BOTH_MEMORIES = [
    "LayerNorm (4096,768)",
    "cross-entropy (4096,1024)",
    "1M add",
    "(1024,1) + (1,1024)",
    "(16384,1) + (1,64)",
    "(256,1) + (1,4096)",
    "16M A + B.T",
    "softmax (4096,1024)",
    "BatchNorm2d (64,64,28,28)",
    "DataLoader epoch, 20,000 images, batch 64",
]


@pytest.mark.parametrize(("name", "gate", "aim"), GATES)
def test_every_gate_has_its_row(bench, name, gate, aim):
    rows = {each.name: each for each in (*bench.WORKLOADS, *bench.processes.PROCESSES)}
    assert (rows[name].gate, rows[name].aim) == (gate, aim)


def by_name(bench):
    return {each.name: each for each in bench.WORKLOADS}


@pytest.mark.parametrize("name", BOTH_MEMORIES)
def test_the_gate_holds_for_the_worse_of_both_memories(bench, name):
    own, user = by_name(bench)[name], by_name(bench)[f"{name}, user memory"]
    assert (own.memory, user.memory) == ("own", "user")
    assert (own.gate, own.build) == (user.gate, user.build)


@pytest.mark.parametrize("size", ["256", "512", "1024", "2048", "vector 1x1024x1024"])
def test_two_threads_multiply_beside_numpy(bench, size):
    row = by_name(bench)[f"matmul {size}, beside NumPy"]
    assert (row.beside, row.threads, row.gate) == ("numpy", 2, 1.05) and row.numpy


def test_two_threads_are_held_against_one_in_every_row(bench):
    rows = by_name(bench)
    assert rows["matmul 1024"].scaling == rows["conv2d 3x3 (64,32,28,28)->64"].scaling == 1.7
    assert min(each.scaling for each in bench.WORKLOADS) == 1.0
    times = {"norch": [1.0], "torch": [2.0], "one thread": [1.6]}
    row = bench.row.Row("x", "g", 2, 1.0, times=times, cores=2, scaling_gate=1.7)
    assert bench.row.judge(row) == "missed" and bench.report.scaling(row) == "1.60 of 1.70"
    row.times["one thread"] = [1.8]
    assert bench.row.judge(row) == "met"
    row.times["one thread"], row.others = [0.5], 1.5  # of two cores
    assert bench.row.judge(row).startswith("not judged")


def test_a_share_of_the_limit_is_a_gate_of_its_own(bench):
    rows = by_name(bench)
    assert (rows["matmul 1024, share of peak"].share, rows["1M sum, share of reading"].share) == (
        0.85,
        0.95,
    )
    row = bench.row.Row("x", "g", 1, None, times={"norch": [1.0]}, flops=80.0, peak=100.0)
    row.share_gate = 0.85
    assert (row.share, bench.row.judge(row)) == (0.8, "missed")
    assert bench.report.gate_of(row) == ">= 85% of limit"
    row.peak = 90.0
    assert bench.row.judge(row) == "met"


def test_work_is_held_against_the_limit_of_its_type_and_its_way(bench):
    operations, cache = {"float32": 200.0, "int8": 800.0}, {"read": 30.0, "triad": 20.0}
    limits = bench.machine.Limits("peak.c", operations, cache, {"read": 9.0, "triad": 6.0})
    work = lambda **of: test_workload(bench, **of)  # noqa: E731
    assert limits.of(work(flops=1.0, operations="int8")) == 800.0
    assert limits.of(work(flops=1.0, operations="bfloat16")) is None  # no instruction for it
    assert limits.of(work(bytes=1e6, traffic="read")) == 30.0
    assert limits.of(work(bytes=1e9)) == 6.0
    assert limits.of(work()) is None
    twice = bench.machine.Limits("peak.c", {"float32": 300.0}, {}, {})
    assert (twice.scaling(limits), twice.scaling(None)) == (1.5, float("inf"))


def test_norch_beside_itself_says_how_noisy_a_run_is(bench):
    chosen = bench.noise.rows_of(bench.WORKLOADS, ["16M add", "matmul 1024"])
    assert [(each.name, each.beside) for each in chosen] == [("16M add", "again")]
    assert [each.name for each in bench.noise.rows_of(bench.WORKLOADS, ["1M exp"])] == ["1M exp"]
    assert not bench.noise.rows_of(bench.WORKLOADS, ["import time"])
    assert set(bench.noise.NAMES) <= set(by_name(bench))
    times = {"norch": [1.0], "again": [1.02]}
    quiet = bench.row.Row("quiet", "g", 1, 1.0, beside="again", times=times)
    assert bench.noise.fact([quiet]) == "1.00 within 2.0% in 1 rows; farthest: quiet"
    assert bench.noise.warning([quiet]) == bench.noise.warning([]) == ""
    loud = bench.row.Row("loud", "g", 1, 1.0, beside="again", times={"norch": [1.0], "again": [2]})
    assert "too noisy: norch beside itself differs by 50.0% in 'loud'" in bench.noise.warning(
        [quiet, loud]
    )
    void = bench.row.Row("void", "g", 1, 1.0, beside="again", wrong="value 0 is off")
    assert "in 1 rows" in bench.noise.fact([quiet, void])
    assert "no ratio in 'void' (WRONG VALUE: value 0 is off)" in bench.noise.warning([quiet, void])


def test_what_memory_bounds_is_the_median_of_fresh_processes(bench, monkeypatch):
    workload = test_workload(bench, fresh=True)
    monkeypatch.setattr(bench.worker, "by_name", lambda name: workload)
    started = []

    @contextlib.contextmanager
    def start():
        started.append([bench.worker.Session(name) for name in ("norch", "numpy")])
        yield started[-1]

    (row,) = bench.driver.measure_afresh([workload], start, 1, 15, 1e-5)
    assert len(started) == len(row.times["norch"]) == len(row.times["numpy"]) == bench.driver.SETS
    assert all(each.fresh for each in bench.WORKLOADS if each.group == "elementwise")


def test_one_thread_is_timed_by_the_processor_time_of_its_process(bench):
    assert bench.worker.Session("numpy").clock is time.process_time
    assert bench.worker.Session("numpy", 2, "wall").clock is time.perf_counter


def test_a_library_that_is_not_there_is_named(bench, monkeypatch):
    row = measured(bench, monkeypatch, beside="jax")
    assert bench.row.judge(row) == "not installed"
    assert "1 not installed" in bench.report.summary([row])
    assert bench.workload.FURTHER == ("jax", "tinygrad")


def test_every_row_has_fields_that_mean_something(bench):
    for row in bench.WORKLOADS:
        assert (row.gate is None) == (row.share is not None), row.name
        assert row.aim is None or 0 < row.aim <= row.gate, row.name
        assert row.traffic in ("read", "store", "copy", "triad"), row.name
        assert row.memory in ("own", "user") and row.threads in (0, 1, 2), row.name
        assert row.beside == "torch" or row.text(row.beside), row.name
    for process in bench.processes.PROCESSES:
        assert process.gate or process.limit, process.name
        assert process.call in ("first", "process") and process.repeats > 0, process.name
        word = "first call" if process.call == "first" else ""
        assert process.name.endswith(word), process.name


def test_a_cold_start_is_measured_only_when_it_is_named(bench):
    named = [each for each in bench.processes.PROCESSES if each.named]
    assert [each.limit for each in named] == [80.0, 135.0]
    assert not [name for name in program("--list").stdout.splitlines() if "cold start" in name]
    listed = program("--list", "--only", "cold start").stdout.splitlines()
    assert listed == [each.name for each in named]


def test_a_cold_start_clones_and_makes(bench, monkeypatch, tmp_path):
    fake = tmp_path / "make"
    fake.write_text(
        '#!/bin/sh\ntest -e "$2/Makefile" && test -z "$CCACHE_DIR" && echo "$@" > "$TOLD"'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TOLD", str(tmp_path / "told"))
    monkeypatch.setenv("CCACHE_DIR", "warm")
    for process in (each for each in bench.processes.PROCESSES if each.named):
        seconds, reason = bench.processes.run(process, "norch", 1)
        assert seconds > 0 and reason == ""
        assert (tmp_path / "told").read_text().split()[2:] == ["mnist", "EPOCHS=1"]


def test_every_example_has_its_step(bench):
    files = {file.stem for file in (ROOT / "examples").glob("*.py")}
    rows = {each.name.partition(".py")[0] for each in bench.WORKLOADS if each.group == "examples"}
    without = bench.examples.WITHOUT_STEP
    assert rows | set(without) == files and not rows & set(without)
    assert all((each.gate, each.aim) == (1.0, 0.7) for each in bench.examples.ROWS)


def test_an_example_is_read_with_other_imports(bench):
    other = SimpleNamespace(__name__="math")
    before = sys.modules.get("mnist")  # another test may have read it
    module = bench.examples.load(norch, "dcgan")
    assert module.norch is norch and module.mnist.nn is norch.nn
    with pytest.raises(ImportError, match="from 'math'"):
        bench.examples.load(other, "dcgan")
    assert sys.modules.get("mnist") is before


@pytest.mark.parametrize("name", ["mnist.py, cnn", "dcgan.py", "time_series.py"])
def test_lots_are_the_same_where_they_are_compared(bench, name):
    workload = next(each for each in bench.WORKLOADS if each.name.startswith(name))
    session = bench.worker.Session("norch")
    session.prepare(workload)
    first, again = (session.built(workload.check)() for _ in range(2))
    assert first == again
    timed = session.built(workload.build)()
    assert timed != first  # it draws its own lots
    session.stop()


def test_noise_stands_in_where_the_data_are_not(bench, monkeypatch, tmp_path):
    data = importlib.import_module("benchmarks.workloads.data")
    for name in ("MNIST", "CIFAR10", "NN5", "SHAKESPEARE"):
        monkeypatch.setattr(data, name, tmp_path / "some" / "nothing.gz")
    dice = np.random.default_rng(0)
    assert data.kind(data.MNIST) == "noise for some"
    digits, photos = data.digits(4, dice), data.photos(4, dice)
    assert digits["images"].shape == (4, 28, 28) and photos["images"].shape == (4, 32, 32, 3)
    assert max(digits["classes"].max(), photos["classes"].max()) < 10
    assert data.series(30, dice)["values"].shape == (111, 30)
    assert data.characters(2, 65, dice)["text"].shape == (2, 65)


@pytest.mark.parametrize(
    "word", ["1x1", "3x3", "5x5", "7x7", "stride 2", "groups", "depthwise", "odd", "dilation"]
)
def test_convolutions_of_every_kind_are_rows(bench, word):
    found = [w.name for w in bench.WORKLOADS if w.group == "conv2d"]
    assert len(found) >= 12
    assert any(word in name for name in found)


def test_names_are_unique(bench):
    every = [each.name for each in (*bench.WORKLOADS, *bench.processes.PROCESSES)]
    every += [each.name for each in (*bench.checkpoints.ROWS, *bench.memory.ROWS)]
    assert len(set(every)) == len(every)


def test_every_program_has_its_rows_of_time_and_of_memory(bench):
    words = ("MLP", "LeNet", "ResNet-18", "ViT", "GPT", "LSTM language model", "UNet", "DCGAN")
    assert tuple(program.name for program in bench.programs.PROGRAMS) == words
    assert all((each.gate, each.aim) == (0.9, 0.7) for each in bench.programs.ROWS)
    assert {each.gate for each in bench.memory.ROWS} == {0.7}
    assert [each.name for each in bench.memory.ROWS] == [
        f"peak memory, {each.name}" for each in bench.programs.ROWS
    ]


@pytest.mark.parametrize("word", ["LeNet", "DCGAN", "ViT", "LSTM"])
def test_a_program_starts_alike_every_time(bench, word):
    training, inference = [each for each in bench.programs.ROWS if each.name.startswith(word)]
    first, again = ([norch_values(bench, each) for each in (training, inference)] for _ in "ab")
    assert all(map(np.array_equal, first[0] + first[1], again[0] + again[1]))
    assert all(np.isfinite(value).all() for value in first[0] + first[1])


def norch_values(bench, workload):
    """Return what a workload gives in norch."""
    given = {name: norch.from_numpy(array) for name, array in workload.draw().items()}
    return list(bench.worker.flat(workload.build(norch, given)()))


def test_checkpoints_have_their_gates(bench):
    times = [each for each in bench.checkpoints.ROWS if each.unit == "s"]
    assert len(times) == 4 and {each.gate for each in times} == {1.2}
    assert [each.limit for each in bench.checkpoints.ROWS if each.unit == "MiB"] == [320.0, 320.0]


@pytest.mark.parametrize("number", range(6))
def test_a_checkpoints_program_prints_its_number(bench, monkeypatch, number):
    process = bench.checkpoints.ROWS[number]
    text = process.program("norch", 1)
    small = text.replace("(1024, 1024)", "(4, 4)")
    assert small != text
    process = SimpleNamespace(program=lambda library, threads: small)
    found, reason = bench.processes.run(process, "norch", 1)
    assert reason == "" and found >= 0


def test_random_shapes_are_the_same_every_time_and_of_every_kind(bench):
    shapes = bench.random_shapes
    names = [each.name for each in shapes.ROWS]
    assert len(set(names)) == len(names) == len(shapes.KERNELS) * 20 and len(shapes.KERNELS) >= 10
    assert names == [each.name for kernel in shapes.KERNELS for each in shapes.cases(kernel)]
    for word in (*shapes.VIEWS, "float64"):
        assert sum(word in name for name in names) > 20


@pytest.mark.parametrize("view", ["contiguous", "transposed", "every other column"])
def test_a_random_case_has_the_view_that_its_name_says(bench, view):
    shapes = bench.random_shapes
    tensor = norch.ones(*shapes.stored((3, 5), view))
    assert tuple(shapes.seen(tensor, view).shape) == (3, 5)
    assert shapes.seen(tensor, view).is_contiguous() == (view == "contiguous")


def test_random_cases_agree_with_numpy(bench):
    kernels = {kernel.name: kernel for kernel in bench.random_shapes.KERNELS}
    for case in bench.random_shapes.cases(kernels["sum of rows"], 4):
        arrays, view = case.draw(), case.name.split(", ")[1]
        expected = bench.random_shapes.seen(arrays["a"], view).sum(1)
        np.testing.assert_allclose(norch_values(bench, case)[0], expected, atol=1e-3)


def test_the_cases_of_a_kernel_are_one_line(bench):
    make = lambda name, time: bench.row.Row(  # noqa: E731
        name, "random add", 1, 1.0, times={"norch": [time], "torch": [2.0]}
    )
    found = bench.random_table.line("add", [make("a", 1.0), make("b", 3.0), make("c", 0.5)])
    assert bench.random_table.table([found])[2] == ("| add | 3 | 0.50 | 1.50 | 1.00 | met | b |")
    wrong = make("d", 1.0)
    wrong.wrong = "value 0 is off"
    found = bench.random_table.line("add", [wrong])
    assert "d: WRONG VALUE: value 0 is off" in bench.random_table.table([found])[2]
    assert "Random shapes: Gates met: 0 of 0 measured" in bench.report.summary([], [found])
    slow = bench.random_table.line("add", [make("a", 3.0)])
    assert "0 of 1 measured, 0 of them at the aim; 1 missed" in bench.report.summary([], [slow])


def test_a_case_without_torch_is_missing_and_not_wrong(bench):
    alone = {"times": {"norch": [1.0]}, "absent": {"torch": "not installed"}}
    found = bench.random_table.line("add", [bench.row.Row("a", "g", 1, 1.0, **alone)])
    assert (found.wrong, found.missing) == ("", "a: not installed")
    assert bench.random_table.verdict(found) == "a: not installed"


def test_a_row_with_gate_and_limit_is_judged_by_both(bench):
    def verdict(norch, gate):
        times = {"norch": [norch], "torch": [100.0]}
        return bench.row.judge(bench.row.Row("x", "g", 1, gate, times=times, limit=43.0))

    assert [verdict(42, 0.5), verdict(42, 0.2), verdict(44, 0.5), verdict(42, None)] == [
        "met", "missed", "missed", "met",
    ]  # fmt: skip


def test_a_library_that_fails_in_one_set_has_no_rounds(bench):
    row = bench.row.Row("x", "g", 1, 1.0)
    failed = {"absent": {"torch": "crashed"}}
    for times, of in (({"norch": [1.0], "torch": [1.0]}, {}), ({"norch": [9.0]}, failed)) * 2:
        row.add(bench.row.Row("x", "g", 1, 1.0, times=times, **of))
    assert (row.times, row.ratio) == ({"norch": [1.0, 9.0] * 2}, None)
    assert bench.row.judge(row) == "crashed"


def test_each_set_of_processes_has_an_order_of_its_own(bench, monkeypatch):
    orders = []
    monkeypatch.setattr(
        bench.driver, "time_once", lambda row, workers, seconds: orders.append(workers) or workers
    )
    workers = [SimpleNamespace(name=name, ask=lambda request: {"status": "ok"}) for name in "abcd"]
    monkeypatch.setattr(bench.driver.Comparison, "check", lambda self, workers, last: workers)
    for number in range(3):
        bench.driver.measure(test_workload(bench), workers, 1, 1, 1e-5, number)
    assert orders[0] != orders[1] or orders[1] != orders[2]


def test_pages_are_ordinary_where_the_kernel_has_no_large_ones(bench, monkeypatch):
    limits = importlib.import_module("benchmarks.limits")

    class Refusing(limits.mmap.mmap):
        def madvise(self, *advice):
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(limits.mmap, "mmap", Refusing)
    assert limits.aligned_ones(8).tolist() == [1.0] * 8


EXPECTED = (3.04587, 3.00810, 2.97258)  # PyTorch's first losses of that step
INSTALLED = [name for name in ("norch", "jax", "tinygrad") if importlib.util.find_spec(name)]


@pytest.mark.parametrize("other", INSTALLED)
def test_further_libraries_run_the_same_programs(bench, other):
    library = importlib.import_module(other)
    row = next(each for each in bench.further.ROWS if each.name == "MLP step, beside jax")
    given = row.draw()
    if other == "norch":
        given = {name: norch.from_numpy(array) for name, array in given.items()}
    first, second, third = row.check(library, given)()
    assert np.allclose([np.array(each) for each in (first, second, third)], EXPECTED, rtol=1e-4)


def rows(bench):
    times = {"norch": [1.0, 1.0], "torch": [2.0, 2.0]}
    good = bench.row.Row("a & b", "g", 1, 0.6, 0.4, times=times)
    bad = bench.row.Row("c", "g", 1, 0.4, 0.2, times=times)
    return [good, bad, bench.row.Row("d", "g", 1, 1.0, absent={"norch": "failed: no d"})]


def test_the_chart_is_the_same_each_time_and_shows_what_has_a_ratio(bench):
    drawing = bench.chart.chart(rows(bench))
    assert drawing == bench.chart.chart(rows(bench))
    words = [each.text for each in ET.fromstring(drawing).iter() if each.text]
    assert {"a & b", "c", "0.50", "0.50 missed"} <= set(words)
    assert "d" not in words


def test_the_page_counts_and_names(bench):
    page = bench.report.page(rows(bench), {}, {"processor": "Abacus 1"}, [], [])
    assert "Gates met: 1 of 2 measured, 0 of them at the aim; 1 missed; 1 failed" in page
    assert "| processor | Abacus 1 |" in page
    assert (
        "| a & b | steady | - | 1.00 s | 2.00 s | - | 0.50 | 0.50 to 0.50 | 0.60 | 0.40 | met |"
        in page
    )


def test_what_is_not_beside_pytorch_has_a_table_of_its_own(bench):
    of = {"times": {"norch": [1.0], "torch": [2.0], "numpy": [4.0]}}
    beside = bench.row.Row("e, beside NumPy", "g", 1, 1.0, beside="numpy", **of)
    page = bench.report.page([*rows(bench), beside], {}, {}, [], [])
    first, second = page.split("## 1 thread, beside others and the machine's limit")
    assert "| c | steady" in first and "| e, beside NumPy | steady" not in first
    assert "| e, beside NumPy | steady" in second


def test_a_hurry_leaves_out_what_takes_minutes():
    quick = program("--list", "--quick").stdout.splitlines()
    every = program("--list").stdout.splitlines()
    left = set(every) - set(quick)
    assert {"checkpoint of 256 MiB, save", "random shapes of add", "MLP step, beside jax"} <= left
    assert {"1M add", "matmul 512", "import time"} <= set(quick)


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
    # The values themselves go through the environment: see tests/test_make.py.
    assert '-m benchmarks --only="$ONLY" --threads="$THREADS" --quick' in given


def test_a_shells_settings_of_the_libraries_are_not_passed_on(bench, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.setenv("NORCH_CORE", "0")
    given = bench.processes.environment(2)
    assert "OPENBLAS_CORETYPE" not in given
    assert "OMP_WAIT_POLICY" not in given
    assert given["OPENBLAS_NUM_THREADS"] == given["OMP_NUM_THREADS"] == "2"
    assert given["NORCH_CORE"] == "0"  # norch's own form is asked for on purpose


def test_rows_of_two_processes_are_judged_by_what_stands_beside_them(bench, monkeypatch):
    distributed = importlib.import_module("benchmarks.distributed")
    times = {
        "all_gather 64 MB": {"norch": [2.0], "mpi4py": [1.0]},
        "all_reduce 1 KB": {"norch": [2.0], "mpi4py": [1.0]},
        "MLP step": {"norch": [1.05], "norch alone": [1.0]},
    }
    answers = {"norch": (times, ""), "torch": ({}, "no gloo")}
    monkeypatch.setattr(distributed, "launch", lambda library, rounds: answers[library])
    rows = list(distributed.measure(distributed.NAMES, ["norch", "torch"], 1))
    assert [row.name for row in rows] == distributed.NAMES
    verdicts = {row.name.partition(",")[0]: bench.row.judge(row) for row in rows}
    assert {key: verdicts.pop(key) for key in times} == {
        "all_gather 64 MB": "missed",
        "all_reduce 1 KB": "met",
        "MLP step": "met",
    }
    assert set(verdicts.values()) == {"not measured"}
    assert {row.absent["torch"] for row in rows} == {"failed: no gloo"}
    assert list(distributed.measure(["matmul 512"], ["norch"], 1)) == []


def test_a_prediction_misses_on_either_side(bench, monkeypatch):
    simulation = importlib.import_module("benchmarks.simulation")
    seconds = {
        "MLP": {"norch": [0.8], "measured": [1.0]},
        "GPT": {"norch": [0.95], "measured": [1.0]},
    }
    monkeypatch.setattr(
        simulation,
        "launch",
        lambda link, models, rounds: (
            ({}, "no cable")
            if link == "100 Mbit/s"
            else ({name: seconds[name] for name in models}, "")
        ),
    )
    rows = list(simulation.measure(simulation.NAMES, ["norch"], 1))
    assert [row.name for row in rows] == simulation.NAMES
    verdicts = [bench.row.judge(row) for row in rows]
    assert verdicts == ["missed", "met"] * 3 + ["failed: no cable"] * 2
    assert bench.report.gate_of(rows[0]) == "0.90 to 1.10"
    rows[0].times["norch"] = [1.2]
    assert bench.row.judge(rows[0]) == "missed"
    assert list(simulation.measure(["matmul 512"], ["norch"], 1)) == []


def test_a_simulated_row_says_why_it_has_no_times(bench):
    simulation = importlib.import_module("benchmarks.simulation")
    command = [sys.executable, "-c", "import sys; sys.exit('no MPI here')"]
    failed = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert simulation.answer([failed]) == ({}, "no MPI here")
    words = "print('a warning'); print('{\"MLP\": {}}')"
    ended = subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE, text=True)
    assert simulation.answer([ended]) == ({"MLP": {}}, "")


@pytest.mark.slow  # two processes, tensors of 64 MB and three models
def test_two_processes_measure_every_row(bench):
    distributed = importlib.import_module("benchmarks.distributed")
    times, reason = distributed.launch("norch", 1)
    assert not reason
    rows = [name.partition(",") for name in distributed.NAMES]
    beside = {key: "mpi4py" if "MPI" in rest else "norch alone" for key, _, rest in rows}
    assert {key: set(found) for key, found in times.items()} == {
        key: {"norch", other} for key, other in beside.items()
    }
