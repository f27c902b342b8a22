"""Modules that work on this rank's positions, (B, T / N, W), with weights that each rank has whole.

`SequenceParallel` of parallel_styles.py makes them of a norm, a dropout, or what else treats each
position by itself. What is whole sees some positions here and the rest elsewhere, so its gradients
are summed over the ranks. Which of the library's modules may do so stands here, as a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from norch_autograd import Tensor
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.model_parallel.layouts import Shard, redistribute
from norch_ddp.model_parallel.tensor_parallel import WHOLE, Copy
from norch_nn import (
    ELU,
    GELU,
    SELU,
    Identity,
    LayerNorm,
    LeakyReLU,
    Linear,
    LogSigmoid,
    Module,
    PReLU,
    ReLU,
    RMSNorm,
    Sigmoid,
    SiLU,
    Softplus,
    Tanh,
)
from norch_nn.modules.container import ListContainer

ACTIVATIONS = (ELU, GELU, LeakyReLU, LogSigmoid, PReLU, ReLU, SELU, Sigmoid, SiLU, Softplus, Tanh)
BY_POSITION = (*ACTIVATIONS, Identity, LayerNorm, Linear, ListContainer, RMSNorm)
"""The library's modules that treat each position by itself, and draw nothing."""


def is_by_position(part: Module) -> bool:
    """Whether a library's module treats each position by itself; one's own counts as such."""
    if isinstance(part, PerPosition):
        return False
    kinds = [k for k in type(part).__mro__ if issubclass(k, Module) and k is not Module]
    library = [kind for kind in kinds if kind.__module__.startswith("norch")]
    return not library or isinstance(part, BY_POSITION)


class PerPosition(Module):
    """What `SequenceParallel` makes of a module."""

    _positions: tuple[int, ProcessGroup]  # along which dim, and who has the others

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run it with weights whose gradients are summed over the ranks."""
        with summed_gradients(self, self._positions[1]):
            return super().forward(*args, **kwargs)


class SequenceDropout(PerPosition):
    """A dropout that draws for all positions, as one process would, and takes its own."""

    def forward(self, x: Tensor) -> Tensor:
        """Zero elements of x (B, T / N, W); ranks that draw alike zero as one process does."""
        dim, group = self._positions
        shape = list(x.shape)
        shape[dim] *= group.size
        whole = super().forward(x.new_ones(shape)) if self.training else x.new_ones(shape)
        return x * redistribute(whole, WHOLE, Shard(dim), group)


@contextmanager
def summed_gradients(module: Module, group: ProcessGroup) -> Iterator[None]:
    """Show each parameter of `module` through `Copy` inside.

    Whatever stands there is taken: under `fully_shard` it is what the unit has gathered.
    """
    shown = [
        (owner, name, getattr(owner, name))
        for owner in module.modules()
        for name, parameter in owner._parameters.items()
        if parameter is not None
    ]
    try:
        for owner, name, tensor in shown:
            object.__setattr__(owner, name, Copy.apply(tensor, group))
        yield
    finally:
        for owner, name, tensor in shown:
            object.__setattr__(owner, name, tensor)
