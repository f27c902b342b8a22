"""Slips: mistakes that anybody makes in any exercise, told from the value or the error alone.

The report names one when the answer behaves like no known wrong one. Each sentence follows the
words "It looks as if".
"""

import re
from collections.abc import Sequence

from norch_course.running import Record

LAZY = re.compile(r"<(?:generator|map|zip|filter|enumerate|\w*(?:iterator|reversed)) object")

ERRORS = {
    "SystemExit": "your answer ends the program. A function returns or raises; `exit()` has no "
    "place in it.",
    "RecursionError": "the function calls itself without end: which case does not call?",
    "MemoryError": "something grows without end, and the memory is used up: when does the loop "
    "stop?",
    "NameError": "you use a name that is neither a parameter nor a variable of yours, nor imported "
    "at the top of the file. What you need may be imported inside your region.",
    "UnboundLocalError": "you read a variable that has no value yet on this way through your "
    "lines.",
    "RuntimeError: [bool] ": "you ask several numbers at once whether they are true. `is "
    "None` asks whether there are any; `where` chooses for each.",
    "OSError: [Errno 27]": "you print without end: when does the loop stop?",
}

NOTHING = re.compile(r"raises (?:AttributeError|TypeError): .*\bNoneType\b")
LISTS = re.compile(r"raises TypeError: unsupported operand type\(s\) for \S+: .*'list'")
RETURN = re.compile(r"^[^#\n]*\breturn\b[ \t]*[^\s#;]", re.MULTILINE)
BARE = re.compile(r"raises AttributeError: '[\w.]*Array' object has no attribute")

PROBLEMS = {
    "crashed (SIGSEGV)": "you read or write memory that is not yours (an index or a pointer too "
    "far), or a function calls itself without end.",
    "crashed (SIGABRT)": "memory was written beyond its end and found damaged later, or the "
    "program was told to abort.",
    "crashed (SIGFPE)": "a whole number was divided by 0.",
}


def crash(problem: str) -> str:
    """Return the sentence for the way in which a process ended, or nothing."""
    return PROBLEMS.get(problem, "")


NAN = {
    ".py": "a result is not a number (NaN): 0 / 0, infinity minus infinity, or 0 times infinity.",
    ".cpp": "a result is not a number (NaN): 0 / 0, a difference of infinities, or memory that was "
    "read before it was written.",
    ".cu": "something was read before it was written, or beyond its end: on the simulator all new "
    "memory holds NaN.",
}


def slip(records: Sequence[Record], suffix: str, body: str) -> str:
    """Return the sentence for the common mistake that explains the first miss, or nothing."""
    miss = next(record for record in records if not record.right)
    got, expected = miss.got, miss.expected
    for error, sentence in ERRORS.items():
        if got.startswith(f"raises {error}"):
            return sentence
    if NOTHING.match(got):
        return (
            "you go on with None: with something that need not be there, or with what a function "
            "without `return` gives. Ask `is None` first."
        )
    if LISTS.match(got):
        return "you reckon with a whole list. Lists know no arithmetic: go through the elements."
    if BARE.match(got):
        return (
            "you take a bare array for a tensor. It knows `+ - * / @`, `mT`, `reshape` and `sum`; "
            "its operations are functions of `array.ops`."
        )
    always = all(record.got == "None" or record.got.startswith("raises ") for record in records)
    if got == "None" and always and not RETURN.search(body):
        return "nothing is returned: a function that ends without `return` gives None."
    if LAZY.match(got):
        return (
            "you return something that hands out values only when it is asked: "
            "`tuple(...)` or `list(...)` asks for all of them."
        )
    if _without_points(got) == _without_points(expected):
        return (
            "the numbers are right and their type is not: a position is a whole number. "
            "`//` divides whole numbers, `/` never gives one."
        )
    if re.search(r"\bnan\b", got) and not re.search(r"\bnan\b", expected):
        return NAN[suffix.replace(".h", ".cpp")]
    if _round_brackets(got) == _round_brackets(expected):
        return "the values are right and the type is not: (1, 2) is a tuple, [1, 2] is a list."
    return ""


def _without_points(text: str) -> str:
    return re.sub(r"(?<=\d)\.0\b", "", text)


def _round_brackets(text: str) -> str:
    return text.replace("[", "(").replace("]", ")").replace(",)", ")")
