"""MINE=1 and `make grade`: programs that run on right answers, and tables of a class."""

import csv
import shutil

import pytest

from norch_course.commands import main, passing

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


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def test_a_class_becomes_a_table(toy, tmp_path, capsys) -> None:
    toy.answer("1.2", RIGHT)
    folder, out = tmp_path / "submissions", tmp_path / "grades.csv"
    inside = toy.stub.relative_to(toy.root)
    for name, place in (("ada", inside), ("ben", inside.relative_to("stages"))):
        (folder / name / place).parent.mkdir(parents=True)
        shutil.copy(toy.stub, folder / name / place)
    (folder / "cyd").mkdir()
    broken = (folder / "ben" / inside.relative_to("stages")).read_text(encoding="utf-8")
    broken = broken.replace("# ex 1.1 begin", "")
    (folder / "ben" / inside.relative_to("stages")).write_text(broken, encoding="utf-8")
    assert main(toy.root, ["grade", str(folder), str(out)]) == 0
    assert "ada: 1 of 2" in capsys.readouterr().out
    minutes = str(toy.course.find("1.2").minutes)
    assert rows(out) == [
        ["learner", "done", "minutes", "1.1", "1.2"],
        ["ada", "1", minutes, "todo", "ok"],
        ["ben", "1", minutes, "wrong", "ok"],
        ["cyd", "0", "0", "missing", "missing"],
    ]


@pytest.mark.parametrize(("name", "words"), [("nowhere", "is no folder"), ("empty", "no folders")])
def test_a_folder_without_submissions_is_refused(toy, tmp_path, capsys, name, words) -> None:
    (tmp_path / "empty").mkdir()
    assert main(toy.root, ["grade", str(tmp_path / name), str(tmp_path / "out.csv")]) == 2
    assert words in capsys.readouterr().out
    assert not (tmp_path / "out.csv").exists()
