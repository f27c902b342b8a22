"""The catalog: which exercises there are, where their holes lie and what is said about them.

It reads `stages/*/exercises/exercises.toml` and the wrong answers beside it, and looks for the
holes in `src/`, `csrc/` and `programs/` of the stage. It never runs anything and never looks at a
learner's answer.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from norch_course.holes import LANGUAGES, hole_ids
from norch_course.wrong_answers import AnswerError, Wrong, parse

BESIDE = ("csrc", "programs")  # folders beside `src`: what is compiled, whole programs
NOT_JUDGED = "not judged"  # the third verdict, beside right and wrong


class CourseError(Exception):
    """Something about the exercises that the message explains; no traceback helps.

    Where it befalls an exercise, it says nothing of the answer.
    """

    status = NOT_JUDGED


class Unreadable(CourseError):
    """A learner's file in which no answer can be read: theirs to mend."""

    status = "wrong"


@dataclass(frozen=True)
class Stage:
    """One folder of `stages/` that has exercises."""

    folder: Path

    @property
    def number(self) -> str:
        """The stage's number as exercises spell it: '1'."""
        return str(int(self.folder.name.partition("_")[0]))

    @cached_property
    def package(self) -> Path:
        """The folder of the Python package."""
        return min((self.folder / "src").glob("*/__init__.py")).parent

    @property
    def declared(self) -> Path:
        """The folder that says which exercises there are: exercises.toml."""
        return self.folder / "exercises"

    @property
    def workbook(self) -> Path:
        """The folder of the learner's files, which git ignores."""
        return self.folder.parent.parent / "workbook" / self.folder.name

    @cached_property
    def _said(self) -> dict[str, Any]:
        path = self.declared / "exercises.toml"
        return tomllib.loads(path.read_text(encoding="utf-8"))

    @property
    def entries(self) -> list[dict[str, Any]]:
        """What exercises.toml says, an exercise an entry."""
        entries: list[dict[str, Any]] = self._said["exercise"]
        return entries

    @property
    def dropped(self) -> dict[str, str]:
        """The exercises that are not set any more, and which others teach what they taught."""
        dropped: dict[str, str] = self._said.get("dropped", {})
        return dropped

    @cached_property
    def given(self) -> dict[str, str]:
        """The slow or broken code in a hole that is there to be mended, by exercise."""
        names = {entry["id"]: entry["given"] for entry in self.entries if "given" in entry}
        return {id: self._body(id, name) for id, name in names.items()}

    @property
    def wrong(self) -> Path:
        """The folder of the known wrong answers, a file an exercise."""
        return self.declared / "wrong"

    def wrong_file(self, id: str) -> Path:
        """The wrong answers to an exercise, in the language of its hole."""
        suffix = self.sources[id].suffix
        return self.wrong / f"{id}{'.cpp' if suffix == '.h' else suffix}"

    def wrong_answers(self, id: str) -> tuple[Wrong, ...]:
        """What the file of an exercise holds; the code that is given to be mended is among it."""
        return self._answers(self.wrong_file(id))

    def other_answers(self, id: str) -> tuple[Wrong, ...]:
        """Right answers of another design, each with what it trades; written as wrong ones are."""
        return self._answers(self.declared / "other" / self.wrong_file(id).name)

    def _answers(self, path: Path) -> tuple[Wrong, ...]:
        try:
            return parse(path.read_text(encoding="utf-8"), path.suffix) if path.exists() else ()
        except AnswerError as error:
            place = f"{path.parent.name}/{path.name}"
            raise CourseError(f"[course] stage {self.number}, {place}, {error}") from None

    def _body(self, id: str, name: str) -> str:
        for one in self.wrong_answers(id):
            if one.name == name:
                return one.body
        file = self.wrong_file(id).name
        raise CourseError(f"[course] exercise {id} gives '{name}', which is not in wrong/{file}")

    @property
    def texts(self) -> list[Path]:
        """All files in which a hole could be."""
        folders = [self.package, *(self.folder / name for name in BESIDE)]
        found = (path for folder in folders for path in folder.rglob("*"))
        return sorted(path for path in found if path.suffix in LANGUAGES)

    @cached_property
    def sources(self) -> dict[str, Path]:
        """The reference file of each hole, by exercise."""
        found = {}
        for path in self.texts:
            text = path.read_text(encoding="utf-8")
            if " ex " in text:
                found.update(dict.fromkeys(hole_ids(text, path.suffix), path))
        return found

    def inside(self, source: Path) -> Path:
        """The path of a reference file in its package, or in its stage: `ops/nn/conv.py`."""
        is_python = self.package in source.parents
        return source.relative_to(self.package if is_python else self.folder)

    def stub_path(self, source: Path) -> Path:
        """Where the learner's copy of a reference file lies."""
        return self.workbook / self.inside(source)

    def test_files(self, id: str) -> list[Path]:
        """The test files in which the exercise's mark stands."""
        mark = re.compile(rf'@exercise\(\s*"{re.escape(id)}"')
        files = sorted((self.folder / "tests").glob("test_*.py"))
        return [path for path in files if mark.search(path.read_text(encoding="utf-8"))]


@dataclass(frozen=True)
class Exercise:
    """One exercise: its facts from exercises.toml and the place of its hole."""

    id: str
    title: str
    minutes: int
    task: str
    hints: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    stage: Stage
    source: Path
    clauses: tuple[str, ...] = ()  # words of the task, each of which an answer could fail to heed
    changes: tuple[str, ...] = ()  # arguments that the task says are changed: `arrived`, `self.t`
    # Forms of input (forms.py), each with the words of the task that exclude it.
    excludes: Mapping[str, str] = field(default_factory=dict, hash=False)
    optional: bool = False  # others teach its idea too

    @property
    def stub(self) -> Path:
        """The file that the learner edits."""
        return self.stage.stub_path(self.source)

    @property
    def suffix(self) -> str:
        """The language, by the ending of the file."""
        return self.source.suffix

    @property
    def has_code(self) -> bool:
        """Whether the learner finds code in the hole, slow or broken, and mends it."""
        return self.id in self.stage.given

    @property
    def other(self) -> tuple[Wrong, ...]:
        """The other right answers."""
        return self.stage.other_answers(self.id)

    @property
    def reference(self) -> str:
        """The text of the reference file."""
        return self.source.read_text(encoding="utf-8")


@dataclass(frozen=True)
class Course:
    """All exercises, in their order."""

    root: Path
    exercises: dict[str, Exercise]

    @property
    def stages(self) -> list[Stage]:
        """The stages that have exercises."""
        return list(dict.fromkeys(one.stage for one in self.exercises.values()))

    def of_stage(self, stage: Stage) -> list[Exercise]:
        """The exercises of one stage."""
        return [one for one in self.exercises.values() if one.stage == stage]

    def find(self, id: str) -> Exercise:
        """Return one exercise; raises CourseError that says which exist."""
        if id in self.exercises:
            return self.exercises[id]
        for stage in self.stages:
            if id in stage.dropped:
                raise CourseError(
                    f"[course] exercise {id} is not set any more: {stage.dropped[id]}; what you "
                    f"wrote stays in {stage.workbook.relative_to(self.root)}"
                )
        raise CourseError(f"[course] there is no exercise {id}: {self.overview()}")

    def select(self, word: str | None) -> list[Exercise]:
        """Return the exercises meant by '1.6', by '1', or by nothing at all (all of them)."""
        if word is None:
            return list(self.exercises.values())
        chosen = [one for one in self.exercises.values() if one.stage.number == word]
        if word.isdigit() and not chosen:
            raise CourseError(f"[course] stage {word} has no exercises: {self.overview()}")
        return chosen or [self.find(word)]

    def overview(self) -> str:
        """Say which exercises there are."""
        parts = []
        for stage in self.stages:
            ids = [one.id for one in self.of_stage(stage)]
            parts.append(f"stage {stage.number} has {ids[0]} to {ids[-1]}")
        return ", ".join(parts)


def _exercise(stage: Stage, entry: dict[str, Any]) -> Exercise:
    try:
        id = entry["id"]
        facts = (id, entry["title"], entry["minutes"], entry["task"], tuple(entry["hints"]))
    except KeyError as missing:
        raise CourseError(
            f"[course] stage {stage.number}, exercises.toml: an entry has no {missing}"
        ) from None
    if id not in stage.sources:
        raise CourseError(f"[course] exercise {id} of exercises.toml has no hole in {stage.folder}")
    answers = stage.wrong_answers(id)
    wrong = tuple(one for one in answers if one.says or one.name != entry.get("given"))
    clauses, changes = tuple(entry.get("clauses", ())), tuple(entry.get("changes", ()))
    more = (entry.get("excludes", {}), entry.get("optional", False))
    return Exercise(*facts, wrong, stage, stage.sources[id], clauses, changes, *more)


def load(root: Path) -> Course:
    """Read the exercises of all stages below `root`."""
    found = {}
    for path in sorted((root / "stages").glob("*/exercises/exercises.toml")):
        stage = Stage(path.parent.parent)
        for entry in stage.entries:
            one = _exercise(stage, entry)
            found[one.id] = one
    if not found:
        raise CourseError(f"[course] no stages/*/exercises/exercises.toml below {root}")
    return Course(root, found)
