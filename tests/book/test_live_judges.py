"""Every right and every known wrong answer, judged by a page's own worker in Pyodide under node.

What the course says of an answer here, in a process of its own, the page must say: the verdict and
every sentence. Where a recursion is too deep, Pythons of two versions say differently.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import built
import packing
import pytest

from norch_course import grading, running
from norch_course.catalog import load
from norch_course.forge import workers
from norch_course.holes import find_hole, splice
from norch_course.misconceptions import TOO_DEEP
from norch_course.workbook import answer_to, stub_text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PYTHON = ROOT / "book" / "live" / "python"
sys.path.insert(0, str(PYTHON))

import live_check  # noqa: E402

# A compiled stage lies in memory and in tables outside it, of which a copy of the memory knows
# nothing: stages are loaded before the copy is made.
BELOW = """
import ctypes, pathlib, unittest.mock, live_check, norch_cpu_ops
for path in pathlib.Path("/norch/stages/04_autograd/src").rglob("_core.*.so"):
    ctypes.CDLL(str(path))
live_check.course()
"""
STAGES = {"1": BELOW, "4": BELOW, "5": f"{BELOW}import norch_autograd"}
SAMPLE = ("1.6", "4.2", "4.4", "4.15", "5.1", "5.13")  # 4.4 builds a chain of 50,000 nodes
SPOIL = """
    import math, sys
    math.prod = None
    sys.modules["norch_strides"] = None
    return ()
"""

pytestmark = [
    pytest.mark.skipif(not shutil.which("node"), reason="node is not installed: it runs Pyodide"),
    pytest.mark.skipif(not built.is_there(), reason="Pyodide is not here: make wasm fetches it"),
    pytest.mark.skipif(not built.modules(), reason="no stages compiled for a browser: make wasm"),
]


@pytest.fixture(scope="module")
def course():
    """Return the exercises."""
    return load(ROOT)


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """Return what starts a worker, without what it imports and the archives it unpacks."""
    folder = tmp_path_factory.mktemp("packs")
    (folder / "library.zip").write_bytes(packing.library())
    tars = [folder / f"{pack}.tar" for pack in ("course", "tensors", "library")]
    for tar in tars:
        tar.write_bytes(packing.archive(packing.with_compiled(packing.sources(tar.stem))))
    worker = built.HERE / "page" / "worker.js"
    path = PYTHON / "live_path.py"
    given = [built.PYODIDE, worker, folder / "library.zip", path]
    return lambda warm: ["node", HERE / "worker_in_node.cjs", *given, warm, *tars]


def message(one, body, **more):
    """Return what the page asks its worker for."""
    return json.dumps({"do": "check", "id": one.id, "body": body, **more}) + "\n"


def judged(command, answers, warm=BELOW):
    """Return what a worker says of (exercise, body), each in a Python as it was after `warm`."""
    asked = "".join(message(*answer) for answer in answers)
    done = subprocess.run(command(warm), input=asked, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(found) == len(answers), done.stderr
    return [one.get("verdict", one) for one in found]


def expected(one, body, folder):
    """Return what the course says of an answer here, as the page shows it."""
    path = folder / f"{one.id}_{abs(hash(body))}.py"
    path.write_text(splice(stub_text(one), {one.id: body}, one.suffix), encoding="utf-8")
    answer = answer_to(one, path)
    return live_check.said(grading.grade(one, answer, grading.cache_folder(load(ROOT))), answer)


def answers_to(exercises):
    """List the right answer and all known wrong ones to each exercise."""
    found = []
    for one in exercises:
        bodies = [find_hole(one.reference, one.suffix, one.id).body]
        bodies += [wrong.body for wrong in one.stage.wrong_answers(one.id)]
        found += [(one, body) for body in bodies]
    return found


def differences(answers, ours, folder):
    """List the answers of which the page says anything else than the course."""
    with workers() as pool:
        wanted = list(pool.map(lambda answer: expected(*answer, folder), answers))
    for verdict in (*wanted, *ours):
        verdict["lines"] = [TOO_DEEP.sub(r"\1", line) for line in verdict.get("lines", ())]
        if any("RecursionError" in line for line in verdict["lines"]):
            verdict["line"] = None
    triples = zip(answers, wanted, ours, strict=True)
    return [(one.id, body, w, o) for (one, body), w, o in triples if w != o and not simulated(w, o)]


def simulated(wanted, ours):
    """Tell whether an answer is refused in both places, here with the simulator's help.

    A page has no kernels for a simulated GPU, to which one wrong answer to 5.22 sends a tensor.
    """
    lacks = any("kernel sources are missing" in line for line in ours["lines"])
    return lacks and wanted["status"] == ours["status"] == "wrong"


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_a_page_says_of_every_known_answer_what_the_course_says(stage, command, course, tmp_path):
    answers = answers_to(course.select(stage))
    ours = judged(command, answers, STAGES[stage])
    assert len(answers) > 90
    assert differences(answers, ours, tmp_path) == []


def test_a_page_says_of_some_answers_what_the_course_says(command, course, tmp_path):
    known = [answers_to([course.find(id)]) for id in SAMPLE]
    answers = [answer for answers in known for answer in (answers[0], answers[-1])]
    ours = judged(command, answers)
    assert [one["status"] for one in ours] == ["ok", "wrong"] * len(SAMPLE)
    assert differences(answers, ours, tmp_path) == []


def test_each_answer_has_a_python_that_no_other_has_seen(command, course):
    one = course.find("1.6")
    right = find_hole(one.reference, one.suffix, one.id).body
    first, spoiled, last = judged(command, [(one, right), (one, SPOIL), (one, right)])
    assert first == last and first["status"] == "ok"
    assert spoiled["status"] == "wrong"


def test_an_answer_that_ends_python_or_prints_without_end(command, course, tmp_path):
    one = course.find("4.3")
    bodies = ["    exit(4)\n", "    import os\n    os._exit(3)\n", "    return 1\n\nexit(2)\n"]
    bodies += ["    while True:\n        print('x' * 60)\n"]
    answers = [(one, body) for body in bodies]
    *ours, unread = judged(command, [*answers, (one, "    return 1\n\n1 / 0\n")])
    assert differences(answers, ours, tmp_path) == []
    assert {verdict["status"] for verdict in ours} == {"wrong"}
    assert unread["lines"][0] == f"you       {running.exit_problem(1)}"  # and the course's frames
    assert any("ZeroDivisionError" in line or "lines more" in line for line in unread["lines"])


def test_an_answer_without_end_is_ended_and_named(command, course):
    one = course.find("4.3")
    endless = "    while True:\n        pass\n"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command(BELOW), **pipes) as process:
        process.stdin.write(message(one, endless))
        process.stdin.flush()
        assert process.stdout.readline() == "judging\n"
        process.kill()
    was = {"notes": "", "printed": "", "problem": ""}
    asked = message(one, endless, was=was)
    done = subprocess.run(command(BELOW), input=asked, capture_output=True, text=True, check=True)
    verdict = json.loads(done.stdout)["verdict"]
    assert verdict["lines"] == [f"you       {running.too_late(running.TIME_LIMIT)}"]
