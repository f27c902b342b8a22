"""What a node that says `on_arrays` may use in `backward`: what arrays have, and not only tensors.

An array has `+ - * / @`, unary minus and the attributes of `norch_cpu_ops.Array`; it has no `abs`,
no `**`, no `exp()`, and no function of ops/ takes it. node.py asks when a class is made: without
it, the first pass would fail. Nothing here runs with a pass.
"""

from __future__ import annotations

import builtins
import dis
from types import FunctionType, ModuleType
from typing import Any

from norch_cpu_ops import Array

OPERATORS = frozenset(("+", "-", "*", "/", "@", "[]"))
FUNCTIONS = ("isinstance", "len")  # about what a node keeps beside arrays


def check_on_arrays(node: Any) -> None:
    """Refuse a class of nodes whose `backward` uses what arrays do not have."""
    if isinstance(node.backward, FunctionType) and (wrong := lacking(node.backward, node)):
        raise TypeError(
            f"[{node.__name__}] on_arrays = True, but backward uses {wrong}, and an Array has only "
            "+ - * / @, unary -, reshape, sum, mT and views: leave on_arrays out, then backward is "
            "given tensors"
        )


def lacking(backward: FunctionType, node: Any) -> str:
    """Return the first operator, function or method that arrays lack, or nothing."""
    is_plain = False  # what was just read is a module, or the node's context
    for step in dis.get_instructions(backward):
        if step.opname == "BINARY_OP" and step.argrepr.rstrip("=") not in OPERATORS:
            return step.argrepr
        if step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if not (is_plain or hasattr(Array, step.argval) or hasattr(node, step.argval)):
                return f".{step.argval}"
            is_plain = step.argval == "context"
        elif step.opname == "LOAD_GLOBAL":
            found = backward.__globals__.get(step.argval, getattr(builtins, step.argval, None))
            is_plain = isinstance(found, ModuleType)
            is_function = callable(found) and not isinstance(found, type)
            if (found is None or is_function) and step.argval not in FUNCTIONS:
                return f"{step.argval}()"  # None: it is defined further down
    return ""
