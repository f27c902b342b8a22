"""Rows dealt out: each of N ranks has 1/N of the rows of every parameter, and one message has many.

ZeRO in all its forms deals out so. `reduce_scatter_rows` and `all_gather_rows` carry the rows of
all parameters together, padded where they do not divide; `all_reduce_together` carries tensors that
every rank has whole.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from norch_autograd import Tensor, cat, empty, no_grad
from norch_cpu_ops import DType
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.collectives.composed import gather_into, reduce_scatter_tensor
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.model_parallel.sharding import (
    Shape,
    ShardedParameter,
    ShardMetadata,
    cut,
    describe,
    padded,
    shard_of,
)
from norch_nn import Parameter


def rows_of(shape: Sequence[int], rank: int, size: int) -> ShardMetadata:
    """Return the shard of a rank that has `1 / size` of the rows."""
    return ShardMetadata(tuple(shape), 0, (cut(shape[0], rank, size),))


def rows_within(parameter: Tensor, group: ProcessGroup) -> ShardMetadata:
    """Return the shard of this rank's rows of a parameter, whole or a part by an earlier cut."""
    shard = rows_of(parameter.shape, group.rank, group.size)
    return shard._replace(within=shard_of(parameter))


@no_grad()
def make_rows(parameter: Parameter, group: ProcessGroup) -> ShardedParameter:
    """Return this rank's rows of a parameter, which may be a part by an earlier cut."""
    outer = parameter.groups if isinstance(parameter, ShardedParameter) else ()
    shard = rows_within(parameter, group)
    part = shard.take(parameter.detach()).clone()
    return ShardedParameter(part, shard, parameter.requires_grad, (*outer, group))


def check_rows(op: str, named: Iterable[tuple[str, Tensor]], group: ProcessGroup) -> None:
    """Refuse parameters without rows to shard, and those that cannot travel in one message.

    What is cut already has another part on each rank, so a second cut needs ranks with the same.
    """
    named = list(named)
    for name, parameter in named:
        if isinstance(parameter, ShardedParameter) and parameter.is_cut_among(group):
            ranks = list(group.ranks)
            raise ValueError(
                f"[{op}] {name}: {describe(parameter)}, and cannot be cut among {ranks} too: give "
                "another side of the mesh, and parameters that are shared in one call"
            )
        if parameter.ndim == 0:
            raise ValueError(
                f"[{op}] {name} is a single number, which has no rows to deal out: make it a "
                "vector of one, norch.ones(1)"
            )
    kinds = {(p.dtype, str(p.device)) for _, p in named}
    if len(kinds) > 1:
        raise ValueError(
            f"[{op}] parameters of several dtypes or devices do not share a message: "
            f"{sorted(f'{dtype} on {device}' for dtype, device in kinds)}"
        )


def shard_numel(shape: Sequence[int], size: int) -> int:
    """Return how many numbers the largest shard has: so long is each part of a message.

    >>> shard_numel((10, 2), 4)
    6
    """
    return -(-shape[0] // size) * math.prod(shape[1:])


def pack(wholes: Iterable[Tensor], size: int) -> Tensor:
    """Return (size, K): row r holds rank r's rows of each whole, side by side, padded with zeros.

    >>> pack([norch.tensor([1., 2., 3.]), norch.tensor([[4.], [5.]])], 2)
    tensor([[1., 2., 4.],
            [3., 0., 5.]])
    """
    columns = []
    for whole in wholes:
        flat = padded(whole, size * shard_numel(whole.shape, size))
        columns.append(flat.reshape(size, -1))
    return cat(columns, 1)


def unpack(block: Tensor, shapes: Iterable[Shape]) -> list[Tensor]:
    """Return the whole parameters from what `pack` made of them."""
    size, start, wholes = block.shape[0], 0, []
    for shape in shapes:
        numel = shard_numel(shape, size)
        rows = block[:, start : start + numel].reshape(-1, *shape[1:])
        wholes.append(rows[: shape[0]])
        start += numel
    return wholes


@no_grad()
def reduce_scatter_rows(
    wholes: Sequence[Tensor], op: ReduceOp | str, group: ProcessGroup
) -> list[Tensor]:
    """Combine each whole over the ranks, and return this rank's shard of it: one message."""
    block = pack(wholes, group.size)
    row = empty(block.shape[1], dtype=block.dtype, device=block.device)
    reduce_scatter_tensor(row, block, op, group)
    start, parts = 0, []
    for whole in wholes:
        shape = (cut(whole.shape[0], group.rank, group.size)[1], *whole.shape[1:])
        parts.append(row[start : start + math.prod(shape)].reshape(shape))
        start += shard_numel(whole.shape, group.size)
    return parts


@no_grad()
def all_gather_rows(
    shards: Sequence[ShardedParameter],
    group: ProcessGroup,
    dtype: DType | None = None,
    op: str = "all_gather_rows",
) -> list[Tensor]:
    """Return each parameter whole, from the rows that the ranks have of it: one message.

    `dtype` is what they travel in, and arrive in; None: their own. `op` tells the other ranks what
    for.
    """
    shapes = [parameter.shard.shape for parameter in shards]
    row = cat([padded(p, shard_numel(p.shard.shape, group.size)) for p in shards])
    row = row if dtype is None else row.to(dtype)
    block = empty(group.size, row.shape[0], dtype=row.dtype, device=row.device)
    gather_into(op, block, row, group)
    return unpack(block, shapes)


@no_grad()
def all_reduce_together(
    tensors: Sequence[Tensor], op: ReduceOp | str, group: ProcessGroup | None
) -> None:
    """Combine each of some tensors over the ranks, in place: one message of all of them."""
    flat = cat([part.reshape(-1) for part in tensors])
    all_reduce(flat, op, group)
    start = 0
    for part in tensors:
        part.copy_(flat[start : start + part.numel()].reshape(part.shape))
        start += part.numel()
