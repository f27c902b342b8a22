"""Wrong answers in C++ share one compilation: each behaves as if it had been compiled alone."""

from pathlib import Path

import pytest

from norch_course import grading, running
from norch_course.catalog import CourseError, load
from norch_course.compiling import CompileError, build_tree, is_current
from norch_course.holes import splice

COURSE = load(Path(__file__).resolve().parent.parent.parent)


@pytest.fixture
def exercise():
    one = COURSE.find("2.2")
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
