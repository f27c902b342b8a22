"""Paths: chosen exercises in an order, and the one that a learner is on: `make next PATH=short`.

`course/paths.toml` lists them, and `commands.py` asks here. The name of the path that a learner
chose stands in the journal; nothing here judges an answer.
"""

import tomllib
from dataclasses import dataclass

from norch_course import journal
from norch_course.catalog import Course, CourseError, Exercise

ALL = "all"  # the word for no path


@dataclass(frozen=True)
class LearningPath:
    """One path of paths.toml."""

    name: str
    says: str  # what it leads to
    exercises: tuple[Exercise, ...]

    @property
    def minutes(self) -> int:
        """What its exercises take, by their own minutes."""
        return sum(one.minutes for one in self.exercises)


def read(course: Course) -> dict[str, LearningPath]:
    """Return the paths of a course; raises CourseError where one names no exercise."""
    file = course.root / "course" / "paths.toml"
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["path"] if file.exists() else []
    found = (
        LearningPath(one["name"], one["says"], tuple(map(course.find, one["exercises"])))
        for one in entries
    )
    return {path.name: path for path in found}


def find(course: Course, name: str) -> LearningPath:
    """Return one path; raises CourseError that says which there are."""
    found = read(course)
    if name in found:
        return found[name]
    names = ", ".join([*found, ALL])
    raise CourseError(f"[course] there is no path '{name}': paths are {names}")


def chosen(course: Course, word: str | None = None) -> LearningPath | None:
    """Return the path that a command is about: the one it names, or else the learner's."""
    if word:
        return None if word == ALL else find(course, word)
    return read(course).get(journal.path(course))


def choose(course: Course, word: str | None) -> None:
    """Let the learner be on a path from now on, if one is named; on none with PATH=all."""
    path = chosen(course, word)
    if word:
        journal.set_path(course, path.name if path else "")


def in_order(course: Course, path: LearningPath | None) -> list[Exercise]:
    """Return the exercises as they come: a path's; or all, those that are optional at last."""
    if path:
        return list(path.exercises)
    return sorted(course.exercises.values(), key=lambda one: one.optional)
