"""What is left out of norch's text: the words of a layer in steps.toml, and what follows from them.

`leave`: statements and decorators that begin so. `checks`: statements that only raise, but for
those in `but`. `unwrap`: blocks of which the body stays. `facts`: what an expression always is
without the layer. `through`: a call of this stands for its first argument. `swap`: words for words.
What is used is noted, so that a layer that fits nothing any more is found.
"""

import ast
from dataclasses import dataclass, field
from typing import Any

UNKNOWN = object()


@dataclass(eq=False)
class Layer:
    """What one layer leaves out, of files whose paths begin so; `until` is the step that has it."""

    name: str
    says: str
    until: str = ""
    files: tuple[str, ...] = ("",)
    checks: bool = False
    but: tuple[str, ...] = ()
    leave: tuple[str, ...] = ()
    unwrap: tuple[str, ...] = ()
    facts: dict[str, object] = field(default_factory=dict)
    through: tuple[str, ...] = ()
    swap: tuple[tuple[str, str], ...] = ()
    used: set[str] = field(default_factory=set)

    def entries(self) -> set[str]:
        """Return all that it says."""
        swapped = {old for old, _ in self.swap}
        lists = {*self.but, *self.leave, *self.unwrap, *self.through}
        return {*swapped, *lists, *self.facts}


class Layers:
    """The layers that one file is without."""

    def __init__(self, layers: list[Layer]) -> None:
        self.layers = layers

    def swapped(self, text: str) -> str:
        """Return a text with the words that the layers put for others."""
        for layer in self.layers:
            for old, new in layer.swap:
                if old in text:
                    text = text.replace(old, new)
                    layer.used.add(old)
        return text

    def says(self, kind: str, words: str) -> bool:
        """Tell whether an entry of a list (leave, but, unwrap) is how these words begin."""
        for layer in self.layers:
            for start in getattr(layer, kind):
                if words.startswith(start):
                    layer.used.add(start)
                    return True
        return False

    def has_no_checks(self) -> bool:
        """Tell whether checks at the door are left out."""
        return any(layer.checks for layer in self.layers)

    def is_through(self, name: str) -> bool:
        """Tell whether a call stands for its first argument."""
        for layer in self.layers:
            if name in layer.through:
                layer.used.add(name)
                return True
        return False

    def fact(self, node: ast.AST) -> object:
        """Return what an expression always is, or UNKNOWN."""
        words = ast.unparse(node)
        for layer in self.layers:
            if words in layer.facts:
                layer.used.add(words)
                found = layer.facts[words]
                return None if found == "None" else found  # TOML has no word for it
        return UNKNOWN

    def value(self, node: ast.AST) -> Any:
        """Return what a test comes to, or UNKNOWN."""
        found = self.fact(node)
        if found is not UNKNOWN:
            return found
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self.value(node.operand)
            return UNKNOWN if inner is UNKNOWN else not inner
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
            left, right = self.value(node.left), self.value(node.comparators[0])
            known = left is not UNKNOWN and right is not UNKNOWN
            return (left is right) == isinstance(node.ops[0], ast.Is) if known else UNKNOWN
        return self.of_several(node) if isinstance(node, ast.BoolOp) else UNKNOWN

    def of_several(self, node: ast.BoolOp) -> Any:
        """Return what an `and` or an `or` comes to, or UNKNOWN."""
        values = [self.value(one) for one in node.values]
        decides = isinstance(node.op, ast.Or)
        if any(one is not UNKNOWN and bool(one) == decides for one in values):
            return decides
        return UNKNOWN if UNKNOWN in values else not decides
