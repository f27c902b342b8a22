"""The best plan of all: a formula puts them in order, and the first ones are simulated.

`best` is the entry; `estimate` is the formula, `compare` says in words why a plan is better.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

from norch_ddp.simulate.compute import Compute
from norch_ddp.simulate.costs import Costs
from norch_ddp.simulate.network import Topology
from norch_ddp.simulate.plan import RECOMPUTE, Plan, divisors, fitting, memory
from norch_ddp.simulate.steps import Step, simulate

_TRIED = 8


def best(
    compute: Compute,
    topology: Topology,
    ranks: int,
    batch: int,
    room: float,
    most_tensor: int | None = None,
) -> list[Step]:
    """Return plans for `ranks` ranks that fit into `room` bytes a rank, the fastest first.

    Tensor parallelism stays inside the innermost level unless `most_tensor` says otherwise. Where
    a layer's `kernels` are known, the plans also have sequence parallelism, chunks, context and
    recomputation; of these many the ones are simulated that `estimate` puts first.
    """
    widest = topology.levels[0].ranks if most_tensor is None else most_tensor
    if any(layer.kernels for layer in compute.layers):
        found = _promising(compute, topology, ranks, batch, room, widest)
    else:
        found = fitting(compute, ranks, batch, room, widest)
    steps = [simulate(compute, topology, plan, batch) for plan in found]
    return sorted(steps, key=lambda step: step.seconds)


def _promising(
    compute: Compute, topology: Topology, ranks: int, batch: int, room: float, widest: int
) -> list[Plan]:
    """Return the plans with the smallest estimates among those that fit.

    Of those alike but for recomputation only the one that computes the least again.
    """
    found = [
        (estimate(compute, topology, tried, batch), tried)
        for plan in _shapes(compute, ranks, batch, widest)
        for tried in (plan._replace(recompute=name) for name in RECOMPUTE)
    ]
    chosen: dict[Plan, Plan] = {}
    for _, plan in sorted(found, key=lambda one: one[0]):
        alike = plan._replace(recompute="none")
        if alike not in chosen and memory(compute, plan, batch).total <= room:
            chosen[alike] = plan
        if len(chosen) == _TRIED:
            break
    return list(chosen.values())


def _shapes(compute: Compute, ranks: int, batch: int, widest: int) -> Iterator[Plan]:
    """Yield the plans for known shapes: powers of two of most, ZeRO-1, or 3 without a pipeline."""
    tensors = [n for n in divisors(ranks) if n <= widest]
    for tensor, context in product(tensors, (1, 2, 4, 8, 16)):
        for pipeline in divisors(ranks // tensor):
            data, left = divmod(ranks, tensor * context * pipeline)
            if left or batch % data or pipeline > len(compute.layers):
                continue
            whole = Plan(data, tensor, pipeline, 1, context=context, bucket_bytes=None)
            whole = whole._replace(sequence=tensor > 1, prefetch=True)
            for micro_batches, chunks in product(_doubling(batch // data), (1, 2, 4, 8)):
                if chunks == 1 or (
                    pipeline > 1
                    and micro_batches % pipeline == 0
                    and chunks * pipeline <= len(compute.layers)
                ):
                    yield whole._replace(micro_batches=micro_batches, chunks=chunks)
            if pipeline == 1:
                yield from (
                    whole._replace(zero=3, micro_batches=n) for n in _doubling(batch // data)
                )


def _doubling(number: int) -> list[int]:
    """Return the powers of two that divide a number."""
    return [n for n in divisors(number) if n & (n - 1) == 0]


def estimate(compute: Compute, topology: Topology, plan: Plan, batch: int) -> float:
    """Return about the seconds of a step: (m + (p - 1) / v) t / p, and what nothing hides.

    t are the seconds of all passes of one of m micro-batches, through p stages of v chunks each.
    """
    costs = Costs(compute, topology, plan, batch)
    passes = costs.model()
    once = passes.seconds / plan.pipeline
    rounds = plan.micro_batches + (plan.pipeline - 1) / plan.chunks
    size = compute.parameters / plan.tensor / plan.pipeline
    sent = costs.reduce(size * compute.itemsize).seconds
    hidden = passes.kernels * 2 / 3 / plan.pipeline if plan.overlap else 0.0
    gathered = costs.gather(size).seconds if plan.zero in (1, 2) and not plan.prefetch else 0.0
    return rounds * once + max(0.0, sent - hidden) + gathered


REASONS = {
    "kernels": "computing",
    "again": "computing again what was not kept",
    "tensor": "sums over tensor ranks",
    "context": "gathering keys and values",
    "gather": "gathering parameters",
    "waiting": "the bubble and messages between stages",
    "gradients": "gradients that backward does not hide",
    "optimizer": "the optimizer",
}


def compare(better: Step, other: Step, room: float = math.inf) -> str:
    """Say in words why a plan is better than another: what costs the most more, and what less.

    >>> from norch_ddp.simulate import A100, cluster, gpt
    >>> model, node = gpt(24, 2304, 24).on(A100), cluster(A100, 1)
    >>> data, tensor = (simulate(model, node, plan, 64) for plan in (Plan(8), Plan(1, 8)))
    >>> print(compare(data, tensor))
    1 data, 8 tensor, 1 pipeline: 1.54 times the seconds; 0.45 s more for sums over tensor ranks
    """
    if other.memory.total > room:
        needed, own = (f"{step.memory.total / 1e9:.0f} GB" for step in (other, better))
        return f"{other.plan}: does not fit; {needed} a rank, not {own}"
    pairs = zip(REASONS.values(), other.parts, better.parts, strict=True)
    more = sorted((there - here, name) for name, there, here in pairs)
    (least, cheaper), (most, dearer) = more[0], more[-1]
    ratio = other.seconds / better.seconds
    words = f"{other.plan}: {ratio:.3g} times the seconds; {most:.2g} s more for {dearer}"
    return f"{words}, {-least:.2g} s less for {cheaper}" if -least > most / 10 else words
