"""What the editor of an exercise shows in a page: the code around its hole, and the hole.

`norch_live.py` writes it into the page. A function is shown whole, from its decorators on; of the
class that it belongs to, the head. No answer is read here: the holes are empty, or as given.
"""

import ast

import cpp_text

from norch_course.catalog import Exercise
from norch_course.holes import find_hole, strip

Scope = ast.ClassDef | ast.FunctionDef


def editor_text(one: Exercise) -> dict[str, str]:
    """Return what an exercise's editor shows: the function around the hole, and the hole."""
    text = strip(one.reference, one.suffix, given=one.stage.given)
    hole = find_hole(text, one.suffix, one.id)
    around = around_in_python if one.suffix == ".py" else cpp_text.around
    before, after = around(text, hole.begin, hole.end)
    return {"id": one.id, "title": one.title, "before": before, "hole": hole.body, "after": after}


def around_in_python(text: str, begin: int, end: int) -> tuple[str, str]:
    """Return what stands before the line `begin` (from 1) and behind `end`, in a function."""
    lines = text.splitlines()
    *classes, function = enclosing(text, begin)
    start = min([function.lineno, *(one.lineno for one in function.decorator_list)])
    before = [line for one in classes for line in class_head(one, lines, start)]
    before += lines[start - 1 : begin - 1]
    return "\n".join(before), "\n".join(lines[end : function.end_lineno]).rstrip()


def enclosing(text: str, line: int) -> list[Scope]:
    """Return the classes around a line, outermost first, and the outermost function in them."""
    found: list[Scope] = []
    for one in ast.walk(ast.parse(text)):  # what is outside comes first
        is_scope = isinstance(one, Scope)
        if is_scope and one.lineno <= line < (one.end_lineno or 0):
            found.append(one)
            if isinstance(one, ast.FunctionDef):
                break
    return found


def class_head(one: ast.ClassDef, lines: list[str], start: int) -> list[str]:
    """Return how a class begins, with its sentences; dots stand for what lies before `start`."""
    first = one.body[0]
    has_words = ast.get_docstring(one) is not None
    last = first.end_lineno if has_words else first.lineno - 1
    head = lines[one.lineno - 1 : last]
    left = any(line.strip() for line in lines[last : start - 1])
    return [*head, "", " " * (one.col_offset + 4) + "...", ""] if left else [*head, ""]
