"""Layouts: which part of an activation a rank has, and how one layout becomes another.

    Replicate()   all of it, equal on every rank
    Shard(dim)    the rank's equal part of it along `dim`: Shard(1) of (B, T, W) is (B, T / N, W)

A layout is a word about a plain tensor, kept by the styles of `parallel_styles.py`; no tensor knows
its own. Each way from one to another is a message, whose derivative is the message back:

    from                to            forward           backward
    Shard               Replicate     all_gather        this rank's part
    Replicate           Shard         this rank's part  all_gather
    Replicate           a cut layer   nothing           all_reduce      `Copy` of tensor_parallel.py
    a cut layer's sums  Replicate     all_reduce        nothing         `Sum`
    Shard               a cut layer   all_gather        reduce_scatter
    a cut layer's sums  Shard         reduce_scatter    all_gather

The gradient of a tensor that is whole on every rank is whole and equal, too. Only inside a layer
that is cut is it a summand, and the way in adds up. The last two rows are one all_reduce, taken
apart: between them a rank keeps and computes 1 / N, for the same bytes on the wire.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from norch_autograd import Tensor, cat, empty, no_grad, stack
from norch_autograd.autograd import Function
from norch_ddp.collectives.composed import all_gather_into_tensor, reduce_scatter_tensor
from norch_ddp.groups.process_group import ProcessGroup, current_group


@dataclass(frozen=True, slots=True)
class Replicate:
    """The layout of a tensor that every rank has whole."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The layout of a tensor of which every rank has an equal part along `dim`."""

    dim: int


Layout = Replicate | Shard
Message = Callable[[Tensor, int, ProcessGroup], Tensor]


class Move(Function):
    """y = there(x), dx = back(dy): two messages, each other's derivative."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, there: Message, back: Message, dim: int, group: ProcessGroup
    ) -> Tensor:
        """Send."""
        ctx.back, ctx.dim, ctx.group = back, dim, group
        return there(x, dim, group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Send back."""
        return ctx.back(grad, ctx.dim, ctx.group), None, None, None, None


@no_grad()
def gather(part: Tensor, dim: int, group: ProcessGroup) -> Tensor:
    """Return the ranks' parts joined along `dim`: one all_gather."""
    parts = empty(group.size, *part.shape, dtype=part.dtype, device=part.device)
    all_gather_into_tensor(parts, part.detach(), group)
    return cat(list(parts), dim)


@no_grad()
def own_part(whole: Tensor, dim: int, group: ProcessGroup) -> Tensor:
    """Return this rank's equal part along `dim`, in memory of its own."""
    return equal_parts(whole, dim, group)[group.rank].clone()


@no_grad()
def part_of_sum(summand: Tensor, dim: int, group: ProcessGroup) -> Tensor:
    """Return this rank's part, along `dim`, of the sum over the ranks: one reduce_scatter."""
    parts = stack(equal_parts(summand.detach(), dim, group))
    part = empty(*parts.shape[1:], dtype=parts.dtype, device=parts.device)
    reduce_scatter_tensor(part, parts, group=group)
    return part


def equal_parts(whole: Tensor, dim: int, group: ProcessGroup) -> list[Tensor]:
    """Return a tensor's parts for all ranks; a length that does not divide is refused."""
    if not -whole.ndim <= dim < whole.ndim or whole.shape[dim] % group.size:
        raise ValueError(
            f"[Shard] a tensor of shape {tuple(whole.shape)} has no {group.size} equal parts along "
            f"dim {dim}: pad that dim to a multiple of the number of ranks, or use fewer ranks"
        )
    return list(whole.chunk(group.size, dim))


def redistribute(
    x: Tensor, layout: Layout, wanted: Layout, group: ProcessGroup | None = None
) -> Tensor:
    """Return the tensor that has `layout` in the layout `wanted`.

    >>> dist.init_process_group()
    >>> redistribute(norch.ones(2, 4), Shard(1), Replicate()).shape
    norch.Size([2, 4])
    """
    if layout == wanted:
        return x
    group = current_group(group)
    if isinstance(layout, Shard):
        x = Move.apply(x, gather, own_part, layout.dim, group)
    if isinstance(wanted, Shard):
        x = Move.apply(x, own_part, gather, wanted.dim, group)
    return x
