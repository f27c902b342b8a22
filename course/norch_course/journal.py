"""The journal: what a learner did on the way, in `workbook/journal.json`.

It holds the path that was chosen and, of each exercise, the hints that were shown, the wrong
answers that were checked before it was right, and when. `commands.py` writes it, the page of
`make progress` reads it. Whether an exercise is right never stands here: the checks say that.
`make clean` leaves it alone, and a file that cannot be read is kept beside the new one.
"""

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from norch_course.catalog import Course
from norch_course.workbook import backup_path, write_whole

Log = dict[str, Any]  # as it stands in the file
now = time.time


class History(NamedTuple):
    """What it took to get one exercise right."""

    wrong: int  # different answers that were checked and wrong
    hints: int  # the last hint that was shown, 0 for none
    seconds: int | None  # from the first answer that was checked to the right one


def file(course: Course) -> Path:
    """Where the journal lies."""
    return course.root / "workbook" / "journal.json"


def path(course: Course) -> str:
    """Return the name of the path that the learner chose, or nothing."""
    name = _read(course).get("path", "")
    return name if isinstance(name, str) else ""


def set_path(course: Course, name: str) -> None:
    """Note which path the learner chose; nothing stands for none."""

    def change(log: Log) -> None:
        log["path"] = name

    _change(course, change)


def history(course: Course, id: str) -> History:
    """Return what is known of one exercise."""
    entry = _entry(_read(course), id)
    wrong, hints = (_number(entry.get(key)) or 0 for key in ("wrong", "hints"))
    first, right = _number(entry.get("first")), _number(entry.get("right"))
    if first is None or right is None:
        return History(wrong, hints, None)
    return History(wrong, hints, max(right - first, 0))


def last_hint(course: Course, id: str) -> int:
    """Return the number of the hint that was shown last, 0 for none."""
    return _number(_entry(_read(course), id).get("shown")) or 0


def note_hint(course: Course, id: str, number: int) -> None:
    """Note that a hint was shown."""

    def change(log: Log) -> None:
        entry = _entry(log, id)
        entry["shown"] = number
        if "right" not in entry:
            entry["hints"] = max(number, _number(entry.get("hints")) or 0)

    _change(course, change)


def note_checks(course: Course, checked: Iterable[tuple[str, str, str]]) -> None:
    """Note the id, the status and the text of answers that were checked.

    The same text counts once, and nothing counts any more when an exercise was right.
    """
    judged = [one for one in checked if one[1] in ("ok", "wrong")]

    def change(log: Log) -> None:
        for id, status, text in judged:
            entry, mark = _entry(log, id), hashlib.sha256(text.encode()).hexdigest()[:16]
            if "right" in entry or entry.get("seen") == mark:
                continue
            entry["seen"] = mark
            entry.setdefault("first", int(now()))
            if status == "ok":
                entry["right"] = int(now())
            else:
                entry["wrong"] = (_number(entry.get("wrong")) or 0) + 1

    _change(course, change)


def _entry(log: Log, id: str) -> Log:
    """Return what a log says of an exercise, as a part of the log."""
    exercises = log.get("exercises")
    exercises = log["exercises"] = exercises if isinstance(exercises, dict) else {}
    entry = exercises.get(id)
    found: Log = entry if isinstance(entry, dict) else {}
    exercises[id] = found
    return found


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _read(course: Course) -> Log:
    try:
        found = json.loads(file(course).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _change(course: Course, change: Callable[[Log], None]) -> None:
    """Write the journal anew if something changes; where that is not allowed, it stays as it is."""
    log = _read(course)
    before = json.dumps(log)
    change(log)
    log["exercises"] = {id: entry for id, entry in log.get("exercises", {}).items() if entry}
    place = file(course)
    if json.dumps(log) == before or log == {"exercises": {}}:
        return
    with suppress(OSError):
        place.parent.mkdir(exist_ok=True)
        if before == "{}" and place.exists() and place.read_bytes().strip() != b"{}":
            place.rename(backup_path(place, "unreadable"))
        write_whole(place, json.dumps(log, indent=1) + "\n")
