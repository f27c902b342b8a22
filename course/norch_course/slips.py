"""Slips: mistakes that anybody makes in any exercise, told from the value or the error alone.

The report names one when the answer behaves like no known wrong one. Each sentence follows the
words "It looks as if". Errors are texts here: they come from the judge's process. What is said of
values is said of whole ones, never of what a report shows of them.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from norch_course.difference import Pair, pair_of
from norch_course.gate import FEW, KEPT, RULES, SAME
from norch_course.running import Record
from norch_course.testing import has_float


class Miss(NamedTuple):
    """The first expectation that was not met, its values if they are such, and what is around.

    That is all records, the language, the text in the hole, and the library's own there.
    """

    got: str
    expected: str
    pair: Pair | None
    records: Sequence[Record]
    suffix: str
    body: str
    ours: str


Recognise = Callable[[Miss], bool]
RETURN = re.compile(r"^[^#\n]*\breturn\b[ \t]*[^\s#;]", re.MULTILINE)


def gives(pattern: str) -> Recognise:
    """Recognise a value or a `raises Name: words` by its beginning."""
    return lambda miss: bool(re.match(pattern, miss.got))


def are_floats(miss: Miss) -> bool:
    """Recognise numbers that are all right, of which one is a float where none is expected."""
    return miss.pair is not None and bool(miss.pair.value == miss.pair.right)


def are_lists(miss: Miss) -> bool:
    """Recognise a value that is right but for lists in the place of tuples, or tuples of lists."""
    if miss.pair is None or has_float(miss.pair.value) > has_float(miss.pair.right):
        return False
    return bool(_tuples(miss.pair.value) == _tuples(miss.pair.right))


def _tuples(value: Any) -> Any:
    many = isinstance(value, list | tuple)
    return tuple(_tuples(part) for part in value) if many else value


def gives_nan(*suffixes: str) -> Recognise:
    """Recognise a NaN where none is expected, from an answer in one of these languages."""

    def recognise(miss: Miss) -> bool:
        seen = [bool(re.search(r"\bnan\b", text)) for text in (miss.got, miss.expected)]
        return miss.suffix in suffixes and seen == [True, False]

    return recognise


def returns_nothing(miss: Miss) -> bool:
    """Recognise None, where every call gave None or an error, and ours returns and yours never."""
    if miss.got != "None" or RETURN.search(miss.body) or not RETURN.search(miss.ours):
        return False
    cases = [one for one in miss.records if one.expected not in RULES]
    return all(one.got == "None" or one.got.startswith("raises ") for one in cases)


def breaks(rule: str, how: str = "") -> Recognise:
    """Recognise what the gate asks of every answer, by what it expects, and by what it saw."""
    return lambda miss: miss.expected == rule and bool(re.search(how, miss.got))


# What is recognised, and what is then said. The first row that recognises a miss speaks.
SLIPS: dict[Recognise, str] = {
    breaks(
        KEPT, r"^self\.\w+ is new$"
    ): "you store something in `self`, where the next call finds it. "
    "What is worked out in a call stays in variables of its own.",
    breaks(KEPT): "you write into what you were given, and the caller still needs it. `x *= y`, "
    "`x[k] = y` and methods that end with `_` write into x; `x * y` makes something new.",
    gives(r"raises RuntimeError: \[\w+_\] the destination was expanded"): "you write into an array "
    "whose elements share one place in memory. What was handed in belongs to the caller: make a "
    "new one.",
    breaks(SAME): "something is kept from one call to the next: in a default value, in a variable "
    "of the class or the module, or in what was handed in.",
    breaks(FEW): "you do over and over what can be done once: how does the work grow when the "
    "input does?",
    gives("raises SystemExit"): "your answer ends the program. A function returns or raises; "
    "`exit()` has no place in it.",
    gives(
        "raises RecursionError"
    ): "the calls go too deep: a function calls itself without end, or "
    "once for each of very many. Which case does not call?",
    gives("raises MemoryError"): "more memory is asked for than there is: something grows without "
    "end, or a size is far too large.",
    gives("raises (UnboundLocalError|NameError: .*free variable)"): "you read a variable that has "
    "no value yet on this way through your lines.",
    gives("raises NameError: name"): "you use a name that is neither a parameter nor a variable of "
    "yours, nor imported at the top of the file. What you need may be imported inside your region.",
    gives(r"raises RuntimeError: \[bool\] "): "you ask several numbers at once whether they are "
    "true. `is None` asks whether there are any; `where` chooses for each.",
    gives(r"raises OSError: \[Errno 27\]"): "you print without end: when does the loop stop?",
    gives(r"raises (AttributeError|TypeError): .*\bNoneType\b"): "you go on with None: with "
    "something that need not be there, or with what a function without `return` gives. Ask "
    "`is None` first.",
    gives(r"raises TypeError: unsupported operand type\(s\) for \S+: .*'list'"): "you reckon with "
    "a whole list. Lists know no arithmetic: go through the elements.",
    gives(r"raises AttributeError: '[\w.]*Array' object has no attribute"): "you take a bare array "
    "for a tensor. It knows `+ - * / @`, `mT`, `reshape` and `sum`; its operations are functions "
    "of `array.ops`.",
    returns_nothing: "nothing is returned: a function that ends without `return` gives None.",
    gives(r"<(generator|map|zip|filter|enumerate|\w*(iterator|reversed)) object"): "you return "
    "something that hands out values only when it is asked: `tuple(...)` or `list(...)` asks for "
    "all of them.",
    are_floats: "the numbers are right and their type is not: a position "
    "is a whole number. `//` divides whole numbers, `/` never gives one.",
    gives_nan(".py"): "a result is not a number (NaN): 0 / 0, infinity minus infinity, 0 times "
    "infinity, or the root or logarithm of a negative number.",
    gives_nan(".cpp", ".h"): "a result is not a number (NaN): 0 / 0, a difference of infinities, "
    "or memory that was read before it was written.",
    gives_nan(".cu"): "something was read before it was written, or beyond its end (on the "
    "simulator all new memory holds NaN), or 0 was divided by 0.",
    are_lists: "the values are right and the type is not: (1, 2) is a tuple, [1, 2] is a list.",
}

CRASHES = {
    "crashed (SIGSEGV)": "you read or write memory that is not yours (an index or a pointer too "
    "far), or a function calls itself without end.",
    "crashed (SIGABRT)": "memory was written beyond its end and found damaged later, or the "
    "program was told to abort.",
    "crashed (SIGFPE)": "a whole number was divided by 0.",
}


def slip(records: Sequence[Record], suffix: str, body: str, ours: str) -> str:
    """Return the sentence for the common mistake that explains the first miss, or nothing.

    `body` stands in the hole, and `ours` in the library's.
    """
    first = next(record for record in records if not record.right)
    miss = Miss(first.got, first.expected, pair_of(first), records, suffix, body, ours)
    return next((sentence for recognise, sentence in SLIPS.items() if recognise(miss)), "")


def crash(problem: str) -> str:
    """Return the sentence for the way in which a process ended, or nothing."""
    return CRASHES.get(problem, "")
