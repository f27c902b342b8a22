"""Tensor parallelism (Megatron): every matrix is cut among the ranks, which share one batch.

Two cuts fit together so that nothing is sent between them. With x (B, T, W) on every rank:

    column  y_r = x A_r' + a_r      rank r has some rows of the weight: some *columns* of the result
    row     z = sum_r y_r B_r' + b  it has the columns of the next weight that y_r meets

An MLP is column, GELU, row. Attention is the same: column gives each rank whole heads of queries,
keys and values, each rank attends with its own heads, row joins them. An embedding cut by
vocabulary looks up what it has, zeros elsewhere, and adds up; the cross-entropy of scores cut by
vocabulary sends three numbers a position and never the scores. For N ranks and P bytes of cut
parameters:

    memory of a rank          1/N of the cut parameters, their gradients, state and results
    wire of a step, per rank  a column and a row: 2 all_reduces of x (B T W numbers), one forward,
                              one backward: 4 (N - 1) / N 4 B T W bytes; a table of words one
                              forward, the head that scores them one backward
    timeline                  every layer waits for its sums: only fast links bear it

A sum over the ranks is needed once in each direction: `Sum` and `Copy` are these two, and each
other's derivative. Sequence parallelism (`given` and `wanted` are `Shard(1)`) takes each such sum
apart, in the reduce_scatter behind a row and the all_gather before the next column: what stands
between them, norms and dropout, has 1/N of the positions; the bytes on the wire are the same.

    x_r (B, T/N, W)  all_gather  | column  GELU  row |  reduce_scatter  z_r (B, T/N, W)
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, no_grad, where
from norch_autograd.autograd import Function
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.model_parallel import layouts
from norch_ddp.model_parallel.layouts import Layout, Move, Replicate, redistribute
from norch_ddp.model_parallel.sharding import ShardedParameter, ShardMetadata, cut, make_shard
from norch_nn import Embedding, Linear, Module, functional as F

IGNORE_INDEX = -100
"""The target that marks a position whose score does not count."""
WHOLE, COLUMNS = Replicate(), layouts.Shard(-1)


class Copy(Function):
    """Before a layer that is cut: y = x; dx = sum of dy over the ranks."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup) -> Tensor:
        """Return x."""
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Add up."""
        return all_reduce_copy(grad, ctx.group), None


class Sum(Function):
    """Behind a layer that is cut: y = sum of x over the ranks; dx = dy."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup) -> Tensor:
        """Add up."""
        return all_reduce_copy(x, group)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Hand on."""
        return grad, None


@no_grad()
def all_reduce_copy(x: Tensor, group: ProcessGroup, op: ReduceOp = ReduceOp.SUM) -> Tensor:
    """Combine the ranks' `x` by `op` into a new tensor, for a layer that is cut over them."""
    total = x.detach().clone()
    all_reduce(total, op, group)
    return total


def parallel_linear(
    x: Tensor, weight: ShardedParameter, bias: Tensor | None, group: ProcessGroup
) -> Tensor:
    """x A' + a on several ranks, each with some rows of A (`weight.shard.dim` 0) or columns (1)."""
    # ex 6.9 begin
    if weight.shard.dim == 0:
        return F.linear(Copy.apply(x, group), weight, bias)
    total: Tensor = Sum.apply(F.linear(x, weight), group)
    return total if bias is None else total + bias
    # ex 6.9 end


def add_up(summand: Tensor, wanted: Layout, group: ProcessGroup) -> Tensor:
    """Return the sum over the ranks, whole or this rank's part of it."""
    if isinstance(wanted, Replicate):
        total: Tensor = Sum.apply(summand, group)
    else:
        total = Move.apply(summand, layouts.part_of_sum, layouts.gather, wanted.dim, group)
    return total


class ColumnParallelLinear(Module):
    """y_r = x A_r' + a_r: rank r's columns of a Linear's result; x whole, y cut.

    A weight that is `blocks` matrices one on another, such as that of queries, keys and values, is
    cut in each block, so that every rank gets its heads of all three.
    """

    given: Layout = WHOLE  # the layout of x, and of y; a style may choose others
    wanted: Layout = COLUMNS

    def __init__(self, linear: Linear, group: ProcessGroup, blocks: int = 1) -> None:
        super().__init__()
        if linear.out_features % blocks:
            raise ValueError(
                f"[ColumnParallelLinear] {linear.out_features} rows are not {blocks} equal blocks"
            )
        self.group = group
        rows = linear.out_features // blocks
        start, length = rank_part("ColumnParallelLinear", rows, group)
        ranges = tuple((block * rows + start, length) for block in range(blocks))
        self.weight = make_shard(
            linear.weight, ShardMetadata(tuple(linear.weight.shape), 0, ranges), group
        )
        bias = linear.bias
        self.bias = (
            None
            if bias is None
            else make_shard(bias, ShardMetadata(tuple(bias.shape), 0, ranges), group)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Map (..., in) to this rank's columns, (..., out / N)."""
        if isinstance(self.given, Replicate):
            y = parallel_linear(x, self.weight, self.bias, self.group)
        else:
            x = Move.apply(x, layouts.gather, layouts.part_of_sum, self.given.dim, self.group)
            y = F.linear(x, self.weight, self.bias)
        return redistribute(y, COLUMNS, self.wanted, self.group)


class RowParallelLinear(Module):
    """z = sum_r y_r B_r' + b: a Linear of what a column-parallel one has cut; y cut, z whole."""

    given: Layout = COLUMNS
    wanted: Layout = WHOLE

    def __init__(self, linear: Linear, group: ProcessGroup) -> None:
        super().__init__()
        self.group = group
        columns = rank_part("RowParallelLinear", linear.in_features, group)
        self.weight = make_shard(
            linear.weight, ShardMetadata(tuple(linear.weight.shape), 1, (columns,)), group
        )
        self.bias = linear.bias  # whole, and equal on all ranks

    def forward(self, y: Tensor) -> Tensor:
        """Map this rank's columns (..., in / N) to (..., out); a whole y is cut first."""
        is_whole = self.given == COLUMNS and y.shape[-1] > self.weight.shape[1]
        y = redistribute(y, WHOLE if is_whole else self.given, COLUMNS, self.group)
        if self.wanted == WHOLE:
            return parallel_linear(y, self.weight, self.bias, self.group)
        z = add_up(F.linear(y, self.weight), self.wanted, self.group)
        # each rank adds the bias to its own positions: its gradient is a summand
        return z if self.bias is None else z + Copy.apply(self.bias, self.group)


class VocabParallelEmbedding(Module):
    """Row i of a table whose rows are cut: the rank that has it gives it, the others zeros."""

    wanted: Layout = WHOLE

    def __init__(self, embedding: Embedding, group: ProcessGroup) -> None:
        super().__init__()
        self.group = group
        if embedding.padding_idx is not None or embedding.max_norm is not None:
            raise ValueError("[VocabParallelEmbedding] padding_idx and max_norm do not exist here")
        self.start, self.rows = rank_part("VocabParallelEmbedding", embedding.num_embeddings, group)
        shape = tuple(embedding.weight.shape)
        self.weight = make_shard(
            embedding.weight, ShardMetadata(shape, 0, ((self.start, self.rows),)), group
        )

    def forward(self, numbers: Tensor) -> Tensor:
        """Map numbers (...) to vectors (..., width)."""
        check_range("VocabParallelEmbedding", numbers, self.weight.shard.shape[0])
        own = numbers - self.start
        here = (own >= 0) & (own < self.rows)
        found = F.embedding(where(here, own, 0), self.weight) * here.unsqueeze(-1)
        return add_up(found, self.wanted, self.group)


def vocab_parallel_cross_entropy(
    scores: Tensor, target: Tensor, vocabulary: int, group: ProcessGroup
) -> Tensor:
    """mean of log(sum_v exp s_v) - s_target, of scores (n, V / N) whose V columns are cut.

    Three all_reduces of n numbers: the maximum, the sum of exponentials, the target's score. With
    one rank it is `F.cross_entropy`; as there, a target of -100 is not counted.
    """
    start, columns = rank_part("vocab_parallel_cross_entropy", vocabulary, group)
    if tuple(scores.shape) != (target.shape[0], columns):
        raise ValueError(
            f"[vocab_parallel_cross_entropy] scores {tuple(scores.shape)} must be "
            f"{(target.shape[0], columns)}: a row for each target, this rank's columns"
        )
    mask = target != IGNORE_INDEX
    target = where(mask, target, 0)
    check_range("vocab_parallel_cross_entropy", target, vocabulary)
    highest = all_reduce_copy(scores.amax(1), group, ReduceOp.MAX)  # (n,), the same on all ranks
    relative = scores - highest.unsqueeze(1)
    total: Tensor = Sum.apply(relative.exp().sum(1), group)
    own = target - start
    here = (own >= 0) & (own < columns)
    of_target = relative.gather(1, where(here, own, 0).unsqueeze(1)).squeeze(1)
    losses: Tensor = total.log() - Sum.apply(of_target * here, group)
    return (losses * mask).sum() / mask.sum()


def check_range(op: str, numbers: Tensor, vocabulary: int) -> None:
    """Refuse words that no rank has a row for; all ranks see the same ones."""
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.numel() else (0, 0)
    if low < 0 or high >= vocabulary:
        raise IndexError(
            f"[{op}] numbers from {low} to {high} are not all in a vocabulary of {vocabulary}, "
            f"0 to {vocabulary - 1}"
        )


def rank_part(op: str, length: int, group: ProcessGroup) -> tuple[int, int]:
    """Return (start, length) of this rank's part of a layer; every rank must get some."""
    if not cut(length, group.size - 1, group.size)[1]:
        raise ValueError(
            f"[{op}] {length} dealt out among {group.size} ranks leaves the last one none: use "
            "fewer ranks, or a multiple of their number"
        )
    return cut(length, group.rank, group.size)
