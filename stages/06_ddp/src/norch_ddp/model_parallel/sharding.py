"""Shards: a parameter that is cut in parts, one for each rank, and knows which part it is.

`ShardedParameter` is what all strategies leave in a module in place of a whole parameter. The
optimizer sees an ordinary Parameter; `clip_grad_norm_` sees that the other ranks have the rest, and
`checkpoint` sees where the part belongs. A part may be cut again, along another side of the mesh:
its shard then says within which. Nothing here decides who gets what: see rows.py and
tensor_parallel.py.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from norch_autograd import Tensor, cat, empty, no_grad, tensor, zeros
from norch_autograd.tensor.tensor import copy_without_grad
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.collectives.composed import all_gather_into_tensor
from norch_ddp.collectives.objects import all_gather_object
from norch_ddp.groups.device_mesh import DeviceMesh
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.model_parallel.layouts import Shard
from norch_nn import Parameter
from norch_nn.core.parameter import GradientPart, ParameterPart

Shape = tuple[int, ...]


class ShardMetadata(NamedTuple):
    """Which part a shard is: `ranges` of indices (start, length) along `dim`, one after another.

    What was cut is the whole, or, of a parameter that is cut twice, the part `within` it.
    """

    shape: Shape  # of what was cut
    dim: int
    ranges: tuple[tuple[int, int], ...]
    within: ShardMetadata | None = None

    @property
    def whole_shape(self) -> Shape:
        """The shape of the whole."""
        return self.shape if self.within is None else self.within.whole_shape

    @property
    def part_shape(self) -> Shape:
        """The shape of the part."""
        length = sum(length for _, length in self.ranges)
        return (*self.shape[: self.dim], length, *self.shape[self.dim + 1 :])

    def take(self, cut: Tensor) -> Tensor:
        """Return the part of what was cut: a view of it, if there is one range."""
        parts = [cut.narrow(self.dim, start, length) for start, length in self.ranges]
        return parts[0] if len(parts) == 1 else cat(parts, self.dim)

    def put(self, part: Tensor, cut: Tensor) -> None:
        """Write the part to its place in what was cut."""
        place = 0
        for start, length in self.ranges:
            cut.narrow(self.dim, start, length).copy_(part.narrow(self.dim, place, length))
            place += length

    def take_of_whole(self, whole: Tensor) -> Tensor:
        """Return the part of the whole, by one cut or by both.

        >>> columns = ShardMetadata((2, 4), 1, ((2, 2),))
        >>> corner = ShardMetadata((2, 2), 0, ((1, 1),), columns)
        >>> corner.take_of_whole(norch.arange(8).reshape(2, 4))
        tensor([[6, 7]])
        """
        return self.take(whole if self.within is None else self.within.take_of_whole(whole))


class ShardedParameter(ParameterPart):
    """This rank's part of a parameter; `shard` says which, the ranks of `groups` have the others.

    A parameter that is cut twice has two groups, one for each cut.
    """

    __slots__ = ("shard",)

    def __init__(
        self,
        data: Tensor,
        shard: ShardMetadata,
        requires_grad: bool = True,
        groups: tuple[ProcessGroup, ...] = (),
    ) -> None:
        """Wrap `data`, whose storage is shared."""
        super().__init__(data, requires_grad)
        self.shard = shard
        self.groups = groups

    @property
    def grad(self) -> Tensor | None:
        """This rank's part of the gradient, which says so to whoever is given it alone."""
        if type(self._grad) is Tensor:
            self._grad.__class__ = GradientPart  # the same tensor, not a copy
        return self._grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        Parameter.grad.fset(self, grad)  # type: ignore[attr-defined]  # of a property

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the part and its place; its groups are this process's own, and are left out."""
        return ShardedParameter, (self.to_local(), self.shard, self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> ShardedParameter:
        """Copy the values; the copy is the same part, and the same ranks have the others."""
        copy = copy_without_grad(self, memo)
        copy.shard, copy.groups = self.shard, self.groups
        return copy

    def detach(self) -> ShardedParameter:
        """Return the same part without a gradient: what a state_dict has knows its place too."""
        return self.with_values(super().detach())

    def with_values(self, values: Tensor) -> ShardedParameter:
        """Return other values, such as an optimizer's, as the part that this one is."""
        return ShardedParameter(values, self.shard, False, self.groups)

    @no_grad()
    def uniform_(self, *args: Any, **kwargs: Any) -> ShardedParameter:
        """Draw the whole, and take this part: as one process draws, where ranks draw alike."""
        self.copy_(self.shard.take_of_whole(self._empty_whole().uniform_(*args, **kwargs)))
        return self

    @no_grad()
    def normal_(self, *args: Any, **kwargs: Any) -> ShardedParameter:
        """Draw the whole, and take this part, as `uniform_` does."""
        self.copy_(self.shard.take_of_whole(self._empty_whole().normal_(*args, **kwargs)))
        return self

    def _empty_whole(self) -> Tensor:
        """Return room for the whole, to draw it."""
        return empty(self.shard.whole_shape, dtype=self.dtype, device=self.device)

    @no_grad()
    def full_tensor(self) -> Tensor:
        """Return the whole on every rank that has a part; all of them call it."""
        part, shard = Tensor(self.array), self.shard
        for group in reversed(self.groups):
            part = join_parts(part, shard, group)
            shard = shard.within or shard
        return part

    def to_local(self) -> Tensor:
        """Return this rank's numbers as a plain tensor."""
        return Tensor(self.array)

    @property
    def device_mesh(self) -> DeviceMesh:
        """The sides of the mesh along which it is cut, in the order of `placements`."""
        return DeviceMesh(self.device.type, list(reversed(self.groups)))

    @property
    def placements(self) -> tuple[Shard, ...]:
        """Along which dims it is cut, by PyTorch's word for it; the last cut is the first here."""
        own = Shard(self.shard.dim)
        outer = self.shard.within
        return (own,) if outer is None else (own, Shard(outer.dim))

    @no_grad()
    def gradient_norm(self, grad: Tensor, norm_type: float) -> Tensor:
        """Return the length of its `grad` on all ranks together; every rank calls it.

        So `nn.utils.clip_grad_norm_` measures the whole, as PyTorch's does.
        """
        if not self.groups:
            raise ValueError(
                "[clip_grad_norm_] this parameter is cut among ranks that it does not know: use "
                "norch.distributed.parallel.clip_grad_norm_(parameters, max_norm, shards=group)"
            )
        sizes = grad.detach().double().abs()
        if math.isinf(norm_type):
            bound = math.inf if norm_type < 0 else 0.0  # of a rank whose part is empty
            op = ReduceOp.MIN if norm_type < 0 else ReduceOp.MAX
            mine = sizes.norm(norm_type) if sizes.numel() else tensor(bound, dtype=sizes.dtype)
            self._all_reduce(mine, op)
            return mine.to(grad.dtype)
        mine = (sizes > 0).sum().double() if norm_type == 0 else sizes.pow(norm_type).sum()
        self._all_reduce(mine, ReduceOp.SUM)
        return (mine if norm_type == 0 else mine.pow(1 / norm_type)).to(grad.dtype)

    @no_grad()
    def on_any_part(self, found: bool) -> bool:
        """Return whether something was found on any rank that has a part; all of them ask."""
        number = tensor(float(found))
        self._all_reduce(number, ReduceOp.MAX)
        return bool(number)

    def is_cut_among(self, group: ProcessGroup) -> bool:
        """Whether ranks of the group have other parts; those of another side of a mesh do not."""
        return any(len({*its.ranks} & {*group.ranks}) > 1 for its in self.groups)

    def _all_reduce(self, number: Tensor, op: ReduceOp) -> None:
        """Combine a number of each part over all that have one."""
        for group in self.groups:
            all_reduce(number, op, group)


def join_parts(part: Tensor, shard: ShardMetadata, group: ProcessGroup) -> Tensor:
    """Return what was cut among a group, from the parts of all its ranks."""
    shards: list[Any] = [None] * group.size
    all_gather_object(shards, shard._replace(within=None), group)
    longest = max(math.prod(its.part_shape) for its in shards)
    rows = empty(group.size, longest, dtype=part.dtype, device=part.device)
    all_gather_into_tensor(rows, padded(part, longest), group)
    joined = empty(shard.shape, dtype=part.dtype, device=part.device)
    for its, row in zip(shards, rows, strict=True):
        its.put(row[: math.prod(its.part_shape)].reshape(its.part_shape), joined)
    return joined


class GatheredPart(Tensor):
    """One rank's part by the first cut, gathered from what a second one made of it.

    It takes the place of the parameter in a tensor-parallel layer, which asks for its `shard`.
    """

    __slots__ = ("shard",)

    def __init__(self, gathered: Tensor, shard: ShardMetadata) -> None:
        """Take the place of `gathered`, in the graph too."""
        super().__init__(gathered.array)
        self._requires_grad, self.node, self.shard = gathered.requires_grad, gathered.node, shard


def cut(length: int, rank: int, size: int) -> tuple[int, int]:
    """Return (start, length) of a rank's shard; the last ones may be shorter, or empty.

    >>> [cut(10, rank, 4) for rank in range(4)]
    [(0, 3), (3, 3), (6, 3), (9, 1)]
    """
    each = -(-length // size)
    start = min(rank * each, length)
    return start, min(each, length - start)


def shard_of(tensor: Tensor | None) -> ShardMetadata | None:
    """Return which shard a tensor is; None for a whole one, and where there is none."""
    return tensor.shard if isinstance(tensor, ShardedParameter) else None


def describe(parameter: ShardedParameter) -> str:
    """Say between which ranks a parameter is cut already."""
    ranks = " and along ".join(str(list(group.ranks)) for group in parameter.groups)
    return f"the parameter of shape {parameter.shard.whole_shape} is cut among ranks {ranks}"


def padded(part: Tensor, numel: int) -> Tensor:
    """Return a shard flat, with zeros behind it up to `numel`, as long as the other ranks'."""
    flat = part.detach().reshape(-1)
    missing = numel - flat.shape[0]
    if not missing:
        return flat
    return cat([flat, zeros(missing, dtype=flat.dtype, device=flat.device)])


@no_grad()
def make_shard(parameter: Parameter, shard: ShardMetadata, group: ProcessGroup) -> ShardedParameter:
    """Return this rank's part of a whole parameter, with storage of its own."""
    if isinstance(parameter, ShardedParameter):
        raise ValueError(
            f"[make_shard] {describe(parameter)}, and only a whole one can be cut so: "
            "parallelize_module comes first, fully_shard afterwards"
        )
    part = shard.take(parameter.detach()).clone()
    return ShardedParameter(part, shard, parameter.requires_grad, (group,))
