"""Patterns: what a wrong value looks like beside the right one, when nobody knows the mistake.

The last to be asked, after the known wrong answers and the slips. A sentence says what can be seen
in the values themselves (a sign, a factor, an order, an end), and which form of input came for the
first time: so it is true whatever the mistake is. It follows the word "Look:".
"""

import re
from collections.abc import Callable, Iterator, Sequence
from math import isclose, isfinite
from typing import Any

from norch_course.difference import pair_of
from norch_course.running import Record
from norch_course.testing import RAISES

FORM_WORDS = {
    "no elements": "an array has no elements",
    "no dimensions": "an array has no dimensions",
    "N = 1": "the first dimension has size 1",
    "negative stride": "memory is walked backwards (a negative stride)",
    "stride 0": "elements share their memory (stride 0)",
    "float16": "an array is float16",
    "float64": "an array is float64",
    "sum overflows": "numbers are so large that their sum overflows",
    "number 0": "a number that comes in is 0",
    "number negative": "a number that comes in is negative",
    "empty list": "a list that comes in is empty",
    "depth above 5": "lists stand deep in one another",
    "size 0": "a size is 0",
    "size 1": "a size is 1",
    "empty shape": "a shape has no dimensions",
}
CLOSE = 0.01  # a relative distance at which digits are lost, and no term is
ERRORS = {
    "IndexError": "an index runs past the end: what is shorter here than you take it to be?",
    "KeyError": "you look up a key that is not there.",
    "ZeroDivisionError": "you divide by 0: what is the divisor here?",
    "AttributeError": "something is asked for a name that it does not have; the error says which.",
    "AssertionError": "a check that is written there fails.",
    "OverflowError": "a number grows larger than its type holds.",
    "NotImplementedError": "a case is left to be written.",
}
OF_KERNEL = rf"{RAISES}RuntimeError: \[\w+_kernel\] "  # the simulator's, never the library's
KERNEL_ERRORS = {
    "race in ": "two threads take the same place, one of them writes, and nothing makes the other "
    "wait; the error names both lines.",
    "outside every array": "the kernel reads or writes where no array lies: which index runs too "
    "far, or which question is not asked before?",
    "that nobody has written": "the kernel reads what nobody has written yet.",
    "__syncthreads()": "not all threads of the block come to the same barrier.",
    "": "the kernel is stopped; the error says at which line and why.",
}
WHOLE = 2.0**24  # up to here a float32 holds every whole number
Numbers = list[float]


def pattern(records: Sequence[Record]) -> str:
    """Return the sentence about the first expectation that was not met, or nothing."""
    if all(record.right for record in records):
        return ""
    at = next(k for k, record in enumerate(records) if not record.right)
    miss = records[at]
    parts = [_of_form(records, at), of_error(miss) or of_values(miss)]
    return " ".join(part for part in parts if part)


def _of_form(records: Sequence[Record], at: int) -> str:
    """Name the form of input that came for the first time with the first miss, if it is one."""
    forms = records[at].forms
    if not at or len(forms) != 1 or forms[0] not in FORM_WORDS:
        return ""
    return f"all cases before this one are right; here, for the first time, {FORM_WORDS[forms[0]]}."


def of_error(miss: Record) -> str:
    """Say what an error, or one that did not come, shows."""
    if re.match(OF_KERNEL, miss.got):
        return next(said for words, said in KERNEL_ERRORS.items() if words in miss.got)
    found, wanted = miss.got.startswith(RAISES), miss.wanted.startswith(RAISES)
    if wanted:
        kind = miss.wanted.removeprefix(RAISES)
        return (
            f"you refuse with another kind of error: {kind} is expected."
            if found
            else f"you take what has to be refused, with {kind}."
        )
    name = re.match(rf"{RAISES}(\w+)(?:: (\[\w+\] )?)?", miss.got)
    if not name:
        return ""
    if name[2]:
        return "the library refuses what you hand to it; its words say what it got and expected."
    return ERRORS.get(name[1], f"your lines raise {name[1]} where a value is expected.")


def of_values(miss: Record) -> str:
    """Say how a value differs from the right one."""
    pair = pair_of(miss)
    return tell(pair.value, pair.right) if pair else ""


def tell(mine: Any, right: Any) -> str:
    """Say how two values differ; where only one part does, which, and how that differs."""
    keys = _keys_that_differ(mine, right)
    if len(keys) == 1 and _is_table(right):
        key = keys[0]
        if inside := tell(mine[key], right[key]):
            deeper = inside.startswith("only [")
            return f"only [{key!r}]{inside[5:] if deeper else f' is wrong: {inside}'}"
    return next((said for one in TELLS if (said := one(mine, right))), "")


def _keys_that_differ(mine: Any, right: Any) -> list[Any]:
    if isinstance(mine, dict) and isinstance(right, dict) and mine.keys() == right.keys():
        return [key for key in right if mine[key] != right[key]]
    if _is_many(mine) and _is_many(right) and len(mine) == len(right) > 1:
        return [k for k in range(len(right)) if mine[k] != right[k]]
    return []


def _is_table(right: Any) -> bool:
    """Tell whether parts stand for themselves: a row of numbers is looked at as a whole."""
    parts = right.values() if isinstance(right, dict) else right
    return any(isinstance(part, list | tuple | dict | bool | str | None) for part in parts)


# ---- One pattern each: the sentence, or nothing --------------------------------------------------


def none(mine: Any, right: Any) -> str:
    """None where something is expected, or something where None is."""
    if mine is None:
        return "nothing (None) comes back where something is expected."
    if right is None:
        return "something comes back where nothing (None) is expected."
    if not (_is_many(mine) and _is_many(right) and len(mine) == len(right)):
        return ""
    pairs = [one for one in zip(mine, right, strict=True) if one[0] != one[1]]
    if pairs and all(one is None for one, _ in pairs):
        return "a part is None that is asked for."
    return "a part is computed that nobody asked for: None is expected." * (
        bool(pairs) and all(other is None for _, other in pairs)
    )


def truth(mine: Any, right: Any) -> str:
    """Yes for no."""
    is_so = isinstance(mine, bool) and isinstance(right, bool) and mine is not right
    return f"you say {mine} where {right} is right." if is_so else ""


def length(mine: Any, right: Any) -> str:
    """A list that is too short or too long, or has the numbers in another shape."""
    mine, right, _ = _unwrapped(mine, right)
    if not (_is_many(mine) and _is_many(right)) or len(mine) == len(right):
        return ""
    one, other = list(_leaves(mine)), list(_leaves(right))
    if one == other:
        return "the numbers are right and stand in another shape."
    few = "missing" if len(mine) < len(right) else "too many"
    return f"something is {few}: {len(right)} parts are expected, and there are {len(mine)}."


def order(mine: Any, right: Any) -> str:
    """The right things in another order, or shape."""
    one, other = list(_leaves(mine)), list(_leaves(right))
    if one == other and mine != right:
        return "the numbers are right and stand in another shape."
    if len(one) < 2 or len(one) != len(other) or one == other or len({*map(repr, other)}) == 1:
        return ""
    if _is_record(right):
        return ""
    if one == other[::-1]:
        return "the order is turned round: what should come last comes first."
    if sorted(map(repr, one)) == sorted(map(repr, other)):
        return "the right things come in another order, or rows stand where columns should."
    return ""


def amount(mine: Any, right: Any) -> str:
    """A sign, a factor, a term, digits."""
    one, other = _numbers(mine), _numbers(right)
    if not one or len(one) != len(other) or one == other:
        return ""
    if not any(one):
        return "nothing arrives: every number is 0."
    if all(a == -b for a, b in zip(one, other, strict=True)):
        return "a sign is turned: each number is minus the right one."
    return _factor(one, other) or _term(one, other) or _digits(one, other)


def _factor(one: Numbers, other: Numbers) -> str:
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a or b]
    if not all(b for _, b in pairs):
        return ""
    factor = pairs[0][0] / pairs[0][1]
    if not all(isclose(a, factor * b, rel_tol=1e-4) for a, b in pairs) or isclose(
        factor, 1, rel_tol=CLOSE
    ):
        return ""
    if len(one) == 1:  # any two numbers have a ratio: a whole one tells something
        whole = factor if abs(factor) > 1 else 1 / factor if factor else 0.5
        return f"the number is {factor:.6g} times the right one." * (round(whole, 4) % 1 == 0)
    return f"a factor is forgotten, or one too many: each is {factor:.6g} times the right one."


def _term(one: Numbers, other: Numbers) -> str:
    term = one[0] - other[0]
    far = all(isclose(a - b, term, rel_tol=1e-4) for a, b in zip(one, other, strict=True))
    if len(one) == 1 or not far or not any(other):
        return ""
    return f"each number is {abs(term):.6g} too {'large' if term > 0 else 'small'}."


def _digits(one: Numbers, other: Numbers) -> str:
    if all(x.is_integer() and abs(x) <= WHOLE for x in one + other):
        return ""  # no type loses the digits of these: something is missing, or there twice
    near = all(isclose(a, b, rel_tol=CLOSE) for a, b in zip(one, other, strict=True))
    return "digits are lost: the numbers are nearly right." * near


def places(mine: Any, right: Any) -> str:
    """Right but for the beginning, the end, or some places."""
    mine, right, path = _unwrapped(mine, right)
    wrong = _keys_that_differ(mine, right)
    if not wrong:
        return ""
    if len(wrong) == 1:
        return f"all is right but {path}[{wrong[0]!r}]."
    if len(wrong) == len(right):
        return "no part is right."
    return f"{len(wrong)} of {len(right)} parts are wrong, the first of them {path}[{wrong[0]!r}]."


def number(mine: Any, right: Any) -> str:
    """One number that is too large or too small."""
    one, other = _numbers(mine), _numbers(right)
    if len(one) != 1 or len(other) != 1 or one == other:
        return ""
    which = "large" if one[0] > other[0] else "small"
    return f"the number is too {which}, by {abs(one[0] - other[0]):.6g}."


def most(mine: Any, right: Any) -> str:
    """More than a cost may be."""
    return f"it costs more than it may: {mine}, and {right} is right." * (
        type(mine) is int and isinstance(right, str) and right.startswith("at most ")
    )


def words(mine: Any, right: Any) -> str:
    """Another text than the one expected."""
    return f"the answer is {mine!a}, and {right!a} is right." * (
        isinstance(mine, str) and isinstance(right, str)
    )


# The first that sees something speaks.
TELLS: tuple[Callable[[Any, Any], str], ...] = (
    none,
    truth,
    words,
    most,
    length,
    order,
    amount,
    number,
    places,
)


def _unwrapped(mine: Any, right: Any) -> tuple[Any, Any, str]:
    """Take two values out of lists of one, as a table of one row is; and tell where they stood."""
    path = ""
    while _is_many(mine) and _is_many(right) and len(mine) == len(right) == 1:
        mine, right, path = mine[0], right[0], path + "[0]"
    return mine, right, path


def _is_record(value: Any) -> bool:
    """Tell whether lists and single values stand side by side: a part has its own meaning then."""
    return _is_many(value) and len({_is_many(part) for part in value}) > 1


def _is_many(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list | tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value


def _numbers(value: Any) -> Numbers:
    """Return the numbers of a value, flat; none where something else is among them."""
    found = list(_leaves(value))
    if not all(type(part) in (int, float) and isfinite(part) for part in found):
        return []
    return [float(part) for part in found]
