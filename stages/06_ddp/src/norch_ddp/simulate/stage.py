"""One pipeline stage of a simulated step: what its processor and its link do, and when.

`steps` runs the stages' passes as their inputs arrive. Gradients leave in buckets during the last
backward of each chunk, as DDP sends them.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from norch_ddp.simulate.compute import Layer
from norch_ddp.simulate.costs import Cost, Costs, total
from norch_ddp.simulate.order import Pass
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


class _Bucket(NamedTuple):
    """Gradients that travel together: of which layers, by number, and how many numbers."""

    layers: set[int]
    parameters: float


class Stage:
    """The layers of one pipeline stage, with the clocks of its processor and of its link."""

    def __init__(self, place: int, chunks: list[list[Layer]], costs: Costs) -> None:
        self.place, self.chunks, self.costs = place, chunks, costs
        self.plan, self.compute = costs.plan, costs.compute
        self.now = self.link = self._passed = 0.0  # of the processor, the link, the last pass
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
