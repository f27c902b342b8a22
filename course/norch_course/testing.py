"""What the tests of exercises are written with: `@exercise("1.6")` and `expect(...)`.

Under pytest an unmet expectation is a failed assertion. Under the judge (`judge.py`) what came of
each call is written down instead, and the process that started it compares (`agree`): objects are
asked for nothing, least of all whether they are equal. A test lists its cases from small to large,
takes no arguments, and uses nothing that another exercise must write; a case is its call alone, so
what a call needs (a mode, a seed) is made inside it.
"""

import ast
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol, TypeVar

Test = TypeVar("Test", bound=Callable[[], None])
RAISES = "raises "
# CPython 3.11 counts the depth of all threads that parse in one place, and trips (issue 106905).
ONE_PARSER = threading.Lock()


class Outcome(NamedTuple):
    """What came of one call: as text, as data to compare (None if it is none), and its error."""

    text: str
    data: str | None
    error: BaseException | None


class Recorder(Protocol):
    """Who makes the calls and writes down what comes of them."""

    def expectation(
        self, shown: str, call: Callable[[], object], wanted: str, expected: str
    ) -> None:
        """Take an expectation: the call as typed, itself, the data it should give, and as text."""


recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


def exercise(id: str, forms: Sequence[str] = ()) -> Callable[[Test], Test]:
    """Mark a test as one of exercise `id`.

    One of C++ or CUDA says which forms of input (forms.py) it has; in Python the judge sees them.
    """

    def mark(test: Test) -> Test:
        test.exercise = id  # type: ignore[attr-defined]
        test.forms = tuple(forms)  # type: ignore[attr-defined]
        return test

    return mark


def expect(shown: str, call: Callable[[], object], expected: object) -> None:
    """Expect `call()` to equal `expected`; `shown` is the call as the learner would type it.

    Both are numbers, strings, None, or tuples, lists, sets and dicts of these. A float is no whole
    number, though 2.0 == 2: as a size or a stride it fails later on.
    """
    wanted = data_of(expected)
    if wanted is None:
        raise TypeError(f"[course] {shown}: compare plain numbers, strings and lists of them")
    _take(shown, call, wanted, ascii(expected))


def expect_error(shown: str, call: Callable[[], object], error: type[Exception]) -> None:
    """Expect `call()` to raise `error`."""
    _take(shown, call, RAISES + error.__name__, RAISES + error.__name__)


def _take(shown: str, call: Callable[[], object], wanted: str, expected: str) -> None:
    notes = recorder.get()
    if notes:
        notes.expectation(shown, call, wanted, expected)
        return
    outcome = outcome_of(call)
    if not agree(outcome.data, wanted):
        raise AssertionError(f"{shown}: {outcome.text}, expected {expected}") from outcome.error


def outcome_of(call: Callable[[], object]) -> Outcome:
    """Make a call and tell what came of it; only what ends Python on purpose passes through."""
    try:
        value = call()
        return Outcome(ascii(value), data_of(value), None)
    except (Exception, SystemExit) as error:
        names = " ".join(kind.__name__ for kind in type(error).__mro__)
        return Outcome(error_text(error), RAISES + names, error)


def error_text(error: BaseException) -> str:
    """Say in one line which error was raised; one without words is only named."""
    words = ascii(str(error))[1:-1]
    named = f"raises {type(error).__name__}"
    return f"{named}: {words}" if words and words != "None" else named


def data_of(value: object) -> str | None:
    """Return a value as Python would spell it, of built-in types alone; None for other objects."""
    try:
        return repr(_plain(value))
    except TypeError:
        return None


def _plain(value: Any) -> object:
    """Copy a value into exact built-in types, by their own methods; TypeError for what is none."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    for number in (int, float):
        if issubclass(kind, number):
            return number.__pos__(value)
    if issubclass(kind, str):
        return str.__str__(value)
    for many in (tuple, list, set):
        if issubclass(kind, many):
            return many(_plain(part) for part in many.__iter__(value))
    if issubclass(kind, dict):
        return {_plain(key): _plain(part) for key, part in dict.items(value)}
    if kind.__module__ == "numpy" and not getattr(value, "shape", True):
        return _plain(value.item())
    raise TypeError


def agree(data: str | None, wanted: str) -> bool:
    """Tell whether what came of a call is what was wanted."""
    if data is None:
        return False
    if wanted.startswith(RAISES):
        return data.startswith(RAISES) and wanted.removeprefix(RAISES) in data.split()[1:]
    try:
        with ONE_PARSER:
            value, right = ast.literal_eval(data), ast.literal_eval(wanted)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # an error; inf, nan
        return False
    return bool(value == right) and (has_float(right) or not has_float(value))


def has_float(value: object) -> bool:
    """Tell whether a number in a value, or in its lists and tuples, is no whole number by type."""
    if isinstance(value, tuple | list):
        return any(has_float(part) for part in value)
    return isinstance(value, float)
