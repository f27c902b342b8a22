"""Chapter 4: a formula as a reader types it, cut into single operations in the order they run.

`cut("x = 3; x * x + 1")` finds the leaf x and two operations, each on names and plain numbers.
lessons/walk_record.py runs them. Nothing here computes.
"""

import ast
from itertools import chain, count
from typing import Any, NamedTuple

LONGEST = 200  # characters
MOST = 12  # operations: more do not fit into a picture
NUMBERS = (2.0, 3.0, 1.0, -1.0, 0.5)  # for names that a formula gives no value
CUT = (ast.BinOp, ast.UnaryOp, ast.Call, ast.Subscript, ast.Attribute)
LIBRARY = "norch"
# How names begin that walk back, or that change what comes after them.
STATE = ("backward", "grad", "manual_seed", "register_", "retain", "seed", "set_")


class FormulaError(ValueError):
    """What is wrong with a formula, in a sentence for whoever typed it."""


class Operation(NamedTuple):
    """One operation: the name of its result, and its text."""

    name: str
    text: str


class Formula(NamedTuple):
    """Leaves with their values, the operations, and the name of the result."""

    leaves: dict[str, Any]
    operations: list[Operation]
    result: str


def cut(text: str) -> Formula:
    """Cut a formula into operations; statements stand apart by `;`, the last one is the result."""
    if len(text) > LONGEST:
        raise FormulaError(f"{len(text)} characters; a formula here has up to {LONGEST}")
    text = text.strip()
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise FormulaError(f"this is no formula: {error.msg}, at {error.offset}") from None
    statements = tree.body
    if not statements:
        raise FormulaError("nothing to compute: type a formula such as w * x + b")
    cutter = _Cutter(text, _names(tree))
    for statement in statements:
        result = cutter.statement(statement, is_last=statement is statements[-1])
    if not cutter.operations:
        raise FormulaError("no operation is in it: type a formula such as w * x + b")
    return Formula(cutter.leaves, cutter.operations, result)


class _Cutter:
    """Walks the tree of a formula and notes an operation for each part that computes."""

    def __init__(self, text: str, names: set[str]) -> None:
        self.text = text
        self.leaves: dict[str, Any] = {}
        self.operations: list[Operation] = []
        self.now: dict[str, str] = {}  # what a name stands for: assigned again, it is another place
        self.used: set[str] = set()
        self.taken = names

    def statement(self, statement: ast.stmt, is_last: bool) -> str:
        """Cut one statement; return the name of its value."""
        if isinstance(statement, ast.Expr):
            name = self._assigned("out") if is_last and self._is_free("out") else None
            return self._name_of(self._part(statement.value, name))
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            raise _refused(statement)
        target, value = statement.targets[0], statement.value
        if not isinstance(target, ast.Name):
            raise FormulaError(f"{ast.unparse(target)} cannot be assigned to: write name = value")
        if target.id == LIBRARY:
            raise FormulaError(f"{LIBRARY} is the library: take another name")
        if target.id in _names(value):
            self._value(target.id)  # what it was before: it comes first
        fresh = self._assigned(target.id)
        if _is_plain(value):
            self.leaves[fresh] = ast.literal_eval(value)
        else:
            fresh = self._name_of(self._part(value, fresh))
        self.now[target.id] = fresh
        return fresh

    def _part(self, tree: ast.expr, name: str | None = None) -> ast.expr:
        """Return a name or a plain value that stands for a part of the formula."""
        if _is_plain(tree):
            return tree
        if isinstance(tree, ast.Name):
            return ast.Name(self._value(tree.id))
        if isinstance(tree, ast.Tuple | ast.List):
            return type(tree)([self._part(one) for one in tree.elts])
        if not isinstance(tree, CUT):
            raise _refused(tree)
        text = ast.unparse(self._operation(tree))
        name = name or self._unnamed()
        self.operations.append(Operation(name, text))
        if len(self.operations) > MOST:
            raise FormulaError(f"more than {MOST} operations do not fit into this picture")
        return ast.Name(name)

    def _operation(self, tree: ast.expr) -> ast.expr:
        """Return an operation with names in the place of what it is applied to."""
        if isinstance(tree, ast.BinOp):
            return ast.BinOp(self._part(tree.left), tree.op, self._part(tree.right))
        if isinstance(tree, ast.UnaryOp):
            return ast.UnaryOp(tree.op, self._part(tree.operand))
        if isinstance(tree, ast.Subscript):
            return ast.Subscript(self._part(tree.value), _index(tree.slice))
        if isinstance(tree, ast.Attribute):
            return ast.Attribute(self._part(tree.value), _public(tree.attr))
        call: Any = tree
        keywords = [ast.keyword(one.arg, self._part(one.value)) for one in call.keywords]
        return ast.Call(self._function(call.func), [self._part(a) for a in call.args], keywords)

    def _function(self, tree: ast.expr) -> ast.expr:
        """Return what is called: a method of something, or a function of norch."""
        if not isinstance(tree, ast.Attribute):
            name = ast.unparse(tree)
            raise FormulaError(f"{name} is no method: write x.{name}() or norch.{name}(x)")
        if isinstance(tree.value, ast.Name) and tree.value.id == LIBRARY:
            return ast.Attribute(tree.value, _public(tree.attr))
        return ast.Attribute(self._part(tree.value), _public(tree.attr))

    def _value(self, name: str) -> str:
        """Return what a name stands for now; one without a value becomes a leaf."""
        if name == LIBRARY:
            raise FormulaError(f"{LIBRARY} is the library: write {LIBRARY}.name(x)")
        if name not in self.now:
            self.now[name] = self._assigned(name)
            self.leaves[self.now[name]] = self._guessed(NUMBERS[len(self.leaves) % len(NUMBERS)])
        return self.now[name]

    def _guessed(self, number: float) -> Any:
        """Return a value whose shape suits the formula: a matrix for @, a row for sums."""
        if "@" in self.text or ".T" in self.text:
            return [[number, 1.0], [-1.0, 0.5]]
        is_row = any(f".{name}" in self.text for name in ("sum", "mean", "softmax", "log_softmax"))
        return [number, 1.0, -1.0] if is_row else number

    def _name_of(self, part: ast.expr) -> str:
        if not isinstance(part, ast.Name):
            raise FormulaError(f"{ast.unparse(part)} is no formula: nothing in it has a name")
        return part.id

    def _assigned(self, name: str) -> str:
        """Return a name for what is assigned: the same one, or with a number behind it."""
        more = (f"{name}{number}" for number in count(2))
        found = next(one for one in chain([name], more) if self._is_free(one, name))
        self.used.add(found)
        return found

    def _unnamed(self) -> str:
        """Return a name for a part that the formula gives none."""
        return self._assigned(next(f"t{k}" for k in count(1) if self._is_free(f"t{k}")))

    def _is_free(self, name: str, asked: str = "") -> bool:
        return name not in self.used and (name == asked or name not in self.taken)


def _is_plain(tree: ast.expr) -> bool:
    """Tell whether a part is a plain value: a number, or a list of numbers."""
    try:
        ast.literal_eval(tree)
    except (ValueError, TypeError):
        return False
    return True


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _index(tree: ast.expr) -> ast.expr:
    """Return what stands in [...], which nothing computes."""
    parts = tree.elts if isinstance(tree, ast.Tuple) else [tree]
    for part in parts:
        ends = [part.lower, part.upper, part.step] if isinstance(part, ast.Slice) else [part]
        if not all(end is None or _is_plain(end) for end in ends):
            text = ast.unparse(tree)
            raise FormulaError(f"[{text}]: numbers, slices and None are what can stand there")
    return tree


def _public(name: str) -> str:
    if name.startswith(STATE):
        raise FormulaError(f".{name} is not for formulas: they only compute values")
    if name.startswith("_") or name.endswith("_"):
        raise FormulaError(f".{name} is not for formulas: they change nothing in place")
    return name


def _refused(tree: ast.AST) -> FormulaError:
    text = ast.unparse(tree)
    return FormulaError(f"{text!r} is more than a formula: numbers, names, operators and methods")
