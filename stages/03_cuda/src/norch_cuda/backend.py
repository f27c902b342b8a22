"""What a device must be able to do: hold bytes, move them, run a kernel. Nothing else differs.

Everything above this interface is the same Python code for a GPU and for the simulator, and every
launch passes the same arguments; `pack` is the one place that turns them into C values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from norch_cuda.sources import KernelSource
from norch_strides import Layout

MAX_DIMS = 16  # kMaxDims of kernel.h
Dims = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes on a device; they are freed when `owner` is."""

    address: int
    nbytes: int
    owner: object


@dataclass(frozen=True, slots=True)
class Pointer:
    """A kernel argument: an address inside some memory. Memory None is a null pointer."""

    memory: Memory | None
    offset_bytes: int = 0


Argument = int | float | Layout | Pointer


class Backend(Protocol):
    """One device. `num_blocks` is how many blocks a grid-stride loop should start at most."""

    device: str
    num_blocks: int

    def allocate(self, nbytes: int) -> Memory:
        """Reserve memory; its content is undefined."""

    def upload(self, memory: Memory, offset: int, source: int, nbytes: int) -> None:
        """Copy from the host address `source` into `memory`; returns when the copy is done."""

    def download(self, memory: Memory, offset: int, target: int, nbytes: int) -> None:
        """Copy from `memory` to the host address `target`; returns when the copy is done."""

    def launch(
        self,
        source: KernelSource,
        kernel: str,
        grid: Dims,
        block: Dims,
        arguments: Sequence[Argument],
        dynamic_shared: int = 0,
    ) -> None:
        """Run a kernel of `source` on `grid` blocks of `block` threads."""

    def synchronize(self) -> None:
        """Wait until everything launched so far has run."""


class LayoutStruct(ctypes.Structure):
    """`struct Layout` of kernel.h: where element i of an operand lies. The offset is not in it."""

    _fields_ = (
        ("ndim", ctypes.c_longlong),
        ("shape", ctypes.c_longlong * MAX_DIMS),
        ("strides", ctypes.c_longlong * MAX_DIMS),
    )


@lru_cache(maxsize=4096)
def _layout_struct(shape: tuple[int, ...], strides: tuple[int, ...]) -> LayoutStruct:
    if len(shape) > MAX_DIMS:
        raise RuntimeError(f"[cuda] an array of {len(shape)} dims: kernels take at most {MAX_DIMS}")
    integers = ctypes.c_longlong * MAX_DIMS
    return LayoutStruct(len(shape), integers(*shape), integers(*strides))


def _value(argument: Argument) -> tuple[str, ctypes._SimpleCData[int] | ctypes.Structure]:
    if isinstance(argument, Pointer):
        memory = argument.memory
        address = 0 if memory is None else memory.address + argument.offset_bytes
        return "p", ctypes.c_void_p(address)
    if isinstance(argument, Layout):
        return "s", _layout_struct(argument.shape, argument.strides)
    if isinstance(argument, float):
        return "d", ctypes.c_double(argument)
    if isinstance(argument, int):
        return "l", ctypes.c_longlong(argument)
    raise TypeError(
        f"[launch] {type(argument).__name__} is no kernel argument: int, float, Layout, array"
    )


@dataclass(slots=True)
class PackedArguments:
    """Arguments as cuLaunchKernel wants them: an array with the address of each value."""

    addresses: ctypes.Array[ctypes.c_void_p]
    values: list[object]  # keeps the values alive while the kernel reads them
    signature: str  # one letter each: p pointer, s struct Layout, l long long, d double


def pack(arguments: Sequence[Argument]) -> PackedArguments:
    """Turn Python values into C values, by one rule: int -> long long, float -> double."""
    letters, values = zip(*map(_value, arguments), strict=True)
    addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    return PackedArguments(addresses, list(values), "".join(letters))
