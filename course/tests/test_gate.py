"""The gate of every Python answer, broken in each way: what it changes, keeps and costs.

And the recognition of forms, and the gate that every form of input has to come in.
"""

from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from course.tests.conftest import Toy

from norch_course import running
from norch_course.catalog import load
from norch_course.commands import solution
from norch_course.forms import FORMS, forms_of
from norch_course.gate import FEW, KEPT, SAME
from norch_course.grading import key_of
from norch_course.holes import splice
from norch_course.inputs import inputs_have_all_forms, other_answers_are_right, write_steps
from norch_course.watching import Watch, difference, picture

ROOT = Path(__file__).resolve().parents[2]
LONG = 400  # numbers: what an answer does for each pair of them is seen


@pytest.fixture
def watched(toy: Toy) -> Toy:
    """The small course with a long input, its steps written down, and all forms of lists."""
    toy.change(toy.tests, "([1, 2], 3), ([1, 2, 3], 6)]", f"([1, 2], 3), ([1] * {LONG}, {LONG})]")
    toy.change(toy.tests, 'expect(f"total({numbers})"', 'expect(f"total of {len(numbers)}"')
    toy.change(toy.entries, "apart are they?", "apart are two numbers, or more?")
    toy.change(
        toy.entries, 'more?"\n', 'more?"\nexcludes = {"empty list" = "two numbers, or more"}\n'
    )
    write_steps(toy.course, toy.course.stages[0])
    return toy


REFUSED = {
    "    found = 0\n    while numbers:\n        found += numbers.pop()\n    return found\n": KEPT,
    "    numbers.sort()\n    return sum(numbers)\n": KEPT,
    "    total.calls = getattr(total, 'calls', 0) + 1\n"
    "    return sum(numbers) + (total.calls == 2)\n": SAME,
    "    return sum(numbers[k] for k in range(len(numbers))"
    " for other in range(len(numbers)) if k == other)\n": FEW,
}
ACCEPTED = (
    "    return sum(numbers)\n",
    "    rest = list(numbers)\n    found = 0\n    while rest:\n        found += rest.pop()\n"
    "    return found\n",
)


@pytest.mark.parametrize("body", REFUSED)
def test_what_no_case_asks_for_is_refused(watched: Toy, body: str) -> None:
    watched.change(watched.tests, "([3], 3), ([1, 2], 3)", "([3], 3), ([2, 1], 3)")
    watched.answer("1.1", body)
    verdict = watched.check("1.1")
    assert verdict.status == "wrong" and verdict.miss
    assert REFUSED[body] in [one.expected for one in verdict.records if not one.right]
    assert verdict.says


@pytest.mark.parametrize("body", ACCEPTED)
def test_an_answer_of_another_kind_passes(watched: Toy, body: str) -> None:
    watched.answer("1.1", body)
    assert watched.check("1.1").status == "ok"


def test_a_function_that_remembers_its_results_is_asked_anew() -> None:
    watch, calls = Watch("toy.py"), []
    remembering = watch.decorator(lru_cache(calls.append))
    watch.module = {"remembering": remembering}
    remembering(1)
    remembering(1)
    assert calls == [1]
    watch.forget()
    remembering(1)
    assert calls == [1, 1]


def test_the_rules_come_after_the_cases_and_say_what_was_seen(watched: Toy) -> None:
    watched.answer("1.1", "    numbers.append(0)\n    return sum(numbers)\n")
    verdict = watched.check("1.1")
    assert [one.expected for one in verdict.records[-3:]] == [KEPT, SAME, FEW]
    assert verdict.miss
    assert verdict.miss.got == "numbers had 0 parts and has 1"


def test_a_stranger_s_answer_meets_the_same_gate(watched: Toy) -> None:
    exercise = watched.course.find("1.1")
    key = key_of(exercise)
    body = "    numbers.append(0)\n    return sum(numbers)\n"
    text = splice(exercise.reference, {"1.1": body}, exercise.suffix)
    result = running.run(text, exercise, [exercise], key)
    assert not result.problem
    assert next(one.got for one in result.records if not one.right).startswith("numbers had")
    right = running.run(exercise.reference, exercise, [exercise], key)
    assert all(one.right for one in right.records)


def test_what_the_task_says_is_changed_may_change(watched: Toy) -> None:
    watched.change(watched.entries, 'task = "Add', 'changes = ["numbers"]\ntask = "Add')
    watched.answer("1.1", "    numbers.reverse()\n    return sum(numbers)\n")
    watched.change(watched.tests, "([1, 2], 3)", "([1, 2, 3], 6)")
    assert watched.check("1.1").status == "ok"
    assert inputs_have_all_forms(watched.course) == [
        "1.1: 'numbers' is said to change, and never does"
    ]


def test_a_form_that_no_input_has_is_found(watched: Toy) -> None:
    assert inputs_have_all_forms(watched.course) == []
    watched.change(watched.tests, "([], 0), ", "")
    write_steps(watched.course, watched.course.stages[0])
    assert inputs_have_all_forms(watched.course) == [
        "1.1: no input has the form 'empty list', and the task excludes none such"
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"two numbers, or more"}', '"three"}', "'three' is not in its task"),
        ('{"empty list" =', '{"float16" = "two", "empty list" =', "nobody asks for it"),
        ("[([3], 0),", "[([], 0), ([3], 0),", "its own answer is not through"),
    ],
)
def test_an_exclusion_is_held_to_the_task(watched: Toy, old: str, new: str, said: str) -> None:
    path = watched.tests if old.startswith("[(") else watched.entries
    watched.change(path, old, new)
    found = inputs_have_all_forms(watched.course)
    assert found and any(said in line or "max()" in line for line in found)


def test_steps_of_fewer_cases_than_there_are_now_are_found(watched: Toy) -> None:
    watched.change(watched.tests, "([3], 3), ([1, 2], 3)", "([3], 3), ([4], 4), ([1, 2], 3)")
    (found,) = inputs_have_all_forms(watched.course)
    assert found.startswith("1.1: steps of 4 cases are written down")


class Layout(NamedTuple):
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class Array:
    """What the recognition asks of an array."""

    def __init__(self, values: Any, shape: Any, strides: Any, dtype: str = "norch.float32") -> None:
        self.values, self.shape, self.strides, self.dtype = values, shape, strides, dtype

    def tolist(self) -> Any:
        return self.values


FORM_OF = [
    (Array([], (0,), (1,)), "no elements"),
    (Array(3.0, (), ()), "no dimensions"),
    (Array([[1.0, 2.0]], (1, 2), (2, 1)), "N = 1"),
    (Array([1.0, 2.0], (2,), (-1,)), "negative stride"),
    (Array([1.0, 1.0], (2,), (0,)), "stride 0"),
    (Array([1.0, 2.0], (2,), (1,), "norch.float16"), "float16"),
    (Array([1.0, 2.0], (2,), (1,), "norch.float64"), "float64"),
    (Array([3e38, 3e38], (2,), (1,)), "sum overflows"),
    (Array([1e308, 1e308], (2,), (1,), "norch.float64"), "sum overflows"),
    (0.0, "number 0"),
    (-1.0, "number negative"),
    ([], "empty list"),
    ([[[[[[1]]]]]], "depth above 5"),
    (Layout((2, 0), (1, 1)), "size 0"),
    (Layout((2, 1), (1, 1)), "size 1"),
    (Layout((), ()), "empty shape"),
    (Layout((2,), (-1,)), "negative stride"),
    (Layout((2,), (0,)), "stride 0"),
]


@pytest.mark.parametrize(("value", "form"), FORM_OF)
def test_a_form_is_recognised(value: Any, form: str) -> None:
    assert form in {found for _, found in forms_of("x", value)}


def test_an_ordinary_value_has_its_kind_and_no_form() -> None:
    plain = Array([[1.0, 2.0], [3.0, 4.0]], (2, 2), (2, 1))
    for value in (plain, 2.0, [[1], [2]], Layout((2, 3), (3, 1))):
        assert {form for _, form in forms_of("x", value)} == {""}
    assert set(forms_of("x", 3)) == set()


def test_each_form_is_recognised_somewhere() -> None:
    assert {form for _, form in FORM_OF} == {form for forms in FORMS.values() for form in forms}


def test_a_difference_is_told_at_its_first_place() -> None:
    before = picture([Array([[1.0, 2.0]], (1, 2), (2, 1)), {"a": 1}, (float("nan"),)])
    after = picture([Array([[1.0, 5.0]], (1, 2), (2, 1)), {"a": 1}, (float("nan"),)])
    assert difference(before, before) == ""
    assert difference(before, after) == "[0][0][1] was 2.0 and is 5.0"
    assert difference(picture({"a": 1}), picture({"a": 1, "b": 2})) == " had 1 parts and has 2"


def test_another_right_answer_passes_and_is_shown(toy: Toy, capsys) -> None:
    other = toy.entries.parent / "other"
    other.mkdir()
    (other / "1.1.py").write_text("#: at_once\n#: Python's own sum.\n    return sum(numbers)\n")
    assert other_answers_are_right(toy.course) == ["1.2: has no other answer"]
    assert solution(toy.course, "1.1", other=True) == 0
    said = capsys.readouterr().out
    assert "another right answer: at_once" in said
    assert "Python's own sum." in said and "return sum(numbers)" in said
    (other / "1.2.py").write_text("#: far\n#: Wrong.\n    return max(numbers)\n")
    (other / "1.1.py").write_text("#: ours\n" + "#: Ours.\n" + reference_body())
    found = other_answers_are_right(toy.course)
    assert found == ["1.1: ours is our own answer", "1.2: far is wrong: spread([3])"]


def reference_body() -> str:
    """The library's own answer to 1.1 of the small course."""
    return (
        "    found = 0\n    for number in numbers:\n        found = found + number\n"
        "    return found\n"
    )


def test_every_exercise_in_python_has_its_steps_written_down() -> None:
    for exercise in load(ROOT).exercises.values():
        if exercise.suffix == ".py":
            assert exercise.id in (exercise.stage.wrong / "steps.json").read_text("utf-8")
