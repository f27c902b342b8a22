"""The reference: `{library} norch.nn` lists a module's public names with their docstrings.

Everything is read from the sources: `norch` re-exports each name from a stage, and the name is
followed to the function or class that it means. Nothing is imported, so the book needs no build of
the library.
"""

import ast
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

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


def signature(found: Found) -> str:
    """Return the arguments as they are written, without types."""
    node = found.definition
    if isinstance(node, ast.ClassDef):
        made = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
        if not made:
            return ""
        node = made[0]
    arguments = ast.parse(ast.unparse(node)).body[0].args
    for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]:
        one.annotation = None
    for one in (arguments.vararg, arguments.kwarg):
        if one:
            one.annotation = None
    arguments.args = [one for one in arguments.args if one.arg != "self"]
    return f"({ast.unparse(arguments)})"


def entry(name: str, found: Found) -> list[str]:
    """Return one name as lines of MyST: signature, docstring, example."""
    text = ast.get_docstring(found.definition) or ""
    prose, _, example = text.partition(">>> ")
    place = found.path.relative_to(ROOT).as_posix()
    lines = [f"**`{name}{signature(found)}`**", "", *prose.strip().splitlines(), ""]
    if example:
        lines += ["```python", *f">>> {example}".splitlines(), "```", ""]
    return [*lines, f"`{place}`", ""]


class LibraryDirective(SphinxDirective):
    """List the public names of a module of norch."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        module = self.arguments[0]
        path = file_of(module)
        names = [name for name in imports(path) if not name.startswith("_")]
        box = nodes.container(classes=["library"])
        for name in sorted(names, key=str.lower):
            found = find(module, name)
            if found is not None:
                self.env.note_dependency(str(found.path))
                lines = StringList(entry(name, found), source=str(found.path))
                self.state.nested_parse(lines, self.content_offset, box)
        if not box.children:
            raise self.error(f"{module} has no documented names")
        return [box]


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx what is here."""
    app.add_directive("library", LibraryDirective)
    return {"parallel_read_safe": True}
