"""Twenty random shapes a kernel, so that no kernel is fast at the sizes of this benchmark alone.

Sizes are odd as often as even; a part is transposed, or every other element of a larger tensor, and
a part is float64. Every case is a workload; `benchmarks.random_table` joins those of a kernel.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.workload import Arrays, Inputs, Work, Workload, leaf, normal_array, with_gradients

CASES = 20
VIEWS = ("contiguous", "contiguous", "transposed", "every other column", "every other row")
TYPES = (np.float32, np.float32, np.float32, np.float64)
Dice = np.random.Generator
Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: the shapes of a case, and what is done with tensors of them."""

    name: str
    shapes: Callable[[Dice], dict[str, Sizes]]
    run: Callable[[Any, Inputs], Work]
    gate: float = 1.0
    float64: bool = True
    views: tuple[str, ...] = VIEWS


def size(dice: Dice, low: int, high: int) -> int:
    """Draw a size, small ones as often as large ones."""
    return int(np.exp(dice.uniform(np.log(low), np.log(high))))


def matrix(dice: Dice) -> Sizes:
    """Draw the shape of a matrix of 1,000 to a million numbers."""
    count, rows = size(dice, 1_000, 1_000_000), size(dice, 2, 1_000)
    return rows, max(1, count // rows)


def one(dice: Dice) -> dict[str, Sizes]:
    """Draw one matrix."""
    return {"a": matrix(dice)}


def two(dice: Dice) -> dict[str, Sizes]:
    """Draw two matrices of one shape."""
    return dict.fromkeys("ab", matrix(dice))


def broadcast(dice: Dice) -> dict[str, Sizes]:
    """Draw a matrix and a row or a column for it."""
    rows, columns = matrix(dice)
    return {"a": (rows, columns), "b": (1, columns) if dice.random() < 0.5 else (rows, 1)}


def factors(dice: Dice) -> dict[str, Sizes]:
    """Draw two matrices that can be multiplied."""
    m, k, n = (size(dice, 4, 600) for _ in range(3))
    return {"a": (m, k), "b": (k, n)}


def images(dice: Dice) -> dict[str, Sizes]:
    """Draw images and kernels of 1x1, 3x3 or 5x5."""
    batch, channels, out = size(dice, 1, 16), size(dice, 1, 64), size(dice, 1, 64)
    height, width, kernel = size(dice, 7, 40), size(dice, 7, 40), int(dice.choice([1, 3, 3, 5]))
    return {"a": (batch, channels, height, width), "b": (out, channels, kernel, kernel)}


def forward(function: Callable[..., Any]) -> Callable[[Any, Inputs], Work]:
    """Return the run of a function of the library and the inputs, without a graph."""

    def run(lib: Any, given: Inputs) -> Work:
        return lambda: function(lib, *given.values())

    return run


def both(function: Callable[..., Any]) -> Callable[[Any, Inputs], Work]:
    """Return the run of a function forward and backward."""

    def run(lib: Any, given: Inputs) -> Work:
        leaves = [leaf(each) for each in given.values()]
        out = function(lib, *given.values())
        upstream = out * out  # to a constant, or the output, softmax or a norm answers with 0
        return with_gradients(lambda: function(lib, *leaves), upstream, leaves)

    return run


def layer_norm(lib: Any, a: Any) -> Any:
    """The layer norm of the last dimension, without weights."""
    return lib.nn.functional.layer_norm(a, a.shape[-1:])


KERNELS = (
    Kernel("add", two, forward(lambda lib, a, b: a + b)),
    Kernel("add, broadcast", broadcast, forward(lambda lib, a, b: a + b)),
    Kernel("exp", one, forward(lambda lib, a: a.exp())),
    Kernel("gelu", one, forward(lambda lib, a: lib.nn.functional.gelu(a))),
    Kernel("sum", one, forward(lambda lib, a: a.sum())),
    Kernel("sum of rows", one, forward(lambda lib, a: a.sum(1))),
    Kernel("sum of columns", one, forward(lambda lib, a: a.sum(0))),
    Kernel("argmax of rows", one, forward(lambda lib, a: a.argmax(1))),
    Kernel("sort of rows", one, forward(lambda lib, a: lib.sort(a, 1)[0])),
    Kernel("matmul", factors, forward(lambda lib, a, b: a @ b)),
    Kernel("softmax", one, both(lambda lib, a: lib.softmax(a, 1))),
    Kernel("layer norm", one, both(layer_norm)),
    Kernel(
        "conv2d",
        images,
        both(lambda lib, a, b: lib.nn.functional.conv2d(a, b, padding=b.shape[-1] // 2)),
        float64=False,
        views=("contiguous",),
    ),
)


def stored(shape: Sizes, view: str) -> Sizes:
    """Return the shape of the tensor of which the view has `shape`."""
    if view == "transposed":
        return shape[::-1]
    if view == "every other column":
        return *shape[:-1], 2 * shape[-1]
    return (2 * shape[0], *shape[1:]) if view == "every other row" else shape


def seen(tensor: Any, view: str) -> Any:
    """Return the view of a stored tensor."""
    if view == "transposed":
        return tensor.T
    if view == "every other column":
        return tensor[:, ::2]
    return tensor[::2] if view == "every other row" else tensor


def case(kernel: Kernel, number: int) -> Workload:
    """Return one case: its shapes, view and type are drawn by the kernel's name and its number."""
    dice = np.random.default_rng([zlib.crc32(kernel.name.encode()), number])
    shapes, view = kernel.shapes(dice), str(dice.choice(kernel.views))
    dtype = TYPES[dice.integers(len(TYPES))] if kernel.float64 else np.float32

    def draw(rng: Dice) -> Arrays:
        arrays = {n: normal_array(rng, stored(shape, view)) for n, shape in shapes.items()}
        return {name: array.astype(dtype) for name, array in arrays.items()}

    def build(lib: Any, given: Inputs) -> Work:
        return kernel.run(lib, {name: seen(each, view) for name, each in given.items()})

    sizes = " and ".join("x".join(map(str, shape)) for shape in shapes.values())
    name = f"{kernel.name} {number}: {sizes}, {view}, {np.dtype(dtype).name}"
    return Workload(name, f"random {kernel.name}", draw, build, kernel.gate)


def cases(kernel: Kernel, count: int = CASES) -> Iterator[Workload]:
    """Yield the first cases of a kernel."""
    return (case(kernel, number) for number in range(count))


ROWS = tuple(each for kernel in KERNELS for each in cases(kernel))
