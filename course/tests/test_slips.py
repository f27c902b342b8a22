"""Every sentence of slips.py, from the miss that it explains; and misses that no row explains."""

import pytest

from norch_course.gate import FEW, KEPT, SAME
from norch_course.running import Record
from norch_course.slips import SLIPS, slip

ARRAY = "raises AttributeError: 'norch_cpu_ops.array.Array' object has no attribute"
CASES = [  # what the answer gave, what was expected, and the sentence's first words
    ("raises SystemExit: bye", "3", "your answer ends the program."),
    ("raises RecursionError: maximum recursion depth exceeded", "3", "the calls go too deep"),
    ("raises MemoryError", "3", "more memory is asked for"),
    ("raises NameError: name 'np' is not defined", "3", "you use a name that is neither"),
    ("raises UnboundLocalError: cannot access", "3", "you read a variable that has no value yet"),
    ("raises RuntimeError: [bool] 3 elements", "3", "you ask several numbers at once"),
    ("raises OSError: [Errno 27] File too large", "3", "you print without end"),
    ("raises AttributeError: 'NoneType' object has no ...", "3", "you go on with None"),
    ("raises TypeError: 'NoneType' object is not iterable", "3", "you go on with None"),
    ("raises TypeError: unsupported operand type(s) for +: 'int' and 'list'", "3", "you reckon"),
    (f"{ARRAY} 'exp'", "3", "you take a bare array for a tensor."),
    ("None", "3", "nothing is returned"),
    ("<map object>", "(3,)", "you return something that hands out values"),
    ("<list_reverseiterator object>", "(3,)", "you return something that hands out values"),
    ("(3.0, 4)", "(3, 4)", "the numbers are right and their type is not"),
    ("[nan, 3.0]", "[4.0, 3.0]", "a result is not a number (NaN)"),
    ("[(3,), (4, 5)]", "((3,), [4, 5])", "the values are right and the type is not"),
    ("grad[0] was 1.0 and is 3.0", KEPT, "you write into what you were given"),
    ("self.found is new", KEPT, "you store something in `self`"),
    ("f(): 3, then 4", SAME, "something is kept from one call to the next"),
    ("f(): 9000 steps, and 9 in ours", FEW, "you do over and over"),
    (
        "raises RuntimeError: [mul_] the destination was expanded: ...",
        "3",
        "you write into an array",
    ),
    ("3", "4", ""),
    ("raises RuntimeError: [sum] no such dim", "4", ""),
    ("raises ValueError: NoneType", "4", ""),
    ("[nan, 3.0]", "[nan, 4.0]", ""),
    ("(3.5, 4)", "(3, 4)", ""),
    ("(3, 4)", "(3, 4, 5)", ""),
]
NANS = {".py": "0 times infinity", ".cpp": "a difference", ".h": "a difference", ".cu": "simulator"}


def said(*pairs: tuple[str, str], suffix: str = ".py", body: str = "    pass\n") -> str:
    """What is said of an answer that gave the first of each pair, where the other is expected."""
    records = [
        Record("1.1", "f()", got, wanted, got == wanted, None, wanted=wanted, data=got)
        for got, wanted in pairs
    ]
    return slip(records, suffix, body, "    return 1\n")


@pytest.mark.parametrize(("got", "expected", "words"), CASES)
def test_a_miss_is_told_its_slip(got: str, expected: str, words: str) -> None:
    sentence = said((got, expected))
    assert sentence.startswith(words) and bool(sentence) == bool(words)


@pytest.mark.parametrize("suffix", NANS)
def test_a_nan_is_told_in_the_words_of_its_language(suffix: str) -> None:
    assert NANS[suffix] in said(("nan", "1.0"), suffix=suffix)


def test_every_row_speaks_and_the_first_that_recognises_a_miss() -> None:
    spoken = {said((got, expected)) for got, expected, _ in CASES} - {""}
    assert spoken | {said(("nan", "1.0"), suffix=one) for one in NANS} == set(SLIPS.values())
    assert said(("raises SystemExit: NoneType", "3")).startswith("your answer ends")


def test_the_first_miss_alone_is_explained() -> None:
    assert said(("nan", "nan"), ("3", "4"), ("nan", "4.0")) == ""


@pytest.mark.parametrize("body", ["    return 1 if x else None\n", "    if x: return f(x)\n"])
def test_nothing_is_returned_only_where_nothing_ever_is(body: str) -> None:
    assert said(("None", "3"), body="    # return x\n    return\n").startswith(
        "nothing is returned"
    )
    assert said(("None", "3"), body=body) == ""
    assert said(("None", "3"), ("4", "5")) == ""


LONG = [k / 8 for k in range(300)]


@pytest.mark.parametrize("last", [LONG[-1] + 1, float(int(LONG[-1]))])
def test_nothing_is_said_of_types_where_numbers_differ_after_what_is_shown(last: float) -> None:
    assert said((repr([*LONG[:-1], last]), repr(LONG))) == ""
    whole = list(map(int, LONG))
    assert said((repr([float(one) for one in whole]), repr(whole))).startswith("the numbers are")
    assert said((repr([*map(float, whole[:-1]), 0.5]), repr(whole))) == ""
    assert said((repr((*LONG[:-1], last)), repr(LONG))) == ""
    assert said((repr(tuple(LONG)), repr(LONG))).startswith("the values are right")


def test_nothing_is_returned_is_said_only_where_ours_returns() -> None:
    """A hole in the middle of a function returns nothing, and what it does is seen elsewhere."""
    record = Record("1.1", "x.grad", "None", "3", False, None, wanted="3", data="None")
    assert slip([record], ".py", "    pass\n", "    x.grad = grad\n") == ""
    assert slip([record], ".py", "    pass\n", "    return grad\n") != ""
