"""Matrix products: squares, odd sizes, transposed operands, thin and batched ones.

With two threads some stand beside NumPy's own OpenBLAS too, which splits them well.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import Any

from benchmarks.workload import Build, Inputs, Work, Workload, normal

Shape = tuple[int, ...]
LARGE = 2e7  # operations from which a second thread has to be worth its wake-up


def transpose_if(array: Any, turn: bool) -> Any:
    """Return the matrix, or the view that is its transpose."""
    return array.T if turn else array


def product(turn_a: bool, turn_b: bool) -> Build:
    """Return the build of a @ b, where either may be stored as its transpose."""

    def build(lib: Any, given: Inputs) -> Work:
        a, b = transpose_if(given["a"], turn_a), transpose_if(given["b"], turn_b)
        return lambda: a @ b

    return build


def row(name: str, a: Shape, b: Shape, gate: float = 1.0) -> Workload:
    """Return the row of one product; `a.T` or `b.T` in the name stores that one transposed."""
    turn_a, turn_b = "a.T" in name, "b.T" in name
    flops = 2.0 * prod(a) * b[-1]
    stored_a, stored_b = (a[::-1] if turn_a else a), (b[::-1] if turn_b else b)
    return Workload(
        f"matmul {name}",
        "matmul",
        normal(a=stored_a, b=stored_b),
        product(turn_a, turn_b),
        gate=gate,
        aim=0.90,
        numpy=product(turn_a, turn_b),
        flops=flops,
        scaling=1.7 if flops > LARGE else 1.0,
    )


def beside_numpy(workload: Workload) -> Workload:
    """Return the row that two threads of norch and of NumPy share out."""
    name = f"{workload.name}, beside NumPy"
    return replace(workload, name=name, beside="numpy", threads=2, gate=1.05, aim=1.0)


SQUARES = [row(str(n), (n, n), (n, n)) for n in (128, 256, 512, 1024, 2048)]
VECTOR = row("vector 1x1024x1024", (1, 1024), (1024, 1024), gate=1.05)

PEAK = replace(
    SQUARES[3], name="matmul 1024, share of peak", threads=1, gate=None, aim=None, share=0.85
)

ROWS = (
    *SQUARES,
    PEAK,
    row("odd 131x257x193", (131, 257), (257, 193)),
    row("odd 509x333x777", (509, 333), (333, 777)),
    row("odd 1021x1021x1021", (1021, 1021), (1021, 1021)),
    row("a.T 512", (512, 512), (512, 512)),
    row("b.T 512", (512, 512), (512, 512)),
    row("a.T b.T odd 513x387x641", (513, 387), (387, 641)),
    row("b.T thin 128x784x512", (128, 784), (784, 512), gate=1.05),
    VECTOR,
    row("batch 64 of 64x64x64", (64, 64, 64), (64, 64, 64)),
    *(beside_numpy(workload) for workload in (*SQUARES[1:], VECTOR)),
)
