"""Tensors so small that only the cost of a call is seen, with and without a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workload import Arrays, Build, Inputs, Work, Workload, leaf, normal, normal_array


def add(lib: Any, given: Inputs) -> Work:
    """a + b."""
    a, b = given["a"], given["b"]
    return lambda: a + b


def add_recorded(lib: Any, given: Inputs) -> Work:
    """a + b, both of which want a gradient."""
    a, b = leaf(given["a"]), leaf(given["b"])
    return lambda: a + b


def chain(lib: Any, given: Inputs) -> Work:
    """Twenty operations, one after another, and back through all of them."""
    start, other = leaf(given["a"]), leaf(given["b"])

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


def stack(lib: Any, given: Inputs) -> Work:
    """Join 32 small tensors."""
    parts = [part.clone() for part in given["x"]]
    return lambda: lib.stack(parts)


def collate(lib: Any, given: Inputs) -> Work:
    """Join 32 pairs of an image and a class, as a DataLoader does."""
    function = lib.utils.data.default_collate
    images = [image.clone() for image in given["x"]]
    pairs = list(zip(images, given["classes"].tolist(), strict=True))
    return lambda: function(pairs)


def items(lib: Any, given: Inputs) -> Work:
    """Read 64 numbers one by one."""
    x = given["x"]
    return lambda: [each.item() for each in x]


def pick(lib: Any, given: Inputs) -> Work:
    """Pick 64 of 1000 rows by their numbers."""
    w, index = given["w"], given["index"]
    return lambda: w[index]


def assign(lib: Any, given: Inputs) -> Work:
    """Write five rows of eight."""
    x, y = given["x"].clone(), given["y"]

    def work() -> Any:
        x[1:6] = y
        return x

    return work


def draw_pairs(rng: np.random.Generator) -> Arrays:
    """Draw 32 images and their classes."""
    return {"x": normal_array(rng, (32, 8, 8)), "classes": rng.integers(0, 10, 32)}


def draw_rows(rng: np.random.Generator) -> Arrays:
    """Draw a table and the numbers of 64 of its rows."""
    return {"w": normal_array(rng, (1000, 64)), "index": rng.integers(0, 1000, 64)}


def row(name: str, inputs: Callable[..., Arrays], build: Build, gate: float = 1.0) -> Workload:
    """Return a row of what is done with single tensors, by default no slower than torch."""
    return Workload(name, "small", inputs, build, gate=gate, aim=0.7)


PAIR = normal(a=(8, 8), b=(8, 8))
ADD = Workload("add (8,8)", "small", PAIR, add, gate=0.25, aim=0.20, numpy=add)
CHAIN = Workload(
    "20 small ops + backward", "small", PAIR, chain, gate=0.15, aim=0.12, numpy=chain_in_numpy
)
SIZES = {"4K": (64, 64), "32K": (128, 256), "128K": (256, 512)}
MIDDLE = [row(f"{size} add", normal(a=shape, b=shape), add) for size, shape in SIZES.items()]

ROWS = (
    ADD,
    Workload("add (8,8), recorded", "small", PAIR, add_recorded, gate=0.26, aim=0.19),
    CHAIN,
    *MIDDLE,
    row("stack of 32 (8,8)", normal(x=(32, 8, 8)), stack),
    row("default_collate of 32 pairs", draw_pairs, collate),
    row("list(x) of 64 rows", normal(x=(64, 8)), lambda lib, given: lambda: list(given["x"])),
    row("64 item()", normal(x=(64,)), items),
    row("w[idx] of 64 rows", draw_rows, pick),
    row("x[1:6] = y", normal(x=(8, 8), y=(5, 8)), assign),
)
