"""What a model computes in a step, layer by layer: all that the simulation needs of a model.

Times are those of one rank that computes `samples` samples; half the samples are taken to need half
the time, unless a layer's `kernels` say otherwise. `measure` and `transformer` make such lists.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Seconds(NamedTuple):
    """What the kernels of a layer take one way and back, and of the first `core`: attention."""

    forward: float
    backward: float
    core: float = 0.0


class Kernels(Protocol):
    """The kernels of a layer whose times follow from their shapes: `transformer` has such."""

    def seconds(self, samples: float, tensor: int, context: int, sequence: bool) -> Seconds:
        """Return the seconds of one of `tensor` x `context` ranks, for a micro-batch."""


class Layer(NamedTuple):
    """One layer: its size, its times in seconds, and bytes of what it hands on and keeps.

    `sums` is how often tensor parallelism adds its output up over the ranks, in forward and again
    in backward: 1 for a row-parallel Linear, 2 for a transformer's block. `kept_whole` are those of
    the kept bytes that it does not divide: inputs and masks that every tensor rank has. `tensors`
    are the sizes of its parameters, in the order in which their gradients come. `kept_core` are
    those of the kept bytes that selective recomputation drops, attention's matrices, and `keys` the
    bytes of keys and values, which context parallelism gathers. With `kernels` the times of a rank
    follow from shapes, and `forward` and `backward` are those of one rank alone.
    """

    name: str
    parameters: int
    forward: float
    backward: float
    output: int
    kept: int
    sums: int = 0
    kept_whole: int = 0
    tensors: Sequence[int] = ()
    kept_core: int = 0
    keys: int = 0
    kernels: Kernels | None = None

    def seconds(
        self, samples: float, share: float, tensor: int, context: int, sequence: bool
    ) -> Seconds:
        """Return a rank's seconds for `samples`, `share` of those that the times are of."""
        if self.kernels is not None:
            return self.kernels.seconds(samples, tensor, context, sequence)
        part = share / tensor / context
        return Seconds(self.forward * part, self.backward * part)


class Compute(NamedTuple):
    """A model's layers in order, for `samples` samples of `tokens` each.

    `itemsize` is the bytes of a parameter and of its gradient, `state` those of the optimizer per
    parameter; `optimizer` and `packing` the seconds per parameter of its step, and of what DDP does
    with its gradient besides sending it. `runs` are the seconds of whole steps that were measured.
    `operations` are those of a token's forward and backward, `peak` the operations a second that
    a rank's data sheet tells; both are 0 where nobody counted.
    """

    layers: Sequence[Layer]
    samples: int
    tokens: int = 1
    itemsize: int = 4
    state: int = 8
    optimizer: float = 0.0
    packing: float = 0.0
    runs: Sequence[float] = ()
    operations: float = 0.0
    peak: float = 0.0

    @property
    def parameters(self) -> int:
        """Parameters of all layers."""
        return sum(layer.parameters for layer in self.layers)
