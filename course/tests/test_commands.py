"""The commands: what they print, what they write, and what they answer to nonsense."""

import os
import sys

import pytest

from norch_course import commands, journal
from norch_course.commands import main

RIGHT = "    return max(numbers) - min(numbers)\n"


@pytest.fixture
def say(toy, capsys):
    """Run a command; return its exit code and what it printed."""

    def run(*words):
        code = main(toy.root, list(words))
        printed = capsys.readouterr().out
        assert printed.isascii()
        lines = printed.replace(os.path.relpath(toy.root), "").splitlines()  # wherever it lies
        assert max(map(len, lines), default=0) < 200
        return code, printed

    return run


def test_check_of_one_exercise(toy, say) -> None:
    assert say("check", "1.2")[0] == 1
    toy.answer("1.2", RIGHT)
    code, text = say("check", "1.2")
    assert code == 0
    assert text.startswith("1.2  Spread") and "ok\n     4 cases; ours: make solution 1.2" in text


def test_check_of_a_stage_and_of_all_names_each_exercise_once(toy, say) -> None:
    toy.answer("1.1", "    return 1\n")
    toy.answer("1.2", RIGHT)
    for words in (["check", "1"], ["check"]):
        code, text = say(*words)
        assert code == 1
        assert [line[:4] for line in text.splitlines() if line[0] != " "] == ["1.1 ", "1.2 "]
        assert "expected  0" in text


def test_check_of_a_stage_goes_on_after_a_broken_file(toy, say) -> None:
    toy.change(toy.stub, "# ex 1.1 begin", "")
    toy.answer("1.2", RIGHT)
    code, text = say("check")
    assert code == 1
    assert "the line '# ex 1.1 begin' is missing" in text
    assert text.splitlines()[-1].endswith("ok")


def test_what_is_not_set_up_is_not_judged_and_not_called_wrong(toy, say) -> None:
    """As where a machine without a compiler looks at code to mend that needs a compiled stage."""
    (toy.stage / "csrc").mkdir()
    toy.give("    return max(numbers)\n")
    toy.answer("1.2", "    return max(numbers) - 1\n")
    toy.answer("1.1", "    return sum(numbers)\n")
    code, text = say("check")
    first, why, second = text.splitlines()
    assert code == 2  # and not 1, as of a wrong answer
    assert why == (
        "     [course] not judged: stage 1 runs on norch_toy, which is not installed: "
        "make check 1 compiles it, once"
    )
    for line in (first, second, *say("progress")[1].splitlines()[1:3]):
        assert "not judged" in line and "wrong" not in line
    assert say("check", "1.2")[1].splitlines()[1] == why
    for command in ("next", "progress"):
        said = " ".join(say(command)[1].split())
        assert said.count(why.strip()) == 1, said
    page = (toy.root / "runs" / "progress.html").read_text(encoding="utf-8")
    assert "2 could not be judged on this machine: 1.1, 1.2." in page
    toy.change(toy.stub, "# ex 1.1 begin", "")
    assert say("check")[0] == 1


def test_code_to_mend_that_nobody_touched_is_judged_only_by_itself(toy, say, monkeypatch) -> None:
    toy.give("    return max(numbers)\n")
    judged, grade = [], commands.grade

    def noted(exercise, *words):
        judged.append(exercise.id)
        return grade(exercise, *words)

    monkeypatch.setattr(commands, "grade", noted)
    for words in (["check"], ["next"], ["progress"]):
        assert "todo" in say(*words)[1]
    assert judged == []
    assert "expected  0" in say("check", "1.2")[1] and judged == ["1.2"]


def test_long_checks_are_counted_on_a_terminal_alone(toy, say, monkeypatch, capsys) -> None:
    monkeypatch.setattr(commands, "PATIENT", -1)
    code = main(toy.root, ["progress"])
    assert code == 0 and capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    main(toy.root, ["progress"])
    assert capsys.readouterr().err == "\rchecked 1 of 2\r" + " " * 20 + "\r"


def test_next_and_progress_follow_the_checks(toy, say) -> None:
    assert "1.1  Total" in say("next")[1]
    assert "0 of 2 (0 %)   about 12 minutes left" in say("progress")[1]
    toy.answer("1.1", "    return sum(numbers)\n")
    text = say("next")[1]
    assert "1.2  Spread" in text and "How far apart are they?" in text and "sums.py:" in text
    text = say("progress")[1]
    assert "stage 1  [##########..........] 1 of 2 (50 %)" in text
    assert "about 7 minutes left" in text
    toy.answer("1.2", RIGHT)
    assert say("next")[1].startswith("All 2 exercises are done.\n     train     make mnist ")
    assert "2 of 2 (100 %)\nto show: " in say("progress")[1]
    toy.answer("1.2", "    return 0\n")  # computed, never recorded
    assert "1 of 2 (50 %)" in say("progress")[1]


def test_hints_come_one_after_the_other(say) -> None:
    texts = [say("hint", "1.1")[1] for _ in range(4)]
    for text, words in zip(texts, ["Begin small", "the sum so far", "in a loop"], strict=False):
        assert words in text
    assert texts[3] == texts[2] and "more: make solution 1.1" in texts[2]
    assert "hint 2 of 3, the idea" in say("hint", "1.1", "2")[1]
    assert "hint 3 of 3" in say("hint", "1.1")[1]
    assert "hint 1 of 3" in say("hint", "1.2")[1]


def test_a_torn_note_of_hints_begins_again(toy, say) -> None:
    say("hint", "1.1")
    journal.file(toy.course).write_text('{"exercises": {"1.1": ', encoding="utf-8")
    assert "hint 1 of 3" in say("hint", "1.1")[1]
    assert "hint 2 of 3" in say("hint", "1.1")[1]


def test_solution_is_the_hole_of_the_reference(toy, say) -> None:
    code, text = say("solution", "1.2")
    assert code == 0
    assert text.splitlines()[1:] == [
        "    largest_number = max(numbers)",
        "    return largest_number - min(numbers)",
    ]


def test_reset_restores_one_hole_and_keeps_the_old_text(toy, say) -> None:
    fresh = toy.stub.read_text()
    toy.answer("1.1", "    return 1\n")
    toy.answer("1.2", RIGHT)
    old = toy.stub.read_text()
    code, text = say("reset", "1.1")
    backup = toy.stub.with_name("sums.py.before-1.1-1.backup")
    assert code == 0 and str(backup.name) in text
    assert backup.read_text() == old
    assert toy.check("1.1").status == "todo" and toy.check("1.2").status == "ok"
    say("reset", "1.2")
    assert toy.stub.read_text() == fresh
    toy.answer("1.1", "    return 2\n")
    say("reset", "1.1")
    assert toy.stub.with_name("sums.py.before-1.1-2.backup").exists()
    assert backup.read_text() == old  # never overwritten


def test_reset_of_an_untouched_stub_makes_no_backup(toy, say) -> None:
    assert "your old text" not in say("reset", "1.1")[1]
    assert list(toy.stub.parent.glob("*.backup")) == []


@pytest.mark.parametrize("damage", ["gone", "marks", "bytes", "latin-1", "utf-16", "crlf"])
def test_reset_mends_what_is_broken(toy, say, damage: str) -> None:
    fresh = toy.stub.read_text()
    toy.answer("1.2", RIGHT)
    mine = toy.stub.read_text()
    if damage == "gone":
        toy.stub.unlink()
    elif damage == "marks":
        toy.change(toy.stub, "# ex 1.1 begin", "")
    elif damage in ("latin-1", "utf-16"):
        toy.stub.write_text(mine.replace("Add the", "\xe9t\xe9"), encoding=damage)
    elif damage == "crlf":
        toy.stub.write_bytes(mine.replace("\n", "\r\n").encode())
    else:
        toy.stub.write_bytes(b"\xff" + mine.encode())
    assert say("reset", "1.1")[0] == 0
    assert toy.stub.read_text() == (fresh if damage == "gone" else mine)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check", "1.9"], "[course] there is no exercise 1.9: stage 1 has 1.1 to 1.2"),
        (["check", "5"], "[course] stage 5 has no exercises: stage 1 has 1.1 to 1.2"),
        (["check", "one"], "[course] there is no exercise one: stage 1 has 1.1 to 1.2"),
        (["hint", "2.1"], "[course] there is no exercise 2.1"),
        (["hint", "1.1", "4"], "[course] there is no hint 4: hints are 1 to 3"),
        (["solution", "1.0"], "[course] there is no exercise 1.0"),
        (["reset", "1.9"], "[course] there is no exercise 1.9"),
    ],
)
def test_nonsense_is_answered(say, words: list[str], message: str) -> None:
    code, text = say(*words)
    assert code == 2
    assert text.startswith(message)
