"""What is the same in every launch of an operation on arrays of the same layouts, found once.

Operations that are called often describe their launch by layouts alone, in a function that is
cached; `run` makes the results, fills in where the arrays lie, and launches. The others take the
longer way, `compute` of base.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from norch_cpu_ops import DType
from norch_cuda.arrays.array import CudaArray, Number, Storage
from norch_cuda.launch.base import New, OperationsBase, source_of
from norch_cuda.launch.walks import Arguments, row_major
from norch_cuda.runtime.backend import Argument, Dims, Memory, pointer_to
from norch_cuda.runtime.sources import KernelSource
from norch_strides import Layout


class At(NamedTuple):
    """Among the arguments of a plan: where operand `number` lies, `offset` elements on."""

    number: int
    offset: int = 0
    itemsize: int = 0


Givens = tuple[Argument | At | New, ...]


class Plan(NamedTuple):
    """A launch that lacks only the arrays."""

    results: tuple[tuple[Layout, int, DType], ...]  # what is made, and its bytes
    source: KernelSource
    kernel: str
    grid: Dims
    block: Dims
    arguments: Arguments
    pointers: tuple[tuple[int, int, int], ...]  # position, number of the array, first byte


def plan(
    family: str, dtype: DType, kernel: str, grid: tuple[Dims, Dims], *given: Argument | At | New
) -> Plan:
    """Plan a launch of `<kernel>_kernel` for elements of `dtype`, on a grid and blocks.

    Arrays are numbered: operands from 0 on, results, which are `New`, from the end.
    """
    made = [x for x in given if isinstance(x, New)]
    number = -len(made)
    arguments: list[Argument] = []
    pointers = []
    for position, x in enumerate(given):
        if isinstance(x, At):
            pointers.append((position, x.number, x.offset * (x.itemsize or dtype.itemsize)))
        elif isinstance(x, New):
            pointers.append((position, number, 0))
            number += 1
        arguments.append(None if isinstance(x, (At, New)) else x)
    results = []
    for new in made:
        layout, count = row_major(new.shape)
        own = new.dtype or dtype
        results.append((layout, count * own.itemsize, own))
    source, name = source_of(family, dtype), f"{kernel}_kernel"
    return Plan(tuple(results), source, name, *grid, tuple(arguments), tuple(pointers))


def run(
    ops: OperationsBase, planned: Plan, memories: Sequence[Memory | None], more: Arguments = (),
    number: tuple[int, Number] | None = None,
) -> list[CudaArray]:  # fmt: skip
    """Launch a plan on the memories of its operands; return the results.

    `more` are arguments behind those of the plan, `number` one that it left open and its position.
    """
    backend, results, held = ops.backend, [], list(memories)
    for layout, nbytes, dtype in planned.results:
        memory = backend.allocate(nbytes)
        held.append(memory)
        results.append(CudaArray(Storage(memory), layout, dtype, ops))
    if 0 in planned.grid:
        return results
    arguments = [*planned.arguments, *more]
    for position, which, start in planned.pointers:
        arguments[position] = pointer_to((held[which], start, "", None))
    if number is not None:
        arguments[number[0]] = number[1]
    backend.launch(planned.source, planned.kernel, planned.grid, planned.block, arguments)
    return results
