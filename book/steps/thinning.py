"""Thin a text: take out of it what layers say, by the places that its syntax tree tells.

`programs.py` calls `thin` for each file of a step. All else stays as it was written, comments and
line ends too. One thing goes at a time, and the text is read anew, until nothing goes any more.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from norch_course.holes import without_marks
from steps.layers import UNKNOWN, Layer, Layers
from steps.sources import docstring, first_line

NOT_SAID = re.compile(r" *# (?:type: ignore|noqa|door|fmt)\b.*$")
MARK = re.compile(r"^ *# (?:door: .*|-{4}.*-{4}|fmt: .*|ruff: .*)\n", re.M)
RAISES = re.compile(r"(?:^ *|(?<=\.) )Raises .*(?:\n *\S.*)*", re.M)  # to the end of its paragraph
WIDTH = 100


@dataclass(frozen=True)
class Edit:
    """Bytes of a text, and what stands in their place."""

    start: int
    end: int
    words: str


class Thinner:
    """A text without some layers."""

    def __init__(self, text: str, layers: list[Layer]) -> None:
        self.layers = Layers(layers)
        self.text = self.layers.swapped(text)

    def run(self) -> str:
        """Leave out what can be left out, until nothing is."""
        while True:
            self.data, self.tree = self.text.encode(), ast.parse(self.text)
            self.lines = self.text.splitlines()
            self.starts = [0]
            for line in self.data.splitlines(keepends=True):
                self.starts.append(self.starts[-1] + len(line))
            edit = self.next_edit()
            if edit is None:
                return self.text
            data = self.data[: edit.start] + edit.words.encode() + self.data[edit.end :]
            before, self.text = self.text, data.decode()
            if self.text == before:
                raise ValueError(f"an edit that changes nothing, at {edit}")

    # ---- edits -----------------------------------------------------------------------------------

    def at(self, line: int, column: int = 0) -> int:
        """Return the place of a line (from 1) and a column in the bytes."""
        return self.starts[line - 1] + column

    def source(self, node: ast.AST) -> str:
        """Return the text of an expression."""
        return self.data[self.at(node.lineno, node.col_offset) : self.end(node)].decode()

    def end(self, node: ast.AST) -> int:
        """Return where a node ends."""
        return self.at(node.end_lineno, node.end_col_offset)

    def replace(self, node: ast.AST, words: str) -> Edit:
        """Put words in the place of a node."""
        return Edit(self.at(node.lineno, node.col_offset), self.end(node), words)

    def without(self, node: ast.stmt) -> Edit:
        """Leave out a statement, the comment above it, and an empty line that is then double."""
        first, last = first_line(node, self.lines), node.end_lineno
        is_open = first > 1 and not self.lines[first - 2].strip()
        while is_open and last < len(self.lines) and not self.lines[last].strip():
            last += 1
        return Edit(self.at(first), self.at(last + 1), "")

    def unwrapped(self, node: ast.stmt, body: list[ast.stmt]) -> Edit:
        """Put the body of a statement in its place."""
        first, last = first_line(body[0], self.lines), body[-1].end_lineno
        by = body[0].col_offset - node.col_offset
        lines = [line[by:] if line.strip() else line for line in self.lines[first - 1 : last]]
        words = "\n".join(lines) + "\n"
        if self.lines[node.lineno - 1].strip().startswith("elif"):
            indent = " " * node.col_offset
            words = f"{indent}else:\n" + "".join(" " * by + one + "\n" for one in lines)
        return Edit(self.at(first_line(node, self.lines)), self.at(node.end_lineno + 1), words)

    def next_edit(self) -> Edit | None:
        """Return the first thing to leave out."""
        for node in ast.walk(self.tree):
            looks = (self.in_block, self.of_test, self.of_call, self.of_definition, self.of_rest)
            for look in looks:
                edit = look(node)
                if edit is not None:
                    return edit
        return None

    def in_block(self, node: ast.AST) -> Edit | None:
        """Leave out a statement of a block."""
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            for k, one in enumerate(block):
                if self.is_gone(one):
                    if len(block) > 1 or isinstance(node, ast.Module):
                        return self.without(one)
                    return self.without(node) if name == "body" else self.no_else(node, one)
                if isinstance(one, ast.Return | ast.Raise | ast.Continue) and block[k + 1 :]:
                    return self.without(block[k + 1])
        return None

    def no_else(self, node: ast.stmt, last: ast.stmt) -> Edit:
        """Leave out an `else` with the one statement in it."""
        start = node.body[-1].end_lineno
        return Edit(self.at(start + 1), self.at(last.end_lineno + 1), "")

    def is_gone(self, node: ast.stmt) -> bool:
        """Tell whether a statement is left out."""
        first = self.lines[node.lineno - 1].strip()
        if self.layers.says("leave", first):
            return True
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == ast.unparse(node.value):
            return True  # what is left of `x = check(x)`
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            return not isinstance(target, ast.Tuple) and self.layers.fact(target) is not UNKNOWN
        if isinstance(node, ast.If):
            test = self.layers.value(node.test)
            gone = test is not UNKNOWN and not test and not node.orelse
            *before, last = node.body
            raises = isinstance(last, ast.Raise) and all(isinstance(x, ast.Assign) for x in before)
            if not gone and raises and not node.orelse and self.layers.has_no_checks():
                return not self.layers.says("but", self.lines[last.lineno - 1].strip())
            return gone
        return False

    def only_refuses(self, node: ast.Try) -> bool:
        """Tell whether a `try` is there for an error alone."""
        says = [one for handler in node.handlers for one in handler.body]
        return not node.finalbody and all(isinstance(one, ast.Raise | ast.Pass) for one in says)

    def of_test(self, node: ast.AST) -> Edit | None:
        """Decide what is decided."""
        if isinstance(node, ast.Try) and self.only_refuses(node) and self.layers.has_no_checks():
            return self.unwrapped(node, node.body)
        if isinstance(node, ast.With) and self.layers.says(
            "unwrap", self.lines[node.lineno - 1].strip()
        ):
            return self.unwrapped(node, node.body)
        if isinstance(node, ast.If):
            test = self.layers.value(node.test)
            if test is not UNKNOWN:
                return self.unwrapped(node, node.body if test else node.orelse)
        if isinstance(node, ast.IfExp):
            test = self.layers.value(node.test)
            if test is not UNKNOWN:
                return self.replace(node, self.source(node.body if test else node.orelse))
        if isinstance(node, ast.BoolOp):
            left = [one for one in node.values if self.layers.value(one) is UNKNOWN]
            if left and len(left) < len(node.values) and self.layers.value(node) is UNKNOWN:
                word = " or " if isinstance(node.op, ast.Or) else " and "
                return self.replace(node, word.join(map(self.source, left)))
        return self.of_value(node)

    def of_value(self, node: ast.AST) -> Edit | None:
        """Write what is returned, and leave out the name of what a block gives, where known."""
        if isinstance(node, ast.Return) and node.value and not isinstance(node.value, ast.Constant):
            found = self.layers.fact(node.value)
            if found is not UNKNOWN:
                return self.replace(node.value, repr(found))
        named = node.optional_vars if isinstance(node, ast.withitem) else None
        if named is not None and self.layers.fact(named) is not UNKNOWN:
            return Edit(self.end(node.context_expr), self.end(named), "")
        return None

    def of_call(self, node: ast.AST) -> Edit | None:
        """Leave out an argument that always is the same, or a call that stands for its first."""
        if not isinstance(node, ast.Call):
            return None
        if self.layers.is_through(ast.unparse(node.func)):
            return self.replace(node, self.source(node.args[0]))
        args = [one for one in node.args if not self.is_fixed(one)]
        words = [one for one in node.keywords if not self.is_fixed(one.value)]
        if len(args) + len(words) == len(node.args) + len(node.keywords):
            return None
        given = [self.source(one) for one in args]
        given += [f"{one.arg}={self.source(one.value)}" for one in words]
        return self.replace(node, f"{self.source(node.func)}({', '.join(given)})")

    def is_fixed(self, node: ast.AST) -> bool:
        """Tell whether an expression is a name that the layers know."""
        return isinstance(node, ast.Name) and self.layers.fact(node) is not UNKNOWN

    def of_definition(self, node: ast.AST) -> Edit | None:
        """Leave out decorators, parameters and the examples of a docstring."""
        for one in getattr(node, "decorator_list", []):
            if self.layers.says("leave", f"@{self.source(one)}"):
                return Edit(self.at(one.lineno), self.at(one.end_lineno + 1), "")
        if isinstance(node, ast.FunctionDef):
            edit = self.without_parameters(node)
            if edit is not None:
                return edit
        said = docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
        return self.shorter(said) if said else None

    def without_parameters(self, node: ast.FunctionDef) -> Edit | None:
        """Write the head of a function anew, without the parameters that the layers know."""
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        fixed = {one.arg for one in every if self.layers.fact(ast.Name(one.arg)) is not UNKNOWN}
        if not fixed:
            return None
        defaults = [None] * (len(given.args) - len(given.defaults)) + given.defaults
        plain = zip(given.args, defaults, strict=True)
        parts = [self.parameter(*one) for one in plain if one[0].arg not in fixed]
        if given.vararg:
            parts.append("*" + self.parameter(given.vararg, None))
        named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        kept = [self.parameter(*one) for one in named if one[0].arg not in fixed]
        parts += (["*"] if kept and not given.vararg else []) + kept
        back = f" -> {self.source(node.returns)}" if node.returns else ""
        indent = " " * node.col_offset
        head = f"{indent}def {node.name}({', '.join(parts)}){back}:\n"
        if len(head) > WIDTH + 1:
            inside = f"{indent}    {', '.join(parts)}\n"
            if len(inside) > WIDTH + 1:
                inside = "".join(f"{indent}    {one},\n" for one in parts)
            head = f"{indent}def {node.name}(\n{inside}{indent}){back}:\n"
        return Edit(self.at(node.lineno), self.at(node.body[0].lineno), head)

    def parameter(self, one: ast.arg, default: ast.expr | None) -> str:
        """Return a parameter as it is written."""
        words = self.source(one)
        if default is None:
            return words
        return words + (" = " if one.annotation else "=") + self.source(default)

    def of_rest(self, node: ast.AST) -> Edit | None:
        """Leave out what does nothing once the rest is gone: names, and a bare return at the end.

        norch's own text has none of it, so what is found was left by a layer.
        """
        if not isinstance(node, ast.FunctionDef):
            return None
        last = node.body[-1]
        if isinstance(last, ast.Return) and last.value is None and len(node.body) > 1:
            return self.without(last)
        names = Names(node)
        for one, following in following_pairs(node):
            name = assigned(one)
            if name is None or name in names.outer:
                continue
            if not names.read[name] or is_written_again(name, following):
                return self.without(one)
            if isinstance(following, ast.Return) and is_name(following.value, name):
                words = f"return {self.source(one.value)}"
                return Edit(self.at(one.lineno, one.col_offset), self.end(following), words)
            other = one.value
            if isinstance(other, ast.Name) and names.is_alias(name, other.id):
                return self.replace(names.read[name][0], other.id)
        return None

    def shorter(self, said: ast.Expr) -> Edit | None:
        """Leave the examples out of a docstring, and what is said of checks that are left out."""
        words = self.source(said)
        kept = words.partition(">>>")[0].removesuffix('"""')
        if self.layers.has_no_checks():
            kept = RAISES.sub("", kept)
        kept = kept.rstrip()
        kept += f'\n{" " * said.col_offset}"""' if "\n" in kept else '"""'
        return None if kept == words else self.replace(said, kept)


class Names:
    """Where a function reads and writes names; those that are not its own in `outer`."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.read: dict[str, list[ast.Name]] = defaultdict(list)
        given = function.args
        self.written = Counter(one.arg for one in (*given.args, *given.kwonlyargs))
        self.outer: set[str] = set()
        for one in ast.walk(function):
            if isinstance(one, ast.Global | ast.Nonlocal):
                self.outer.update(one.names)
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                self.read[one.id].append(one)
            elif isinstance(one, ast.Name):
                self.written[one.id] += 1

    def is_alias(self, name: str, other: str) -> bool:
        """Tell whether a name is another word for a name, from first to last."""
        return self.written[name] == self.written[other] == 1


def assigned(node: ast.stmt) -> str | None:
    """Return the one name that a statement assigns, if it does nothing else."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) else None


def is_name(node: ast.expr | None, name: str) -> bool:
    """Tell whether an expression is just this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_written_again(name: str, node: ast.stmt | None) -> bool:
    """Tell whether a statement gives a name another value, without a look at the one it has."""
    if node is None or assigned(node) != name:
        return False
    return not any(is_name(one, name) for one in ast.walk(node.value))


def following_pairs(function: ast.FunctionDef) -> Iterator[tuple[ast.stmt, ast.stmt | None]]:
    """Yield each statement of a function, and the one after it in its block."""
    for node in ast.walk(function):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield from zip_longest(block, block[1:])


def thin(text: str, layers: list[Layer]) -> str:
    """Return a text without these layers, nor what is said to tools and to other readers."""
    text = MARK.sub("", without_marks(text, ".py"))
    text = "\n".join(NOT_SAID.sub("", line) for line in text.splitlines()) + "\n"
    return Thinner(text, layers).run()
