"""Which of a learner's lines run while a program runs: each of their statements leaves a note.

`start.py` finds the packages with `WatchedFinder`: a file with answers in it is compiled with a
note in front of each statement between two marks, and nothing else is changed or slowed down.
`mine.py` reads the notes of all processes. Python only; C++ and CUDA are compiled as they are.
"""

import ast
import json
import os
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import decode_source
from pathlib import Path
from types import CodeType, ModuleType

from norch_course.finder import OverlayFinder
from norch_course.holes import Hole, find_holes, hole_ids

NOTES = "NORCH_COURSE_LINES"  # in the environment: the folder where each process leaves its notes
RAN = "__norch_lines_that_ran__"  # in a watched module: the set into which it notes
Lines = list[int]  # of an answer, counted from 1


class WatchedFinder(OverlayFinder):
    """Finds a package as OverlayFinder does, and watches the answers in it."""

    def __init__(self, package: str, folder: Path, watch: "Watch") -> None:
        super().__init__(package, folder)
        self.watch = watch

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of the package lies, and how it is loaded."""
        spec = super().find_spec(name, path, target)
        loader = spec and spec.loader
        if spec and isinstance(loader, SourceFileLoader) and has_holes(loader.path):
            spec.loader = WatchedLoader(name, loader.path, self.watch)
        return spec


def has_holes(path: str) -> bool:
    """Say whether a Python file has marks of exercises."""
    return bool(hole_ids(Path(path).read_text(encoding="utf-8"), ".py"))


class Watch:
    """What one process notes: the lines there are, and those that ran."""

    def __init__(self) -> None:
        self.there: set[tuple[str, int]] = set()
        self.ran: set[tuple[str, int, int]] = set()  # exercise, first and last line

    def leave(self) -> None:
        """Write the notes down, if somebody wants them."""
        if folder := os.environ.get(NOTES):
            ran = {(id, line) for id, first, last in self.ran for line in range(first, last + 1)}
            text = json.dumps([sorted(ran), sorted(self.there)])
            (Path(folder) / f"{os.getpid()}.json").write_text(text, encoding="utf-8")


class WatchedLoader(SourceFileLoader):
    """Loads a file whose answers note which of their lines ran."""

    def __init__(self, name: str, path: str, watch: Watch) -> None:
        super().__init__(name, path)
        self.watch = watch

    def exec_module(self, module: ModuleType) -> None:
        """Give the module the set that it notes into, then run it."""
        module.__dict__[RAN] = self.watch.ran
        super().exec_module(module)

    def get_code(self, fullname: str) -> CodeType:
        """Compile the file with a note in front of each statement of an answer.

        The code is not stored beside the file: what it notes is for this run.
        """
        text = decode_source(self.get_data(self.path))
        tree = ast.parse(text, self.path)
        for hole in find_holes(text, ".py").values():
            for node in list(ast.walk(tree)):
                for name in ("body", "orelse", "finalbody"):
                    statements = getattr(node, name, None)
                    if isinstance(statements, list):
                        setattr(node, name, self._noting(statements, hole))
        return compile(tree, self.path, "exec", dont_inherit=True)

    def _noting(self, statements: list[ast.stmt], hole: Hole) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for one in statements:
            if hole.begin < one.lineno < hole.end and not is_text(one):
                first, last = one.lineno - hole.begin, last_line(one) - hole.begin
                self.watch.there |= {(hole.id, line) for line in range(first, last + 1)}
                note = ast.parse(f"{RAN}.add({(hole.id, first, last)!r})").body[0]
                made.append(ast.fix_missing_locations(ast.copy_location(note, one)))
            made.append(one)
        return made


def is_text(statement: ast.stmt) -> bool:
    """Say whether a statement is a text alone: a docstring has to stay the first."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def last_line(statement: ast.stmt) -> int:
    """Return the last line of a statement; of one that has others inside, of its head."""
    inside = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not inside:
        return statement.end_lineno or statement.lineno
    first = inside[0]
    begin = first.pattern.lineno if isinstance(first, ast.match_case) else first.lineno
    return max(statement.lineno, begin - 1)


def read(folder: Path) -> dict[str, list[Lines]]:
    """Return for each exercise the lines that ran in some process, and all of them."""
    found: dict[str, list[set[int]]] = {}
    for path in folder.glob("*.json"):
        for kind, pairs in enumerate(json.loads(path.read_text(encoding="utf-8"))):
            for id, line in pairs:
                found.setdefault(id, [set(), set()])[kind].add(line)
    return {id: [sorted(lines) for lines in both] for id, both in found.items()}
