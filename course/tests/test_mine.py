"""MINE=1: programs that run on the right answers.

Every region that a learner fills lies on a path that `norch` really takes, or MINE=1 would mean
nothing: each says that it runs, then a program uses norch as anybody would.
"""

import functools
import re
from pathlib import Path

import pytest

from norch_course import compiling, mine
from norch_course.catalog import Exercise, load
from norch_course.commands import main, passing
from norch_course.holes import find_hole
from norch_course.workbook import Answer

RIGHT = "    return max(numbers) - min(numbers)  # mine\n"
PROGRAM = """
import sys
from norch_toy import sums
print(sums.total([1, 2]), sums.spread([1, 5]), "# mine" in open(sums.__file__).read(), sys.argv[1:])
"""


@pytest.fixture
def program(toy):
    path = toy.root / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def test_only_right_answers_are_used(toy) -> None:
    toy.answer("1.1", "    return 1\n")
    toy.answer("1.2", RIGHT)
    assert list(passing(toy.course)) == ["1.2"]


def test_a_program_runs_on_the_right_answers(toy, program, capfd) -> None:
    toy.answer("1.1", "    return 1\n")  # wrong: the library's runs instead
    toy.answer("1.2", RIGHT)
    assert main(toy.root, ["mine", str(program), "--epochs", "3"]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "with your own code in 1 of 2 places:",
        "  1.2  Spread",
        "left out, because its check refuses it: 1.1",
        "3 4 True ['--epochs', '3']",
    ]


def test_without_a_right_answer_it_says_so(toy, program, capfd, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(toy.root / "stages" / "01_toy" / "src"))
    assert main(toy.root, ["mine", str(program)]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "none of the 2 exercises passes yet: this is the library alone",
        "3 4 False []",
    ]


def test_the_programs_exit_code_is_returned(toy, program) -> None:
    program.write_text("raise SystemExit(7)", encoding="utf-8")
    assert main(toy.root, ["mine", str(program)]) == 7


def test_a_suite_that_fails_ends_with_the_answers_that_were_in_it(toy, capfd) -> None:
    toy.answer("1.2", RIGHT)
    failing = toy.tests.with_name("test_failing.py")
    failing.write_text("def test_it() -> None:\n    assert False\n", encoding="utf-8")
    assert main(toy.root, ["mine", "1"]) == 1
    last = capfd.readouterr().out.splitlines()[-1]
    assert last == "it failed with your own code in the library: 1.2"


def test_a_new_answer_makes_new_packages(toy, program, capfd) -> None:
    for body in (RIGHT, "    return abs(max(numbers) - min(numbers))\n"):
        toy.answer("1.2", body)
        assert main(toy.root, ["mine", str(program)]) == 0
        assert str("# mine" in body) in capfd.readouterr().out
    assert len(list((toy.root / "build" / "course" / "mine").iterdir())) == 1


def test_the_suite_of_a_stage_runs_on_the_right_answers(toy, capfd) -> None:
    toy.answer("1.2", RIGHT)
    assert main(toy.root, ["mine", "1"]) == 0
    assert "2 passed" in capfd.readouterr().out
    assert main(toy.root, ["mine", "9"]) == 2


ROOT = Path(__file__).resolve().parent.parent.parent
WHOLE_LIBRARY = Path(__file__).with_name("programs") / "whole_library.py"


def speaking(exercise: Exercise, folder: Path) -> Answer:
    """Return the library's own answer, with a line in front that says it runs: a file of that name
    in a folder, or in C++ a line of the output.

    Not both in the output: two buffers, each written out when it is full, cut each other's lines.
    """
    hole = find_hole(exercise.reference, exercise.suffix, exercise.id)
    line = f'__import__("pathlib").Path({str(folder)!r}, "{exercise.id}").touch()'
    if exercise.suffix != ".py":
        line = f'__builtin_printf("ran {exercise.id}\\n");'
    if exercise.suffix == ".cu" and not hole.indent:  # a whole program: no function is around it
        line = f"const int spoken = {line}"
    return Answer(hole._replace(body=f"{hole.indent}{line}\n{hole.body}"), False, None)


@pytest.fixture
def silent(tmp_path, monkeypatch, capfd):
    """Return a function that says which of some exercises' regions a program does not pass."""
    quick = functools.partial(compiling.compile_module, quick=True)
    monkeypatch.setattr(mine, "compile_module", lambda *words, **_: quick(*words))
    monkeypatch.setattr(mine, "cache_folder", lambda course: tmp_path)

    def run(program: Path, word: str | None = None) -> list[str]:
        course = load(ROOT)
        seen = tmp_path / "seen"
        seen.mkdir()
        answers = {one.id: speaking(one, seen) for one in course.select(word)}
        assert mine.run(course, answers, [str(program)]) == 0
        ran = re.findall(r"^ran (\d+\.\d+)$", capfd.readouterr().out, re.MULTILINE)
        return sorted({*answers} - {*ran} - {path.name for path in seen.iterdir()})

    return run


def test_every_region_runs_when_norch_is_used(silent) -> None:
    assert silent(WHOLE_LIBRARY) == []


def test_a_region_that_nobody_calls_is_found(silent, tmp_path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import norch\nnorch.arange(6).reshape(2, 3).permute(1, 0)\n")
    found = silent(program, "1")
    assert "1.8" in found and "1.4" not in found
