"""What a device must be able to do: hold bytes, move them, run a kernel. Nothing else differs.

Everything above this interface is the same Python code for a GPU and for the simulator, and every
launch passes the same arguments; arguments.py turns them into C values.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol

from norch_cuda.runtime.capture import Capture, GraphPool
from norch_cuda.runtime.sources import KernelSource
from norch_strides import Layout

Dims = tuple[int, int, int]
Buffer = Any  # what Python calls a buffer; typing has a name for it since 3.12


class OutOfMemoryError(RuntimeError):
    """A GPU had no room for an array. Source: `torch.cuda.OutOfMemoryError`."""


class Memory(NamedTuple):
    """Bytes on a device; they are freed when `owner` is."""

    address: int
    nbytes: int
    owner: object


class Pointer(NamedTuple):
    """A kernel argument: an address inside some memory. Memory None is a null pointer.

    `dtype` names what lies there, if the launch is to compare it with what the kernel declares;
    `extent` the bytes of the memory, from and to, that the argument is, if it is not all of them.
    """

    memory: Memory | None
    offset_bytes: int = 0
    dtype: str = ""
    extent: tuple[int, int] | None = None

    @property
    def address(self) -> int:
        """Where it points to; 0 for a null pointer."""
        return 0 if self.memory is None else self.memory.address + self.offset_bytes


@dataclass(frozen=True, slots=True)
class Table:
    """A struct that the kernel's text declares: its bytes; by place, where its pointers lead."""

    content: bytes
    memories: dict[int, Memory]


# `Pointer(*...)` and `Memory(*...)` without a call of Python: small launches feel it.
pointer_to: Callable[[tuple[Memory | None, int, str, None]], Pointer]
pointer_to = partial(tuple.__new__, Pointer)
memory_of: Callable[[tuple[int, int, object]], Memory] = partial(tuple.__new__, Memory)


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


# A sequence is a vector of CUDA (float4), a ctypes struct one that the kernel's text declares.
Vector = tuple[int | float, ...] | list[int | float]
Argument = int | float | Layout | Pointer | Table | Windows | Vector | ctypes.Structure | None
Explain = Callable[[int], Exception]  # what to raise for the number of a wrong element, from 0


def memories_in(arguments: Sequence[Argument]) -> Iterator[tuple[int, int, Memory]]:
    """Go through what a kernel's arguments point to: position, byte in the argument, memory."""
    for position, argument in enumerate(arguments):
        if isinstance(argument, Pointer) and argument.memory is not None:
            yield position, 0, argument.memory
        elif isinstance(argument, Table):
            for place, memory in argument.memories.items():
                yield position, place, memory


class Report(Protocol):
    """What a kernel writes into that finds an element wrong: reports.py."""

    pointer: Pointer


class Backend(Protocol):
    """One device. `num_blocks` is how many blocks a grid-stride loop should start at most.

    `large_tiles_from`: how many tiles of 128 x 128 a product must have to be made of them.
    """

    device: str
    num_blocks: int
    large_tiles_from: float

    def allocate(self, nbytes: int) -> Memory:
        """Reserve memory; its content is undefined."""

    def pin(self, nbytes: int) -> Buffer:
        """Reserve memory of the host that the device reaches by itself."""

    def upload(
        self, memory: Memory, offset: int, source: int, nbytes: int, pinned: object = None
    ) -> None:
        """Copy from the host address `source` into `memory`; returns when the copy is done.

        If `pinned` is given, which holds the memory of the host, it returns before that.
        """

    def download(
        self, memory: Memory, offset: int, target: int, nbytes: int, pinned: object = None
    ) -> None:
        """Copy from `memory` to the host address `target`, likewise."""

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

    def symbol(self, source: KernelSource, name: str) -> Memory:
        """Return where the `__constant__` or `__device__` variable `name` of `source` lies."""

    def has_tensor_cores_for(self, dtype: str) -> bool:
        """Whether products of this dtype run on tensor cores here."""

    def synchronize(self) -> None:
        """Wait until everything launched so far has run."""

    def new_report(self) -> Report:
        """Return an empty report, for one launch."""

    def when_run(self, report: Report, explain: Explain) -> None:
        """Raise what `explain` says if the launches so far have written into `report`.

        The simulator does so at once, a GPU where the host waits next: no launch waits for it.
        """

    def begin_capture(self, pool: GraphPool) -> Capture:
        """Keep launches from now on, for a CUDA graph."""
