"""The program as of each chapter: small packages, made out of norch's own sources.

`steps.toml` says which definitions each step adds and which layers are left out of them. Here that
becomes files. The book shows them (`book/_ext/norch_steps.py`), a test runs the chapters' cells on
them, and `python -m steps 4.2 FOLDER`, run in `book/`, writes one. Nothing of it is norch: the
library never imports this.
"""

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from steps.layers import Layer
from steps.sources import docstring, first_line, is_import, names_of, piece, select, wanted
from steps.thinning import WIDTH, thin

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLOOR = {"norch_cpu_ops/__init__.py": HERE / "arrays.py"}  # the one file that is not of norch
Files = dict[str, str]
Names = dict[str, set[str]]  # by the dotted name of a module


@dataclass(frozen=True)
class Step:
    """What a step adds, and which cells of its chapter run on it."""

    id: str
    title: str
    says: str
    chapter: str
    begin: str
    cells: tuple[str, ...]
    adds: dict[str, list[str]]
    fuller: tuple[str, ...] = ()  # definitions of earlier steps that get their fuller form here
    more: str = ""  # lines to run that no cell of the chapter has


@cache
def manifest() -> tuple[list[Step], list[Layer]]:
    """Return the steps in their order, and the layers."""
    found = tomllib.loads((HERE / "steps.toml").read_text(encoding="utf-8"))
    steps = [Step(**{**one, "cells": tuple(one.get("cells", ()))}) for one in found["step"]]
    layers = [
        Layer(name, **{key: tuple(v) if isinstance(v, list) else v for key, v in one.items()})
        for name, one in found["layer"].items()
    ]
    return steps, layers


def numbered(id: str) -> int:
    """Return the place of a step among all; a KeyError says which there are."""
    ids = [one.id for one in manifest()[0]]
    if id not in ids:
        raise KeyError(f"there is no step {id}: the steps are {', '.join(ids)}")
    return ids.index(id)


def count(files: Files) -> int:
    """Count the lines of a program that are not empty."""
    return sum(bool(line.strip()) for text in files.values() for line in text.splitlines())


def source_of(path: str) -> Path:
    """Return the real file behind a file of a step."""
    if path in FLOOR:
        return FLOOR[path]
    return next(ROOT.glob(f"stages/*/src/{path}"))


def active(id: str, path: str) -> list[Layer]:
    """Return the layers that a file of a step is without."""
    now = numbered(id)
    return [
        one
        for one in manifest()[1]
        if path.startswith(one.files) and not (one.until and numbered(one.until) <= now)
    ]


@cache
def thinned(text: str, layers: tuple[Layer, ...]) -> str:
    """Return a text without these layers; most files stay as they are from step to step."""
    return thin(text, list(layers))


@cache
def program(id: str) -> Files:
    """Return a step's files, by their path; what is imported and missing is a KeyError."""
    asked: dict[str, list[str]] = {}
    for step in manifest()[0][: numbered(id) + 1]:
        for path, entries in step.adds.items():
            asked.setdefault(path, []).extend(entries)
    files = {}
    for path in sorted(asked):
        text = select(source_of(path).read_text(encoding="utf-8"), wanted(asked[path]))
        files[path] = thinned(text, tuple(active(id, path)))
    files |= {path: thinned(text, tuple(active(id, path))) for path, text in faces(files).items()}
    modules = reachable(files)
    missing: list[str] = []
    done = {path: with_imports(path, files[path], modules, missing) for path in sorted(files)}
    if missing:
        raise KeyError(f"step {id} needs what no step has added: {'; '.join(missing)}")
    return done


def module_of(path: str) -> str:
    """Return the dotted name of a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def faces(files: Files) -> Files:
    """Return the `__init__` of each package: of the real one the names that the files define."""
    folders = {str(Path(path).parent) for path in files}
    folders |= {str(one) for folder in folders for one in Path(folder).parents if one != Path(".")}
    found = {}
    for folder in sorted(folders):
        path = f"{folder}/__init__.py"
        if path not in files:
            found[path] = select(source_of(path).read_text(encoding="utf-8"), {})
    return found


@cache
def defined(text: str) -> frozenset[str]:
    """Return the names that a text defines or imports."""
    names: set[str] = set()
    for node in ast.parse(text).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.If):
            names |= {name for one in (*node.body, *node.orelse) for name in names_of(one, text)}
        else:
            names |= names_of(node, text)
    return frozenset(names)


def used(tree: ast.Module) -> set[str]:
    """Return the names that a file reads from outside, also in the text of a type."""
    found: set[str] = set()

    def look(node: ast.AST, own: frozenset[str]) -> None:
        if isinstance(node, ast.Name) and node.id not in own:
            found.add(node.id)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            found.update(re.findall(r"\w+", ast.unparse(node.value)))  # it may be a text
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            given = node.args
            own |= {one.arg for one in (*given.args, *given.kwonlyargs)}
        for one in ast.iter_child_nodes(node):
            look(one, own)

    look(tree, frozenset())
    return found


def reachable(files: Files) -> Names:
    """Return what can be imported from each module: what it defines, its files, what it imports."""
    texts = {module_of(path): text for path, text in files.items()}
    found: Names = {module: set(defined(text) - imported(text)) for module, text in texts.items()}
    for module in texts:
        package, _, name = module.rpartition(".")
        if package:
            found[package].add(name)
    aliases = [
        (module, node.module, one)
        for module, text in texts.items()
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    ]
    size = -1
    while size != (size := sum(map(len, found.values()))):
        for module, origin, one in aliases:
            if has(found, origin, one.name):
                found[module].add(one.asname or one.name)
    return found


def has(found: Names, module: str, name: str) -> bool:
    """Tell whether an import finds its name; of Python's own modules, always."""
    return not module.startswith("norch_") or name in found.get(module, ())


@cache
def imported(text: str) -> frozenset[str]:
    """Return the names that a text imports."""
    return frozenset(
        (one.asname or one.name).partition(".")[0]
        for node in ast.parse(text).body
        if is_import(node)
        for one in node.names
    )


def with_imports(path: str, text: str, modules: Names, missing: list[str]) -> str:
    """Return a file with the imports that it needs, and the first sentences of its promise."""
    tree, lines = ast.parse(text), text.splitlines()
    names, is_face = used(tree), path.endswith("__init__.py") and path not in FLOOR
    kept: list[str] = []
    for node in [one for one in tree.body if is_import(one)]:
        line, gone = wanted_import(node, names, modules, is_face)
        missing += [f"{path}: {one}" for one in gone]
        if line and kept and group(line) != group(kept):
            kept.append("")
        kept += line
    rest = [one for one in tree.body if not is_import(one) and one is not docstring(tree)]
    said = docstring(tree)
    out = promise(said.value.value) if said else []
    if kept:
        out += ["", *kept]
    if rest:
        out += [""] * (1 if isinstance(rest[0], ast.Assign | ast.AnnAssign) else 2)
        out += lines[first_line(rest[0], lines) - 1 :]
    return "\n".join(out).strip("\n") + "\n"


def group(lines: list[str]) -> int:
    """Return where imports stand that end with these lines: the future, Python's own, norch's."""
    first = next(line for line in reversed(lines) if line.startswith(("from", "import")))
    module = first.split()[1]
    return 0 if module == "__future__" else 2 if module.startswith("norch_") else 1


def promise(words: str) -> list[str]:
    """Return the first paragraph of a file's docstring."""
    first = words.strip().partition("\n\n")[0]
    return f'"""{first}"""'.splitlines() if len(first) < WIDTH - 6 else [f'"""{first}', '"""']


def definitions(files: Files) -> dict[str, str]:
    """Return the text of each definition by its file and name; of a class by its members too."""
    found = {}
    for path, text in files.items():
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if is_import(node) or isinstance(node, ast.Expr):
                continue
            (name, *_) = names_of(node, text)
            if not isinstance(node, ast.ClassDef):
                found[f"{path}: {name}"] = "\n".join(piece(node, lines))
                continue
            found[f"{path}: {name}"] = lines[node.lineno - 1]
            for one in node.body:
                if one is not docstring(node):
                    inside = f"{path}: {name}.{sorted(names_of(one, text))[0]}"
                    found[inside] = found.get(inside, "") + "\n".join(piece(one, lines))
    return found


def wanted_import(
    node: ast.stmt, names: set[str], modules: Names, is_face: bool
) -> tuple[list[str], list[str]]:
    """Return an import without what the file does not use, and what of it is not there; of a
    face without what is not there.
    """
    if isinstance(node, ast.Import):
        kept = [one for one in node.names if is_needed(one, names, modules, is_face)]
        return [f"import {', '.join(map(ast.unparse, kept))}"] if kept else [], []
    kept, gone = [], []
    for one in node.names:
        is_there = has(modules, node.module, one.name)
        if is_face and not node.module.startswith("norch_"):
            continue
        is_used = is_face or (one.asname or one.name) in names or one.name == "annotations"
        if is_used and is_there:
            kept.append(one.name if one.asname == one.name else ast.unparse(one))
        elif is_used and not is_face:
            gone.append(f"{one.name} of {node.module}")
    return written(node.module, kept) if kept else [], gone


def is_needed(one: ast.alias, names: set[str], modules: Names, is_face: bool) -> bool:
    """Tell whether `import one` stays."""
    if is_face:
        return one.name in modules
    return (one.asname or one.name.partition(".")[0]) in names


def written(module: str, names: list[str]) -> list[str]:
    """Return `from module import names`, in as many lines as it needs."""
    line = f"from {module} import {', '.join(names)}"
    if len(line) <= WIDTH:
        return [line]
    rows = [""]
    for name in names:
        if len(rows[-1]) + len(name) + 7 > WIDTH:
            rows.append("")
        rows[-1] += f" {name},"
    return [f"from {module} import (", *(f"   {row}" for row in rows), ")"]
