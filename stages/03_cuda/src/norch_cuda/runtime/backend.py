"""What a device must be able to do: hold bytes, move them, run a kernel. Nothing else differs.

Everything above this interface is the same Python code for a GPU and for the simulator, and every
launch passes the same arguments; `pack` is the one place that turns them into C values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

from norch_cuda.runtime.sources import KernelSource
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


class Window(NamedTuple):
    """One direction of a window over `size` places; it stops at `out` of them."""

    size: int
    kernel: int
    stride: int
    padding: int
    dilation: int
    out: int


class Windows(NamedTuple):
    """A window over volumes (D, H, W); over images its depth is 1."""

    d: Window
    h: Window
    w: Window


Argument = int | float | Layout | Pointer | Windows


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


class WindowsStruct(ctypes.Structure):
    """`struct Windows` of window.h: three directions of six numbers."""

    _fields_ = (("numbers", ctypes.c_longlong * 18),)


@lru_cache(maxsize=4096)
def _layout_struct(shape: tuple[int, ...], strides: tuple[int, ...]) -> LayoutStruct:
    if len(shape) > MAX_DIMS:
        raise RuntimeError(f"[cuda] an array of {len(shape)} dims: kernels take at most {MAX_DIMS}")
    integers = ctypes.c_longlong * MAX_DIMS
    return LayoutStruct(len(shape), integers(*shape), integers(*strides))


@lru_cache(maxsize=1024)
def _windows_struct(windows: Windows) -> WindowsStruct:
    return WindowsStruct((ctypes.c_longlong * 18)(*windows.d, *windows.h, *windows.w))


class PackedArguments(NamedTuple):
    """Arguments as cuLaunchKernel wants them: an array with the address of each value."""

    addresses: ctypes.Array[ctypes.c_void_p]
    values: list[object]  # keeps the values alive while the kernel reads them
    signature: str  # one letter each: p pointer, s Layout, w Windows, l long long, d double


def pack(arguments: Sequence[Argument]) -> PackedArguments:
    """Turn Python values into C values, by one rule: int -> long long, float -> double."""
    values: list[object] = []
    letters = ""
    for argument in arguments:
        if isinstance(argument, Pointer):
            memory = argument.memory
            address = 0 if memory is None else memory.address + argument.offset_bytes
            letter, value = "p", ctypes.c_void_p(address)
        elif isinstance(argument, Layout):
            letter, value = "s", _layout_struct(argument.shape, argument.strides)
        elif isinstance(argument, Windows):
            letter, value = "w", _windows_struct(argument)
        elif isinstance(argument, float):
            letter, value = "d", ctypes.c_double(argument)
        elif isinstance(argument, int):
            letter, value = "l", ctypes.c_longlong(argument)
        else:
            raise TypeError(
                f"[launch] {type(argument).__name__} is no kernel argument: int, float, Layout, "
                "array"
            )
        letters += letter
        values.append(value)
    addresses = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    return PackedArguments(addresses, values, letters)
