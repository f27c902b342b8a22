"""The journal: what it took to get an exercise right, kept in the workbook and never lost."""

import json

import pytest

from norch_course import journal
from norch_course.commands import main
from norch_course.journal import History

WRONG = "    return 1\n"
OTHER = "    return 2\n"
RIGHT = "    return sum(numbers)\n"


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test sets."""
    times = [1000.5]
    monkeypatch.setattr(journal, "now", lambda: times[0])
    return times


@pytest.fixture
def check(toy, capsys):
    """Answer exercise 1.1 and check it, by its name or with all others."""

    def run(body, *words):
        toy.answer("1.1", body)
        main(toy.root, list(words) or ["check", "1.1"])
        return capsys.readouterr().out

    return run


def test_different_wrong_answers_and_the_time_until_it_is_right_are_noted(toy, check, clock):
    assert journal.history(toy.course, "1.1") == History(0, 0, None)
    check(WRONG)
    check(WRONG)  # the same again is no new answer
    clock[0] += 60
    check(OTHER, "check")
    assert journal.history(toy.course, "1.1") == History(2, 0, None)
    clock[0] += 30.4
    check(RIGHT)
    clock[0] += 1000
    check(WRONG)  # what comes after it was right counts for nothing
    check(RIGHT)
    assert journal.history(toy.course, "1.1") == History(2, 0, 90)


def test_an_answer_that_is_right_at_once_took_no_time(toy, check, clock):
    check(RIGHT, "progress")
    assert journal.history(toy.course, "1.1") == History(0, 0, 0)


def test_a_clock_that_was_set_back_gives_no_negative_time(toy, check, clock):
    check(WRONG)
    clock[0] = 10
    check(RIGHT)
    assert journal.history(toy.course, "1.1").seconds == 0


def test_hints_count_until_it_is_right(toy, check):
    for _ in range(2):
        main(toy.root, ["hint", "1.1"])
    main(toy.root, ["hint", "1.1", "1"])
    assert journal.last_hint(toy.course, "1.1") == 1
    check(RIGHT)
    main(toy.root, ["hint", "1.1", "3"])
    assert journal.history(toy.course, "1.1").hints == 2


def test_what_is_empty_or_not_judged_leaves_no_journal(toy, check):
    check("    # a thought\n")
    toy.change(toy.stub, "# ex 1.1 end", "")
    main(toy.root, ["check"])
    assert not journal.file(toy.course).exists()


def test_whether_it_is_right_never_stands_in_it(toy, check):
    check(RIGHT)
    assert "100" not in check(WRONG, "progress") and "0 of 2" in check(WRONG, "progress")


def test_it_stands_in_the_workbook_which_make_clean_leaves_alone(toy, check):
    check(WRONG)
    assert journal.file(toy.course) == toy.root / "workbook" / "journal.json"


@pytest.mark.parametrize("torn", ['{"exercises": {"1.1', "[]", "\0", '"a"'])
def test_what_cannot_be_read_is_kept_beside_the_new_one(toy, check, torn):
    file = journal.file(toy.course)
    file.write_text(torn, "utf-8")
    assert journal.path(toy.course) == ""
    check(WRONG)
    assert journal.history(toy.course, "1.1").wrong == 1
    assert file.with_name("journal.json.unreadable-1.backup").read_text("utf-8") == torn


@pytest.mark.parametrize(
    "edited",
    [
        {"path": 3, "exercises": 5},
        {"exercises": {"1.1": "much"}},
        {"exercises": {"1.1": {"wrong": "x", "hints": None, "first": True, "right": "late"}}},
    ],
)
def test_what_was_edited_by_hand_harms_nothing(toy, check, edited):
    journal.file(toy.course).write_text(json.dumps(edited), "utf-8")
    assert journal.path(toy.course) == ""
    assert journal.history(toy.course, "1.1") == History(0, 0, None)
    check(WRONG)
    assert journal.history(toy.course, "1.1").wrong <= 1


def test_where_it_cannot_be_written_a_check_says_what_it_says(toy, check, monkeypatch):
    def refuse(path, text):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(journal, "write_whole", refuse)
    assert "1.1  Total" in check(WRONG)
    assert not journal.file(toy.course).exists()
