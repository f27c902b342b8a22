"""One training step, event by event: what each pipeline stage computes and sends, and when.

`simulate` is the entry. Ranks that share a stage do the same at the same time, so one of them is
followed. Left out: failing ranks, ranks that straggle more than when they were measured, traffic of
others on the links, that MPI moves a message on only while somebody looks, kernels that wait for
the memory that messages use, a last stage's own copy of a table that it shares with the first, and
the reading of data.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import islice
from typing import NamedTuple

from norch_ddp.simulate.compute import Compute, Layer
from norch_ddp.simulate.costs import Cost, Costs, total
from norch_ddp.simulate.network import Topology
from norch_ddp.simulate.order import Pass, needs, passes
from norch_ddp.simulate.plan import Memory, Plan, chunks_of, memory
from norch_ddp.simulate.schedule import Gradient, bucket_schedule


class Event(NamedTuple):
    """Something that a stage does, or a link for it: "F3" is the forward of micro-batch 3.

    "F3.1" is that of its chunk 1. `wire` are those of the seconds that go to messages inside it.
    """

    stage: int
    stream: str  # "compute" or "network"
    what: str
    start: float
    end: float
    wire: float = 0.0


class Parts(NamedTuple):
    """Where the seconds of the slowest stage went: they add up to the step's."""

    kernels: float
    again: float  # kernels that recomputation repeats
    tensor: float  # sums over tensor ranks
    context: float  # keys and values of other context ranks
    gather: float  # parameters of ZeRO-3
    waiting: float  # the bubble, and messages between stages
    gradients: float  # what backward does not hide of them
    optimizer: float


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

    >>> from norch_ddp.simulate import Level
    >>> layers = [Layer(f"layer {i}", 1000, 0.01, 0.02, 4000, 8000) for i in range(4)]
    >>> alone = simulate(Compute(layers, 8), Topology(Level("cores", 4, 0, 1e9)), Plan(), 8)
    >>> round(alone.seconds, 6)
    0.12
    """
    plan.check()
    if plan.ranks > topology.ranks:
        raise ValueError(
            f"[simulate] {plan}: {plan.ranks} ranks, where the topology has {topology.ranks}"
        )
    costs = Costs(compute, topology, plan, batch)
    stages = [_Stage(place, chunks, costs) for place, chunks in enumerate(chunks_of(compute, plan))]
    _run(stages, plan)
    ends = [stage.finish() for stage in stages]
    seconds = max(ends)
    parts = stages[ends.index(seconds)].parts(seconds)
    events = [event for stage in stages for event in stage.events]
    tokens = batch * compute.tokens
    kept = memory(compute, plan, batch)
    operations = tokens * compute.operations
    return Step(plan, seconds, kept, events, tokens, parts, operations, compute.peak)


def _run(stages: list[_Stage], plan: Plan) -> None:
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


class _Bucket(NamedTuple):
    """Gradients that travel together: of which layers, by number, and how many numbers."""

    layers: set[int]
    parameters: float


class _Stage:
    """The layers of one pipeline stage, with the clocks of its processor and of its link."""

    def __init__(self, place: int, chunks: list[list[Layer]], costs: Costs) -> None:
        self.place, self.chunks, self.costs = place, chunks, costs
        self.plan, self.compute = costs.plan, costs.compute
        self.now = self.link = 0.0
        self.events: list[Event] = []
        both = [[costs.of(layer) for layer in chunk] for chunk in chunks]
        self._backward = [[back for _, back in chunk] for chunk in both]
        self._cost = {
            "F": [total(ahead for ahead, _ in chunk) for chunk in both],
            "B": [total(chunk) for chunk in self._backward],
        }
        self._message = {
            (kind, chunk): self._leaving(kind, chunk)
            for kind in "FB"
            for chunk in range(len(chunks))
        }
        self._buckets = [self._deal(i) for i in range(len(chunks))]

    def run(self, what: Pass, ready: float) -> float:
        """Simulate one pass of a micro-batch; return when its result is at the neighbour's."""
        start = self.now = max(self.now, ready)
        cost = self._cost[what.kind][what.chunk]
        last = what.micro_batch == self.plan.micro_batches - 1
        sends = what.kind == "B" and self.plan.replicas > 1 and self.plan.overlap
        if sends and (last or self.plan.zero >= 2):
            self._backward_and_send(what.chunk)
        else:
            self.now += cost.seconds
        name = f"{what.kind}{what.micro_batch}" + f".{what.chunk}" * (self.plan.chunks > 1)
        wire = cost.tensor + cost.context + cost.gather
        self.events.append(Event(self.place, "compute", name, start, self.now, wire))
        seconds, work = self._message[what.kind, what.chunk]
        self.now += work
        return self.now + seconds - work

    def finish(self) -> float:
        """Simulate the end of a step: wait for the link, write gradients, step the optimizer."""
        size = sum(self.costs.parameters(one) for chunk in self.chunks for one in chunk)
        if self.plan.replicas > 1 and not self.plan.overlap:
            self._launch(size)
        self._passed = self.now
        start = max(self.now, self.link)
        zero = self.plan.zero
        end = start + size / (self.plan.replicas if zero else 1) * self.compute.optimizer
        if zero in (1, 2) and not self.plan.prefetch:
            end += self.costs.gather(size).seconds
        self.events.append(Event(self.place, "compute", "step", start, end))
        return end

    def parts(self, seconds: float) -> Parts:
        """Return where a step's seconds went on this stage."""
        m = self.plan.micro_batches
        one = total(self._cost["F"] + self._cost["B"])
        step = self.events[-1]
        known = Cost(*(m * part for part in one))
        gradients, optimizer = step.start - self._passed, step.end - step.start
        waiting = max(0.0, seconds - known.seconds - gradients - optimizer)
        return Parts(*known, waiting, gradients, optimizer)

    def _leaving(self, kind: str, chunk: int) -> tuple[float, float]:
        """Return the seconds on the link and of the processor of handing on a pass's result."""
        far, first = self.plan.pipeline - 1, self.place == 0
        ends = self.place == far and chunk == len(self.chunks) - 1
        if kind == "F":
            return (0.0, 0.0) if ends else self.costs.hand_on(self.chunks[chunk][-1], self.place)
        if first and chunk == 0:
            return 0.0, 0.0
        before = far if first else self.place - 1  # the link is the same back
        return self.costs.hand_on(self.chunks[chunk][0], before)

    def _backward_and_send(self, chunk: int) -> None:
        """All layers of a chunk from the last one; a bucket leaves as soon as it is full.

        ZeRO-2 and 3 keep no whole gradient, so they send after every micro-batch, the others once.
        """
        buckets = iter(self._buckets[chunk])
        bucket, ready = next(buckets, None), set()
        for place in reversed(range(len(self.chunks[chunk]))):
            self.now += self._backward[chunk][place].seconds
            ready.add(place)
            while bucket is not None and bucket.layers <= ready:
                if bucket.parameters:
                    self._launch(bucket.parameters)
                bucket = next(buckets, None)

    def _deal(self, chunk: int) -> list[_Bucket]:
        """Return a chunk's buckets in the order in which they leave: as DDP deals gradients out."""
        layers, tensor = self.chunks[chunk], self.plan.tensor
        if self.plan.replicas == 1:
            return []
        if self.plan.bucket_bytes is None:
            return self._schedule(chunk)
        most = self.plan.bucket_bytes / self.compute.itemsize
        buckets: list[_Bucket] = []
        for place in reversed(range(len(layers))):
            for size in layers[place].tensors or [layers[place].parameters]:
                if not buckets or buckets[-1].parameters + size / tensor > most:
                    buckets.append(_Bucket(set(), 0.0))
                inside, size_so_far = buckets[-1]
                buckets[-1] = _Bucket(inside | {place}, size_so_far + size / tensor)
        return buckets

    def _schedule(self, chunk: int) -> list[_Bucket]:
        """Return the buckets of `bucket_schedule`, whose last arrives the earliest."""
        layers, now, found = self.chunks[chunk], 0.0, []
        backward = range(len(layers))[::-1]
        for place in backward:
            now += self._backward[chunk][place].seconds
            nbytes = self.costs.parameters(layers[place]) * self.compute.itemsize
            found.append(Gradient(now, nbytes))
        counts = bucket_schedule(found, lambda nbytes: self.costs.reduce(nbytes).seconds)
        places = iter(backward)
        parts = [list(islice(places, count)) for count in counts]
        return [
            _Bucket(set(part), sum(self.costs.parameters(layers[i]) for i in part))
            for part in parts
        ]

    def _launch(self, parameters: float) -> None:
        """Simulate a bucket's message: it waits for those before, and takes processor time too."""
        self.now += parameters * self.compute.packing
        message = self.costs.reduce(parameters * self.compute.itemsize)
        start = max(self.now, self.link)
        self.link = start + message.seconds
        self.now += message.work
        self.events.append(Event(self.place, "network", "gradients", start, self.link))
