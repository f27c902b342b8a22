"""Every region that a learner fills lies on a path that `norch` really takes: MINE=1 means that.

Each region of the library says that it runs; then a program uses norch as anybody would.
"""

import functools
import re
from pathlib import Path

import pytest

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


@pytest.fixture
def silent(tmp_path, monkeypatch, capfd):
    """Return a function that says which of some exercises' regions a program does not pass."""
    quick = functools.partial(compiling.compile_module, quick=True)
    monkeypatch.setattr(mine, "compile_module", lambda *words, **_: quick(*words))
    monkeypatch.setattr(mine, "cache_folder", lambda course: tmp_path)

    def run(program: Path, word: str | None = None) -> list[str]:
        course = load(ROOT)
        answers = {one.id: speaking(one) for one in course.select(word)}
        assert mine.run(course, answers, [str(program)]) == 0
        ran = re.findall(r"^ran (\d+\.\d+)$", capfd.readouterr().out, re.MULTILINE)
        return sorted({*answers} - {*ran})

    return run


def test_every_region_runs_when_norch_is_used(silent) -> None:
    assert silent(PROGRAM) == []


def test_a_region_that_nobody_calls_is_found(silent, tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import norch\nnorch.arange(6).reshape(2, 3).permute(1, 0)\n")
    found = silent(program, "1")
    assert "1.8" in found and "1.4" not in found
