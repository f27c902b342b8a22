"""Shards: a parameter that is cut in parts, one for each rank, and knows which part it is.

`ShardedParameter` is what all strategies leave in a module in place of a whole parameter. The
optimizer sees an ordinary Parameter; `clip_grad_norm_` sees that the other ranks have the rest, and
`checkpoint` sees where the part belongs. A part may be cut again, along another side of the mesh:
its shard then says within which. `reduce_scatter_rows` and `all_gather_rows` carry many parameters
in one message.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from norch_autograd import Tensor, cat, empty, no_grad, tensor, zeros
from norch_autograd.tensor.tensor import copy_without_grad
from norch_cpu_ops import DType
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.collectives.composed import all_gather_into_tensor, reduce_scatter_tensor
from norch_ddp.groups.process_group import ProcessGroup
from norch_nn import Parameter
from norch_nn.core.parameter import GradientPart, ParameterPart

Shape = tuple[int, ...]


class Shard(NamedTuple):
    """Which part of a tensor: `ranges` of indices (start, length) along `dim`, one after another.

    What was cut is the whole, or, of a parameter that is cut twice, the part `within` it.
    """

    shape: Shape  # of what was cut
    dim: int
    ranges: tuple[tuple[int, int], ...]
    within: Shard | None = None

    @property
    def whole_shape(self) -> Shape:
        """The shape of the whole."""
        return self.shape if self.within is None else self.within.whole_shape

    def take(self, cut: Tensor) -> Tensor:
        """Return the part of what was cut: a view of it, if there is one range."""
        parts = [cut.narrow(self.dim, start, length) for start, length in self.ranges]
        return parts[0] if len(parts) == 1 else cat(parts, self.dim)

    def take_of_whole(self, whole: Tensor) -> Tensor:
        """Return the part of the whole, by one cut or by both.

        >>> columns = Shard((2, 4), 1, ((2, 2),))
        >>> Shard((2, 2), 0, ((1, 1),), columns).take_of_whole(norch.arange(8).reshape(2, 4))
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
        shard: Shard,
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
        return ShardedParameter, (self.detach(), self.shard, self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> ShardedParameter:
        """Copy the values; the copy is the same part, and the same ranks have the others."""
        copy = copy_without_grad(self, memo)
        copy.shard, copy.groups = self.shard, self.groups
        return copy

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


class GatheredPart(Tensor):
    """One rank's part by the first cut, gathered from what a second one made of it.

    It takes the place of the parameter in a tensor-parallel layer, which asks for its `shard`.
    """

    __slots__ = ("shard",)

    def __init__(self, gathered: Tensor, shard: Shard) -> None:
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


def rows_of(shape: Sequence[int], rank: int, size: int) -> Shard:
    """Return the shard of a rank that has `1 / size` of the rows."""
    return Shard(tuple(shape), 0, (cut(shape[0], rank, size),))


def rows_within(parameter: Tensor, group: ProcessGroup) -> Shard:
    """Return the shard of this rank's rows of a parameter, whole or a part by an earlier cut."""
    shard = rows_of(parameter.shape, group.rank, group.size)
    return shard._replace(within=shard_of(parameter))


def shard_of(tensor: Tensor) -> Shard | None:
    """Return which shard a tensor is; None for a whole one."""
    return tensor.shard if isinstance(tensor, ShardedParameter) else None


def describe(parameter: ShardedParameter) -> str:
    """Say between which ranks a parameter is cut already."""
    ranks = " and along ".join(str(list(group.ranks)) for group in parameter.groups)
    return f"the parameter of shape {parameter.shard.whole_shape} is cut among ranks {ranks}"


def shard_numel(shape: Sequence[int], size: int) -> int:
    """Return how many numbers the largest shard has: so long is each part of a message.

    >>> shard_numel((10, 2), 4)
    6
    """
    return -(-shape[0] // size) * math.prod(shape[1:])


def check_rows(op: str, named: Iterable[tuple[str, Tensor]], group: ProcessGroup) -> None:
    """Refuse parameters without rows to shard, and those that cannot travel in one message.

    What is cut already has another part on each rank, so a second cut needs ranks with the same.
    """
    named = list(named)
    for name, parameter in named:
        if isinstance(parameter, ShardedParameter) and parameter.is_cut_among(group):
            ranks = list(group.ranks)
            raise ValueError(
                f"[{op}] {name}: {describe(parameter)}, and cannot be cut among {ranks} too: give "
                "another side of the mesh, and parameters that are shared in one call"
            )
        if parameter.ndim == 0:
            raise ValueError(
                f"[{op}] {name} is a single number, which has no rows to deal out: make it a "
                "vector of one, norch.ones(1)"
            )
    kinds = {(p.dtype, str(p.device)) for _, p in named}
    if len(kinds) > 1:
        raise ValueError(
            f"[{op}] parameters of several dtypes or devices do not share a message: "
            f"{sorted(f'{dtype} on {device}' for dtype, device in kinds)}"
        )


def pack(wholes: Iterable[Tensor], size: int) -> Tensor:
    """Return (size, K): row r holds rank r's rows of each whole, side by side, padded with zeros.

    >>> pack([norch.tensor([1., 2., 3.]), norch.tensor([[4.], [5.]])], 2)
    tensor([[1., 2., 4.],
            [3., 0., 5.]])
    """
    columns = []
    for whole in wholes:
        flat = _pad(whole, size * shard_numel(whole.shape, size))
        columns.append(flat.reshape(size, -1))
    return cat(columns, 1)


def unpack(block: Tensor, shapes: Iterable[Shape]) -> list[Tensor]:
    """Return the whole parameters from what `pack` made of them."""
    size, start, wholes = block.shape[0], 0, []
    for shape in shapes:
        numel = shard_numel(shape, size)
        rows = block[:, start : start + numel].reshape(-1, *shape[1:])
        wholes.append(rows[: shape[0]])
        start += numel
    return wholes


def _pad(part: Tensor, numel: int) -> Tensor:
    """Return a shard flat, with zeros behind it up to `numel`, as long as the other ranks'."""
    flat = part.detach().reshape(-1)
    missing = numel - flat.shape[0]
    if not missing:
        return flat
    return cat([flat, zeros(missing, dtype=flat.dtype, device=flat.device)])


@no_grad()
def reduce_scatter_rows(
    wholes: Sequence[Tensor], op: ReduceOp | str, group: ProcessGroup
) -> list[Tensor]:
    """Combine each whole over the ranks, and return this rank's shard of it: one message."""
    block = pack(wholes, group.size)
    row = empty(block.shape[1], dtype=block.dtype, device=block.device)
    reduce_scatter_tensor(row, block, op, group)
    start, parts = 0, []
    for whole in wholes:
        shape = (cut(whole.shape[0], group.rank, group.size)[1], *whole.shape[1:])
        parts.append(row[start : start + math.prod(shape)].reshape(shape))
        start += shard_numel(whole.shape, group.size)
    return parts


@no_grad()
def all_reduce_together(
    tensors: Sequence[Tensor], op: ReduceOp | str, group: ProcessGroup | None
) -> None:
    """Combine each of some tensors over the ranks, in place: one message of all of them."""
    flat = cat([part.reshape(-1) for part in tensors])
    all_reduce(flat, op, group)
    start = 0
    for part in tensors:
        part.copy_(flat[start : start + part.numel()].reshape(part.shape))
        start += part.numel()


@no_grad()
def all_gather_rows(
    shards: Sequence[ShardedParameter], group: ProcessGroup, dtype: DType | None = None
) -> list[Tensor]:
    """Return each parameter whole, from the rows that the ranks have of it: one message.

    `dtype` is what they travel in, and arrive in; None: their own.
    """
    shapes = [parameter.shard.shape for parameter in shards]
    row = cat([_pad(p, shard_numel(p.shard.shape, group.size)) for p in shards])
    row = row if dtype is None else row.to(dtype)
    block = empty(group.size, row.shape[0], dtype=row.dtype, device=row.device)
    all_gather_into_tensor(block, row, group)
    return unpack(block, shapes)


@no_grad()
def make_shard(parameter: Parameter, shard: Shard, group: ProcessGroup) -> ShardedParameter:
    """Return this rank's part of a whole parameter, with storage of its own."""
    if isinstance(parameter, ShardedParameter):
        raise ValueError(
            f"[make_shard] {describe(parameter)}, and only a whole one can be cut so: "
            "parallelize_module comes first, fully_shard afterwards"
        )
    return _make_part(parameter, shard, (group,))


@no_grad()
def make_rows(parameter: Parameter, group: ProcessGroup) -> ShardedParameter:
    """Return this rank's rows of a parameter, which may be a part by an earlier cut."""
    outer = parameter.groups if isinstance(parameter, ShardedParameter) else ()
    return _make_part(parameter, rows_within(parameter, group), (*outer, group))


def _make_part(
    parameter: Parameter, shard: Shard, groups: tuple[ProcessGroup, ...]
) -> ShardedParameter:
    part = shard.take(parameter.detach()).clone()
    return ShardedParameter(part, shard, parameter.requires_grad, groups)
