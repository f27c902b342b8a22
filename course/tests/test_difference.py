"""Where two values differ: the first place, both numbers, and never two equal lines."""

import random

import pytest

from norch_course import running
from norch_course.difference import BEFORE, LONGEST, lines_of
from norch_course.grading import key_of
from norch_course.holes import splice
from norch_course.running import Record

from .test_checker import report

LONG = [k / 8 for k in range(300)]


def miss(value, right, got=None):
    """The record of a call that gave one value where another was expected, as a judge leaves it."""
    texts = [ascii(one) if len(ascii(one)) <= LONGEST else ascii(one)[:LONGEST] + " ..."
             for one in (value, right)]  # fmt: skip
    data = "" if got else repr(value)
    return Record("1.1", "f()", got or texts[0], texts[1], False, None, repr(right), data)


def said(value, right):
    """The lines of a report, by their names."""
    return dict(lines_of(miss(value, right)))


@pytest.mark.parametrize(
    ("value", "right", "words"),
    [
        ([[1.0, 0.25], [0.5]], [[1.0, 0.5], [0.5]], "at [0][1]: 0.25, expected 0.5"),
        ((1, 2), (1, 3), "at [1]: 2, expected 3"),
        ((3, 4), (3, 4, 5), "at [2]: nothing there, expected 5"),
        ((3, 4, 5), (3, 4), "at [2]: 5, expected the end"),
        ([], [[1]], "at [0]: nothing there, expected [1]"),
        ({"a": (1,)}, {"a": (2,)}, "at ['a'][0]: 1, expected 2"),
        ({}, {"a": 1}, "at ['a']: nothing there, expected 1"),
        ({"a": 1, "b": 2}, {"a": 1}, "at ['b']: 2, expected no such key"),
        ({1, 2}, {1, 3}, "no 3, expected 3"),
        ({1, 2}, {1}, "2, expected no 2"),
        ((3.0, 4), (3, 4), "at [0]: 3.0, expected 3"),
        ([(1, 2), [3]], [(1, 2), (3,)], "at [1]: a list, expected a tuple"),
        ([1.0, float("nan")], [1.0, 2.0], "at [1]: nan, expected 2.0"),
        ([1.0, -float("inf")], [1.0, 2.0], "at [1]: -inf, expected 2.0"),
        ([1, [2]], [1, 2], "at [1]: [2], expected 2"),
    ],
)
def test_the_first_place_that_differs_is_told_with_both_numbers(value, right, words) -> None:
    assert said(value, right)["differs"] == words


@pytest.mark.parametrize(("value", "right"), [(6, 3), ("a", "b"), (None, 1.5), (True, "yes")])
def test_two_numbers_alone_need_no_place(value, right) -> None:
    assert said(value, right) == {"you": ascii(value), "expected": ascii(right)}


def test_a_number_that_equals_ours_but_in_its_type_is_no_difference() -> None:
    assert said([1, 2, 0.25], [1.0, 2.0, 0.5])["differs"] == "at [2]: 0.25, expected 0.5"


def test_of_long_values_the_part_around_the_place_is_shown() -> None:
    value = [*LONG[:150], 0.33, *LONG[151:]]
    found = said(value, LONG)
    assert found["differs"] == "at [150]: 0.33, expected 18.75"
    assert "18.625, 0.33, 18.875" in found["you"] and "18.625, 18.75, 18.875" in found["expected"]
    assert all(text.startswith("... ") and text.endswith(" ...") for text in (
        found["you"], found["expected"]))  # fmt: skip


def test_of_a_long_text_the_part_that_differs_is_shown() -> None:
    found = said(["a" * 300 + "b" + "c" * 300], ["a" * 300 + "d" + "c" * 300])
    assert "ab" in found["you"] and "ad" in found["expected"]


@pytest.mark.parametrize("seed", range(100))
def test_two_lines_are_never_equal(seed: int) -> None:
    """Whatever is changed, wherever: the values are nested, and longer than what is shown."""
    chance = random.Random(seed)

    def nested(depth):
        leaf = chance.choice([0.5, 7, "a" * chance.choice([2, 400]), None, {1, 2}, {"k": 3}])
        many = [nested(depth - 1) for _ in range(chance.randrange(1, 8))] if depth else []
        return chance.choice([tuple(many), many]) if depth else leaf

    def changed(value):
        if isinstance(value, list | tuple):
            parts = list(value)
            at = chance.randrange(len(parts))
            if chance.random() < 0.2:
                return type(value)(parts[:at])
            parts[at] = changed(parts[at])
            return type(value)(parts)
        return {7} if isinstance(value, set) else value * 2 if value and value != {"k": 3} else 99

    right = nested(chance.randrange(1, 5))
    found = said(changed(right), right)
    assert found["you"] != found["expected"] and found["differs"]
    assert max(map(len, found.values())) < LONGEST + BEFORE


def test_what_is_printed_alike_and_is_no_number_is_told_so() -> None:
    found = dict(lines_of(miss(None, 1.5, got="1.5")))
    assert found["differs"].startswith("in its type: yours is printed the same")
    assert "differs" not in dict(lines_of(miss(None, 1.5, got="raises ValueError: no")))


def test_a_report_shows_the_place_and_a_sealed_judge_knows_it_too(toy) -> None:
    numbers = list(range(200))
    toy.change(toy.tests, "[([], 0), ([3], 3), ([1, 2], 3), ([1, 2, 3], 6)]",
               f"[({numbers}, tuple({numbers}))]")  # fmt: skip
    body = "    return (*numbers[:150], -1, *numbers[151:])\n"
    toy.answer("1.1", body)
    assert "\n     differs   at [150]: -1, expected 150\n" in report(toy, "1.1")
    toy.change(toy.source, "    found = 0\n    for number in numbers:\n"
               "        found = found + number\n    return found\n",
               "    return tuple(numbers)\n")  # fmt: skip
    exercise = toy.course.find("1.1")
    text = splice(exercise.reference, {"1.1": body}, ".py")
    found = running.run(text, exercise, [exercise], key_of(exercise))
    wrong = next(record for record in found.records if not record.right)
    assert dict(lines_of(wrong))["differs"] == "at [150]: -1, expected 150"
