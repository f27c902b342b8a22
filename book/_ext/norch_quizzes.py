"""What a chapter's questions accept, read from `book/quizzes`: the right answer and the wrong ones.

Each wrong answer that people give has a sentence that names its mistake. The directive `{quiz}`
(norch_book.py) puts both into the page, and `quiz.js` makes a field of it. A test holds the right
answers against what the chapter's cells print.
"""

import json
import tomllib
from pathlib import Path
from typing import NamedTuple

QUIZZES = Path(__file__).resolve().parent.parent / "quizzes"


class Wrong(NamedTuple):
    """An answer that is not right, and how one comes to it."""

    answer: str
    says: str
    by: str = ""  # Python whose value is this answer


class Quiz(NamedTuple):
    """A question's field."""

    label: str
    right: str
    prints: str  # what the chapter's next cell prints, with the answer as {}
    why: str
    wrong: list[Wrong]
    also: tuple[str, ...] = ()  # other words for the right answer


def read(path: Path) -> dict[str, Quiz]:
    """Return the quizzes of a chapter by their names."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        name: Quiz(**{**one, "wrong": [Wrong(**wrong) for wrong in one["wrong"]]})
        for name, one in found.items()
    }


def facts(quiz: Quiz) -> dict[str, object]:
    """Return what the page's script has to know."""
    return {
        "label": quiz.label,
        "right": [quiz.right, *quiz.also],
        "why": quiz.why,
        "wrong": [[one.answer, one.says] for one in quiz.wrong],
    }


def script(quiz: Quiz) -> str:
    """Return it as an element of the page, in which no text can end the element."""
    text = json.dumps(facts(quiz), ensure_ascii=False).replace("<", "\\u003c")
    return f'<script type="application/json">{text}</script>'


def page_text(quiz: Quiz) -> list[str]:
    """Return the fold of a quiz as lines of MyST."""
    return [
        ":::{dropdown} The answer, and what others answer",
        f"{quiz.label}: **{quiz.right}**. {quiz.why}",
        "",
        *(f"- *{one.answer}?* {one.says}" for one in quiz.wrong),
        ":::",
    ]
