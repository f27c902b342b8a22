"""Difficulty: 1 to 3, measured by how much has to be written and by how many ideas it takes.

Lines are counted by their words and signs, ten to a line, as a line of this code may hold two signs
or thirty; ideas are the clauses of the task, each of which an answer can fail to heed. It says
nothing about how long one has to think: the minutes of exercises.toml stand beside it.
"""

import re

from norch_course.catalog import Exercise
from norch_course.holes import LANGUAGES, find_hole

WORD = re.compile(r"\w+|[^\w\s]")
WORDS_OF_A_LINE = 10
BOUNDS = (11.5, 16.5)  # lines and ideas from which on an exercise is of the second, the third kind


def lines(exercise: Exercise) -> float:
    """Return how many lines of code the library's answer has, comments left out."""
    comment = LANGUAGES[exercise.suffix].comment
    body = find_hole(exercise.reference, exercise.suffix, exercise.id).body
    code = (line for line in body.splitlines() if not line.strip().startswith(comment))
    return len(WORD.findall("\n".join(code))) / WORDS_OF_A_LINE


def difficulty(exercise: Exercise) -> int:
    """Return 1, 2 or 3."""
    found = lines(exercise) + len(exercise.clauses)
    return 1 + sum(found >= bound for bound in BOUNDS)


def effort(exercise: Exercise) -> str:
    """Return what an exercise asks for: its minutes, its difficulty, whether it is optional."""
    words = f"{exercise.minutes:>3} minutes, difficulty {difficulty(exercise)}"
    return words + ", optional" * exercise.optional
