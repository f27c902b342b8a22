"""Answers that are judged together get what each would get alone: in forks of one forge, and where
wrong answers in C++ share one compilation.
"""

from pathlib import Path

import pytest

from norch_course import grading, machine, running
from norch_course.catalog import CourseError, load
from norch_course.compiling import CompileError, build_tree, is_current
from norch_course.forge import workers
from norch_course.holes import splice

ROOT = Path(__file__).resolve().parent.parent.parent
BODIES = {
    "    return sum(numbers)\n": "",
    "    print('so')\n    return strids\n": "",
    "    import os\n    return os.kill(os.getpid(), 11 * len(numbers))\n": "crashed (SIGSEGV)",
    "    import os\n    os._exit(3)\n": running.exit_problem(3),
    "    while numbers:\n        pass\n    return 0\n": running.too_late(1),
}


def runs(exercise, bodies, judge_all=map):
    """Judge bodies of one hole."""
    texts = [splice(exercise.reference, {exercise.id: body}, exercise.suffix) for body in bodies]
    return list(judge_all(lambda text: running.run(text, exercise, [exercise]), texts))


def test_right_wrong_crashing_and_endless_answers_are_judged_alike(toy, monkeypatch) -> None:
    monkeypatch.setattr(running, "TIME_LIMIT", 1)
    monkeypatch.setattr(running, "PATIENCE", 60)
    exercise = toy.course.find("1.1")
    own = runs(exercise, BODIES)
    assert [run.problem for run in own] == list(BODIES.values())
    with workers() as pool:
        assert runs(exercise, BODIES, pool.map) == own


def test_a_forge_outlives_an_answer_that_waits_for_ever(toy, monkeypatch) -> None:
    exercise = toy.course.find("1.1")
    with workers() as pool:
        [before] = runs(exercise, list(BODIES)[:1], pool.map)
        with monkeypatch.context() as patch:
            patch.setattr(running, "TIME_LIMIT", 1)
            patch.setattr(running, "PATIENCE", 2)
            patch.setattr(machine, "is_starved", lambda *_: False)
            [late] = runs(exercise, ["    import time\n    time.sleep(600)\n"], pool.map)
        [after] = runs(exercise, list(BODIES)[:1], pool.map)
    assert late.problem.startswith("gave no answer within 2 seconds, and did nothing")
    assert before == after and not after.problem


@pytest.mark.parametrize("id", ["3.1", "6.1"])
def test_a_fork_imports_the_package_under_test_itself(id: str) -> None:
    """What the forge has imported are the stages below: the answer is found in time."""
    exercise = load(ROOT).find(id)
    bodies = [exercise.wrong[0].body]
    own = runs(exercise, bodies)
    with workers() as pool:
        assert runs(exercise, bodies, pool.map) == own
    assert not all(record.right for record in own[0].records)


@pytest.fixture
def exercise():
    one = load(ROOT).find("2.2")
    try:
        fits = is_current(build_tree(one.stage))
    except CourseError:
        fits = False
    if not fits:
        pytest.skip("stage 2 was not built here as an editable install: make setup")
    return one


def test_a_variant_behaves_as_it_does_alone(exercise, tmp_path, monkeypatch) -> None:
    bodies = [wrong.body for wrong in exercise.wrong[:2]]
    together = running.run_variants(exercise, bodies)
    texts = [splice(exercise.reference, {exercise.id: b}, exercise.suffix) for b in bodies]
    assert together == [running.run(text, exercise, [exercise]) for text in texts]
    assert together[0].records != together[1].records
    grading.grade_together(exercise, bodies, tmp_path, "basis")
    monkeypatch.setattr(running, "run", None)  # the verdicts are remembered: nothing runs again
    verdicts = [grading.grade_body(exercise, body, tmp_path, basis="basis") for body in bodies]
    assert [verdict.records for verdict in verdicts] == [one.records for one in together]


def test_one_that_does_not_compile_spoils_no_other(exercise, tmp_path) -> None:
    bodies = [exercise.wrong[0].body, "  return y;\n"]
    with pytest.raises(CompileError):
        running.run_variants(exercise, bodies)
    grading.grade_together(exercise, bodies, tmp_path, "basis")
    assert not list(tmp_path.rglob("*.json"))  # each is judged by itself, when it is asked for
