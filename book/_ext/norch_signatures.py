"""How a public name is called: its arguments as the sources write them, without types.

The reference prints them; tests/book/test_book_signatures.py compares each with what Python itself
says of the imported name. A class is called as its `__init__` says, which may stand in a base class
of another package, or by its fields. Nothing is imported here.
"""

import ast
from collections.abc import Iterator

from norch_sources import Found, find, module_of


def signature(found: Found) -> str:
    """Return the arguments of a function or class, in parentheses."""
    if isinstance(found.definition, ast.ClassDef):
        return f"({constructor(found)})"
    return f"({ast.unparse(bare(found.definition.args))})"


def bare(arguments: ast.arguments, method: bool = False) -> ast.arguments:
    """Return a copy without types, and without the object that a method is called on."""
    copy = ast.parse(f"def f({ast.unparse(arguments)}): ...").body[0].args
    every = [*copy.posonlyargs, *copy.args, *copy.kwonlyargs, copy.vararg, copy.kwarg]
    for one in filter(None, every):
        one.annotation = None
    if method:
        (copy.posonlyargs or copy.args).pop(0)
    return copy


def constructor(found: Found) -> str:
    """Return the arguments of the nearest `__init__` or fields among a class and its bases."""
    for one in ancestors(found):
        made = meta_call(one) or method(one, "__init__") or method(one, "__new__")
        if made:
            return ast.unparse(bare(made.args, method=True))
        if is_record(one.definition):
            return ", ".join(fields(one).values())
    above = " ".join(base for one in ancestors(found) for base in base_names(one))
    return "value" if "Enum" in above else "*args" if "Error" in above else ""


def method(found: Found, name: str) -> ast.FunctionDef | None:
    """Return a method that a class itself defines; the last, behind its overloads."""
    own = {one.name: one for one in found.definition.body if isinstance(one, ast.FunctionDef)}
    return own.get(name)


def meta_call(found: Found) -> ast.FunctionDef | None:
    """Return what the class of a class does when it is called, where it says so itself."""
    for one in found.definition.keywords:
        meta = find(module_of(found.path), ast.unparse(one.value))
        if one.arg == "metaclass" and meta:
            return method(meta, "__call__")
    return None


def base_names(found: Found) -> list[str]:
    """Return the names of the bases as they are written, without what stands in brackets."""
    return [ast.unparse(base).partition("[")[0] for base in found.definition.bases]


def ancestors(found: Found) -> Iterator[Found]:
    """Yield a class and its bases that stand in our sources, the nearest first."""
    yield found
    for name in base_names(found):
        base = find(module_of(found.path), name)
        if base and isinstance(base.definition, ast.ClassDef):
            yield from ancestors(base)


def is_record(definition: ast.ClassDef) -> bool:
    """Say whether a class is made from its fields: a dataclass or a named tuple."""
    marks = [ast.unparse(one).partition("(")[0] for one in definition.decorator_list]
    bases = [ast.unparse(base).rpartition(".")[2] for base in definition.bases]
    return "NamedTuple" in bases or any(mark.endswith("dataclass") for mark in marks)


def fields(found: Found) -> dict[str, str]:
    """Return the fields of a record as arguments, those of its bases first."""
    written: dict[str, str] = {}
    for one in reversed(list(ancestors(found))):
        for line in one.definition.body:
            if isinstance(line, ast.AnnAssign) and "ClassVar" not in ast.unparse(line.annotation):
                default = default_of(line.value)
                if default is not None:
                    written[line.target.id] = line.target.id + default
    return written


def default_of(value: ast.expr | None) -> str | None:
    """Return `=...` of a field; nothing for one without a default, None for no argument."""
    if value is None:
        return ""
    if not isinstance(value, ast.Call) or not ast.unparse(value.func).endswith("field"):
        return f"={ast.unparse(value)}"
    given = {one.arg: ast.unparse(one.value) for one in value.keywords}
    if given.get("init") == "False":
        return None
    if "default_factory" in given:
        return f"={given['default_factory']}()"
    return f"={given['default']}" if "default" in given else ""
