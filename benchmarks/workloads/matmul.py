"""Matrix products: squares, odd sizes, transposed operands, thin and batched ones."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from benchmarks.workload import Inputs, Work, Workload, normal, tensor

Shape = tuple[int, ...]


def turned(array: Any, turn: bool) -> Any:
    """Return the matrix, or the view that is its transpose."""
    return array.T if turn else array


def product(turn_a: bool, turn_b: bool, take: Callable[..., Any]) -> Callable[[Any, Inputs], Work]:
    """Return the build of a @ b, where either may be stored as its transpose."""

    def build(lib: Any, given: Inputs) -> Work:
        a, b = (take(lib, given[name]) for name in ("a", "b"))
        a, b = turned(a, turn_a), turned(b, turn_b)
        return lambda: a @ b

    return build


def row(name: str, a: Shape, b: Shape, gated: bool = True) -> Workload:
    """Return the row of one product; `a.T` or `b.T` in the name stores that one transposed."""
    turn_a, turn_b = "a.T" in name, "b.T" in name
    stored_a, stored_b = (a[::-1] if turn_a else a), (b[::-1] if turn_b else b)
    return Workload(
        f"matmul {name}",
        "matmul",
        normal(a=stored_a, b=stored_b),
        product(turn_a, turn_b, tensor),
        numpy=product(turn_a, turn_b, lambda lib, array: array),
        gate=1.0 if gated else None,
        aim=0.90 if gated else None,
        flops=2.0 * prod(a) * b[-1],
    )


def square(n: int) -> Workload:
    """Return the row of a square product."""
    return row(str(n), (n, n), (n, n))


ROWS = (
    *(square(n) for n in (128, 256, 512, 1024, 2048)),
    row("odd 131x257x193", (131, 257), (257, 193)),
    row("odd 509x333x777", (509, 333), (333, 777)),
    row("odd 1021x1021x1021", (1021, 1021), (1021, 1021)),
    row("a.T 512", (512, 512), (512, 512)),
    row("b.T 512", (512, 512), (512, 512)),
    row("a.T b.T odd 513x387x641", (513, 387), (387, 641)),
    row("b.T thin 128x784x512", (128, 784), (784, 512), gated=False),
    row("vector 1x1024x1024", (1, 1024), (1024, 1024), gated=False),
    row("batch 64 of 64x64x64", (64, 64, 64), (64, 64, 64), gated=False),
)
