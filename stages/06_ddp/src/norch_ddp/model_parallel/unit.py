"""A unit of `fully_shard`: parameters that are gathered in one message, and scattered in one.

The whole parameters are results of one recorded function, `Gather`, whose derivative is the
reduce_scatter. While the module runs they are its attributes in place of the shards; what
operations keep of them is packed (see packing.py), so that they can be let go until backward.
Among ranks in rows and columns (HSDP) a unit is cut along one side of the mesh, and its gradients
are averaged along the other too.

Units are numbered in each group, and ranks state the number with every message: two layers of equal
shapes, of which some ranks run one and some the other, would be mixed without a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any, NamedTuple

from norch_autograd import Tensor, is_grad_enabled, no_grad
from norch_autograd.autograd import Function
from norch_autograd.autograd.checkpoint import repeat_inside
from norch_ddp.collectives.collectives import ReduceOp
from norch_ddp.collectives.composed import broadcast_coalesced
from norch_ddp.groups.process_group import ProcessGroup, collective_check
from norch_ddp.model_parallel.mixed_precision import MixedPrecisionPolicy
from norch_ddp.model_parallel.packing import Packing
from norch_ddp.model_parallel.rows import (
    all_gather_rows,
    all_reduce_together,
    make_rows,
    reduce_scatter_rows,
)
from norch_ddp.model_parallel.sharding import GatheredPart, ShardedParameter
from norch_nn import Module, Parameter
from norch_nn.core.hooks import RemovableHandle


class Place(NamedTuple):
    """Where a parameter is an attribute; a tied one has several places."""

    module: Module
    name: str
    parameter: Parameter


class Way(NamedTuple):
    """How a unit is dealt out: among a group, the same in each of its `replicas`."""

    group: ProcessGroup
    replicas: ProcessGroup | None = None
    reshard_after_forward: bool = True
    mp_policy: MixedPrecisionPolicy = MixedPrecisionPolicy()

    @property
    def groups(self) -> list[ProcessGroup]:
        """Both groups, or the one there is."""
        return [self.group] if self.replicas is None else [self.group, self.replicas]

    def state(self, op: str, detail: Callable[[int], str]) -> None:
        """State a call in each of the groups, also after a refusal: the others wait to hear of it.

        `detail(i)` checks what is called, and says it to group i.
        """
        refusal: Exception | None = None
        for i, group in enumerate(self.groups):
            try:
                with collective_check(op, group) as call:
                    if refusal is not None:
                        raise refusal
                    call.detail = detail(i)
            except Exception as error:
                refusal = refusal or error
        if refusal is not None:
            raise refusal


unit_counts: Counter[tuple[int, ...]] = Counter()
"""How many units each group has, by its ranks: all of them make them in the same order."""


class Unit:
    """Parameters that are gathered together and scattered together."""

    def __init__(self, places: list[Place], way: Way) -> None:
        self.way = way
        wholes = {id(place.parameter): place.parameter for place in places}
        numbers = {key: i for i, key in enumerate(wholes)}
        self.places = [(p.module, p.name, numbers[id(p.parameter)]) for p in places]
        self.names = [numbered(group, places) for group in way.groups]
        for group in way.groups:
            broadcast_coalesced(wholes.values(), group.ranks[0], group)
        self.shards: list[ShardedParameter] = []
        for parameter in wholes.values():
            self.shards.append(make_rows(parameter, way.group))
        self._show(self.shards)
        self._ahead: tuple[list[int], list[Tensor]] | None = None
        self._for_backward: list[Tensor] | None = None
        self._handles: list[RemovableHandle] = []

    def _show(self, tensors: Any) -> None:
        """Make the module's attributes these tensors; their names stay registered."""
        for module, name, i in self.places:
            object.__setattr__(module, name, tensors[i])

    def _show_wholes(self, wholes: Iterable[Tensor]) -> None:
        """Show whole parameters; what was a part before is that part: see `GatheredPart`."""
        outer = [shard.shard.within for shard in self.shards]
        pairs = zip(wholes, outer, strict=True)
        self._show([w if part is None else GatheredPart(w, part) for w, part in pairs])

    @contextmanager
    def _shown(self, wholes: Sequence[Tensor]) -> Iterator[None]:
        """Show whole parameters inside."""
        self._show_wholes(wholes)
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
        wholes = Gather.apply(self, self._take_ahead() or self.gather(), *self.shards)
        with ExitStack() as stack:
            stack.enter_context(self._shown(wholes))
            if is_grad_enabled() and self.way.reshard_after_forward:
                packing = Packing(self, wholes)
                stack.enter_context(packing.hooks())
                again = partial(self._whole_again, packing.check_versions)
            else:
                again = partial(self._shown, wholes)
            stack.enter_context(repeat_inside(again))
            yield

    @contextmanager
    def _whole_again(self, check: Callable[[], None]) -> Iterator[None]:
        """Show whole parameters while backward repeats what `checkpoint` left out."""
        check()
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

    def gather_ahead(self) -> None:
        """Gather now, for the next forward, and show what it will see."""
        if self.shards:
            self._take_ahead()
            wholes = self.gather()
            self._ahead = [shard._version for shard in self.shards], wholes
            self._show_wholes(wholes)
            self._handles = list(self._keep_from_state_dicts(wholes))

    def _keep_from_state_dicts(self, wholes: list[Tensor]) -> Iterator[RemovableHandle]:
        """Yield hooks: a state_dict has the shards, and what is loaded goes to them.

        Afterwards a module shows the wholes again; after loading, the next forward gathers anew.
        """
        for module in {id(module): module for module, _, _ in self.places}.values():
            yield module.register_state_dict_pre_hook(lambda *_: self._show(self.shards))
            yield module.register_state_dict_post_hook(lambda *_: self._show_wholes(wholes))
            yield module.register_load_state_dict_pre_hook(lambda *_: self._show(self.shards))

    def _take_ahead(self) -> list[Tensor] | None:
        """Return what was gathered ahead, once, unless the shards have changed since."""
        ahead, self._ahead = self._ahead, None
        for handle in self._handles:
            handle.remove()
        if ahead is None or ahead[0] != [shard._version for shard in self.shards]:
            return None
        return ahead[1]

    def reshard(self) -> None:
        """Forget what was gathered ahead, and show the shards."""
        self._take_ahead()
        self._show(self.shards)

    @no_grad()
    def gather(self) -> list[Tensor]:
        """Fetch everybody's rows: one all_gather."""
        op, dtype = f"fully_shard.gather of {self.names[0]}", self.way.mp_policy.param_dtype
        return all_gather_rows(self.shards, self.way.group, dtype, op)

    @no_grad()
    def scatter(self, grads: tuple[Tensor | None, ...]) -> list[Tensor | None]:
        """Return the means of this rank's rows of the gradients: one reduce_scatter.

        A parameter that no rank used has no gradient, here as everywhere.
        """
        self.drop()
        unused = [i for i, grad in enumerate(grads) if grad is None]
        words = f", unused parameters: {unused}"
        self.way.state("fully_shard.backward", lambda i: f" of {self.names[i]}{words}")
        rows = iter(self._average([grad for grad in grads if grad is not None]))
        return [
            None if grad is None else next(rows).to(shard.dtype)
            for grad, shard in zip(grads, self.shards, strict=True)
        ]

    def _average(self, grads: list[Tensor]) -> list[Tensor]:
        """Return this rank's rows of the means: within the group, then over its replicas."""
        dtype = self.way.mp_policy.reduce_dtype
        if dtype is not None:
            grads = [grad.to(dtype) for grad in grads]
        rows = reduce_scatter_rows(grads, ReduceOp.MEAN, self.way.group)
        if self.way.replicas is not None:
            all_reduce_together(rows, ReduceOp.MEAN, self.way.replicas)
        return rows


def numbered(group: ProcessGroup, places: list[Place]) -> str:
    """Return what a group calls its next unit: its number, and its first parameter."""
    number = unit_counts[group.ranks]
    unit_counts[group.ranks] += 1
    first = [f" ({type(place.module).__name__}.{place.name})" for place in places[:1]]
    return f"unit {number}{''.join(first)}"


class Gather(Function):
    """whole_i = the rows of all ranks; d rows_i = the mean over the ranks of d whole_i, my rows."""

    @staticmethod
    def forward(ctx: Any, unit: Unit, wholes: list[Tensor], *shards: Tensor) -> tuple[Tensor, ...]:
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
