"""A small course to break: two exercises in one file, with tests, hints and wrong answers.

`toy` is that course in a folder of its own; `Toy` edits it as a learner or a careless author would.
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from norch_course import running
from norch_course.catalog import Course, load
from norch_course.commands import behaviour
from norch_course.grading import Verdict, cache_folder, grade
from norch_course.holes import LANGUAGES
from norch_course.workbook import answer_to, write_missing

SOURCE = '''"""Two small functions."""


def total(numbers):
    """Add the numbers."""
    # ex 1.1 begin
    found = 0
    for number in numbers:
        found = found + number
    return found
    # ex 1.1 end


def spread(numbers):
    """Return the largest number less the smallest."""
    # ex 1.2 begin
    largest_number = max(numbers)
    return largest_number - min(numbers)
    # ex 1.2 end
'''

TESTS = '''"""Tests of the small course."""

from norch_course.testing import exercise, expect
from norch_toy.sums import spread, total


@exercise("1.1")
def test_total():
    for numbers, right in [([], 0), ([3], 3), ([1, 2], 3), ([1, 2, 3], 6)]:
        expect(f"total({numbers})", lambda n=numbers: total(n), right)


@exercise("1.2")
def test_spread():
    for numbers, right in [([3], 0), ([1, 2], 1), ([5, 2], 3), ([-1, 1], 2)]:
        expect(f"spread({numbers})", lambda n=numbers: spread(n), right)
'''

ENTRIES = """
[[exercise]]
id = "1.1"
title = "Total"
minutes = 5
task = "Add them all."
hints = ["Begin small.", "One number is the sum so far.", "Add each to it in a loop."]

[[exercise]]
id = "1.2"
title = "Spread"
minutes = 7
task = "How far apart are they?"
hints = ["Draw a line.", "Two ends.", "Subtract one end from the other."]
"""

WRONG = {
    "1.1.py": """\
#: last
#: you returned the last number alone.
    return numbers[-1] if numbers else 0
#: off_by_one
#: you began at one.
    return sum(numbers) + 1
""",
    "1.2.py": """\
#: largest
#: you forgot the smallest.
    return max(numbers)
""",
}


@pytest.fixture(scope="session", autouse=True)
def patience() -> Iterator[None]:
    """Give answers as long by the clock as a busy machine may need: their time is a processor's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "PATIENCE", 60)
        yield


@pytest.fixture(scope="session", autouse=True)
def bytecode(tmp_path_factory) -> Iterator[None]:
    """Let the many processes share what Python compiles, wherever it must not lie in the tree."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
        patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("bytecode")))
        yield


class Toy:
    """The small course, and the ways to change it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.stage = root / "stages" / "01_toy"
        self.source = self.stage / "src" / "norch_toy" / "sums.py"
        self.stub = root / "workbook" / "01_toy" / "sums.py"
        self.entries = self.stage / "exercises" / "exercises.toml"
        self.tests = self.stage / "tests" / "test_exercises.py"
        self.wrong = self.stage / "exercises" / "wrong"
        files = {
            self.source: SOURCE,
            self.source.with_name("__init__.py"): "",
            self.entries: ENTRIES,
            self.tests: TESTS,
            **{self.wrong / name: text for name, text in WRONG.items()},
        }
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        self.begin()

    @property
    def course(self) -> Course:
        """The course as it is on disk now."""
        return load(self.root)

    def change(self, path: Path, old: str, new: str) -> None:
        """Replace a text that must be there."""
        text = path.read_text(encoding="utf-8")
        assert old in text, (path, old)
        path.write_text(text.replace(old, new), encoding="utf-8")

    def begin(self) -> None:
        """Write the learner's file, if it is not there."""
        write_missing(self.course.exercises.values())

    def answer(self, id: str, body: str) -> None:
        """Write a body into the learner's file."""
        fill(self.stub, id, body)

    def give(self, body: str) -> None:
        """Let exercise 1.2 begin with code to mend."""
        self.change(self.wrong / "1.2.py", "#: largest\n", f"#: given\n{body}#: largest\n")
        self.change(self.entries, "minutes = 7\n", 'minutes = 7\ngiven = "given"\n')
        self.stub.unlink()
        self.begin()

    def observe(self) -> None:
        """Write down how the known wrong answers behave, as an author would."""
        behaviour(self.course)

    def check(self, id: str, again: bool = False) -> Verdict:
        """Judge what the learner wrote."""
        exercise = self.course.find(id)
        return grade(exercise, answer_to(exercise), cache_folder(self.course), again)


def fill(path: Path, id: str, body: str) -> None:
    """Put a body between the marks of an exercise, as an editor would."""
    mark = LANGUAGES[path.suffix].comment
    pattern = rf"({mark} ex {re.escape(id)} begin\n).*?([ \t]*{mark} ex {re.escape(id)} end)"
    text = path.read_text(encoding="utf-8")
    changed, count = re.subn(pattern, lambda m: m[1] + body + m[2], text, flags=re.DOTALL)
    assert count == 1
    path.write_text(changed, encoding="utf-8")


def commit(root: Path) -> None:
    """Make a repository of a folder, in which everything is committed."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "begin"]):
        subprocess.run([*git, *words], cwd=root, check=True)


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toy:
    # Its files change faster than the clock of bytecode ticks.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return Toy(tmp_path)
