"""What one row of the benchmark is: its inputs, its work, its gate, its operations and bytes.

Every library gets the same inputs, drawn here from NumPy by a seed that is the row's name, as its
own tensors. A row is written once for norch and torch, which have the same names; NumPy may have a
text of its own.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
Inputs = dict[str, Any]  # the same by name, as tensors of the library that works on them
Work = Callable[[], Any]
Build = Callable[[Any, Inputs], Work]
FURTHER = ("jax", "tinygrad")  # libraries that have other names for things


@dataclass(frozen=True, slots=True)
class Workload:
    """One row: `build(library, inputs)` returns the function that is timed."""

    name: str
    group: str
    inputs: Callable[[np.random.Generator], Arrays]
    build: Build
    gate: float | None  # norch's time over that of `beside`: at most this; None only with `share`
    aim: float | None = None
    beside: str = "torch"  # or another library that has a text
    memory: str = "own"  # of the inputs: the library's, aligned; or "user": where NumPy put them
    threads: int = 0  # only with so many; 0: with every number that is measured
    check: Build | None = None  # what is compared instead, where the timed work draws lots
    numpy: Build | None = None
    texts: Mapping[str, Build] = field(default_factory=dict)  # of further libraries, by name
    flops: float = 0.0
    operations: str = "float32"  # what they are: a type in the table of limits
    bytes: float = 0.0  # the least that must be read and written
    # How they move: "read", "store", "copy" or "triad", as limits.py has them.
    traffic: str = "triad"
    # Bound by memory: where pages lie decides, so measured in several processes.
    fresh: bool = False
    share: float | None = None  # of the machine's limit: at least this, a gate of its own
    scaling: float = 1.0  # one thread's time over that of two: at least this
    stateful: bool = False  # a training step: built anew for each batch
    tolerance: float = 1e-4  # of the largest value

    def text(self, library: str) -> Build | None:
        """Return what builds the work for a library; nothing where it has no text."""
        if library == "numpy":
            return self.numpy
        return self.texts.get(library) if library in FURTHER else self.build

    def draw(self) -> Arrays:
        """Return the inputs: the same numbers in every process."""
        return self.inputs(np.random.default_rng(zlib.crc32(self.name.encode())))


def in_both_memories(workload: Workload) -> tuple[Workload, Workload]:
    """Return the row, and the same with inputs where NumPy put them; both have to meet the gate."""
    return workload, replace(workload, name=f"{workload.name}, user memory", memory="user")


def place(library: Any, array: np.ndarray, memory: str) -> Any:
    """Return the array as the library's tensor, in the memory asked for.

    NumPy's is the array; so is that of further libraries, whose text makes its own.
    """
    if memory == "user":
        array = as_numpy_places(array)
    if not hasattr(library, "from_numpy"):
        return array
    shared = library.from_numpy(array)
    return shared if memory == "user" else shared.clone()


def as_numpy_places(array: np.ndarray) -> np.ndarray:
    """Return a copy 16 bytes behind a multiple of 64, where NumPy puts large arrays on Linux.

    Small ones lie at any multiple of 16; here all begin alike, so that runs can be compared.
    """
    raw = np.empty(array.nbytes + 64, np.uint8)
    skip = (16 - raw.ctypes.data) % 64
    copy = raw[skip : skip + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def normal(**shapes: tuple[int, ...]) -> Callable[[np.random.Generator], Arrays]:
    """Return what draws float32 normal numbers of these shapes, by name.

    A million numbers are drawn at most, a prime count, and then repeated: drawing is slow.
    """

    def draw(rng: np.random.Generator) -> Arrays:
        return {name: normal_array(rng, shape) for name, shape in shapes.items()}

    return draw


def normal_array(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Return float32 normal numbers of this shape."""
    count = min(math.prod(shape), 1_000_003)
    return np.resize(rng.standard_normal(count, dtype=np.float32), shape)


def leaf(tensor: Any) -> Any:
    """Return a tensor of the same memory that wants a gradient."""
    return tensor.detach().requires_grad_()


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
