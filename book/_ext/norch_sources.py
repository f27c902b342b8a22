"""Where a public name of norch is written down: names are followed through the re-exports.

`reference()` lists the entries of all pages of the library, as their directives ask for them.

Everything is read from the sources and nothing is imported, so neither the book nor its tests need
a build of the library here.
"""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = [ROOT / "norch/src", *ROOT.glob("stages/*/src"), *ROOT.glob("extras/*/src")]
Definition = ast.FunctionDef | ast.ClassDef


class Found(NamedTuple):
    """A definition, and the file and line it stands in."""

    definition: Definition
    path: Path
    line: int


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


def module_of(path: Path) -> str:
    """Return the dotted name of the module that a file holds."""
    top = next(source for source in SOURCES if source in path.parents)
    return ".".join(path.relative_to(top).with_suffix("").parts).removesuffix(".__init__")


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
    for node in reversed(tree_of(path).body):  # the last is what counts, behind its overloads
        if isinstance(node, Definition) and node.name == name:
            return Found(node, path, node.lineno)
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return follow_wrapper(module, node.value)
    origin = imports(path).get(name, (module, name))
    return None if origin == (module, name) else find(*origin)


def follow_wrapper(module: str, value: ast.expr) -> Found | None:
    """Follow `name = wrapper(function)` and `name = other` to the function or class that is meant,
    `name = _family(2)("...")` to a member; None for other values.
    """
    if isinstance(value, ast.Name):
        return find(module, value.id)
    if not isinstance(value, ast.Call) or not value.args:
        return None
    if isinstance(value.func, ast.Call) and isinstance(value.func.func, ast.Name):
        return member(find(module, value.func.func.id), value)
    inner = value.args[0]
    if isinstance(inner, ast.Name):
        return find(module, inner.id)
    if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name):
        package, name = imports(file_of(module)).get(inner.value.id, (module, inner.value.id))
        return find(f"{package}.{name}", inner.attr)
    return None


@cache
def member(family: Found | None, call: ast.Call) -> Found | None:
    """Return one function of a family: the family's without `dims`, with its own docstring."""
    marks = [ast.unparse(one) for one in family.definition.decorator_list] if family else []
    if not any(mark.startswith("family(") for mark in marks):
        return None
    own = ast.parse(ast.unparse(family.definition)).body[0]
    del own.args.args[0]
    own.body = [ast.Expr(call.args[0])]
    return Found(own, family.path, family.line)


def assigned_names(path: Path) -> list[str]:
    """List the names that a file gives to wrapped functions."""
    targets = [node.targets[0] for node in tree_of(path).body if isinstance(node, ast.Assign)]
    return [one.id for one in targets if isinstance(one, ast.Name)]


def own_names(path: Path) -> list[str]:
    """List the functions and classes that a file itself defines."""
    return [node.name for node in tree_of(path).body if isinstance(node, Definition)]


def public(module: str) -> dict[str, Found]:
    """Return the documented names of a module: what it re-exports, wraps or defines, by name."""
    path = file_of(module)
    again = {
        alias.asname
        for node in tree_of(path).body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }  # `import x as x`: to be used from here
    names = {*(again or own_names(path) or imports(path)), *assigned_names(path)}
    named = sorted((name for name in names if not name.startswith("_")), key=str.lower)
    found = {name: find(module, name) for name in named}
    return {name: one for name, one in found.items() if one is not None}


def select(module: str, folders: list[str]) -> dict[str, Found]:
    """Return the names defined in some folders of the packages, or, with `-`, outside of them."""
    left_out = {one.removeprefix("-") for one in folders if one.startswith("-")}
    taken = {one for one in folders if not one.startswith("-")}

    def inside(found: Found, places: set[str]) -> bool:
        return any(f"/{place}/" in found.path.as_posix() for place in places)

    return {
        name: found
        for name, found in public(module).items()
        if not inside(found, left_out) and (not taken or inside(found, taken))
    }


# Modules of norch that are not written under their own name: what they are called there.
CALLED = {"norch_autograd": "norch", "norch_extras.backends": "norch"}


def called(module: str) -> str:
    """Return the name by which a program imports a module."""
    for real, name in CALLED.items():
        if module == real or module.startswith(f"{real}."):
            return name + module.removeprefix(real)
    return module


class Entry(NamedTuple):
    """A name on a page of the library: `norch.nn.Linear` on `library/nn`."""

    module: str
    name: str
    found: Found
    page: str

    @property
    def whole(self) -> str:
        """The whole name by which a program calls it."""
        return f"{self.module}.{self.name}"


@cache
def reference() -> list[Entry]:
    """Return every entry of the pages of the library."""
    book = ROOT / "book"
    entries = []
    for path in [book / "library.md", *sorted(book.glob("library/*.md"))]:
        page = path.relative_to(book).with_suffix("").as_posix()
        for words in re.findall(r"```\{library\} (.+)", path.read_text(encoding="utf-8")):
            module, *folders = words.split()
            found = select(module, folders).items()
            entries += [Entry(called(module), name, one, page) for name, one in found]
    return entries
