"""In which order a pipeline's stage runs its passes, and what each waits for. Called by `steps`.

The orders are those that real ranks carry out: 1F1B, and interleaved where a stage has chunks.
"""

from __future__ import annotations

from typing import NamedTuple

from norch_ddp.model_parallel.interleaved import interleaved
from norch_ddp.model_parallel.pipeline import Schedule1F1B


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
    if chunks > 1:
        actions = interleaved(stage, stages, micro_batches, chunks)
        return [Pass(kind, stage, chunk, i) for kind, i, chunk in actions]
    plain = Schedule1F1B.actions(stage, stages, micro_batches)
    return [Pass(kind, stage, 0, i) for kind, i in plain]


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
