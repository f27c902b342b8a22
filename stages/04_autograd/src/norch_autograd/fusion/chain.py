"""A chain of elementwise operations, written as the lines of one loop: C++ and CUDA alike.

A line is one operation on one element, and its result is a variable, so it lives in a register.
kernel.py puts the loop around the lines, and runs it. What has no expression here is no part of a
chain.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import norch_cpu_ops as cpu
from norch_cpu_ops import DType

# An operation in C++; T is the type that it computes in.
EXPRESSIONS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "neg": "-{0}", "reciprocal": "T(1) / {0}", "square": "{0} * {0}", "pow": "pow({0}, {1})",
    "sqrt": "sqrt({0})", "rsqrt": "T(1) / sqrt({0})", "abs": "fabs({0})",
    "exp": "exp({0})", "expm1": "expm1({0})", "erf": "erf({0})",
    "log": "log({0})", "log1p": "log1p({0})", "log2": "log2({0})",
    "sin": "sin({0})", "cos": "cos({0})", "tan": "tan({0})", "atan": "atan({0})",
    "sinh": "sinh({0})", "cosh": "cosh({0})", "tanh": "tanh({0})",
    "floor": "floor({0})", "ceil": "ceil({0})", "trunc": "trunc({0})", "round": "rint({0})",
    "sign": "T(T(0) < {0}) - T({0} < T(0))",
    "maximum": "{0} > {1} || {0} != {0} ? {0} : {1}",  # a NaN stays one
    "minimum": "{0} < {1} || {0} != {0} ? {0} : {1}",
    "clamp": "({0} < {1} ? {1} : {0}) > {2} ? {2} : {0} < {1} ? {1} : {0}",
    "where": "{0} ? {1} : {2}", "cast": "{0}",
    "eq": "{0} == {1}", "ne": "{0} != {1}", "isnan": "{0} != {0}",
    "lt": "{0} < {1}", "le": "{0} <= {1}", "gt": "{0} > {1}", "ge": "{0} >= {1}",
    "logical_and": "{0} && {1}", "logical_or": "{0} || {1}", "logical_not": "!{0}",
    "relu": "{0} < T(0) ? T(0) : {0}",
    "sigmoid": "T(1) / (T(1) + exp(-{0}))",
}  # fmt: skip
TYPES = {"float32": "float", "float64": "double", "bool": "bool"}
NUMBERS = (float, int, bool)
# Exponents that are written in another way, as eager computes them.
_POWERS = {
    **{str(n): " * ".join(["{0}"] * n) for n in range(1, 7)},
    "0.5": "sqrt({0})",
    "-0.5": "T(1) / sqrt({0})",
}
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge", "isnan")
_TRUTHS = ("logical_and", "logical_or", "logical_not", "cast")


def kind_of(x: Any) -> Any:
    """All of an operand that the dtype of a result depends on."""
    if type(x) in NUMBERS:
        return type(x) if x == x else x
    return (x.dtype, x.shape != ()) if hasattr(x, "args") else x


@lru_cache(maxsize=4096)
def result_dtype(name: str, kinds: tuple[Any, ...]) -> DType | None:
    """The dtype of a result, asked of stage 2 on arrays of no elements; None: not for a chain."""
    if not _has_expression(name, kinds):
        return None
    result: DType = getattr(cpu.ops, name)(*map(_example, kinds)).dtype
    return result if result.name in TYPES else None


def _has_expression(name: str, kinds: tuple[Any, ...]) -> bool:
    dtypes = {kind[0].name for kind in kinds if type(kind) is tuple}
    others = [kind for kind in kinds if type(kind) is not tuple and kind not in NUMBERS]
    if not dtypes <= set(TYPES):
        return False
    if name == "cast":
        return others[0].name in TYPES
    return dtypes != {"bool"} and (not others or (name == "clamp" and others == [None]))


def _example(kind: Any) -> Any:
    if type(kind) is tuple:
        return cpu.ops.full((0,) if kind[1] else (), 1, kind[0])
    return kind(1) if kind in NUMBERS else kind


class Chain(NamedTuple):
    """What two chains must share to share a kernel; sizes, steps and numbers are not in it."""

    steps: tuple[tuple[str, str, str, tuple[str, ...]], ...]  # name, type of the result, of the
    # computation, and words: t0 is the result of step 0, x0 an array that is read, c0 a number
    reads: tuple[str, ...]  # the type of x0, x1, ...
    keeps: tuple[tuple[str, str], ...]  # a word and its type, for each result that is kept


def chain_of(steps: list[Any], roots: list[Any]) -> tuple[Chain, list[Any], list[float]]:
    """Late arrays in the order of computation as a chain; the arrays that it reads; its numbers."""
    words = {id(step): f"t{k}" for k, step in enumerate(steps)}
    arrays: list[Any] = []
    numbers: list[float] = []
    said = []
    for step in steps:
        for x in step.reads:
            if id(x) not in words:
                words[id(x)] = f"x{len(arrays)}"
                arrays.append(x)
        given = []
        for place, x in enumerate(step.args):
            if id(x) in words:
                given.append(words[id(x)])
            elif step.name == "pow" and place == 1 and _exponent(x) in _POWERS:
                given.append(_exponent(x))
            elif type(x) in NUMBERS or x is None:  # None: a bound of clamp that was not given
                given.append(f"c{len(numbers)}")
                numbers.append((-math.inf, math.inf)[place - 1] if x is None else float(x))
            else:
                given.append(str(x))
        result = TYPES[step.dtype.name]
        said.append((step.name, result, _computing(step) or result, tuple(given)))
    reads = tuple([TYPES[x.dtype.name] for x in arrays])
    keeps = tuple([(words[id(root)], TYPES[root.dtype.name]) for root in roots])
    return Chain(tuple(said), reads, keeps), arrays, numbers


def _computing(step: Any) -> str | None:
    """The type of a comparison's operands: that of their sum."""
    if step.name not in _COMPARED:
        return None
    dtype = result_dtype("add", tuple(map(kind_of, (step.args * 2)[:2])))
    return TYPES[dtype.name] if dtype is not None else None


def lines_of(chain: Chain) -> list[str]:
    """A line for each step: `const float t2 = t1 * x0;`"""
    types = {f"x{k}": kind for k, kind in enumerate(chain.reads)}
    lines = []
    for k, (name, result, computing, words) in enumerate(chain.steps):
        cast = [_cast(word, types, computing) for word in words]
        if name in _TRUTHS:
            cast = list(words)
        elif name == "where":
            cast[0] = words[0]
        expression = EXPRESSIONS[name]
        if name == "pow":
            expression = _POWERS.get(words[1], expression)
        value = expression.replace("T(", computing + "(").format(*cast)
        types[f"t{k}"] = result
        lines.append(f"const {result} t{k} = {value};")
    return lines


def _exponent(x: Any) -> str:
    """A number as it is written in _POWERS; "2" for 2.0."""
    return f"{x:g}" if type(x) in NUMBERS else ""


def _cast(word: str, types: dict[str, str], computing: str) -> str:
    kind = types.get(word, "double" if word[0] == "c" else computing)
    return word if kind == computing else f"{computing}({word})"
