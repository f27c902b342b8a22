"""Which attributes of a module are parameters, buffers and modules, and ways to walk them.

Module derives from Tree. The values live in the instance's own `__dict__`, so that
`self.fc1.weight` costs what any attribute costs; the Tree keeps only their *names*. RegistryView
shows one kind as a dict that writes through: `module._parameters`, `_buffers` and `_modules`.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, MutableMapping, ValuesView
from operator import itemgetter
from typing import Any

from norch_autograd import Tensor
from norch_nn.core.parameter import Buffer, Parameter


class RegistryView(MutableMapping[str, Any]):
    """A view of one kind of part; what is assigned or deleted changes the module.

    >>> net = nn.Sequential(nn.Linear(2, 1))
    >>> net._modules["0"] = nn.ReLU()
    >>> net[0]
    ReLU()
    """

    def __init__(self, tree: Any, kind: str) -> None:
        """Look at the names of one `kind` in `tree`."""
        self.tree = tree
        self.kind = kind

    def __getitem__(self, name: str) -> Any:
        if name not in self.tree.__dict__[self.kind]:
            raise KeyError(name)
        return self.tree.__dict__[name]

    def __setitem__(self, name: str, value: Any) -> None:
        """Add a part, or replace one, under this kind."""
        self.tree._remember(self.kind, name, value)
        object.__setattr__(self.tree, name, value)

    def __delitem__(self, name: str) -> None:
        """Take a part off the module."""
        if name not in self.tree.__dict__[self.kind]:
            raise KeyError(name)
        delattr(self.tree, name)

    def __iter__(self) -> Iterator[str]:
        """Go through the names, in the order of registration."""
        return iter(list(self.tree.__dict__[self.kind]))

    def __len__(self) -> int:
        return len(self.tree.__dict__[self.kind])

    def copy(self) -> dict[str, Any]:
        """Return a dict of a module's parts, which no longer writes through."""
        return {name: self.tree.__dict__[name] for name in self}

    # Those of a dict, which unlike a MutableMapping's can be walked backwards.
    def keys(self) -> KeysView[str]:
        """Return the names of a module's parts, as they are now."""
        return self.copy().keys()

    def values(self) -> ValuesView[Any]:
        """Return a module's parts, as they are now."""
        return self.copy().values()

    def items(self) -> ItemsView[str, Any]:
        """Return the names and the parts of a module, as they are now."""
        return self.copy().items()

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self))

    def __repr__(self) -> str:
        return repr(self.copy())


class Tree:
    """Names its parts: assign a Parameter or another Tree and it is registered.

    >>> [name for name, _ in nn.Sequential(nn.Linear(2, 1), nn.ReLU()).named_parameters()]
    ['0.weight', '0.bias']
    """

    _parameter_names: dict[str, bool]
    _buffer_names: dict[str, bool]  # with whether they are saved
    _module_names: dict[str, bool]

    def __init__(self) -> None:
        """Start with nothing registered."""
        self.__dict__["_parameter_names"] = {}
        self.__dict__["_buffer_names"] = {}
        self.__dict__["_module_names"] = {}

    # ---- registration ----------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        """Store `value`; a Parameter, Buffer or Module is remembered as a part of this one."""
        if isinstance(value, Buffer):
            self._remember("_buffer_names", name, value)
            self.__dict__["_buffer_names"][name] = value.persistent
        # ex 5.1 begin
        if isinstance(value, Parameter):
            self._remember("_parameter_names", name, value)
        elif isinstance(value, Tree):
            self._remember("_module_names", name, value)
        else:
            self._refuse_misplaced(name, value)
        object.__setattr__(self, name, value)
        # ex 5.1 end

    def _remember(self, kind: str, name: str, value: object) -> None:
        """Enter the name of a module's part under `kind`, and take it off the other kinds."""
        if kind not in self.__dict__:
            what = type(value).__name__
            raise AttributeError(
                f"[{type(self).__name__}] cannot assign {what} {name!r} before Module.__init__(): "
                "call super().__init__() first"
            )
        for other in ("_parameter_names", "_buffer_names", "_module_names"):
            if other != kind:
                self.__dict__[other].pop(name, None)
        self.__dict__[kind].setdefault(name, True)

    def _refuse_misplaced(self, name: str, value: object) -> None:
        """Raise TypeError where a registered name would lose its kind by accident."""
        if value is None:
            return
        if name in self.__dict__.get("_parameter_names", ()):
            wanted = "a Parameter or None"
        elif name in self.__dict__.get("_module_names", ()):
            wanted = "a Module or None"
        elif name in self.__dict__.get("_buffer_names", ()) and not isinstance(value, Tensor):
            wanted = "a Tensor or None"
        else:
            return
        raise TypeError(
            f"[{type(self).__name__}] cannot assign {type(value).__name__} to {name!r}: "
            f"{wanted} is expected"
        )

    def __delattr__(self, name: str) -> None:
        """Forget a part or a plain attribute."""
        object.__delattr__(self, name)
        for kind in ("_parameter_names", "_buffer_names", "_module_names"):
            self.__dict__[kind].pop(name, None)

    def _register(self, kind: str, name: str, value: object, accepted: type) -> None:
        """Check the name and the value of a part given by hand, then enter them."""
        where = f"[{type(self).__name__}]"
        if not isinstance(name, str):
            raise TypeError(f"{where} a part's name must be a str, not {type(name).__name__}")
        if not name or "." in name:
            raise KeyError(f"{where} a part's name must be non-empty and without a dot: {name!r}")
        if hasattr(self, name) and name not in self.__dict__.get(kind, ()):
            raise KeyError(f"{where} the attribute {name!r} already exists")
        if value is not None and not isinstance(value, accepted):
            given, wanted = type(value).__name__, accepted.__name__.replace("Tree", "Module")
            raise TypeError(f"{where} {name!r} must be a {wanted} or None, not {given}")
        self._remember(kind, name, value)
        object.__setattr__(self, name, value)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter by name; None reserves the name (a layer without bias)."""
        self._register("_parameter_names", name, param, Parameter)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that moves and is saved with the module but is not learned."""
        self._register("_buffer_names", name, tensor, Tensor)
        self.__dict__["_buffer_names"][name] = persistent

    def register_module(self, name: str, module: Tree | None) -> None:
        """Add a child module by name."""
        self._register("_module_names", name, module, Tree)

    add_module = register_module

    # ---- walking the tree ------------------------------------------------------------------------

    @property
    def _parameters(self) -> RegistryView:
        """This module's own parameters by name."""
        return RegistryView(self, "_parameter_names")

    @property
    def _buffers(self) -> RegistryView:
        """This module's own buffers by name."""
        return RegistryView(self, "_buffer_names")

    @property
    def _modules(self) -> RegistryView:
        """The modules directly below this one, by name."""
        return RegistryView(self, "_module_names")

    def named_modules(
        self, memo: set[int] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Any]]:
        """Yield this module and all below it, parents first, each once."""
        memo = set() if memo is None else memo
        if remove_duplicate and id(self) in memo:
            return
        # ex 5.2 begin
        memo.add(id(self))
        yield prefix, self
        for name, child in self._named_children():
            below = f"{prefix}.{name}" if prefix else name
            yield from child.named_modules(memo, below, remove_duplicate)
        # ex 5.2 end

    def modules(self) -> Iterator[Any]:
        """Yield this module and all below it."""
        return (module for _, module in self.named_modules())

    def _named_children(self) -> list[tuple[str, Any]]:
        """Return every module directly below this one: one with two names comes twice."""
        parts = self.__dict__
        if not (names := parts["_module_names"]):
            return []
        return [(name, parts[name]) for name in names if parts[name] is not None]

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """Yield the modules directly below this one, each once."""
        seen: set[int] = set()
        for name, child in self._named_children():
            if id(child) not in seen:
                seen.add(id(child))
                yield name, child

    def children(self) -> Iterator[Any]:
        """Yield the modules directly below this one, without names."""
        return (child for _, child in self.named_children())

    def _named_members(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Any]]:
        """Yield (dotted name, tensor) of one kind; a tied tensor appears once, unless asked."""
        seen: set[int] = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules if recurse else [(prefix, self)]:
            parts, dot = module.__dict__, f"{path}." if path else ""
            for name in tuple(parts[kind]):  # as they are now
                tensor = parts.get(name)
                number = id(tensor)
                if tensor is not None and not (number in seen and remove_duplicate):
                    seen.add(number)
                    yield dot + name, tensor

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield every parameter with its dotted name; tied weights once."""
        return self._named_members("_parameter_names", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield every parameter: what an optimizer takes."""
        return map(itemgetter(1), self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield every buffer with its dotted name."""
        return self._named_members("_buffer_names", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield every buffer."""
        return map(itemgetter(1), self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Any:
        """Return the module at a dotted path, as `named_modules` spells it."""
        module: Any = self
        for name in target.split(".") if target else ():
            child = module._modules.get(name)
            if child is None:
                raise AttributeError(f"[{type(module).__name__}] has no module {name!r} ({target})")
            module = child
        return module

    def set_submodule(self, target: str, module: Any, strict: bool = False) -> None:
        """Put `module` at a dotted path; with `strict` it must replace one that is there."""
        path, _, name = target.rpartition(".")
        where = f"[{type(self).__name__}]"
        if not name:
            raise ValueError(f"{where} a module cannot replace itself: name a part, not {target!r}")
        if not isinstance(module, Tree):
            raise ValueError(f"{where} {target!r} must be a Module, not {type(module).__name__}")
        parent = self.get_submodule(path)
        if strict and name not in parent._module_names:
            raise AttributeError(f"{where} has no module {target!r} to replace")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter at a dotted path, as `named_parameters` spells it."""
        found: Parameter = self._member("_parameter_names", "parameter", target)
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer at a dotted path, as `named_buffers` spells it."""
        found: Tensor = self._member("_buffer_names", "buffer", target)
        return found

    def _member(self, kind: str, what: str, target: str) -> Any:
        """Return the parameter or buffer at a dotted path."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = RegistryView(module, kind).get(name)
        if found is None:
            where = type(module).__name__
            raise AttributeError(f"[{where}] has no {what} {name!r} ({target})")
        return found
