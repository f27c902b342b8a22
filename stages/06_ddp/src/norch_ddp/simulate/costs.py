"""What one pass of a micro-batch through a layer costs a rank, by reason: kernels and messages.

`steps` adds these up event by event, `search` in one formula. Nothing here knows of time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from norch_ddp.simulate.compute import Compute, Layer
from norch_ddp.simulate.network import Message, Topology
from norch_ddp.simulate.plan import Plan, samples_of


class Cost(NamedTuple):
    """Seconds of a pass: its kernels, those computed again, and messages that it waits for."""

    kernels: float = 0.0
    again: float = 0.0
    tensor: float = 0.0
    context: float = 0.0
    gather: float = 0.0

    @property
    def seconds(self) -> float:
        """All of them."""
        return self.kernels + self.again + self.tensor + self.context + self.gather


def total(costs: Iterable[Cost]) -> Cost:
    """Return the sum of costs, reason by reason."""
    return Cost(*map(sum, zip(*costs, strict=True)))


class Costs:
    """The costs of a plan: `of` a layer, forward and back, and of messages with parameters."""

    def __init__(self, compute: Compute, topology: Topology, plan: Plan, batch: int) -> None:
        self.compute, self.topology, self.plan = compute, topology, plan
        self.samples = samples_of(compute, plan, batch)
        self.scale = self.samples / compute.samples / plan.context  # of a layer's bytes
        self._beside = plan.tensor * plan.pipeline  # from a rank to the next with other samples
        self._found: dict[int, tuple[Cost, Cost]] = {}

    def of(self, layer: Layer) -> tuple[Cost, Cost]:
        """Return what a layer costs on the way forward and back, found once for layers alike."""
        alike = id(layer.kernels or layer)
        if alike not in self._found:
            self._found[alike] = self._cost(layer)
        return self._found[alike]

    def model(self) -> Cost:
        """Return what a micro-batch costs through all layers, forward and back."""
        alike = Counter(id(layer.kernels or layer) for layer in self.compute.layers)
        one_each = {id(layer.kernels or layer): layer for layer in self.compute.layers}
        return total(
            Cost(*(alike[name] * part for part in cost))
            for name, layer in one_each.items()
            for cost in self.of(layer)
        )

    def _cost(self, layer: Layer) -> tuple[Cost, Cost]:
        """Return a layer's costs. Full recomputation also sends again what forward sends.

        The loss, which hands nothing on, is not computed again: its backward follows at once.
        """
        plan, share = self.plan, self.samples / self.compute.samples
        seconds = layer.seconds(self.samples, share, plan.tensor, plan.context, plan.sequence)
        tensor, context = self._messages(layer)
        ahead = Cost(seconds.forward, 0, tensor, context, self._wait(layer, seconds.forward))
        recompute = plan.recompute if layer.output else "none"
        again = {"none": 0.0, "selective": seconds.core, "full": seconds.forward}[recompute]
        rounds = 2 if recompute == "full" else 1
        wait = self._wait(layer, seconds.backward)
        back = Cost(seconds.backward, again, rounds * tensor, rounds * context, wait)
        return ahead, back

    def parameters(self, layer: Layer) -> float:
        """Return how many of a layer's parameters one rank computes with."""
        return layer.parameters / self.plan.tensor

    def gather(self, parameters: float) -> Message:
        """Return the all_gather of so many parameters over the ranks that share them."""
        nbytes = parameters * self.compute.itemsize
        return self.topology.all_gather(nbytes, self.plan.replicas, self._beside)

    def reduce(self, nbytes: float) -> Message:
        """Return the sum of gradients, on all data ranks or (ZeRO) each part on one."""
        halves = self.topology.all_reduce, self.topology.all_gather
        return halves[self.plan.zero > 0](nbytes, self.plan.replicas, self._beside)

    def hand_on(self, layer: Layer, stage: int) -> Message:
        """Return the message with a layer's output from a stage to the next, or last to first.

        Each tensor rank sends a part, which they gather where positions are not divided anyway
        (Megatron-LM's scatter/gather, Narayanan et al., 2021, section 4.1).
        """
        plan, nbytes = self.plan, layer.output * self.scale
        stride = plan.tensor * plan.context
        wraps = stage == plan.pipeline - 1
        sender, far = (0, stride * stage) if wraps else (stage * stride, stride)
        sent = self.topology.send(nbytes / plan.tensor, sender, far)
        if plan.sequence:
            return sent
        whole = self.topology.all_gather(nbytes, plan.tensor)
        return Message(sent.seconds + whole.seconds, sent.work + whole.work)

    def _messages(self, layer: Layer) -> tuple[float, float]:
        """Return the seconds of a layer's sums over tensor ranks, and of gathering its keys.

        With `sequence` a sum is a reduce-scatter, and an all-gather before the next product.
        """
        plan, nbytes = self.plan, layer.output * self.scale
        if plan.sequence:
            once = 2 * self.topology.all_gather(nbytes, plan.tensor).seconds
        else:
            once = self.topology.all_reduce(nbytes, plan.tensor).seconds
        keys = layer.keys * self.scale * plan.context / plan.tensor
        gathered = self.topology.all_gather(keys, plan.context, plan.tensor)
        return layer.sums * once, gathered.seconds

    def _wait(self, layer: Layer, beside: float) -> float:
        """Return how long a layer waits for its parameters with ZeRO-3."""
        if self.plan.zero < 3:
            return 0.0
        seconds = self.gather(self.parameters(layer)).seconds
        return max(0.0, seconds - beside) if self.plan.prefetch else seconds
