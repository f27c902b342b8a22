"""Every region that a learner fills lies on a path that `norch` really takes: MINE=1 means that.

Each region of the library says that it runs; then a program uses norch as anybody would.
"""

import functools
import re
from pathlib import Path

from norch_course import compiling, mine
from norch_course.catalog import Exercise, load
from norch_course.holes import find_hole
from norch_course.workbook import Answer

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAM = Path(__file__).with_name("programs") / "whole_library.py"


def speaking(exercise: Exercise) -> Answer:
    """Return the library's own answer, with a line in front that says it runs."""
    hole = find_hole(exercise.reference, exercise.suffix, exercise.id)
    line = f'print("ran {exercise.id}")'
    if exercise.suffix != ".py":
        line = f'__builtin_printf("ran {exercise.id}\\n");'
    return Answer(hole._replace(body=f"{hole.indent}{line}\n{hole.body}"), False, None)


def test_every_region_runs_when_norch_is_used(tmp_path, monkeypatch, capfd) -> None:
    quick = functools.partial(compiling.compile_module, quick=True)
    monkeypatch.setattr(mine, "compile_module", lambda *words, **_: quick(*words))
    monkeypatch.setattr(mine, "cache_folder", lambda course: tmp_path)
    course = load(ROOT)
    answers = {id: speaking(one) for id, one in course.exercises.items()}
    assert mine.run(course, answers, [str(PROGRAM)]) == 0
    ran = set(re.findall(r"^ran (\d+\.\d+)$", capfd.readouterr().out, re.MULTILINE))
    assert set(course.exercises) - ran == set()
