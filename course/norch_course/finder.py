"""Finding a package, or one module of it, in a place of one's own, although it is installed.

Used by the processes that run a learner's answers: the judge, and `start.py`.
"""

from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType


class AnswerFinder:
    """Finds one module in a file of one's own; all others are found where they are."""

    def __init__(
        self, module: str, file: Path, loader: Callable[[str, str], Loader] | None = None
    ) -> None:
        self.module = module
        self.file = file
        self.loader = loader

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where the module lies, if it is the one."""
        if name != self.module:
            return None
        loader = self.loader(name, str(self.file)) if self.loader else None
        return spec_from_file_location(name, self.file, loader=loader)


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
