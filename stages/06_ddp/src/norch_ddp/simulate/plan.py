"""A plan says how ranks share a model: which dimensions, and what is done twice to save memory.

data x pipeline x context x tensor ranks: neighbours hold the parts of each layer (tensor), the next
ones other positions of the same samples (context), then other layers (pipeline), the farthest ones
other samples (data), as on a `DeviceMesh`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from norch_ddp.simulate.compute import Compute, Layer

RECOMPUTE = ("none", "selective", "full")


class Plan(NamedTuple):
    """How many ranks share each dimension, and what ZeRO (0 to 3) spreads over the data ranks.

    Without `bucket_bytes` the gradients are cut into buckets by `bucket_schedule`. `recompute`
    names what backward computes again: "none", attention ("selective") or every layer ("full").
    `chunks` are the pieces of the model that a stage has: more than one is the interleaved 1F1B.
    `sequence` divides by positions what tensor ranks would all keep. Without `overlap` gradients
    are sent after backward; with `prefetch` ZeRO-3 gathers a layer while another computes.

    >>> print(Plan(128, 8, 16, zero=1, micro_batches=16, chunks=8, sequence=True))
    128 data, 8 tensor, 16 pipeline, ZeRO-1, 16 micro-batches, 8 chunks, sequence
    """

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    zero: int = 0
    micro_batches: int = 1
    bucket_bytes: int | None = 1 << 20
    context: int = 1
    recompute: str = "none"
    chunks: int = 1
    sequence: bool = False
    overlap: bool = True
    prefetch: bool = False

    @property
    def ranks(self) -> int:
        """All ranks."""
        return self.replicas * self.tensor * self.pipeline

    @property
    def replicas(self) -> int:
        """The ranks that have the same parameters: those of data and those of context."""
        return self.data * self.context

    def check(self) -> None:
        """Raise ValueError for what no ranks could carry out."""
        if self.recompute not in RECOMPUTE:
            raise ValueError(f"[Plan] recompute={self.recompute!r}: expected one of {RECOMPUTE}")
        if self.chunks > 1 and (self.pipeline == 1 or self.micro_batches % self.pipeline):
            raise ValueError(
                f"[Plan] {self}: expected several stages, and micro-batches that are a multiple of "
                "them, where a stage has several chunks"
            )

    def __str__(self) -> str:
        words = [f"{self.data} data", f"{self.tensor} tensor", f"{self.pipeline} pipeline"]
        words += [f"{self.context} context"] * (self.context > 1)
        words += [f"ZeRO-{self.zero}"] * (self.zero > 0)
        words += [f"{self.micro_batches} micro-batches"] * (self.micro_batches > 1)
        words += [f"{self.chunks} chunks"] * (self.chunks > 1)
        words += ["sequence"] * self.sequence
        words += [f"{self.recompute} recompute"] * (self.recompute != "none")
        return ", ".join(words)


class Memory(NamedTuple):
    """Bytes of one rank."""

    parameters: float
    gradients: float
    optimizer: float
    buckets: float
    activations: float

    @property
    def total(self) -> float:
        """All of them."""
        return math.fsum(self)


def stages_of(compute: Compute, pipeline: int) -> list[list[Layer]]:
    """Cut a simulated model's layers into pieces of about equal time; none is empty."""
    costs = [layer.forward + layer.backward for layer in compute.layers]
    if not 1 <= pipeline <= len(costs):
        raise ValueError(
            f"[simulate] {pipeline} pipeline stages of {len(costs)} layers: expected at most one "
            "a layer"
        )
    whole, before = sum(costs) or 1.0, 0.0
    stages: list[list[Layer]] = [[] for _ in range(pipeline)]
    at = 0
    for i, (layer, cost) in enumerate(zip(compute.layers, costs, strict=True)):
        left = len(costs) - i  # layers that still come, this one too
        due = min(pipeline - 1, int(pipeline * (before + cost / 2) / whole))
        if stages[at] and (due > at or left <= pipeline - 1 - at) and at < pipeline - 1:
            at += 1
        stages[at].append(layer)
        before += cost
    return stages


def chunks_of(compute: Compute, plan: Plan) -> list[list[list[Layer]]]:
    """Return the layers of each stage, chunk by chunk: chunk c of stage s is piece c p + s."""
    pieces = stages_of(compute, plan.pipeline * plan.chunks)
    return [pieces[stage :: plan.pipeline] for stage in range(plan.pipeline)]


def memory(compute: Compute, plan: Plan, batch: int) -> Memory:
    """Return the simulated bytes of the fullest rank, for a step of `batch` samples.

    What a layer keeps is that of `stage_memory`, less what is recomputed, over the context ranks.
    """
    share = samples_of(compute, plan, batch) / compute.samples / plan.context
    alike = plan._replace(data=plan.replicas)  # context ranks have all parameters, as data ranks do
    stages = chunks_of(compute, plan)
    kept = [[_kept(layer, plan) for chunk in chunks for layer in chunk] for chunks in stages]
    found = [
        stage_memory(compute, alike, place, layers, share * _interleaved(plan, place))
        for place, layers in enumerate(kept)
    ]
    return max(found, key=lambda one: one.total)


def _interleaved(plan: Plan, stage: int) -> float:
    """Return how many times as much a stage keeps because it has several chunks.

    Forward runs 2 (p - stage - 1) + (v - 1) p passes of a v-th of the stage ahead (Korthikanti et
    al., "Reducing Activation Recomputation in Large Transformer Models", 2022, section 4.2.3).
    """
    if plan.chunks == 1:
        return 1.0
    ahead = 2 * (plan.pipeline - stage - 1) + (plan.chunks - 1) * plan.pipeline + 1
    most = plan.chunks * plan.micro_batches
    return min(ahead, most) / plan.chunks / min(plan.micro_batches, plan.pipeline - stage)


def _kept(layer: Layer, plan: Plan) -> Layer:
    """Return a layer that keeps what this plan leaves it: with "full", no more than its input."""
    if plan.recompute == "full" and layer.output:
        kept = min(layer.kept, layer.output)
        return layer._replace(kept=kept, kept_whole=0 if plan.sequence else kept)
    kept = layer.kept - (layer.kept_core if plan.recompute == "selective" else 0)
    return layer._replace(kept=kept, kept_whole=0 if plan.sequence else layer.kept_whole)


def stage_memory(
    compute: Compute, plan: Plan, place: int, layers: list[Layer], share: float
) -> Memory:
    """Return the bytes of a rank of stage `place`, that of `layers`.

    `share` is the samples of a micro-batch over `compute.samples`, with which layers were measured.
    """
    # ex 6.14 begin
    size = sum(layer.parameters for layer in layers) / plan.tensor
    weights = gradients = size * compute.itemsize
    optimizer = size * compute.state / (plan.data if plan.zero >= 1 else 1)
    buckets = gradients if plan.data > 1 and plan.zero == 0 else 0.0
    if plan.zero >= 2:
        gradients /= plan.data
    if plan.zero == 3 and plan.data > 1:
        gathered = max(layer.parameters for layer in layers) / plan.tensor * compute.itemsize
        weights = weights / plan.data + gathered
    whole = sum(layer.kept_whole for layer in layers)
    kept = whole + (sum(layer.kept for layer in layers) - whole) / plan.tensor
    under_way = min(plan.micro_batches, plan.pipeline - place)
    return Memory(weights, gradients, optimizer, buckets, kept * share * under_way)
    # ex 6.14 end


def samples_of(compute: Compute, plan: Plan, batch: int) -> float:
    """Return the samples of one micro-batch; ValueError if the batch does not divide."""
    plan.check()
    parts = plan.data * plan.micro_batches
    if batch % parts:
        raise ValueError(
            f"[simulate] a batch of {batch} for {plan}: expected a multiple of {parts} samples"
        )
    return batch / parts


def plans(compute: Compute, ranks: int, batch: int, most_tensor: int) -> Iterator[Plan]:
    """Yield the plans for `ranks` ranks; tensor parallelism at most as wide as `most_tensor`."""
    for tensor in divisors(ranks):
        if tensor > most_tensor:
            break
        for pipeline in divisors(ranks // tensor):
            if pipeline > len(compute.layers):
                break
            data = ranks // tensor // pipeline
            if batch % data:
                continue
            counts = [n for n in divisors(batch // data) if n & (n - 1) == 0]
            for micro_batches in counts if pipeline > 1 else counts[:1]:
                for zero in range(4 if data > 1 else 1):
                    yield Plan(data, tensor, pipeline, zero, micro_batches)


def fitting(compute: Compute, ranks: int, batch: int, room: float, most_tensor: int) -> list[Plan]:
    """Return the plans that fit into `room` bytes a rank.

    Of ZeRO the least that fits, and ZeRO-1, which also divides the optimizer's time; more than
    that only sends more.
    """
    found: list[Plan] = []
    for plan in plans(compute, ranks, batch, most_tensor):
        before = found[-1]._replace(zero=plan.zero) if found else None
        if (plan.zero < 2 or plan != before) and memory(compute, plan, batch).total <= room:
            found.append(plan)
    return found


def divisors(number: int) -> list[int]:
    """Return into how many equal parts a plan can divide so many ranks or samples."""
    return [n for n in range(1, number + 1) if number % n == 0]
