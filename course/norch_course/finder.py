"""Finding a package in a folder of one's own, although it is installed elsewhere.

Used by the processes that run a learner's answers: the judge, and `start.py`.
"""

from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType


class OverlayFinder:
    """Finds one package in one folder, before the finders of editable installs can."""

    def __init__(self, package: str, folder: Path) -> None:
        self.package = package
        self.folder = str(folder)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module of the package lies."""
        if name.partition(".")[0] != self.package:
            return None
        return PathFinder.find_spec(name, path or [self.folder], target)
