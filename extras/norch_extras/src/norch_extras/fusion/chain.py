"""A chain of elementwise operations, written as the lines of one loop: C++ and CUDA alike.

A line is one operation on one element, and its result is a variable, so it lives in a register.
kernel.py puts the loop around the lines, and runs it. What has no expression here is no part of a
chain.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import norch_cpu_ops as cpu
from norch_cpu_ops import DType

_SIGMOID = "(T(1) / (T(1) + exp(-{1})))"
_NORMAL = "(T(0.5) * erfc({1} * T(-0.7071067811865476)))"
_DENSITY = "(T(0.3989422804014327) * exp({1} * {1} * T(-0.5)))"
_CUBIC = "({1} + {1} * {1} * {1} * T(0.044715)) * T(1.5957691216057308)"
_SHARE = _SIGMOID.replace("{1}", f"({_CUBIC})")  # (1 + tanh(u)) / 2, with all its digits
_SLOPE = "(T(1) + {1} * {1} * T(0.134145)) * T(1.5957691216057308)"
# Functions that C++ calls by the same name.
_FUNCTIONS = [
    "sqrt", "exp", "expm1", "erf", "erfc", "log", "log1p", "log2", "sin", "cos", "tan", "atan",
    "sinh", "cosh", "tanh", "floor", "ceil", "trunc",
]  # fmt: skip
# An operation in C++; T is the type that it computes in.
EXPRESSIONS = {
    "add": "{0} + {1}", "sub": "{0} - {1}", "mul": "{0} * {1}", "div": "{0} / {1}",
    "eq": "{0} == {1}", "ne": "{0} != {1}", "isnan": "{0} != {0}",
    "lt": "{0} < {1}", "le": "{0} <= {1}", "gt": "{0} > {1}", "ge": "{0} >= {1}",
    "logical_and": "{0} && {1}", "logical_or": "{0} || {1}", "logical_not": "!{0}",
    "neg": "-{0}", "reciprocal": "T(1) / {0}", "square": "{0} * {0}", "pow": "pow({0}, {1})",
    "rsqrt": "T(1) / sqrt({0})", "abs": "fabs({0})", "round": "rint({0})",
    **{name: name + "({0})" for name in _FUNCTIONS},
    "sign": "T(T(0) < {0}) - T({0} < T(0))",
    "maximum": "{0} > {1} || {0} != {0} ? {0} : {1}",  # a NaN stays one
    "minimum": "{0} < {1} || {0} != {0} ? {0} : {1}",
    "clamp": "({0} < {1} ? {1} : {0}) > {2} ? {2} : {0} < {1} ? {1} : {0}",
    "where": "{0} ? {1} : {2}", "cast": "{0}",
    "relu": "{0} < T(0) ? T(0) : {0}", "relu_backward": "{1} == T(0) ? T(0) : {0}",
    "tanh_backward": "{0} * (T(1) - {1} * {1})",
    "sigmoid": _SIGMOID.replace("{1}", "{0}"), "sigmoid_backward": "{0} * ({1} * (T(1) - {1}))",
    "silu": "{0} * " + _SIGMOID.replace("{1}", "{0}"),
    "silu_backward": f"{{0}} * ({_SIGMOID} * ({{1}} * (T(1) - {_SIGMOID}) + T(1)))",
    "gelu none": "{0} * " + _NORMAL.replace("{1}", "{0}"),
    "gelu_backward none": f"{{0}} * ({_NORMAL} + {{1}} * {_DENSITY})",
    "gelu tanh": "{0} * " + _SHARE.replace("{1}", "{0}"),
    "gelu_backward tanh": f"{{0}} * ({_SHARE} + {{1}} * ({_SHARE} * (T(1) - {_SHARE})) * {_SLOPE})",
    # Powers that are written in another way, as eager computes them.
    **{f"pow {n}": " * ".join(["{0}"] * n) for n in range(1, 7)},
    "pow 0.5": "sqrt({0})", "pow -0.5": "T(1) / sqrt({0})",
}  # fmt: skip
NAMES = {key.partition(" ")[0] for key in EXPRESSIONS}
TYPES = {"float32": "float", "float64": "double", "bool": "bool"}
NUMBERS = (float, int, bool)
_COMPARED = ("eq", "ne", "lt", "le", "gt", "ge", "isnan")
_LOGICAL = ("logical_and", "logical_or", "logical_not")


def key_of(name: str, args: list[Any]) -> str:
    """Which expression an operation has in a chain: a power's own, if there is one."""
    last = args[-1]
    if type(last) is str:
        return f"{name} {last}"
    own = f"{name} {last:g}" if type(last) in NUMBERS else ""
    return own if own in EXPRESSIONS and float(f"{last:g}") == last else name


def dtypes_of(name: str, args: list[Any]) -> tuple[DType, DType] | None:
    """The dtype of a result, and the one in which it is computed; None: not for a chain. Arrays of
    one float dtype, truth values and Python's numbers can be computed in one.
    """
    arrays = [x for x in args if hasattr(x, "reads")]
    others = [x for x in args if not hasattr(x, "reads") and type(x) not in (*NUMBERS, str)]
    found = {x.dtype for x in arrays}
    real = found - {cpu.bool_}
    if name == "cast":
        found, real, others = {*found, others[0]}, {others[0]}, []
    elif name in _LOGICAL:
        real = real or found
    if len(real) != 1 or any(dtype.name not in TYPES for dtype in found):
        return None
    if name == "sub" and (cpu.bool_ in found or any(type(x) is bool for x in args)):
        return None  # truth values have no minus, as the operation itself says
    if key_of(name, args) not in EXPRESSIONS or others != [None] * len(others) * (name == "clamp"):
        return None
    if any(x != x for x in args if type(x) is float):  # a bound that is NaN, for example
        return None
    if name == "where" and cpu.bool_ is not getattr(args[0], "dtype", None):
        return None
    computing = real.pop()
    return (cpu.bool_ if name in _COMPARED + _LOGICAL else computing), computing


class Chain(NamedTuple):
    """What two chains must share to share a kernel; sizes, strides and numbers are not in it."""

    steps: tuple[tuple[str, str, str, tuple[str, ...]], ...]  # expression, type of the result, of
    # the computation, and words: t0 is the result of step 0, x0 an array that is read, c0 a number
    reads: tuple[str, ...]  # the type of x0, x1, ...
    keeps: tuple[tuple[str, str], ...]  # a word and its type, for each result that is kept
    numbers: int  # how many


def chain_of(steps: list[Any], roots: list[Any]) -> tuple[Chain, list[Any], list[float]]:
    """Late arrays in the order of computation as a chain; the arrays that it reads; its numbers."""
    words = {id(step): f"t{k}" for k, step in enumerate(steps)}
    arrays: list[Any] = []
    numbers: list[float] = []
    said = []
    for step in steps:
        key, given = key_of(step.name, step.args), []
        for place, x in enumerate(step.args[:-1] if " " in key else step.args):
            if hasattr(x, "reads"):
                if id(x) not in words:
                    words[id(x)] = f"x{len(arrays)}"
                    arrays.append(x)
                given.append(words[id(x)])
            elif type(x) in NUMBERS or x is None:  # None: a bound of clamp that was not given
                given.append(f"c{len(numbers)}")
                numbers.append((-math.inf, math.inf)[place - 1] if x is None else float(x))
        types = (TYPES[step.dtype.name], TYPES[step.computing.name])
        said.append((key, *types, tuple(given)))
    reads = tuple([TYPES[x.dtype.name] for x in arrays])
    keeps = tuple([(words[id(root)], TYPES[root.dtype.name]) for root in roots])
    return Chain(tuple(said), reads, keeps, len(numbers)), arrays, numbers


def lines_of(chain: Chain) -> list[str]:
    """A line for each step: `const float t2 = t1 * x0;`"""
    types = {f"x{k}": kind for k, kind in enumerate(chain.reads)}
    lines = []
    for k, (key, result, computing, words) in enumerate(chain.steps):
        given = [w if types.get(w) == computing else f"{computing}({w})" for w in words]
        value = EXPRESSIONS[key].replace("T(", computing + "(").format(*given)
        types[f"t{k}"] = result
        lines.append(f"const {result} t{k} = {value};")
    return lines
