"""What an operation says when it refuses: `[op] words`, with its name as an attribute besides, so
that whoever called it in an operation of its own can put that one's name there.

graph/operands.py does. Most of norch writes the text alone, and is read once: see `op_and_words`.
"""

from __future__ import annotations

from typing import Any


def refusal(
    kind: type[Exception], op: str, words: str, argument: str = "", cause: Any = None
) -> Any:
    """An error of `op`, perhaps about one of its arguments; of its causes only `cause` is shown.

    >>> refusal(TypeError, "pad", "expected int, got str", argument="value")
    TypeError('[pad] value: expected int, got str')
    """
    words = f"{argument}: {words}" if argument else words
    error: Any = kind(f"[{op}] {words}")
    error.op, error.words, error.argument, error.__cause__ = op, words, argument, cause
    return error


def rename_error(error: Any, op: str, words: str) -> None:
    """Let an operation's error say its words in the name of another operation."""
    error.args = (f"[{op}] {words}", *error.args[1:])
    error.op, error.words = op, words


def op_and_words(error: Any) -> tuple[str, str]:
    """The operation that raised an error, and what it says; ("", "") for an error of Python's."""
    if hasattr(error, "op"):
        return error.op, error.words
    op, _, words = str(error.args[0] if error.args else "").partition("] ")
    return (op[1:], words) if op.startswith("[") else ("", "")
