"""Sequential, ModuleList and ModuleDict: modules in a row or by name, that a module finds.

The names of their children, "0", "1", ... or the keys, are the first parts of the `state_dict`
keys. DataParallel holds one model: a process drives one device here, and several devices are
DistributedDataParallel's, with a process for each.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, Self

from norch_nn.core.module import Module, layout_repr
from norch_nn.core.registry import RegistryView


class ListContainer(Module):
    """What both containers share: a list whose items are child modules."""

    def _items(self) -> list[Module]:
        """Return the child modules in order."""
        return list(self._modules.values())

    def _refill(self, modules: Iterable[Module]) -> None:
        """Name `modules` "0", "1", ... in place of the present children."""
        modules = list(modules)
        for name in list(self._modules):
            delattr(self, name)
        for number, module in enumerate(modules):
            self.add_module(str(number), module)

    def _position(self, index: Any) -> int:
        """Turn the index of a child module, also a negative one, into its position."""
        size, position = len(self), operator.index(index)
        if not -size <= position < size:
            name = type(self).__name__
            raise IndexError(f"[{name}] index {position} is out of range for {size} modules")
        return position % size

    def __len__(self) -> int:
        return len(self._module_names)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._items())

    def __getitem__(self, index: int | slice) -> Any:
        """Return a module, or a container of the same kind for a slice."""
        if isinstance(index, slice):
            return self._like(list(self._modules.items())[index])
        return self._items()[self._position(index)]

    def _like(self, named: list[tuple[str, Module]]) -> ListContainer:
        """Make a container of this kind of some of its modules, with their names."""
        raise NotImplementedError

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, list(self._modules)[self._position(index)], module)

    def __delitem__(self, index: int | slice) -> None:
        """Remove modules; the rest is numbered anew."""
        items = self._items()
        del items[index if isinstance(index, slice) else self._position(index)]
        self._refill(items)

    def pop(self, key: int | slice) -> Any:
        """Remove a module and return it."""
        module = self[key]
        del self[key]
        return module

    def __add__(self, other: Iterable[Module]) -> Self:
        """Return a new container with the modules of both."""
        return type(self)._of([*self, *self._check(other)])

    def __iadd__(self, other: Iterable[Module]) -> Self:
        """Add the modules of `other` at the end."""
        return self.extend(self._check(other))

    @classmethod
    def _of(cls, modules: list[Module]) -> Self:
        """Make a container of this kind of modules, which are numbered anew."""
        raise NotImplementedError

    def _check(self, other: Any) -> Iterable[Module]:
        """Return the modules that are to be added, or raise TypeError."""
        if not isinstance(other, Iterable):
            name, given = type(self).__name__, type(other).__name__
            raise TypeError(f"[{name}] modules are expected, not a {given}")
        return other

    def append(self, module: Module) -> Self:
        """Add one module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end."""
        for module in list(self._check(modules)):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Put a module before position `index`."""
        items = self._items()
        items.insert(index, module)
        self._refill(items)
        return self


class Sequential(ListContainer):
    """Call the modules in order, each on the output of the one before.

    Takes modules, or one dict of name: module.

    >>> Sequential(nn.Flatten(), nn.Identity())
    Sequential(
      (0): Flatten(start_dim=1, end_dim=-1)
      (1): Identity()
    )
    """

    def __init__(self, *args: Any) -> None:
        """Register the modules in the order given."""
        super().__init__()
        one_dict = len(args) == 1 and isinstance(args[0], dict)
        named = args[0].items() if one_dict else ((str(i), m) for i, m in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def _like(self, named: list[tuple[str, Module]]) -> Sequential:
        return type(self)(dict(named))

    @classmethod
    def _of(cls, modules: list[Module]) -> Self:
        return cls(*modules)

    def _check(self, other: Any) -> Iterable[Module]:
        if not isinstance(other, Iterable):
            given = type(other).__name__
            raise ValueError(f"[Sequential] only modules can be added, not a {given}")
        return other

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before position `index`, which must lie in the row or at its end."""
        if not -len(self) <= index <= len(self):
            raise IndexError(f"[Sequential] index {index} is out of range for {len(self)} modules")
        super().insert(index, module)
        return self

    def __mul__(self, times: int) -> Self:
        """Return a new Sequential with the same modules `times` over."""
        return type(self)(*(list(self) * self._times(times)))

    __rmul__ = __mul__

    def __imul__(self, times: int) -> Self:
        """Repeat the modules in place: the same ones again."""
        return self.extend(list(self) * (self._times(times) - 1))

    def _times(self, times: int) -> int:
        """Return how often the modules are to be repeated, or raise."""
        if not isinstance(times, int):
            raise TypeError(f"[Sequential] repeats an int of times, not {type(times).__name__}")
        if times <= 0:
            raise ValueError(f"[Sequential] repeats 1 or more times, not {times}")
        return times

    def forward(self, input: Any) -> Any:
        for name in self._module_names:
            input = self.__dict__[name](input)
        return input


class ModuleList(ListContainer):
    """A list of modules that registers them; it has no forward of its own.

    >>> len(ModuleList([nn.Identity()]).append(nn.Identity()))
    2
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        """Register the modules in the order given."""
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __repr__(self) -> str:
        """Print the tree; neighbours that look the same share a line, as in PyTorch."""
        lines, first = [], 0
        for text, same in itertools.groupby(map(repr, self)):
            count = len(list(same))
            span = f"({first})" if count == 1 else f"({first}-{first + count - 1})"
            lines.append(f"{span}: {text}" if count == 1 else f"{span}: {count} x {text}")
            first += count
        return layout_repr(type(self).__name__, self.extra_repr(), lines)

    def _like(self, named: list[tuple[str, Module]]) -> ModuleList:
        return type(self)([module for _, module in named])

    @classmethod
    def _of(cls, modules: list[Module]) -> Self:
        return cls(modules)


class KeyedContainer(Module):
    """What ModuleDict and ParameterDict share: a dict of the modules or the parameters."""

    _kind: str  # of the names: those of modules or of parameters

    def _parts(self) -> RegistryView:
        """Return the child modules, or the parameters, by name."""
        return RegistryView(self, self._kind)

    def __getitem__(self, key: str) -> Any:
        return self._parts()[key]

    def __delitem__(self, key: str) -> None:
        del self._parts()[key]

    def __len__(self) -> int:
        return len(self._parts())

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts())

    def __contains__(self, key: object) -> bool:
        return key in self._parts()

    def keys(self) -> KeysView[str]:
        """Return the keys."""
        return self._parts().keys()

    def values(self) -> ValuesView[Any]:
        """Return what stands under the keys."""
        return self._parts().values()

    def items(self) -> ItemsView[str, Any]:
        """Return pairs of key and what stands under it."""
        return self._parts().items()

    def pop(self, key: str) -> Any:
        """Remove what stands under `key` and return it."""
        value = self[key]
        del self[key]
        return value

    def clear(self) -> None:
        """Remove everything."""
        for key in self:
            del self[key]


class ModuleDict(KeyedContainer):
    """A dict of modules that registers them; it has no forward of its own.

    >>> layers = ModuleDict({"first": nn.Identity()})
    >>> layers["second"] = nn.Identity()
    >>> list(layers), "first" in layers
    (['first', 'second'], True)
    """

    _kind = "_module_names"

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        """Register the modules under their keys."""
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add the modules of a dict, or of pairs of key and module."""
        pairs = modules.items() if isinstance(modules, Mapping | ModuleDict) else modules
        for key, module in list(pairs):
            self[key] = module


class DataParallel(Module):
    """A container of one module, which it calls and saves under "module.", as older checkpoints do.

    >>> list(DataParallel(nn.Linear(2, 1)).state_dict())
    ['module.weight', 'module.bias']
    """

    def __init__(
        self, module: Module, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> None:
        """Take the model; more than one device is refused."""
        super().__init__()
        if device_ids is not None and len(device_ids) > 1:
            raise RuntimeError(
                f"[DataParallel] one process drives one device, not {list(device_ids)}: use "
                "norch.nn.parallel.DistributedDataParallel, started by norch.distributed.run"
            )
        self.module = module
        self.device_ids = list(device_ids or [])
        self.dim = dim

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        return self.module(*inputs, **kwargs)
