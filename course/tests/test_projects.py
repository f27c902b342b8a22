"""The projects: what the command says, what it survives, and their gates, broken on purpose."""

from pathlib import Path

import pytest

from norch_course import gates, projects, running
from norch_course.catalog import CourseError, load
from norch_course.commands import main

from .conftest import commit

ROOT = Path(__file__).resolve().parent.parent.parent

CHECKS = '''"""The properties of a small project."""

import runpy

from norch_course.projects import NotYet, claim


@claim("right")
def right(file):
    got = runpy.run_path(str(file))["total"]([1, 2, 3])
    if got != 6:
        raise NotYet(f"total([1, 2, 3]) = {got}", "add all of them.")
    return "1 list"


@claim("lines")
def lines(file):
    count = file.read_text().count("\\n")
    if count > 2:
        raise NotYet(f"{count}", "two are enough.")
    return f"{count}"
'''
GIVEN = "def total(numbers):\n    a, b, c = numbers\n    return a + b + c\n"
KEPT = {
    "total.py": GIVEN,
    "answer.py": "def total(numbers):\n    return sum(numbers)\n",
    "cheat_first.py": "# told: add all of them\ntotal = min\n",
    "cheat_long.py": f"# told: two are enough\n{GIVEN}",
}


def kept_in(stage, name):
    """Return the folder of a project's file: what is given lies beside the checks."""
    return stage / "project" if name == "total.py" else stage / "project" / "wrong"


@pytest.fixture
def stage(toy):
    folder = toy.stage / "project"
    files = {folder / "checks.py": CHECKS, folder / "README.md": "# Project 1: A short sum\n"}
    files |= {kept_in(toy.stage, name) / name: text for name, text in KEPT.items()}
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return toy


@pytest.fixture
def say(stage, capsys):
    """Run the command on a text in the learner's file; return its code and lines."""

    def run(text: str | None = None):
        if text is not None:
            stage.stub.with_name("project").mkdir(exist_ok=True)
            (stage.stub.parent / "project" / "total.py").write_text(text)
        code = main(stage.root, ["project", "1"])
        return code, capsys.readouterr().out.splitlines()

    return run


def test_each_property_is_a_line_with_what_was_measured(say) -> None:
    code, lines = say()  # the file was not there: it is written as it is given
    assert code == 1
    assert lines[0].startswith("project 1  A short sum ") and lines[0].endswith("not yet")
    assert [" ".join(line.split()) for line in lines[1:4]] == [
        "right 1 list: ok",
        "lines 3: not yet",
        "two are enough.",
    ]
    assert lines[-2].endswith("total.py") and lines[-1].endswith("README.md")
    code, lines = say(KEPT["answer.py"])
    assert code == 0 and lines[0].endswith("ok") and "not yet" not in "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("def total(numbers):\n    return numbers.sum()\n", "has no attribute 'sum': not yet"),
        ("def total(numbers):\n    return numbers.sum()\n", "look at total.py:2."),
        ("def total(numbers:\n", "SyntaxError: '(' was never closed"),
        ("total = 3\n", "raises TypeError: 'int' object is not callable"),
        ("import os\n\n\ndef total(numbers):\n    os._exit(3)\n", "ended Python (exit code 3)"),
        ("import sys\n\n\ndef total(numbers):\n    sys.exit(3)\n", "raises SystemExit: 3"),
        ("import os\n\n\ndef total(numbers):\n    os.abort()\n", "crashed (SIGABRT)"),
    ],
)
def test_what_does_not_run_is_told_in_a_line(say, text: str, told: str) -> None:
    code, lines = say(text)
    assert code == 1
    assert told in "\n".join(lines) and "Traceback" not in "\n".join(lines)
    assert not any(line.startswith("     lines") for line in lines)  # nothing after `right`


def test_a_loop_that_never_ends_is_ended(say, monkeypatch) -> None:
    monkeypatch.setattr(projects, "SECONDS", 1)
    lines = say("def total(numbers):\n    while True:\n        pass\n")[1]
    assert "gave no answer within " in lines[1]  # 1 second of work, or 4 by the clock


def test_what_a_file_prints_is_shown_while_it_is_not_right(say) -> None:
    text = "for n in range(9):\n    print('n =', n)\n\n\ndef total(numbers):\n    return 0\n"
    lines = say(text)[1]
    assert [" ".join(line.split()) for line in lines[3:8]] == [
        f"printed n = {n}" for n in (4, 5, 6, 7, 8)
    ]
    assert "printed" not in "\n".join(say("print('fine')\ntotal = sum\n")[1])


def test_what_other_programs_leave_beside_the_files_is_none_of_them(stage) -> None:
    """A cache, a desktop's notes, a copy by another name; the names come in order."""
    kept, given = stage.stage / "project" / "wrong", stage.stage / "project"
    for name in (".DS_Store", "._answer.py", "answer.py~", "Thumbs.db", "total (copy).py"):
        (kept / name).write_text("junk\n")
        (given / name).write_text("junk\n")
    for folder in (kept, given, stage.stage / "src"):
        (folder / "__pycache__").mkdir(exist_ok=True)
        (folder / ".ipynb_checkpoints").mkdir(exist_ok=True)
    (kept / "a.py").mkdir()
    (one,) = projects.projects(stage.course)
    assert list(one.kept) == ["total", "answer", "cheat_first", "cheat_long"]
    assert one.given == given / "total.py"
    assert one.stage.package.name == "norch_toy"


def test_a_stage_without_a_project_is_told_so(toy, capsys) -> None:
    assert main(toy.root, ["project", "1"]) == 2
    assert capsys.readouterr().out == "[course] stage 1 has no project\n"


def test_a_package_that_is_not_installed_is_no_wrong_answer(monkeypatch) -> None:
    monkeypatch.setattr(running, "find_spec", lambda name: None)
    course = load(ROOT)
    for call in (
        lambda: projects.check(course, "3"),
        lambda: running.run("", course.find("4.1"), [course.find("4.1")]),
    ):
        with pytest.raises(
            CourseError, match=r"not judged: stage \d runs on .*: make check \d compiles it"
        ):
            call()


@pytest.mark.long
def test_the_course_passes_the_gates_of_projects() -> None:
    course = load(ROOT)
    assert projects.projects(course)
    assert gates.projects_tell_good_from_given(course) == []


def test_the_small_project_passes_its_gates(stage) -> None:
    assert gates.projects_tell_good_from_given(stage.course) == []


def test_the_learners_file_is_written_once_and_lies_in_the_workbook(stage, say) -> None:
    say()
    mine = stage.stub.parent / "project" / "total.py"
    assert mine.read_text() == GIVEN
    assert "workbook/01_toy/project/total.py" in say("# mine\n" + GIVEN)[1][-2]
    assert mine.read_text() == "# mine\n" + GIVEN
    mine.unlink()
    say()
    assert mine.read_text() == GIVEN


def test_what_was_written_into_the_given_file_comes_along_and_is_told(stage, say) -> None:
    """It was the learner's file once."""
    commit(stage.root)
    given = stage.stage / "project" / "total.py"
    given.write_text(KEPT["answer.py"])
    code, lines = say()
    assert (
        code == 0 and (stage.stub.parent / "project" / "total.py").read_text() == given.read_text()
    )
    assert "project/total.py was changed, and yours is " in lines[-2]
    given.write_text(GIVEN)
    assert "was changed" not in "\n".join(say()[1])


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("total.py", KEPT["answer.py"], "total.py: all properties hold"),
        ("total.py", "total = max\n", "total.py: right: total([1, 2, 3]) = "),
        ("answer.py", GIVEN, "answer.py: lines: 3: two are enough."),
        ("answer.py", None, "project 1 needs an answer"),
        ("cheat_first.py", None, "project 1 needs two cheats"),
        ("cheat_first.py", "# told: add\n" + KEPT["answer.py"][:-1], "cheat_first.py: "),
        ("cheat_first.py", "# told: something else\ntotal = min\n", "cheat_first.py: right"),
        ("cheat_first.py", "total = min\n", "cheat_first.py: right"),
        ("../README.md", "# Project 1: A\n" * 41, "project 1 has a task of more"),
    ],
)
def test_a_project_that_tells_nothing_apart_is_found(stage, file, text, complaint) -> None:
    path = kept_in(stage.stage, file) / file
    path.write_text(text) if text else path.unlink()
    found = gates.projects_tell_good_from_given(stage.course)
    assert any(one.startswith(complaint) for one in found), found
