"""What the tests of exercises are written with: `@exercise("1.6")` and `expect(...)`.

Under pytest an unmet expectation is a failed assertion. Under the judge (`judge.py`) each
expectation is written down instead, so that the checker can show the smallest one that was not
met. A test lists its cases from small to large, takes no arguments, and uses nothing that
another exercise must write.
"""

from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple, Protocol, TypeVar

Test = TypeVar("Test", bound=Callable[[], None])


class Seen(NamedTuple):
    """What came of one call: its value or error as text, the error, and whether it was right."""

    text: str
    error: BaseException | None
    is_right: bool


class Recorder(Protocol):
    """Who writes expectations down: told before the call and after it."""

    def asked(self, shown: str) -> None:
        """Take note of the call that comes now."""

    def seen(self, shown: str, seen: Seen, expected: str) -> None:
        """Take note of what came of it."""


recorder: ContextVar[Recorder | None] = ContextVar("recorder", default=None)


def exercise(id: str) -> Callable[[Test], Test]:
    """Mark a test as one of exercise `id`."""

    def mark(test: Test) -> Test:
        test.exercise = id  # type: ignore[attr-defined]
        return test

    return mark


def expect(shown: str, call: Callable[[], object], expected: object) -> None:
    """Expect `call()` to equal `expected`; `shown` is the call as the learner would type it.

    A float is no whole number, though 2.0 == 2: as a size or a stride it fails later on.
    """

    def judge() -> Seen:
        value = call()
        right = bool(value == expected) and (_has_float(expected) or not _has_float(value))
        return Seen(ascii(value), None, right)

    _expect(shown, judge, ascii(expected), ())


def _has_float(value: object) -> bool:
    """Tell whether a number in a value, or in its lists and tuples, is no whole number by type."""
    if isinstance(value, tuple | list):
        return any(_has_float(part) for part in value)
    return isinstance(value, float)


def expect_error(shown: str, call: Callable[[], object], error: type[Exception]) -> None:
    """Expect `call()` to raise `error`."""

    def judge() -> Seen:
        return Seen(ascii(call()), None, False)

    _expect(shown, judge, f"raises {error.__name__}", error)


def told(error: BaseException) -> str:
    """Say in one line which error was raised; one without words is only named."""
    words = ascii(str(error))[1:-1]
    named = f"raises {type(error).__name__}"
    return f"{named}: {words}" if words and words != "None" else named


def _expect(
    shown: str,
    judge: Callable[[], Seen],
    expected: str,
    right: type[Exception] | tuple[()],
) -> None:
    notes = recorder.get()
    if notes:
        notes.asked(shown)
    try:
        seen = judge()
    except (Exception, SystemExit) as error:
        seen = Seen(told(error), error, isinstance(error, right))
    if notes:
        notes.seen(shown, seen, expected)
    elif not seen.is_right:
        raise AssertionError(f"{shown}: {seen.text}, expected {expected}") from seen.error
