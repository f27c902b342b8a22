"""The page on planning: what the plan explorer shows, tabulated by the simulator.

`table` simulates a step of each plan that the explorer's sliders can reach. Nothing is drawn here;
`figures/planner.py` does that.
"""

from collections.abc import Iterator
from itertools import product

from norch.distributed.simulate import H100, LLAMA3_405B, Plan, Step, cluster, simulate

TOKENS = LLAMA3_405B.context
MODELS = {
    "8 B": LLAMA3_405B._replace(layers=32, width=4096, heads=32, inner=14336),
    "70 B": LLAMA3_405B._replace(layers=80, width=8192, heads=64, inner=28672),
    "405 B": LLAMA3_405B,
}
SLIDERS = {
    "model": list(MODELS),
    "ranks": [8, 64, 1024, 8192],
    "batch": [128, 512, 2048],  # samples
    "tensor": [1, 2, 8],
    "pipeline": [1, 4, 16],
    "ZeRO": [0, 1, 2, 3],
    "recompute": ["none", "full"],
}
MICRO_BATCHES = 64  # at most; a stage has samples one by one as long as there are no more


def table() -> dict:
    """Return the sliders, and a row for each of their combinations, the last slider fastest.

    A row is [micro-batches, memory in units of 0.1 GB: weights, gradients, optimizer, activations,
    milliseconds: computing, computing again, sending, waiting, optimizer], or None where the ranks
    or the samples cannot be dealt out so.
    """
    topology = cluster(H100, SLIDERS["ranks"][-1] // 8)
    computes = {name: model.on(H100) for name, model in MODELS.items()}
    rows = []
    for model, plan, batch in plans():
        step = plan and simulate(computes[model], topology, plan, batch)
        rows.append(step and row(step))
    return {
        "sliders": SLIDERS,
        "rows": rows,
        "tokens": TOKENS,
        "operations": {name: compute.operations for name, compute in computes.items()},
        "peak": H100.peak,
        "room": H100.room / 1e9,
    }


def plans() -> Iterator[tuple[str, Plan | None, int]]:
    """Yield model, plan and batch for each combination; None is no plan."""
    for model, ranks, batch, tensor, pipeline, zero, recompute in product(*SLIDERS.values()):
        data = ranks // (tensor * pipeline)
        if not data or batch % data:
            yield model, None, batch
            continue
        micro = min(batch // data, MICRO_BATCHES)
        more = {"recompute": recompute, "sequence": tensor > 1, "prefetch": True}
        yield model, Plan(data, tensor, pipeline, zero, micro, 1 << 29, **more), batch


def row(step: Step) -> list[int]:
    """Return what the explorer shows of a step, in whole numbers."""
    memory, parts = step.memory, step.parts
    gigabytes = [
        memory.parameters,
        memory.gradients + memory.buckets,
        memory.optimizer,
        memory.activations,
    ]
    sending = parts.tensor + parts.context + parts.gather + parts.gradients
    seconds = [parts.kernels, parts.again, sending, parts.waiting, parts.optimizer]
    return [
        step.plan.micro_batches,
        *(round(size / 1e8) for size in gigabytes),
        *(round(1e3 * time) for time in seconds),
    ]
