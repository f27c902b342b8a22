"""Every pattern of patterns.py, from the miss that shows it; each is true by its making."""

import pytest

from norch_course.forms import FORMS
from norch_course.patterns import ERRORS, FORM_WORDS, pattern
from norch_course.running import Record
from norch_course.testing import agree

CASES = [  # what the answer gave and what was expected, as data; the sentence's first words
    ("[-1.0, 2.0]", "[1.0, -2.0]", "a sign is turned"),
    ("[2.0, 4.0]", "[1.0, 2.0]", "a factor is forgotten, or one too many: each is 2 times"),
    ("[1.5, 2.5]", "[1.0, 2.0]", "each number is 0.5 too large."),
    ("[0.0, 0.0]", "[1.0, 2.0]", "nothing arrives"),
    ("[1.001, 2.0]", "[1.0, 2.0]", "digits are lost"),
    ("1025.0", "1026.0", "the number is too small, by 1."),  # no digits: an element is missing
    ("[[1.0, 2.0, 9.0]]", "[[1.0, 2.0, 4.0]]", "all is right but [0][2]."),  # a table of one row
    ("6.0", "3.0", "the number is 2 times the right one."),
    ("5", "3", "the number is too large, by 2."),
    ("[3.0, 2.0, 1.0]", "[1.0, 2.0, 3.0]", "the order is turned round"),
    ("[2.0, 1.0, 3.0]", "[1.0, 2.0, 3.0]", "the right things come in another order"),
    ("[[1.0], [2.0]]", "[[1.0, 2.0]]", "the numbers are right and stand in another shape"),
    ("[1.0]", "[1.0, 2.0]", "something is missing: 2 parts are expected, and there are 1."),
    ("[1.0, 2.0, 3.0]", "[1.0]", "something is too many: 1 parts are expected"),
    ("None", "[1.0]", "nothing (None) comes back"),
    ("[1.0]", "None", "something comes back"),
    ("([1.0], [2.0])", "([1.0], None)", "only [1] is wrong: something comes back"),
    ("([1.0], [2.0, 4.0])", "([1.0], [1.0, 2.0])", "only [1] is wrong: a factor"),
    ("{'a': [1.0], 'b': [2.0, 2.0]}", "{'a': [1.0], 'b': [1.0, 1.0]}", "only ['b'] is wrong"),
    ("[1.0, ([2.0], 3)]", "[1.0, ([1.0], 3)]", "only [1][0] is wrong: the number is 2 times"),
    ("1024", "'at most 40'", "it costs more than it may: 1024, and at most 40 is right."),
    ("True", "False", "you say True where False is right."),
    ("'b'", "'a'", "the answer is 'b', and 'a' is right."),
    ("[1.0, 2.0, 9.0]", "[1.0, 2.0, 4.0]", "all is right but [2]."),
    ("[7.0, 2.0, 9.0]", "[1.0, 2.0, 4.0]", "2 of 3 parts are wrong, the first of them [0]."),
    ("[7.0, 3.0, 9.0]", "[1.0, 2.0, 4.0]", "no part is right."),
    ("[1.0]", "raises ValueError", "you take what has to be refused, with ValueError."),
    ("raises KeyError Exception", "raises ValueError", "you refuse with another kind of error"),
    ("raises IndexError Exception", "3", "an index runs past the end"),
    ("raises ValueError Exception", "3", "your lines raise ValueError where a value"),
    ("[[2.0]]", "[[2.0, 4.0]]", "something is missing: 2 parts are expected, and there are 1."),
    ("[[2.0, 5.0, 6.0]]", "[[2.0, 4.0, 6.0]]", "all is right but [0][1]."),
    ("[5]", "[3]", "the number is too large, by 2."),
    (
        "((3, 2), (2, 1), 0)",
        "((2, 2), (3, 1), 0)",
        "2 of 3 parts are wrong, the first of them [0].",
    ),
    ("[nan]", "[1.0]", ""),
]


def missed(data: str, wanted: str, forms: tuple[str, ...] = ()) -> Record:
    """An expectation that was not met."""
    assert not agree(data, wanted)
    got = " ".join(data.split()[:2]) if data.startswith("raises ") else data
    return Record("1.1", "f()", got, wanted, False, None, wanted, data, forms)


@pytest.mark.parametrize(("data", "wanted", "words"), CASES)
def test_a_miss_is_told_what_it_looks_like(data: str, wanted: str, words: str) -> None:
    said = pattern([missed(data, wanted)])
    assert said.startswith(words) and bool(said) == bool(words)


MET = Record("1.1", "f()", "3", "3", True, None, "3")


def test_a_form_that_comes_for_the_first_time_is_named() -> None:
    miss = missed("4", "3", ("no elements",))
    assert pattern([MET, miss]).startswith(
        "all cases before this one are right; here, for the first time, an array has no elements."
    )
    assert pattern([miss]).startswith("the number is too large")  # no case was right before
    two = missed("4", "3", ("no elements", "float16"))
    assert pattern([MET, two]).startswith("the number is too large")  # which of the two is it?


def test_the_library_s_refusal_is_told_apart_from_an_error_of_the_answer() -> None:
    refused = missed("raises RuntimeError Exception", "3")
    words = Record(*("1.1", "f()", "raises RuntimeError: [view] shape", "3", False, None, "3"))
    assert pattern([words]).startswith("the library refuses what you hand to it")
    assert pattern([refused]).startswith("your lines raise RuntimeError")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("race in shared memory: thread (1, 0, 0) reads what (0, 0, 0) wrote", "two threads take"),
        ("thread (0, 0, 0) reads 4 bytes outside every array it was given", "the kernel reads or"),
        ("thread (0, 0, 0) reads shared memory that nobody has written", "the kernel reads what"),
        ("divergent __syncthreads(): 1 thread(s) wait", "not all threads of the block"),
        ("still running after the time allowed", "the kernel is stopped"),
    ],
)
def test_what_the_simulator_says_of_a_kernel_is_no_refusal_of_the_library(
    words: str, said: str
) -> None:
    got = f"raises RuntimeError: [gather_kernel] {words}"
    for wanted in ("3", "raises IndexError"):  # also where another error is expected
        assert pattern([Record("1.1", "f()", got, wanted, False, None, wanted)]).startswith(said)


def test_each_form_has_words_and_nothing_is_said_where_all_is_right() -> None:
    assert FORM_WORDS.keys() == {form for forms in FORMS.values() for form in forms}
    assert pattern([MET]) == ""
    for name in ERRORS:
        assert pattern([missed(f"raises {name} Exception", "3")]) == ERRORS[name]
