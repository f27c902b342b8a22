"""What one row of the benchmark is: its inputs, its work, its gate, its operations and bytes.

Every library gets the same inputs, drawn here from NumPy by a seed that is the row's name. A row is
written once for norch and torch, which have the same names; NumPy and norch's array level (stage 2
without a graph) may have a text of their own.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Inputs = dict[str, np.ndarray]
Work = Callable[[], Any]
Build = Callable[[Any, Inputs], Work]


@dataclass(frozen=True, slots=True)
class Workload:
    """One row: `build(library, inputs)` returns the function that is timed."""

    name: str
    group: str
    inputs: Callable[[np.random.Generator], Inputs]
    build: Build
    gate: float | None = None  # norch's time over torch's: at most this
    aim: float | None = None
    needs: tuple[str, ...] = ()  # names that the library must have, "nn.functional.gelu"
    kernels: tuple[str, ...] = ()  # names that stage 2 must have, "gelu"
    arrays: Build | None = None  # the same work on stage 2's arrays, while stages 4 and 5 lack it
    alone: bool = False  # measure `arrays` even where stages 4 and 5 have the operation
    numpy: Build | None = None
    flops: float = 0.0
    bytes: float = 0.0  # the least that must be read and written
    stateful: bool = False  # a training step: built anew for each batch
    tolerance: float = 1e-4  # of the largest value

    def draw(self) -> Inputs:
        """Return the inputs: the same numbers in every process."""
        return self.inputs(np.random.default_rng(zlib.crc32(self.name.encode())))


def normal(**shapes: tuple[int, ...]) -> Callable[[np.random.Generator], Inputs]:
    """Return what draws float32 normal numbers of these shapes, by name.

    A million numbers are drawn at most, a prime count, and then repeated: drawing is slow.
    """

    def draw(rng: np.random.Generator) -> Inputs:
        return {name: drawn(rng, shape) for name, shape in shapes.items()}

    return draw


def drawn(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return float32 normal numbers of this shape."""
    count = min(math.prod(shape), 1_000_003)
    return np.resize(rng.standard_normal(count, dtype=np.float32), shape)


def tensor(lib: Any, array: np.ndarray) -> Any:
    """Return a tensor that owns a copy of the array."""
    return lib.from_numpy(array).clone()


def leaf(lib: Any, array: np.ndarray) -> Any:
    """Return a tensor that wants a gradient."""
    return tensor(lib, array).requires_grad_()


def with_gradients(forward: Work, upstream: Any, leaves: list[Any]) -> Work:
    """Return the work forward and backward; its values are the output and every gradient."""

    def work() -> tuple[Any, ...]:
        for each in leaves:
            each.grad = None
        out = forward()
        out.backward(upstream)
        return (out, *(each.grad for each in leaves))

    return work


def set_parameters(lib: Any, module: Any, seed: int = 0) -> Any:
    """Fill a module's parameters with seeded numbers, the same in every library; return it."""
    rng = np.random.default_rng(seed)
    with lib.no_grad():
        for parameter in module.parameters():
            shape = tuple(parameter.shape)
            scale = np.sqrt(max(1, int(np.prod(shape[1:]))))
            values = rng.standard_normal(shape, dtype=np.float32) / np.float32(scale)
            parameter.copy_(lib.from_numpy(values))
    return module


def lacks(library: Any, path: str) -> bool:
    """Say whether a dotted name is missing from a library."""
    for name in path.split("."):
        if not hasattr(library, name):
            return True
        library = getattr(library, name)
    return False
