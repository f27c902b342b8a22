"""ZeRO-2 and ZeRO-3: parameters, gradients and optimizer state are all dealt out by rows.

`fully_shard` is called for the parts of a model, small to large, and then for the model, as
PyTorch's FSDP2. Each such *unit* has its parameters whole only while its forward runs, and once
more while its backward does. For P bytes of parameters among N ranks, and Adam:

    memory of a rank          (P + P + 2 P) / N, and the largest unit whole (and its gradients)
    wire of a step, per rank  ZeRO-3: 3 (N - 1) / N P    all_gather, all_gather, reduce_scatter
                              ZeRO-2: 2 (N - 1) / N P    all_gather, reduce_scatter
                              HSDP: the same among N ranks near each other, and among R replicas of
                              them 2 (R - 1) / R P / N: an all_reduce of a rank's rows

A unit whose derivative needs no parameters is not gathered again: the first layer, whose input
wants no gradient. With `reshard_after_forward=False` (ZeRO-2) the graph keeps every unit whole
until its backward, so the second gather is saved, and the memory of all of P is back. In time:

    forward   gather 1 | run 1 | drop 1, gather 2 | run 2 | drop 2 ...
    backward  ... gather 2 | back 2 | scatter grads 2, drop 2, gather 1 | back 1 | scatter grads 1

Here is what the user calls; unit.py does it. Nothing overlaps; PyTorch's gathers one unit ahead.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from norch_ddp.groups.device_mesh import DeviceMesh
from norch_ddp.groups.process_group import current_group
from norch_ddp.model_parallel.mixed_precision import MixedPrecisionPolicy
from norch_ddp.model_parallel.rows import check_rows
from norch_ddp.model_parallel.unit import Place, Unit, Way
from norch_nn import Module, Parameter


def fully_shard(
    module: Module,
    *,
    mesh: DeviceMesh | None = None,
    reshard_after_forward: bool = True,
    mp_policy: MixedPrecisionPolicy | None = None,
) -> Module:
    """Deal out the parameters of `module` that no part of it has dealt out before; return it.

    All ranks start from rank 0's values. Make the optimizer afterwards: it gets this rank's rows.
    Gradients are means over the ranks. A mesh of two sides has replicas along the first and deals
    out along the second: HSDP. Parts of tensor parallelism, along a third side, are dealt out too.

    >>> dist.init_process_group()
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    >>> for part in [*model, model]:
    ...     _ = fully_shard(part)
    >>> type(model[0]).__name__, model(norch.ones(1, 2)).shape
    ('FSDPLinear', norch.Size([1, 1]))
    """
    way = find_way(mesh, reshard_after_forward, mp_policy)
    places: list[Place] = []

    def check(_: int) -> str:
        places[:] = checked_places(module, way)
        return f" of {[(p.name, tuple(p.parameter.shape)) for p in places]}"

    way.state("fully_shard", check)
    unit = Unit(places, way)
    dealt_wholes.update({id(place.parameter): place.parameter for place in places})
    kind = type(module)
    module.__class__ = type(f"FSDP{kind.__name__}", (FSDPModule, kind), {})
    object.__setattr__(module, "_unit", unit)
    return module


def checked_places(module: Module, way: Way) -> list[Place]:
    """Return the places of what is to be dealt out; refuse what cannot be, in any of the groups."""
    if isinstance(module, FSDPModule):
        raise ValueError("[fully_shard] this module is dealt out already")
    places = parameter_places(module)
    for group in way.groups:
        check_rows("fully_shard", [(place.name, place.parameter) for place in places], group)
    return places


def find_way(mesh: DeviceMesh | None, reshard: bool, mp_policy: MixedPrecisionPolicy | None) -> Way:
    """Return among which groups a module is dealt out, and how."""
    if mesh is not None and mesh.ndim > 2:
        raise ValueError(
            f"[fully_shard] a mesh of {mesh.ndim} sides: give one side to deal out along, or two, "
            f'of which the first has replicas: mesh["replicate", "shard"] of {mesh!r}'
        )
    replicas = mesh.get_group(0) if mesh is not None and mesh.ndim == 2 else None
    group = current_group(None if mesh is None else mesh.get_group(mesh.ndim - 1))
    return Way(group, replicas, reshard, mp_policy or MixedPrecisionPolicy())


class FSDPModule(Module):
    """What `fully_shard` makes of a module: forward runs with its parameters whole."""

    _unit: Unit

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Gather, run, drop."""
        policy = self._unit.way.mp_policy
        args, kwargs = policy.cast_inputs((args, kwargs))
        with self._unit.whole():
            output = super().forward(*args, **kwargs)
        return policy.cast_output(output)

    def unshard(self) -> None:
        """Gather this unit now, for the next forward: until then its parameters are whole.

        They are copies: what is written to them is lost with them, when the forward is over or at
        `reshard()`. Write to the shards, before; a state_dict has these, and is loaded into these.
        """
        self._unit.gather_ahead()

    def set_modules_to_forward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Take PyTorch's hint which units to gather early; here each is gathered when it runs."""

    def set_modules_to_backward_prefetch(self, modules: list[FSDPModule]) -> None:
        """Take the same hint for backward."""

    def reshard(self) -> None:
        """Let go of what `unshard` has gathered."""
        self._unit.reshard()


dealt_wholes: WeakValueDictionary[int, Parameter] = WeakValueDictionary()
"""By id, parameters whose rows are dealt out, if a module still has one whole."""


def parameter_places(module: Module) -> list[Place]:
    """Return the places of all parameters that no part of the module has dealt out yet.

    One that another unit has dealt out is shared with it, and would be two from now on.
    """
    units = [part._unit for part in module.modules() if isinstance(part, FSDPModule)]
    dealt = {id(shard) for unit in units for shard in unit.shards}
    places = [
        Place(owner, name, parameter)
        for owner in module.modules()
        for name, parameter in owner._parameters.items()
        if parameter is not None and id(parameter) not in dealt
    ]
    for place in places:
        if id(place.parameter) in dealt_wholes:
            raise ValueError(
                f"[fully_shard] {place.name} of a {type(place.module).__name__} is shared with a "
                "module that is dealt out already: call fully_shard for a module that has both, "
                "and not for its parts with the shared one"
            )
    return places
