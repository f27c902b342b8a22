"""One training step, event by event: what each pipeline stage computes and sends, and when.

`simulate` is the entry, `best` tries all plans. Ranks that share a stage do the same at the same
time, so one of them is followed. Left out: batches too small to keep the processor busy, failing
ranks, ranks that straggle more than when they were measured, traffic of others on the links, that
MPI moves a message on only while somebody looks, kernels that wait for the memory that messages
use, a last stage's own copy of a table that it shares with the first, and the reading of data.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from norch_ddp.model_parallel.pipeline import Schedule1F1B
from norch_ddp.simulate.compute import Compute, Layer
from norch_ddp.simulate.network import Message, Topology
from norch_ddp.simulate.plan import Memory, Plan, fitting, memory, samples_of, stages_of
from norch_ddp.simulate.schedule import Gradient, bucket_schedule


class Event(NamedTuple):
    """Something that a stage does, or a link for it: "F3" is the forward of micro-batch 3."""

    stage: int
    stream: str  # "compute" or "network"
    what: str
    start: float
    end: float


class Step(NamedTuple):
    """A simulated step."""

    plan: Plan
    seconds: float
    memory: Memory
    events: list[Event]
    tokens: int

    @property
    def tokens_per_second(self) -> float:
        """Tokens of the whole batch per second."""
        return self.tokens / self.seconds


class Pass(NamedTuple):
    """Forward ("F") or backward ("B") of one micro-batch through one stage."""

    kind: str
    stage: int
    micro_batch: int


def simulate(compute: Compute, topology: Topology, plan: Plan, batch: int) -> Step:
    """Simulate one training step of `batch` samples over all ranks.

    >>> from norch_ddp.simulate import Level
    >>> layers = [Layer(f"layer {i}", 1000, 0.01, 0.02, 4000, 8000) for i in range(4)]
    >>> alone = simulate(Compute(layers, 8), Topology(Level("cores", 4, 0, 1e9)), Plan(), 8)
    >>> round(alone.seconds, 6)
    0.12
    """
    if plan.ranks > topology.ranks:
        raise ValueError(
            f"[simulate] {plan}: {plan.ranks} ranks, where the topology has {topology.ranks}"
        )
    stages = [
        _Stage(place, layers, compute, topology, plan, batch)
        for place, layers in enumerate(stages_of(compute, plan.pipeline))
    ]
    waiting = [_passes(plan, place) for place in range(plan.pipeline)]
    done: dict[Pass, float] = {}  # when the result of a pass is where it is needed
    coming = [next(order, None) for order in waiting]
    while any(coming):
        for place, stage in enumerate(stages):
            while (what := coming[place]) and None not in (
                ready := [done.get(one) for one in _needs(*what, plan)]
            ):
                done[what] = stage.run(what, max((at for at in ready if at), default=0.0))
                coming[place] = next(waiting[place], None)
    seconds = max(stage.finish() for stage in stages)
    events = [event for stage in stages for event in stage.events]
    return Step(plan, seconds, memory(compute, plan, batch), events, batch * compute.tokens)


def _passes(plan: Plan, place: int) -> Iterator[Pass]:
    """Yield a stage's passes in 1F1B's order."""
    actions = Schedule1F1B.actions(place, plan.pipeline, plan.micro_batches)
    return (Pass(kind, place, i) for kind, i in actions)


def _needs(kind: str, stage: int, micro_batch: int, plan: Plan) -> list[Pass]:
    """Return the passes whose results a simulated pass waits for."""
    if kind == "F":
        return [Pass("F", stage - 1, micro_batch)] if stage else []
    own = Pass("F", stage, micro_batch)
    return [own, Pass("B", stage + 1, micro_batch)] if stage < plan.pipeline - 1 else [own]


class _Bucket(NamedTuple):
    """Gradients that travel together: of which layers, by number, and how many numbers."""

    layers: set[int]
    parameters: float


class _Stage:
    """The layers of one pipeline stage, with the clocks of its processor and of its link."""

    def __init__(
        self,
        place: int,
        layers: list[Layer],
        compute: Compute,
        topology: Topology,
        plan: Plan,
        batch: int,
    ) -> None:
        self.place, self.layers, self.compute = place, layers, compute
        self.topology, self.plan = topology, plan
        self._stride = plan.tensor * plan.pipeline  # from a rank to the next with other samples
        self.scale = samples_of(compute, plan, batch) / compute.samples
        self.now = self.link = 0.0
        self.events: list[Event] = []
        self.seconds = {
            "F": sum(self._layer_seconds(layer, layer.forward) for layer in layers),
            "B": sum(self._layer_seconds(layer, layer.backward) for layer in layers),
        }

    def run(self, what: Pass, ready: float) -> float:
        """Simulate one pass of a micro-batch; return when its result is at the neighbour's."""
        start = self.now = max(self.now, ready)
        last = what.micro_batch == self.plan.micro_batches - 1
        if what.kind == "B" and self.plan.data > 1 and (last or self.plan.zero >= 2):
            self._backward_and_send()
        else:
            self.now += self.seconds[what.kind]
        name = f"{what.kind}{what.micro_batch}"
        self.events.append(Event(self.place, "compute", name, start, self.now))
        has_neighbour = self.place < self.plan.pipeline - 1 if what.kind == "F" else self.place > 0
        if not has_neighbour:
            return self.now
        nbytes = self.layers[-1 if what.kind == "F" else 0].output * self.scale
        stage = what.stage if what.kind == "F" else what.stage - 1  # the link is the same back
        message = self.topology.send(nbytes, stage * self.plan.tensor, self.plan.tensor)
        self.now += message.work
        return self.now + message.seconds - message.work

    def finish(self) -> float:
        """Simulate the end of a step: wait for the link, write gradients, step the optimizer."""
        size = sum(layer.parameters for layer in self.layers) / self.plan.tensor
        start = max(self.now, self.link)
        data, zero = self.plan.data, self.plan.zero
        end = start + size / (data if zero else 1) * self.compute.optimizer
        if zero in (1, 2):
            end += self._gather(size).seconds
        self.events.append(Event(self.place, "compute", "step", start, end))
        return end

    def _layer_seconds(self, layer: Layer, seconds: float) -> float:
        """Return a layer's simulated seconds one way: also its parameters' gathering, and sums."""
        sums = self.topology.all_reduce(layer.output * self.scale, self.plan.tensor)
        whole = seconds * self.scale / self.plan.tensor + layer.sums * sums.seconds
        if self.plan.zero == 3:
            whole += self._gather(layer.parameters / self.plan.tensor).seconds
        return whole

    def _gather(self, parameters: float) -> Message:
        """Return the simulated all_gather of so many parameters over the data ranks."""
        nbytes = parameters * self.compute.itemsize
        return self.topology.all_gather(nbytes, self.plan.data, self._stride)

    def _backward_and_send(self) -> None:
        """All layers from the last one; a bucket leaves as soon as it is full.

        ZeRO-2 and 3 keep no whole gradient, so they send after every micro-batch, the others once.
        """
        buckets = iter(self._buckets)
        bucket, ready = next(buckets, None), set()
        for place in reversed(range(len(self.layers))):
            self.now += self._layer_seconds(self.layers[place], self.layers[place].backward)
            ready.add(place)
            while bucket is not None and bucket.layers <= ready:
                if bucket.parameters:
                    self._launch(bucket.parameters)
                bucket = next(buckets, None)

    @cached_property
    def _buckets(self) -> list[_Bucket]:
        """The simulated buckets in the order in which they leave: as DDP deals gradients out."""
        if self.plan.bucket_bytes is None:
            return self._schedule()
        tensors = [
            (place, size / self.plan.tensor)
            for place in reversed(range(len(self.layers)))
            for size in self.layers[place].tensors or [self.layers[place].parameters]
        ]
        buckets: list[_Bucket] = []
        most = self.plan.bucket_bytes / self.compute.itemsize
        for place, size in tensors:
            if not buckets or buckets[-1].parameters + size > most:
                buckets.append(_Bucket(set(), 0.0))
            layers, size_so_far = buckets[-1]
            buckets[-1] = _Bucket(layers | {place}, size_so_far + size)
        return buckets

    def _schedule(self) -> list[_Bucket]:
        """Return the buckets of `bucket_schedule`, whose last arrives the earliest."""
        now, found = 0.0, []
        backward = range(len(self.layers))[::-1]
        for place in backward:
            now += self._layer_seconds(self.layers[place], self.layers[place].backward)
            found.append(Gradient(now, self._parameters(place) * self.compute.itemsize))
        counts = bucket_schedule(found, lambda nbytes: self._reduce(nbytes).seconds)
        places = iter(backward)
        parts = [list(islice(places, count)) for count in counts]
        return [_Bucket(set(part), sum(map(self._parameters, part))) for part in parts]

    def _parameters(self, place: int) -> float:
        """Return how many of a layer's parameters one simulated rank has."""
        return self.layers[place].parameters / self.plan.tensor

    def _reduce(self, nbytes: float) -> Message:
        """Return the simulated sum of gradients, on all data ranks or (ZeRO) each part on one."""
        halves = self.topology.all_reduce, self.topology.all_gather
        return halves[self.plan.zero > 0](nbytes, self.plan.data, self._stride)

    def _launch(self, parameters: float) -> None:
        """Simulate a bucket's message: it waits for those before, and takes processor time too."""
        self.now += parameters * self.compute.packing
        message = self._reduce(parameters * self.compute.itemsize)
        start = max(self.now, self.link)
        self.link = start + message.seconds
        self.now += message.work
        self.events.append(Event(self.place, "network", "gradients", start, self.link))


def best(
    compute: Compute,
    topology: Topology,
    ranks: int,
    batch: int,
    room: float,
    most_tensor: int | None = None,
) -> list[Step]:
    """Return plans for `ranks` ranks that fit into `room` bytes a rank, the fastest first.

    Tensor parallelism stays inside the innermost level unless `most_tensor` says otherwise.
    """
    widest = topology.levels[0].ranks if most_tensor is None else most_tensor
    found = fitting(compute, ranks, batch, room, widest)
    steps = [simulate(compute, topology, plan, batch) for plan in found]
    return sorted(steps, key=lambda step: step.seconds)
