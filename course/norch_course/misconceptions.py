"""Misconceptions: which known wrong answer an answer behaves like.

`stages/*/exercises/wrong/behaviour.json` holds what each known wrong answer gives, one short mark
for each expectation, so that naming a mistake starts no process and compiles nothing. The command
`course/exercises.py behaviour` writes these files; a gate finds them out of date.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path

from norch_course.catalog import Exercise, Stage
from norch_course.gate import FEW
from norch_course.running import Record
from norch_course.wrong_answers import Wrong

PLACES = re.compile(r":\d+")  # lines of files, which move with every edit
TOO_DEEP = re.compile(r"(maximum recursion depth exceeded).*")  # Pythons say differently where
# Which thread leaves its arrays first, and what lies next to them, depends on where they happen to
# lie in memory; not which argument was left.
OUTSIDE = re.compile(
    r"thread \(.*?((?:reads|writes) \d+ bytes outside every array "
    r"(?:it was given|of shared memory))(?:.* of (argument \d+))?.*"
)
# Told by the first miss alone, one in five of the known answers would be given the sentence of
# another if its own were not known; with this share of the later misses, one in 150.
ENOUGH = 0.9
RIGHT = "."  # the mark of an expectation that was met
MISS = "!"  # stands before the mark of one that was not


def marks(records: Iterable[Record]) -> list[str]:
    """Return a mark for each record: equal calls with equal wrong results have equal marks."""
    return [RIGHT if record.right else MISS + _digest(record) for record in records]


def _digest(record: Record) -> str:
    got = OUTSIDE.sub(r"\1 \2", TOO_DEEP.sub(r"\1", PLACES.sub("", record.got)))
    if record.expected == FEW:
        got = ""  # Pythons count steps a little differently, and so the first case with too many
    return hashlib.sha256(f"{record.shown}\0{got}".encode()).hexdigest()[:6]


def behaviour_file(stage: Stage) -> Path:
    """Where a stage's wrong answers are described."""
    return stage.wrong / "behaviour.json"


def label(exercise: Exercise, wrong: Wrong) -> str:
    """Return what a wrong answer is called among those of all exercises: '4.1 own_factor'."""
    return f"{exercise.id} {wrong.name}"


def read_behaviour(stage: Stage) -> dict[str, list[str]]:
    """Return the marks of each known wrong answer, by its label."""
    path = behaviour_file(stage)
    if not path.exists():
        return {}
    return {name: line.split() for name, line in json.loads(path.read_text("utf-8")).items()}


def write(stage: Stage, seen: dict[str, list[str]]) -> bool:
    """Write the marks of a stage, one wrong answer a line; tell whether anything changed."""
    path = behaviour_file(stage)
    lines = {name: " ".join(found) for name, found in sorted(seen.items())}
    text = json.dumps(lines, indent=0) + "\n"
    old = path.read_text(encoding="utf-8") if path.exists() else None
    path.write_text(text, encoding="utf-8")
    return text != old


def misconception(exercise: Exercise, records: Iterable[Record]) -> str:
    """Return the sentence of the known wrong answer that behaves as this one, or nothing.

    The first expectation that is not met must be the same one with the same result, and of what
    either misses later nearly all. Among several such answers, the one that agrees most is named.
    """
    mine = marks(records)
    known = read_behaviour(exercise.stage)
    best, most = "", ENOUGH
    for wrong in exercise.wrong:
        share = agreement(known.get(label(exercise, wrong), []), mine)
        if share > most or (share == most and not best):
            best, most = wrong.says, share
    return best


def agreement(theirs: Sequence[str], mine: Sequence[str]) -> float:
    """Return the share of equal marks after an equal first miss, where either misses; else 0."""
    miss = first_miss(mine)
    if not miss or first_miss(theirs) != miss or theirs.index(miss) != mine.index(miss):
        return 0
    count = mine.index(miss) + 1
    later = zip_longest(theirs[count:], mine[count:], fillvalue="")
    missed = [(one, other) for one, other in later if MISS in one + other]
    return sum(one == other for one, other in missed) / len(missed) if missed else 1


def first_miss(found: Iterable[str]) -> str:
    """Return the first mark of an expectation that was not met, or nothing."""
    return next((mark for mark in found if mark.startswith(MISS)), "")
