"""What a checkpoint holds of modules, optimizers and values: tensors by name, and plain values.

A parameter has the name that it has in its module, behind the key of the module; its state in an
optimizer has that name too, so that ranks that cut a model otherwise find it. Dicts of such things
count as folders: {"model": model.state_dict()} has the names of {"model": model}. Used by
`checkpoint`; nothing here reads or writes files.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from norch_autograd import Tensor, zeros_like
from norch_ddp.model_parallel.sharding import ShardMetadata, shard_of
from norch_ddp.model_parallel.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from norch_nn import Module, Parameter
from norch_nn.optim import Optimizer


class Box(NamedTuple):
    """A block of a whole: where it begins and how long it is, along each dimension."""

    starts: tuple[int, ...]
    lengths: tuple[int, ...]

    def meet(self, other: Box) -> Box | None:
        """Return what two blocks have in common.

        >>> Box((0, 0), (4, 2)).meet(Box((3, 0), (4, 9)))
        Box(starts=(3, 0), lengths=(1, 2))
        """
        # ex 6.17 begin
        starts = tuple(map(max, self.starts, other.starts))
        ends = [min(a + n, b + m) for a, n, b, m in zip(*self, *other, strict=True)]
        lengths = tuple(end - start for start, end in zip(starts, ends, strict=True))
        return Box(starts, lengths) if all(length > 0 for length in lengths) else None
        # ex 6.17 end

    def moved(self, old: Box, new: Box) -> Box:
        """Return this block of `old` where it is if `old` lies at `new`."""
        starts = zip(self.starts, old.starts, new.starts, strict=True)
        return Box(tuple(mine - a + b for mine, a, b in starts), self.lengths)

    def within(self, tensor: Tensor, whole: Box) -> Tensor:
        """Return this block of `tensor`, which is the block `whole`: a view."""
        for dim, (start, length) in enumerate(zip(*self, strict=True)):
            tensor = tensor.narrow(dim, start - whole.starts[dim], length)
        return tensor


class Entry(NamedTuple):
    """A tensor of this rank by name; `shard` says which part of a whole it is (None: all).

    A buffer of a module may differ from rank to rank, as batch norm's do under DDP.
    """

    name: str
    tensor: Tensor
    shard: ShardMetadata | None = None
    is_buffer: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the whole."""
        return tuple(self.tensor.shape) if self.shard is None else self.shard.whole_shape

    def pieces(self) -> Iterator[tuple[Box, Tensor]]:
        """Yield the blocks of the whole that the tensor consists of, with views of it."""
        tensor = self.tensor.detach()
        everything = Box((0,) * tensor.ndim, tuple(tensor.shape))
        if self.shard is None:
            yield everything, tensor
            return
        for box, place in blocks(self.shard):
            yield box, place.within(tensor, everything)


def blocks(shard: ShardMetadata) -> Iterator[tuple[Box, Box]]:
    """Yield the blocks of the whole that a part consists of, and where each lies in the part.

    Of a part within a part, each block lies in a block of the outer one.

    >>> columns = ShardMetadata((2, 4), 1, ((2, 2),))
    >>> list(blocks(ShardMetadata((2, 2), 0, ((1, 1),), columns)))
    [(Box(starts=(1, 2), lengths=(1, 2)), Box(starts=(0, 0), lengths=(1, 2)))]
    """
    if shard.within is None:
        yield from own_blocks(shard)
        return
    for whole, outer in blocks(shard.within):
        for cut, place in own_blocks(shard):
            common = outer.meet(cut)
            if common is not None:
                yield common.moved(outer, whole), common.moved(cut, place)


def own_blocks(shard: ShardMetadata) -> Iterator[tuple[Box, Box]]:
    """Yield the blocks of what was cut that a part consists of, and where each lies in the part."""
    place = 0
    for start, length in shard.ranges:
        found = slab(shard.shape, shard.dim, start, length)
        if math.prod(found.lengths):
            yield found, slab(shard.shape, shard.dim, place, length)
        place += length


def slab(shape: tuple[int, ...], dim: int, start: int, length: int) -> Box:
    """Return the block with all of a shape, but `length` along `dim`, from `start` on."""
    before, after = (0,) * dim, (0,) * (len(shape) - dim - 1)
    return Box((*before, start, *after), (*shape[:dim], length, *shape[dim + 1 :]))


class NamedState:
    """The tensors of a state_dict by name, and its plain values: `entries` and `values`.

    To load, it is given the `names` that a checkpoint has, and makes the optimizers' tensors.
    """

    def __init__(self, state_dict: dict[str, Any], names: list[str] | None = None) -> None:
        self.entries: list[Entry] = []
        self.values: dict[str, Any] = {}
        self._leaves = list(leaves(state_dict))
        self._states: dict[str, list[tuple[Tensor, str, dict[str, Any]]]] = {}
        self._names_of: dict[int, list[str]] = {}
        for leaf in self._leaves:
            if isinstance(leaf.part, Module):
                self._add_module(leaf.name, leaf.part)
        for _, _, key, part in self._leaves:
            if isinstance(part, Optimizer):
                self._add_optimizer(key, part, names)
            elif isinstance(part, Tensor):
                self.entries.append(Entry(key, part, shard_of(part)))
            elif not isinstance(part, Module):
                self.values[key] = part.state_dict() if hasattr(part, "state_dict") else part
        self._check_names()

    def _add_module(self, key: str, module: Module) -> None:
        """Add a module's parameters and buffers by name."""
        for name, tensor in module.state_dict(keep_vars=True).items():
            is_buffer = not isinstance(tensor, Parameter)
            self.entries.append(Entry(f"{key}.{name}", tensor, shard_of(tensor), is_buffer))
            self._names_of.setdefault(id(tensor), []).append(name)

    def _add_optimizer(self, key: str, optimizer: Optimizer, names: list[str] | None) -> None:
        """Add an optimizer's options, and its state by the parameters' names."""
        self._states[key] = []
        for i, (whole, own) in enumerate(state_owners(optimizer)):
            for name in self._names_of.get(id(whole), [str(i)]):
                prefix = f"{key}.state.{name}."
                state = dict(optimizer.state.get(own, {})) if names is None else {}
                for full in names or ():
                    if full.startswith(prefix):
                        state[full.removeprefix(prefix)] = zeros_like(own).detach()
                self._states[key].append((own, prefix, state))
                self._add_state(prefix, own, state)
        self.values[f"{key}.param_groups"] = [
            {option: value for option, value in group.items() if option != "params"}
            for group in optimizer.param_groups
        ]

    def _add_state(self, prefix: str, own: Tensor, state: dict[str, Any]) -> None:
        """Add the optimizer's state of one parameter: tensors that are cut like it, and values."""
        for name, value in state.items():
            if not isinstance(value, Tensor):
                self.values[prefix + name] = value
            elif value.shape == own.shape:
                self.entries.append(Entry(prefix + name, value, shard_of(own)))
            else:
                raise ValueError(
                    f"[checkpoint] {prefix}{name} has shape {tuple(value.shape)}, its parameter "
                    f"{tuple(own.shape)}: only state of the parameter's shape can be cut with it"
                )

    def _check_names(self) -> None:
        """Refuse a state_dict in which two parts have one name."""
        names = [entry.name for entry in self.entries] + [*self.values]
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        if twice:
            raise ValueError(f"[checkpoint] several parts are called {', '.join(twice)}")

    def finish(self, values: dict[str, Any]) -> None:
        """After the tensors are filled: give optimizers their state, and everything its values."""
        for holder, place, key, part in self._leaves:
            if isinstance(part, Optimizer):
                self._finish_optimizer(key, part, values)
            elif hasattr(part, "load_state_dict") and not isinstance(part, Module):
                part.load_state_dict(values[key])
            elif key in self.values:
                holder[place] = values[key]

    def _finish_optimizer(self, key: str, optimizer: Optimizer, values: dict[str, Any]) -> None:
        """Give an optimizer the state and the options that were loaded."""
        for own, prefix, state in self._states[key]:
            plain = {n.removeprefix(prefix): v for n, v in values.items() if n.startswith(prefix)}
            if state or plain:
                optimizer.state[own] = {**state, **plain}
            else:  # saved before its first step
                optimizer.state.pop(own, None)
        options = values[f"{key}.param_groups"]
        for group, group_options in zip(optimizer.param_groups, options, strict=True):
            group.update(group_options)


class Leaf(NamedTuple):
    """A part of a state_dict: `holder[key]`; its name says in which dicts it is."""

    holder: dict[Any, Any]
    key: Any
    name: str
    part: Any


def leaves(holder: dict[Any, Any], prefix: str = "") -> Iterator[Leaf]:
    """Yield the parts of a state_dict; a dict of plain values is one part."""
    for key, part in holder.items():
        if holds_state(part):
            yield from leaves(part, f"{prefix}{key}.")
        else:
            yield Leaf(holder, key, f"{prefix}{key}", part)


def holds_state(part: Any) -> bool:
    """Return whether this is a dict with tensors, or what has a state_dict, somewhere inside."""
    return isinstance(part, dict) and any(
        isinstance(inner, Tensor) or hasattr(inner, "state_dict") or holds_state(inner)
        for inner in part.values()
    )


def state_owners(optimizer: Optimizer) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield each parameter and what the optimizer's state belongs to: it, or this rank's rows."""
    if isinstance(optimizer, ZeroRedundancyOptimizer):
        yield from optimizer.rows()
        return
    for group in optimizer.param_groups:
        yield from ((parameter, parameter) for parameter in group["params"])
