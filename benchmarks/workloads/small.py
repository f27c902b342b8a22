"""Tensors so small that only the cost of a call is seen: 64 elements, with and without a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Inputs, Work, Workload, leaf, normal, tensor


def add(lib: Any, given: Inputs) -> Work:
    """a + b."""
    a, b = tensor(lib, given["a"]), tensor(lib, given["b"])
    return lambda: a + b


def add_recorded(lib: Any, given: Inputs) -> Work:
    """a + b, both of which want a gradient."""
    a, b = leaf(lib, given["a"]), leaf(lib, given["b"])
    return lambda: a + b


def numpy_add(lib: Any, given: Inputs) -> Work:
    """a + b in NumPy."""
    a, b = given["a"], given["b"]
    return lambda: a + b


def chain(lib: Any, given: Inputs) -> Work:
    """Twenty operations, one after another, and back through all of them."""
    start, other = leaf(lib, given["a"]), leaf(lib, given["b"])

    def work() -> tuple[Any, ...]:
        start.grad = other.grad = None
        x = start
        for _ in range(10):
            x = (x * other).tanh()
        x.sum().backward()
        return x, start.grad, other.grad

    return work


def chain_in_numpy(lib: Any, given: Inputs) -> Work:
    """The chain, its backward pass written by hand."""
    start, other = given["a"], given["b"]

    def work() -> tuple[np.ndarray, ...]:
        xs = [start]
        for _ in range(10):
            xs.append(np.tanh(xs[-1] * other))
        dx, dother = np.ones_like(start), np.zeros_like(other)
        for before, after in zip(xs[-2::-1], xs[:0:-1], strict=True):
            dx = dx * (1 - after * after)
            dother = dother + dx * before
            dx = dx * other
        return xs[-1], dx, dother

    return work


PAIR = normal(a=(8, 8), b=(8, 8))

ROWS = (
    Workload("add (8,8)", "small", PAIR, add, gate=0.60, aim=0.30, numpy=numpy_add),
    Workload("add (8,8), recorded", "small", PAIR, add_recorded, gate=0.55, aim=0.25),
    Workload(
        "20 small ops + backward", "small", PAIR, chain, gate=0.40, aim=0.20, numpy=chain_in_numpy
    ),
)
