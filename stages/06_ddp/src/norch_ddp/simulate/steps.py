"""One training step, event by event: what each pipeline stage computes and sends, and when.

`simulate` is the entry. Ranks that share a stage do the same at the same time, so one of them is
followed. Left out: failing ranks, ranks that straggle more than when they were measured, traffic of
others on the links, that MPI moves a message on only while somebody looks, kernels that wait for
the memory that messages use, a last stage's own copy of a table that it shares with the first, and
the reading of data.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from norch_ddp.simulate.compute import Compute
from norch_ddp.simulate.costs import Costs
from norch_ddp.simulate.network import Topology
from norch_ddp.simulate.order import Pass, needs, passes
from norch_ddp.simulate.plan import Memory, Plan, chunks_of, memory
from norch_ddp.simulate.stage import Event, Parts, Stage


class Step(NamedTuple):
    """A simulated step."""

    plan: Plan
    seconds: float
    memory: Memory
    events: list[Event]
    tokens: int
    parts: Parts
    operations: float = 0.0  # of the model, for all tokens: nothing that is computed again
    peak: float = 0.0

    @property
    def tokens_per_second(self) -> float:
        """Tokens of the whole batch per second."""
        return self.tokens / self.seconds

    @property
    def rate(self) -> float:
        """The model's operations a second, of one rank."""
        return self.operations / self.seconds / self.plan.ranks

    @property
    def mfu(self) -> float:
        """Model FLOPs utilization: `rate` as a share of the processor's peak."""
        return self.rate / self.peak if self.peak else 0.0

    @property
    def waits(self) -> list[Event]:
        """The gaps in what each stage computes, from the step's start to its end."""
        found = []
        for stage in range(self.plan.pipeline):
            mine = [one for one in self.events if (one.stage, one.stream) == (stage, "compute")]
            ends = [0.0, *(one.end for one in mine)]
            starts = [*(one.start for one in mine), self.seconds]
            gaps = zip(ends, starts, strict=True)
            found += [Event(stage, "compute", "wait", a, b) for a, b in gaps if b > a]
        return found


def simulate(compute: Compute, topology: Topology, plan: Plan, batch: int) -> Step:
    """Simulate one training step of `batch` samples over all ranks.

    >>> from norch_ddp.simulate import Layer, Level
    >>> layers = [Layer(f"layer {i}", 1000, 0.01, 0.02, 4000, 8000) for i in range(4)]
    >>> alone = simulate(Compute(layers, 8), Topology(Level("cores", 4, 0, 1e9)), Plan(), 8)
    >>> round(alone.seconds, 6)
    0.12
    """
    if plan.ranks > topology.ranks:
        raise ValueError(
            f"[simulate] {plan}: {plan.ranks} ranks, where the topology has {topology.ranks}"
        )
    costs = Costs(compute, topology, plan, batch)
    stages = [Stage(place, chunks, costs) for place, chunks in enumerate(chunks_of(compute, plan))]
    _run(stages, plan)
    ends = [stage.finish() for stage in stages]
    seconds = max(ends)
    parts = stages[ends.index(seconds)].parts(seconds)
    events = [event for stage in stages for event in stage.events]
    tokens = batch * compute.tokens
    kept = memory(compute, plan, batch)
    operations = tokens * compute.operations
    return Step(plan, seconds, kept, events, tokens, parts, operations, compute.peak)


def _run(stages: list[Stage], plan: Plan) -> None:
    """Run all passes: each stage in its order, each pass as soon as what it needs has arrived."""
    waiting = [
        deque(passes(place, plan.pipeline, plan.micro_batches, plan.chunks))
        for place in range(plan.pipeline)
    ]
    done: dict[Pass, float] = {}  # when the result of a pass is where it is needed
    ready = deque(range(plan.pipeline))
    while ready:
        place = ready.popleft()
        order, stage = waiting[place], stages[place]
        moved = False
        while order:
            arrived = [done.get(one) for one in needs(order[0], plan.pipeline, plan.chunks)]
            if None in arrived:
                break
            what = order.popleft()
            done[what] = stage.run(what, max((at for at in arrived if at), default=0.0))
            moved = True
        if moved:
            ready += [(place + 1) % plan.pipeline, (place - 1) % plan.pipeline]
    if any(waiting):
        raise RuntimeError(f"[simulate] {plan}: stages wait for each other for ever")
