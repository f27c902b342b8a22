"""Afterwards: which exercises were hardest for a learner, and what to read about them.

`finish.py` puts both on the page of `make progress`. Hard is what took most: wrong answers that
were checked and hints, as the journal has them. To read are the chapters that set these exercises,
and what `course/reading.toml` names for them.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from norch_course import journal
from norch_course.catalog import Course, Exercise

COUNT = 5  # exercises that are named
SET = re.compile(r"```\{exercise\} ([\d.]+)")
TITLE = re.compile(r'"# ([^"\\]+)')


def hardest(course: Course, right: Iterable[str]) -> list[tuple[Exercise, journal.History]]:
    """Return the exercises that took most answers and hints, of those that are right now."""
    found = [(course.find(id), journal.history(course, id)) for id in right]
    hard = [(one, history) for one, history in found if history.wrong + history.hints]
    hard.sort(key=lambda pair: (-pair[1].wrong - pair[1].hints, -(pair[1].seconds or 0)))
    return hard[:COUNT]


def chapters(course: Course) -> dict[str, tuple[str, Path]]:
    """Return of each exercise the chapter that sets it: its title and its notebook."""
    found = {}
    for page in sorted((course.root / "book" / "chapters").glob("*.ipynb")):
        text = page.read_text(encoding="utf-8")
        if title := TITLE.search(text):
            found.update(dict.fromkeys(SET.findall(text), (title[1], page)))
    return found


def papers(course: Course) -> dict[str, list[str]]:
    """Return of each exercise the papers and books that its idea comes from."""
    file = course.root / "course" / "reading.toml"
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["work"] if file.exists() else []
    found: dict[str, list[str]] = {}
    for one in entries:
        for id in one["exercises"]:
            found.setdefault(id, []).append(one["title"])
    return found


def to_read(course: Course, exercises: Iterable[Exercise]) -> list[str]:
    """Return what to read about some exercises, chapters first."""
    ids = [one.id for one in exercises]
    pages, works = chapters(course), papers(course)
    found = dict.fromkeys(pages[id] for id in ids if id in pages)
    read = [f"{title} ({page.relative_to(course.root).as_posix()})" for title, page in found]
    return read + list(dict.fromkeys(work for id in ids for work in works.get(id, [])))


def section(course: Course, right: Iterable[str]) -> Iterator[str]:
    """Write both as HTML; nothing where nothing was hard."""
    hard = hardest(course, right)
    if hard:
        yield "<h2>What was hardest</h2><ol>"
        yield from (f"<li>{escape(spell(*one))}</li>" for one in hard)
        yield "</ol><h2>What to read next</h2><ul>"
        yield from (f"<li>{escape(one)}</li>" for one in to_read(course, [one for one, _ in hard]))
        yield "</ul>"


def spell(exercise: Exercise, history: journal.History) -> str:
    """Return an exercise and what it took, as words."""
    took = [_many(history.wrong, "wrong answer"), _many(history.hints, "hint")]
    words = f"{exercise.id} {exercise.title}: {' and '.join(filter(None, took))}"
    if history.seconds is None or history.seconds < 60:
        return words
    return f"{words}, right {_time(history.seconds)} after the first check"


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count > 1)}" if count else ""


def _time(seconds: int) -> str:
    for unit, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= unit:
            return _many(seconds // unit, name)
    return ""
