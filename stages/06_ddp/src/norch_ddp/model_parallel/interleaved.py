"""Interleaved 1F1B: every rank has several stages far apart, so that the bubble is shorter.

With p ranks, v chunks on each and m micro-batches, stage i is on rank i modulo p. A chunk has 1/v
of a rank's layers, so the first gradient is back v times as soon:

    time that is idle         (p - 1) / (v m) of the time that is not, beside (p - 1) / m in 1F1B
    memory of a rank          2 (p - rank - 1) + (v - 1) g + 1 activations of chunks, and never more
                              than v m, 1 / v as large as a stage's; with g = p that is on rank 0
                              (p - 1) / (p v) more than in 1F1B
    wire of a step, per rank  v times as many messages: every chunk has two borders

A chunk runs a round of g micro-batches in a row. There are m // p rounds, which must be equal, as
PyTorch wants them: g = p where p divides m. Fewer than p are one round, of g = m: it waits in every
chunk, and (p - 1 + (v - 1) (p - m)) / (v m) is idle.

p = 2, v = 2, m = 2; a small letter is the second chunk, and an action takes half as long:

    1F1B         rank 0  F0F0F1F1. . B0B0. . B1B1    4 of 12 are idle
                 rank 1  . . F0F0B0B0F1F1B1B1. .
    interleaved  rank 0  F0F1f0f1. b0. b1B0B1        2 of 10
                 rank 1  . F0F1f0b0f1b1B0B1.

Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM",
2021, section 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_ddp.model_parallel.pipeline import ChunkAction, Loss, PipelineStage, Schedule


class ScheduleInterleaved1F1B(Schedule):
    """1F1B for the stages r, r + N, r + 2 N, ... of rank r of N."""

    def __init__(
        self,
        stages: Sequence[PipelineStage],
        n_microbatches: int,
        loss_fn: Loss,
        *,
        scale_grads: bool = True,
    ) -> None:
        """Cut batches in `n_microbatches`; gradients are means over them if `scale_grads`."""
        super().__init__(stages, n_microbatches, loss_fn, scale_grads=scale_grads)
        if self.stage.group.size == 1 and len(self.stages) > 1:
            raise ValueError(
                "[ScheduleInterleaved1F1B] one rank waits for no other: make one stage of its "
                f"{len(self.stages)}"
            )
        self.order()  # refuses a number of micro-batches

    def order(self) -> list[ChunkAction]:
        """Return what this rank does in a step, in order."""
        group = self.stage.group
        return interleaved(group.rank, group.size, self.n_microbatches, len(self.stages))


def interleaved(rank: int, ranks: int, micro_batches: int, chunks: int) -> list[ChunkAction]:
    """Return what a rank with several chunks does in a step, in order.

    >>> " ".join(f"{kind}{i}.{chunk}" for kind, i, chunk in interleaved(1, 2, 2, 2))
    'F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 B0.0 B1.0'
    """
    rounds = max(1, micro_batches // ranks)
    in_round = micro_batches // rounds  # then the next chunk has its turn
    if micro_batches % rounds:
        raise ValueError(
            f"[ScheduleInterleaved1F1B] {micro_batches} micro-batches are not {rounds} equal "
            f"rounds, of {ranks} ranks or a few more: take a multiple of the ranks, {ranks}, or of "
            f"the rounds, {rounds}"
        )
    forward = [
        ChunkAction("F", first + i, chunk)
        for first in range(0, micro_batches, in_round)
        for chunk in range(chunks)
        for i in range(in_round)
    ]
    backward = [ChunkAction("B", i, chunks - 1 - chunk) for _, i, chunk in forward]
    ahead = min(2 * (ranks - rank - 1) + (chunks - 1) * in_round, len(forward))
    pairs = zip(forward[ahead:], backward, strict=False)
    turns = [action for pair in pairs for action in pair]
    return forward[:ahead] + turns + backward[len(forward) - ahead :]
