"""Take definitions out of a source file: their own text, with its comments, in its order.

`programs.py` calls it with the names that a step has; `layers.py` then thins the text. A name is a
function, class or constant; `Class: one two` takes of a class its head and these members. Nothing
is rewritten here, and nothing is imported or run.
"""

import ast
from collections.abc import Iterable

Wanted = dict[str, set[str]]  # of a file: names, and which members of a class; none: all of it
Scope = ast.Module | ast.ClassDef


def wanted(entries: Iterable[str]) -> Wanted:
    """Return what the entries of a manifest ask for.

    >>> wanted(["numel", "Tensor: item"])
    {'numel': set(), 'Tensor': {'item'}}
    """
    found: Wanted = {}
    for entry in entries:
        name, _, members = entry.partition(": ")
        found.setdefault(name, set()).update(members.split())
    return found


def names_of(node: ast.stmt, text: str) -> set[str]:
    """Return the names under which a statement is asked for; one without a name: its first line."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.AnnAssign):
        return {ast.unparse(node.target)}
    if isinstance(node, ast.Assign):
        return {ast.unparse(target) for target in node.targets}
    return {text.splitlines()[node.lineno - 1].strip().rstrip(":")}


def is_import(node: ast.stmt) -> bool:
    """Tell whether a statement imports."""
    return isinstance(node, ast.Import | ast.ImportFrom)


def docstring(node: ast.AST) -> ast.Expr | None:
    """Return the statement that is a file's, class's or function's docstring."""
    body = getattr(node, "body", None)
    first = body[0] if isinstance(body, list) and body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first if is_text and isinstance(first.value.value, str) else None


def first_line(node: ast.stmt, lines: list[str]) -> int:
    """Return where a statement begins, from 1: at its decorators, or the comment above them."""
    line = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    while line > 1 and lines[line - 2].strip().startswith("#"):
        line -= 1
    return line


def piece(node: ast.stmt, lines: list[str]) -> list[str]:
    """Return the lines of a statement."""
    return lines[first_line(node, lines) - 1 : node.end_lineno]


def select(text: str, names: Wanted) -> str:
    """Return a file with the definitions of these names alone; KeyError names what it has not."""
    tree, lines = ast.parse(text), text.splitlines()
    missing = set(names)
    parts: list[tuple[ast.stmt, list[str]]] = []
    for node in tree.body:
        if is_import(node) or node is docstring(tree):
            parts.append((node, piece(node, lines)))
        for name in names_of(node, text) & set(names):
            missing.discard(name)
            whole = not names[name]
            part = piece(node, lines) if whole else members(node, names[name], text)
            parts.append((node, part))
    if missing:
        raise KeyError(f"the source has no {', '.join(sorted(missing))}")
    return joined(parts, 2)


def members(node: ast.stmt, names: set[str], text: str) -> list[str]:
    """Return the lines of a class with these members alone; KeyError names what it has not."""
    assert isinstance(node, ast.ClassDef)
    lines = text.splitlines()
    taken = [one for one in node.body if names_of(one, text) & names]
    missing = names.difference(*(names_of(one, text) for one in taken))
    if missing:
        raise KeyError(f"{node.name} has no {', '.join(sorted(missing))}")
    said = docstring(node)
    inside = [(one, piece(one, lines)) for one in ([said] if said else []) + taken]
    head = lines[first_line(node, lines) - 1 : node.body[0].lineno - 1]
    if head and head[-1].strip().startswith("#"):  # it belongs to the first member
        head = head[:-1]
    return [*head, *joined(inside, 1).splitlines()]


def joined(parts: list[tuple[ast.stmt, list[str]]], blanks: int) -> str:
    """Put statements below each other, definitions apart, what is alike together."""
    out: list[str] = []
    before: ast.stmt | None = None
    for node, lines in parts:
        if before is not None:
            out += [""] * gap(before, node, blanks)
        out += lines
        before = node
    return "\n".join(out) + "\n"


def gap(before: ast.stmt, node: ast.stmt, blanks: int) -> int:
    """Return how many empty lines stand between two statements."""
    scopes = ast.FunctionDef | ast.ClassDef
    if isinstance(before, scopes) or isinstance(node, scopes):
        return blanks
    return 0 if type(before) is type(node) or (is_import(before) and is_import(node)) else 1
