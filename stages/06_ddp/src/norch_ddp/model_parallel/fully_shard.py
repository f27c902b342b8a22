"""ZeRO-2 and ZeRO-3: parameters, gradients and optimizer state are all dealt out by rows.

`fully_shard` is called for the parts of a model, small to large, and then for the model, as
PyTorch's FSDP2. Each such *unit* has its parameters whole only while its forward runs, and once
more while its backward does. For P bytes of parameters among N ranks, and Adam:

    memory of a rank          (P + P + 2 P) / N, and the largest unit whole (and its gradients)
    wire of a step, per rank  ZeRO-3: 3 (N - 1) / N P    all_gather, all_gather, reduce_scatter
                              ZeRO-2: 2 (N - 1) / N P    all_gather, reduce_scatter

A unit whose derivative needs no parameters is not gathered again: the first layer, whose input
wants no gradient. With `reshard_after_forward=False` (ZeRO-2) the graph keeps every unit whole
until its backward, so the second gather is saved, and the memory of all of P is back. In time:

    forward   gather 1 | run 1 | drop 1, gather 2 | run 2 | drop 2 ...
    backward  ... gather 2 | back 2 | scatter grads 2, drop 2, gather 1 | back 1 | scatter grads 1

How: the whole parameters are results of one recorded function, whose derivative is the
reduce_scatter. What operations keep of them is packed as "parameter i of this unit", not as
numbers, and unpacking gathers again. Nothing overlaps here; PyTorch's gathers one unit ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from norch_autograd import Tensor, as_strided, is_grad_enabled, no_grad
from norch_autograd.autograd import Function, saved_tensors_hooks
from norch_autograd.autograd.checkpoint import repeat_inside
from norch_autograd.types.modes import mode
from norch_ddp.collectives.collectives import ReduceOp, broadcast
from norch_ddp.groups.device_mesh import DeviceMesh
from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group
from norch_ddp.model_parallel.sharding import (
    GatheredPart,
    ShardedParameter,
    all_gather_rows,
    check_rows,
    make_rows,
    reduce_scatter_rows,
)
from norch_nn import Module, Parameter


def fully_shard(
    module: Module, *, mesh: DeviceMesh | None = None, reshard_after_forward: bool = True
) -> Module:
    """Deal out the parameters of `module` that no part of it has dealt out before; return it.

    All ranks start from rank 0's values. Make the optimizer afterwards: it gets this rank's rows.
    Gradients are means over the ranks.

    >>> dist.init_process_group()
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    >>> for part in [*model, model]:
    ...     _ = fully_shard(part)
    >>> type(model[0]).__name__, model(norch.ones(1, 2)).shape
    ('FSDPLinear', norch.Size([1, 1]))
    """
    group = current_group(None if mesh is None else mesh.get_group())
    with collective_check("fully_shard", group) as call:
        places = parameter_places(module)
        if isinstance(module, FSDPModule):
            raise ValueError("[fully_shard] this module is dealt out already")
        check_rows("fully_shard", [(place.name, place.parameter) for place in places], group)
        call.detail = f" of {[(p.name, tuple(p.parameter.shape)) for p in places]}"
    unit = Unit(places, group, reshard_after_forward)
    kind = type(module)
    module.__class__ = type(f"FSDP{kind.__name__}", (FSDPModule, kind), {})
    object.__setattr__(module, "_unit", unit)
    return module


class FSDPModule(Module):
    """What `fully_shard` makes of a module: forward runs with its parameters whole."""

    _unit: Unit

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Gather, run, drop."""
        with self._unit.whole():
            return super().forward(*args, **kwargs)


class Place(NamedTuple):
    """Where a parameter is an attribute; a tied one has several places."""

    module: Module
    name: str
    parameter: Parameter


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


class Unit:
    """Parameters that are gathered together, in one message, and scattered together."""

    def __init__(self, places: list[Place], group: ProcessGroup, reshard: bool) -> None:
        self.group = group
        self.reshard = reshard
        wholes = {id(place.parameter): place.parameter for place in places}
        numbers = {key: i for i, key in enumerate(wholes)}
        self.places = [(p.module, p.name, numbers[id(p.parameter)]) for p in places]
        self.shards: list[ShardedParameter] = []
        for parameter in wholes.values():
            broadcast(parameter, group.ranks[0], group)
            self.shards.append(make_rows(parameter, group))
            dealt_wholes[id(parameter)] = parameter
        self._show(self.shards)
        self._for_backward: list[Tensor] | None = None

    def _show(self, tensors: Any) -> None:
        """Make the module's attributes these tensors; their names stay registered."""
        for module, name, i in self.places:
            object.__setattr__(module, name, tensors[i])

    def _as_parts(self, wholes: Iterable[Tensor]) -> list[Tensor]:
        """Let what was a part before it was dealt out be that part again: see `GatheredPart`."""
        outer = [shard.shard.within for shard in self.shards]
        pairs = zip(wholes, outer, strict=True)
        return [whole if part is None else GatheredPart(whole, part) for whole, part in pairs]

    @contextmanager
    def _shown(self, wholes: Sequence[Tensor]) -> Iterator[None]:
        """Show whole parameters inside."""
        self._show(self._as_parts(wholes))
        try:
            yield
        finally:
            self._show(self.shards)

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Gather, and show whole parameters inside; for backward, note how to find them again."""
        if not self.shards:
            yield
            return
        self.drop()
        wholes = Gather.apply(self, self.gather(), *self.shards)
        with ExitStack() as stack:
            stack.enter_context(self._shown(wholes))
            if is_grad_enabled() and self.reshard:
                packing = Packing(self, wholes)
                stack.enter_context(packing.hooks())
                stack.enter_context(repeat_inside(packing.whole_again))
            else:
                stack.enter_context(repeat_inside(lambda: self._shown(wholes)))
            yield

    @contextmanager
    def whole_again(self) -> Iterator[None]:
        """Show whole parameters while backward repeats what `checkpoint` left out."""
        try:
            with self._shown(Gather.apply(self, self.whole_for_backward(), *self.shards)):
                yield
        finally:
            if not any(shard.requires_grad for shard in self.shards):
                self.drop()  # no gradients will be scattered

    def whole_for_backward(self) -> list[Tensor]:
        """Return the whole parameters for backward: gathered when it asks for the first."""
        if self._for_backward is None:
            self._for_backward = self.gather()
        return self._for_backward

    @property
    def holds_whole(self) -> bool:
        """Whether a backward is at work that has gathered the parameters."""
        return self._for_backward is not None

    def drop(self) -> None:
        """Forget what backward gathered."""
        self._for_backward = None

    @no_grad()
    def gather(self) -> list[Tensor]:
        """Fetch everybody's rows: one all_gather."""
        return all_gather_rows(self.shards, self.group)

    @no_grad()
    def scatter(self, grads: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        """Return the means of this rank's rows of the gradients: one reduce_scatter.

        A parameter that no rank used has no gradient, here as everywhere.
        """
        self.drop()
        with collective_check("fully_shard.backward", self.group) as call:
            call.detail = f", unused parameters: {[i for i, g in enumerate(grads) if g is None]}"
        used = [i for i, grad in enumerate(grads) if grad is not None]
        parts: list[Tensor | None] = [None] * len(grads)
        rows = reduce_scatter_rows([g for g in grads if g is not None], ReduceOp.MEAN, self.group)
        for i, part in zip(used, rows, strict=True):
            parts[i] = part
        return parts


class Gather(Function):
    """whole_i = the rows of all ranks; d rows_i = the mean over the ranks of d whole_i, my rows."""

    @staticmethod
    def forward(
        ctx: Any, unit: Unit, wholes: list[Tensor], *shards: Tensor
    ) -> tuple[Tensor, ...]:
        """Return the whole parameters, which the unit has gathered; frozen ones stay frozen."""
        ctx.unit = unit
        ctx.set_materialize_grads(False)
        pairs = zip(wholes, shards, strict=True)
        ctx.mark_non_differentiable(*(whole for whole, part in pairs if not part.requires_grad))
        return tuple(wholes)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Any, ...]:
        """Return nothing for the unit and the wholes, and each shard's gradient."""
        return (None, None, *ctx.unit.scatter(grads))


class View(NamedTuple):
    """What is kept in place of a whole parameter or a view of it."""

    number: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int


def as_it_is(kept: Any) -> Any:
    """Return what is kept, where there are no hooks outside."""
    return kept


class Packing:
    """Keeps "parameter i of the unit" for whole parameters, and views of them, in one forward.

    What else is kept goes through the hooks outside: those of a `checkpoint` around the unit.
    """

    def __init__(self, unit: Unit, wholes: tuple[Tensor, ...]) -> None:
        self._unit = unit
        self._outer = mode.packers[-1] if mode.packers else (as_it_is, as_it_is)
        self._numbers = {whole.untyped_storage().data_ptr(): i for i, whole in enumerate(wholes)}
        self._versions = self._versions_now()
        self._packs = self._unpacks = 0

    def hooks(self) -> saved_tensors_hooks:
        """Return the context in which operations keep parameters so."""
        return saved_tensors_hooks(self.pack, self.unpack)

    def pack(self, tensor: Tensor) -> Any:
        """Return a `View` of a parameter; leave other tensors to the hooks outside, if any."""
        number = self._numbers.get(tensor.untyped_storage().data_ptr())
        if number is None:
            return self._outer[0](tensor)
        self._packs += 1
        return View(number, tuple(tensor.shape), tensor.stride(), tensor.storage_offset())

    def unpack(self, handle: Any) -> Tensor:
        """Return what `pack` was given."""
        if not isinstance(handle, View):
            return self._outer[1](handle)
        self._check_versions()
        number, *place = handle
        found = as_strided(self._unit.whole_for_backward()[number], *place)
        self._unpacks += 1
        if self._unpacks % self._packs == 0:  # the last: also where no gradient is to be scattered
            self._unit.drop()
        return found

    @contextmanager
    def whole_again(self) -> Iterator[None]:
        """Show whole parameters while a part of this forward is repeated."""
        self._check_versions()
        with self._unit.whole_again():
            yield

    def _check_versions(self) -> None:
        """Refuse a backward after a change of the parameters."""
        if self._versions_now() != self._versions:
            raise RuntimeError(
                "[fully_shard] parameters were changed between forward and backward, which needs "
                "their old values: call backward before optimizer.step()"
            )

    def _versions_now(self) -> list[int]:
        """Return the versions of the unit's shards: another one after each change in place."""
        return [parameter._version for parameter in self._unit.shards]
