"""In which order a pipeline's stage runs its passes: 1F1B, plain or interleaved.

With v chunks a stage has v pieces of the model, p layers apart, and passes each micro-batch v
times: the bubble is 1 / v as long (Narayanan et al., "Efficient Large-Scale Language Model Training
on GPU Clusters Using Megatron-LM", 2021, section 2.2). Called by `steps`.
"""

from __future__ import annotations

from typing import NamedTuple


class Pass(NamedTuple):
    """Forward ("F") or backward ("B") of one micro-batch through one chunk of one stage."""

    kind: str
    stage: int
    chunk: int
    micro_batch: int


def passes(stage: int, stages: int, micro_batches: int, chunks: int) -> list[Pass]:
    """Return a stage's passes: first some forwards, then one of each in turn, then the rest.

    >>> [f"{one.kind}{one.micro_batch}" for one in passes(0, 2, 3, 1)]
    ['F0', 'F1', 'B0', 'F2', 'B1', 'B2']
    """
    forward = _round_robin(stages, micro_batches, chunks)
    first = stages - stage - 1
    if chunks > 1:
        first = 2 * first + (chunks - 1) * stages
    first = min(first, len(forward))
    ahead = [Pass("F", stage, chunk, i) for chunk, i in forward]
    back = [Pass("B", stage, chunks - 1 - chunk, i) for chunk, i in forward]
    turns = [one for pair in zip(ahead[first:], back, strict=False) for one in pair]
    return ahead[:first] + turns + back[len(forward) - first :]


def _round_robin(stages: int, micro_batches: int, chunks: int) -> list[tuple[int, int]]:
    """Return (chunk, micro-batch): as many micro-batches as stages, chunk by chunk."""
    return [
        (chunk, i)
        for start in range(0, micro_batches, stages)
        for chunk in range(chunks)
        for i in range(start, min(start + stages, micro_batches))
    ]


def needs(what: Pass, stages: int, chunks: int) -> list[Pass]:
    """Return the passes whose results one waits for: those of the pieces beside it."""
    kind, stage, chunk, i = what
    if kind == "F":
        if stage:
            return [Pass("F", stage - 1, chunk, i)]
        return [Pass("F", stages - 1, chunk - 1, i)] if chunk else []
    own = Pass("F", stage, chunk, i)
    if stage < stages - 1:
        return [own, Pass("B", stage + 1, chunk, i)]
    return [own, Pass("B", 0, chunk + 1, i)] if chunk < chunks - 1 else [own]
