"""What the checker says of right, wrong, broken, endless and crashing answers."""

import json
import subprocess

import pytest

from norch_course import machine, running
from norch_course.catalog import CourseError
from norch_course.grading import cache_folder
from norch_course.misconceptions import marks
from norch_course.report import place, verdict_lines
from norch_course.workbook import answer_to, reset

from .conftest import SOURCE

RIGHT = {
    "1.1": "    return sum(numbers)\n",
    "1.2": "    return max(numbers) - min(numbers)\n",
}


def report(toy, id):
    """Return what the learner reads."""
    exercise = toy.course.find(id)
    return "\n".join(verdict_lines(exercise, toy.check(id), answer_to(exercise)))


def line_of(toy, text):
    """Return the number of the line of the learner's file with this text."""
    lines = toy.stub.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, start=1) if text in line)


def test_an_untouched_stub_is_todo(toy) -> None:
    assert toy.check("1.1").status == "todo"
    text = report(toy, "1.1")
    assert "Add them all." in text
    assert f"write it  {place(toy.stub, line_of(toy, '1.1 is yours'))}" in text


def test_a_half_written_answer_that_still_raises_the_stub_is_todo(toy) -> None:
    toy.answer(
        "1.1", '    x = 1\n    raise NotImplementedError("exercise 1.1 is yours to write")\n'
    )
    assert toy.check("1.1").status == "todo"


def test_given_code_is_todo_and_the_report_shows_what_is_wrong_with_it(toy) -> None:
    toy.give("    # mend me\n    return min(numbers) - max(numbers)\n")
    toy.answer("1.2", "    # I see\n    return min(numbers) - max(numbers)\n")
    text = report(toy, "1.2")
    assert text.startswith("1.2  Spread") and "todo" in text.splitlines()[0]
    assert "How far apart are they?" in text and "you       -1\n" in text
    assert f"mend it   {place(toy.stub, line_of(toy, '# I see'))}" in text
    assert "write it" not in text and "It looks as if" not in text
    toy.answer("1.2", "    return max(numbers)\n")
    assert toy.check("1.2").status == "wrong"
    toy.answer("1.2", RIGHT["1.2"])
    assert toy.check("1.2").status == "ok"


def test_reset_gives_the_given_code_back(toy) -> None:
    given = toy.stub.read_text()
    toy.give("    return min(numbers) - max(numbers)\n")
    first = toy.stub.read_text()
    toy.answer("1.2", RIGHT["1.2"])
    reset(toy.course.find("1.2"))
    assert toy.stub.read_text() == first != given


def test_a_right_answer_is_ok(toy) -> None:
    for id, body in RIGHT.items():
        toy.answer(id, body)
        assert toy.check(id).status == "ok"


def test_a_wrong_answer_shows_the_smallest_input_the_value_and_what_was_expected(toy) -> None:
    toy.answer("1.1", "    return len(numbers) * 3\n")
    text = report(toy, "1.1")
    assert "input     total([1, 2])\n" in text
    assert "you       6\n" in text
    assert "expected  3\n" in text
    assert "It looks as if" not in text


def test_an_answer_that_behaves_like_a_known_wrong_one_is_told_so(toy) -> None:
    toy.observe()
    toy.answer(
        "1.1", "    result = 1\n    for n in numbers:\n        result += n\n    return result\n"
    )
    assert "It looks as if you began at one." in report(toy, "1.1")


def test_a_mistake_elsewhere_spoils_nothing(toy) -> None:
    toy.answer("1.1", "    this is no python (\n")
    toy.answer("1.2", RIGHT["1.2"])
    assert toy.check("1.2").status == "ok"
    toy.change(toy.stub, "# ex 1.1 end", "")
    toy.change(toy.stub, "def total(numbers):", "def broken(")
    assert toy.check("1.2").status == "ok"
    assert "outside the marks" not in report(toy, "1.2")  # 1.1 is told, not 1.2


def test_an_edit_outside_the_marks_is_remarked(toy) -> None:
    toy.answer("1.2", RIGHT["1.2"])
    toy.change(toy.stub, "def total(numbers):", "def total(values):")
    line = line_of(toy, "def total(values)")
    said = f"sums.py:{line} differs from the library outside the marks; that is not graded"
    assert said in report(toy, "1.2")


def test_a_syntax_error_has_the_line_of_the_learners_file(toy) -> None:
    toy.answer("1.1", "    # one\n    # two\n    # three\n    # four\n    return sum(numbers)\n")
    toy.answer("1.2", "    largest = max(numbers)\n    return largest -\n")
    text = report(toy, "1.2")
    assert "you       SyntaxError: invalid syntax" in text
    assert f"sums.py:{line_of(toy, 'return largest -')}" in text


def test_an_error_has_the_line_of_the_learners_file(toy) -> None:
    toy.answer("1.1", "    # one\n    # two\n    # three\n    # four\n    return sum(numbers)\n")
    toy.answer("1.2", "    largest = max(numbers)\n    return largest - numbers[7]\n")
    text = report(toy, "1.2")
    assert "you       raises IndexError: list index out of range" in text
    assert f"sums.py:{line_of(toy, 'numbers[7]')}" in text


def test_a_line_that_an_error_names_is_of_the_learners_file(toy) -> None:
    toy.answer("1.1", "    # one\n    # two\n    # three\n    # four\n    return sum(numbers)\n")
    toy.answer("1.2", "    raise ValueError('sums.py:24 is empty')\n")
    shift = (
        line_of(toy, "# ex 1.2 begin") - SOURCE[: SOURCE.index("# ex 1.2 begin")].count("\n") - 1
    )
    assert shift == 1
    assert "raises ValueError: sums.py:25 is empty" in report(toy, "1.2")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    import ctypes\n    return ctypes.string_at(0)\n", "crashed (SIGSEGV)"),
        ("    import os\n    os._exit(0)\n", "ended Python before the tests were through"),
        ("    import os\n    os._exit(3)\n", "ended Python (exit code 3)"),
        ("    import os\n    os.abort()\n", "crashed (SIGABRT)"),
        ("    raise SystemExit('bye')\n", "raises SystemExit: bye"),
        ("    return total(numbers)\n", "raises RecursionError"),
        ("    return bytearray(1 << 60)\n", "raises MemoryError"),
    ],
)
def test_a_crash_is_one_red_line(toy, body: str, words: str) -> None:
    toy.answer("1.1", body)
    assert toy.check("1.1").status == "wrong"
    text = report(toy, "1.1")
    assert f"you       {words}" in text
    assert "input     total([])\n" in text
    assert "Traceback" not in text


@pytest.mark.parametrize(
    ("body", "you", "words"),
    [
        ("    sum(numbers)\n", "None", "nothing is returned"),
        ("    pass\n", "None", "nothing is returned"),
        ("    return map(abs, numbers)\n", "<map object>", "`tuple(...)` or `list(...)` asks"),
        (
            "    return (n for n in numbers)\n",
            "<generator object total.<locals>.<genexpr>>",
            "asks",
        ),
        ("    return float(sum(numbers))\n", "0.0", "the numbers are right and their type is not"),
        ("    return float('inf') * len(numbers)\n", "nan", "a result is not a number (NaN)"),
        ("    exit()\n", "raises SystemExit", "your answer ends the program"),
        ("    return total(numbers)\n", "raises RecursionError", "the calls go too deep"),
        ("    return np.sum(numbers)\n", "raises NameError", "you use a name that is neither"),
        (
            "    return total + 1 if (total := total) else 0\n",
            "raises UnboundLocal",
            "no value yet",
        ),
        ("    return numbers.sort() + 1\n", "raises TypeError", "you go on with None"),
        ("    return [0] * (1 << 60)\n", "raises MemoryError\n", "something grows without end"),
        ("    import ctypes\n    ctypes.string_at(0)\n", "crashed (SIGSEGV)", "not yours"),
    ],
)
def test_a_common_slip_is_explained(toy, body: str, you: str, words: str) -> None:
    toy.answer("1.1", body)
    text = report(toy, "1.1")
    assert f"you       {you}" in text
    said = " ".join(text.split())
    assert "It looks as if" in said and words in said


@pytest.mark.parametrize(
    "body",
    [
        "    return sum(numbers) if numbers else None\n",
        "    if not numbers:\n        return None\n    return sum(numbers)\n",
        "    return numbers.sort()\n",
        "# a note\n    if numbers: return sum(numbers)\n",
    ],
)
def test_what_returns_none_is_not_told_that_nothing_is_returned(toy, body: str) -> None:
    toy.answer("1.1", body)
    text = report(toy, "1.1")
    assert "you       None" in text and "nothing is returned" not in " ".join(text.split())


def test_a_list_for_a_tuple_is_explained(toy) -> None:
    toy.change(toy.tests, "[([], 0), ([3], 3), ([1, 2], 3), ([1, 2, 3], 6)]", "[([3, 4], (3, 4))]")
    toy.answer("1.1", "    return list(numbers)\n")
    text = report(toy, "1.1")
    assert "you       [3, 4]\n     expected  (3, 4)\n" in text
    assert "It looks as if the values are right and the type is not" in text


@pytest.mark.parametrize("body", ["", "\n\n", "    # begin with the first number\n\n"])
def test_a_region_with_no_code_in_it_is_todo(toy, body: str) -> None:
    toy.answer("1.1", body)
    assert toy.check("1.1").status == "todo"


def test_a_crash_after_a_wrong_value_is_not_mentioned_yet(toy) -> None:
    toy.answer("1.1", "    import os\n    return 7 if not numbers else os._exit(3)\n")
    text = report(toy, "1.1")
    assert "you       7\n" in text
    assert "Python (exit code 3)" not in text and text.count("input ") == 1


def test_long_lines_of_output_are_cut(toy) -> None:
    toy.answer("1.1", "    print('x ' * 5000)\n    return 1\n")
    printed = [line for line in report(toy, "1.1").splitlines() if "printed " in line]
    assert printed and max(map(len, printed)) < 120


def test_an_endless_loop_is_stopped_and_named(toy, monkeypatch) -> None:
    monkeypatch.setattr(running, "TIME_LIMIT", 1)
    toy.answer("1.1", "    while numbers:\n        pass\n    return 0\n")
    text = report(toy, "1.1")
    assert "input     total([3])\n" in text
    assert "gave no answer within 1 seconds: is there a loop that never ends?" in text


def test_an_answer_that_waits_for_ever_is_stopped_and_named(toy, monkeypatch) -> None:
    monkeypatch.setattr(running, "TIME_LIMIT", 1)
    monkeypatch.setattr(machine, "is_starved", lambda *_: False)
    monkeypatch.setattr(running, "PATIENCE", 4)
    toy.answer("1.1", "    import time\n    time.sleep(60)\n    return 0\n")
    text = report(toy, "1.1")
    assert "gave no answer within 4 seconds, and did nothing: what does it wait for?" in text


@pytest.mark.parametrize("late", ["while numbers: pass", "import time; time.sleep(60)"])
def test_a_time_limit_is_not_remembered(toy, monkeypatch, late: str) -> None:
    """The machine may have been busy: what took too long then is asked again."""
    toy.answer("1.1", f"    {late}\n    return 0\n")
    monkeypatch.setattr(running, "TIME_LIMIT", 1)
    if "sleep" in late:
        monkeypatch.setattr(running, "PATIENCE", 2)
        monkeypatch.setattr(machine, "is_starved", lambda *_: False)
    assert toy.check("1.1").problem.startswith("gave no answer within ")
    monkeypatch.setattr(running, "run", lambda *words: running.Run((), 0, "asked again", "f", ""))
    assert toy.check("1.1").problem == "asked again"


@pytest.mark.parametrize("torn", ["", '{"status": "o', "[]"])
def test_a_torn_verdict_is_judged_again(toy, torn: str) -> None:
    toy.answer("1.1", RIGHT["1.1"])
    assert toy.check("1.1").status == "ok"
    [remembered] = cache_folder(toy.course).glob("verdicts/*.json")
    remembered.write_text(torn, encoding="utf-8")
    assert toy.check("1.1").status == "ok"
    assert json.loads(remembered.read_text(encoding="utf-8"))["status"] == "ok"


def test_a_crash_that_may_be_the_machines_is_tried_again(toy) -> None:
    flag = toy.root / "flag"
    toy.answer(
        "1.1",
        "    import os, pathlib\n"
        f"    flag = pathlib.Path({str(flag)!r})\n"
        "    if not flag.exists():\n"
        "        flag.touch()\n"
        "        os._exit(1)\n"
        "    return sum(numbers)\n",
    )
    assert toy.check("1.1").status == "wrong"
    assert toy.check("1.1").status == "wrong"  # remembered, for make progress
    assert toy.check("1.1", again=True).status == "ok"


def test_what_the_answer_prints_is_shown_in_ascii(toy) -> None:
    toy.answer("1.1", "    print('\\u00e9t\\u00e9', numbers)\n    return 1\n")
    text = report(toy, "1.1")
    assert r"printed   \xe9t\xe9 []" in text
    assert text.isascii()


def test_verdicts_follow_the_content(toy, monkeypatch) -> None:
    toy.answer("1.1", RIGHT["1.1"])
    assert toy.check("1.1").status == "ok"
    with monkeypatch.context() as patch:
        patch.setattr(running, "run", None)  # a second run would be a TypeError
        assert toy.check("1.1").status == "ok"
    toy.change(toy.tests, "([3], 3)", "([3], 4)")  # nothing is ever marked as done
    assert toy.check("1.1").status == "wrong"


def test_an_exercise_without_a_test_is_an_error(toy) -> None:
    toy.answer("1.1", RIGHT["1.1"])
    toy.change(toy.tests, '@exercise("1.1")', "")
    with pytest.raises(CourseError, match=r"exercise 1\.1 has no test: nothing was checked"):
        toy.check("1.1")


def test_a_test_that_checks_nothing_is_an_error(toy) -> None:
    toy.answer("1.1", RIGHT["1.1"])
    toy.change(toy.tests, "[([], 0), ([3], 3), ([1, 2], 3), ([1, 2, 3], 6)]", "[]")
    with pytest.raises(CourseError, match=r"exercise 1\.1 has no test: nothing was checked"):
        toy.check("1.1")


def test_a_file_that_is_not_there_counts_as_it_would_be_written(toy) -> None:
    whole = report(toy, "1.1")
    toy.stub.unlink()
    assert report(toy, "1.1") == whole and toy.check("1.1").status == "todo"
    assert not toy.stub.exists()  # the commands write it: test_workbook.py


def test_marks_that_are_gone_say_how_to_get_them_back(toy) -> None:
    toy.change(toy.stub, "# ex 1.1 end", "")
    with pytest.raises(CourseError) as caught:
        toy.check("1.1")
    assert str(caught.value) == (
        "[course] sums.py: the line '# ex 1.1 end' is missing; put it back, or make reset 1.1 "
        "(it keeps your text in a backup)"
    )


def test_a_file_that_is_no_text_is_named(toy) -> None:
    toy.stub.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(CourseError, match=r"sums\.py:1 has a letter that is no UTF-8"):
        toy.check("1.1")


def outside(thread: str, where: str) -> running.Record:
    """Return a record as a kernel leaves it that leaves an array."""
    got = f"raises RuntimeError: [k] thread {thread} reads 4 bytes outside every array {where}"
    return running.Record("1.1", "k(x)", got, "[1.0]", False, None)


def test_where_arrays_lie_is_no_part_of_how_an_answer_behaves() -> None:
    first = outside("(0, 0, 0) of block (0, 0, 0)", "it was given, at k.cu:3: 0 bytes past the end "
                    "of argument 2, which holds 8 bytes")  # fmt: skip
    later = outside("(9, 1, 0) of block (1, 0, 0)", "it was given, at k.cu:3: 36 bytes past the "
                    "end of argument 2, which holds 8 byt ...")  # fmt: skip
    other = outside("(0, 0, 0) of block (0, 0, 0)", "it was given, at k.cu:3: 4 bytes before the "
                    "start of argument 3, which holds 8 bytes")  # fmt: skip
    one, same, another = marks([first, later, other])
    assert one == same != another
    beside = [outside("(2, 7, 0)", f"of shared memory, at k.cu:3: {n}") for n in ("0 bytes", "4")]
    assert len(set(marks(beside))) == 1


def test_a_check_starts_one_process_even_when_it_names_a_misconception(toy, monkeypatch) -> None:
    """What a check costs is what it starts; `course/times.py` measures the seconds."""
    toy.observe()
    started, popen = [], subprocess.Popen

    def watched(command, **options):
        started.append(command)
        return popen(command, **options)

    monkeypatch.setattr(subprocess, "Popen", watched)
    toy.answer("1.1", "    return numbers[-1] if numbers else 0  # another text\n")
    assert toy.check("1.1").says == "you returned the last number alone."
    assert len(started) == 1 and "norch_course.judge" in started[0]
