"""Where a public name of norch is written down: names are followed through the re-exports.

Everything is read from the sources and nothing is imported, so neither the book nor its tests need
a build of the library here.
"""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = [ROOT / "norch" / "src", *sorted(ROOT.glob("stages/*/src"))]
Definition = ast.FunctionDef | ast.ClassDef


class Found(NamedTuple):
    """A definition and the file it stands in."""

    definition: Definition
    path: Path


@cache
def file_of(module: str) -> Path | None:
    """Return the file of a module, by its dotted name."""
    inside = Path(*module.split("."))
    for source in SOURCES:
        for path in (source / inside.with_suffix(".py"), source / inside / "__init__.py"):
            if path.is_file():
                return path
    return None


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> dict[str, tuple[str, str]]:
    """Return what a file imports from elsewhere: its name here, the module, the name there."""
    found = {}
    for node in tree_of(path).body:
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if node.level:  # relative: of the package that the file belongs to
                top = next(source for source in SOURCES if source in path.parents)
                package = path.parent.relative_to(top).parts
                module = ".".join([*package, *filter(None, [module])])
            for alias in node.names:
                found[alias.asname or alias.name] = (module, alias.name)
    return found


def find(module: str, name: str) -> Found | None:
    """Follow a name to its definition; None for modules, constants and what is written in C++."""
    path = file_of(module)
    if path is None:
        return None
    for node in tree_of(path).body:
        if isinstance(node, Definition) and node.name == name:
            return Found(node, path)
    origin = imports(path).get(name, (module, name))
    return None if origin == (module, name) else find(*origin)


def public(module: str) -> dict[str, Found]:
    """Return the documented names of a module: what it re-exports, by name."""
    names = [name for name in imports(file_of(module)) if not name.startswith("_")]
    found = {name: find(module, name) for name in sorted(names, key=str.lower)}
    return {name: one for name, one in found.items() if one is not None}
