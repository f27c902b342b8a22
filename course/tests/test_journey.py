"""A simulated learner goes from nothing to everything, one exercise at a time, in any order."""

import random
import shutil
from pathlib import Path

import pytest

from norch_course import grading, workbook
from norch_course.catalog import Course, load
from norch_course.commands import statuses
from norch_course.grading import cache_folder
from norch_course.holes import find_hole, splice
from norch_course.workbook import stubs

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def classroom(tmp_path_factory) -> Course:
    """Copy every stage that has exercises."""
    root = tmp_path_factory.mktemp("classroom")
    for stage in load(ROOT).stages:
        shutil.copytree(
            stage.folder,
            root / "stages" / stage.folder.name,
            ignore=shutil.ignore_patterns("__pycache__", "*.so", "build"),
        )
        if (stage.folder / "build").is_dir():  # C++ answers are linked with what was built there
            built = root / "stages" / stage.folder.name / "build"
            built.symlink_to(stage.folder / "build")
    return load(root)


def begin(course: Course) -> None:
    for stage in course.stages:
        for path, text in stubs(stage).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def solve(exercise) -> None:
    body = find_hole(exercise.reference, exercise.suffix, exercise.id).body
    mine = exercise.stub.read_text(encoding="utf-8")
    exercise.stub.write_text(splice(mine, {exercise.id: body}, exercise.suffix), encoding="utf-8")


def travel(course: Course, ids: list[str]) -> None:
    """Solve one exercise after the other; after each, it and no other may have changed."""
    begin(course)
    expected = dict.fromkeys(course.exercises, "todo")
    assert statuses(course) == expected
    for id in ids:
        solve(course.find(id))
        expected[id] = "ok"
        assert statuses(course) == expected


@pytest.mark.long
@pytest.mark.parametrize("order", ["in order", 1])
def test_progress_grows_by_one_exercise_at_a_time(classroom: Course, order: str | int) -> None:
    ids = list(classroom.exercises)
    if order != "in order":
        random.Random(order).shuffle(ids)
    travel(classroom, ids)
    for one in classroom.exercises.values():
        assert one.stub.read_bytes() == one.source.read_bytes()
    assert cache_folder(classroom).is_relative_to(classroom.root)


def test_the_small_course_is_a_journey_too(toy) -> None:
    travel(toy.course, ["1.2", "1.1"])


def test_a_journey_that_never_arrives_is_found(toy) -> None:
    toy.change(toy.source, "return found\n", "return found + 1\n")
    with pytest.raises(AssertionError, match=r"'1\.1': 'wrong'"):
        travel(toy.course, ["1.2", "1.1"])


def test_progress_that_is_only_remembered_is_found(toy, monkeypatch) -> None:
    monkeypatch.setattr(grading, "_key", lambda *what: "always the same")
    monkeypatch.setattr(workbook, "_code_of", lambda *what: "something")  # stubs are judged too
    with pytest.raises(AssertionError, match="Differing items"):
        travel(toy.course, ["1.2", "1.1"])
