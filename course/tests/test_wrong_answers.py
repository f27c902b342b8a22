"""The files of wrong answers are read to the byte, and refused where they cannot be read."""

from pathlib import Path

import pytest

from norch_course.catalog import CourseError, load
from norch_course.wrong_answers import AnswerError, Wrong, parse

ROOT = Path(__file__).resolve().parent.parent.parent


def test_an_answer_has_a_name_a_sentence_and_a_text() -> None:
    body = "    a = 1\n\n    # a comment | drops: x\n    b = 2\n"
    text = "#: first\n#: you did\n#: half of it.\n" + body
    assert parse(text, ".py") == (Wrong("first", body, "you did half of it."),)


def test_answers_keep_their_order_and_their_empty_lines() -> None:
    first = "//: b | drops: `x` by y\n//: so.\n\n  f();\n\n"
    text = first + "//: a\n//: or so.\n\tg();\n//: c\n#: h\n\n"
    assert parse(text, ".cpp") == (
        Wrong("b", "\n  f();\n\n", "so.", "`x` by y"),
        Wrong("a", "\tg();\n", "or so."),
        Wrong("c", "#: h\n\n", ""),
    )


def test_long_words_of_a_task_stand_on_a_line_of_their_own() -> None:
    (one,) = parse("#: long\n#: | drops: these words\n#: so.\npass\n", ".py")
    assert one == Wrong("long", "pass\n", "so.", "these words")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: no answer begins here: write '#: its_name' above it"),
        ("pass\n#: a\npass\n", "line 1: no answer begins here: write '#: its_name' above it"),
        ("//: a\npass\n", "line 1: no answer begins here: write '#: its_name' above it"),
        ("#: a\npass\n#: b\n", "line 3: the file ends before the text of this answer"),
        ("#: a\n#: so.\n#: b\npass\n", "line 1: 'a' has no text before 'b'"),
        ("#: a\n#: so.\n#: b | drops: c\npass\n", "line 1: 'a' has no text before 'b | drops: c'"),
        ("#: a\npass\n#: a\npass\n", "line 3: a second answer named 'a': rename it"),
        ("#: a b\npass\n", "line 1: found 'a b', expected '#: its_name' or "),
        ("#: a | drop: b\npass\n", "line 1: found 'a | drop: b', expected '#: its_name' or "),
        ("#: a\n  #: b\npass\n", "line 2: found '  #: b', expected '#: words'"),
        ("#: a\n#:b\npass\n", "line 2: found '#:b', expected '#: words'"),
        ("#: a\n#: b \npass\n", "line 2: found '#: b', expected '#: words'"),
        ("#: a\n#:\npass\n", "line 2: found '#:', expected '#: words'"),
    ],
)
def test_what_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(AnswerError) as refused:
        parse(text, ".py")
    assert str(refused.value).startswith(message)


def test_the_file_that_cannot_be_read_is_named(toy) -> None:
    toy.change(toy.wrong / "1.2.py", "#: largest\n", "#: the largest\n")
    with pytest.raises(CourseError, match=r"^\[course\] stage 1, wrong/1\.2\.py, line 1: found "):
        load(toy.root)


def test_given_code_that_is_not_there_is_named(toy) -> None:
    toy.change(toy.entries, "minutes = 7\n", 'minutes = 7\ngiven = "slow"\n')
    with pytest.raises(CourseError, match=r"1\.2 gives 'slow', which is not in wrong/1\.2\.py"):
        toy.course.find("1.2").stage.given  # noqa: B018


def test_given_code_is_a_wrong_answer_where_it_has_a_sentence(toy) -> None:
    toy.give("    return 3\n")
    assert [one.name for one in toy.course.find("1.2").wrong] == ["largest"]
    toy.change(toy.wrong / "1.2.py", "#: given\n", "#: given\n#: you left it as it was.\n")
    assert [one.name for one in toy.course.find("1.2").wrong] == ["given", "largest"]


def test_no_line_of_a_head_is_longer_than_other_lines_may_be() -> None:
    files = [path for stage in load(ROOT).stages for path in stage.wrong.glob("[0-9]*")]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    assert files and not [line for line in lines if ": " in line[:4] and len(line) > 100]
