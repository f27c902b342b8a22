"""ModuleDict: modules by name. Its keys are the first parts of the `state_dict` keys."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from norch_nn.module import Module


class ModuleDict(Module):
    """A dict of modules that registers them; it has no forward of its own.

    >>> layers = ModuleDict({"first": nn.Identity()})
    >>> layers["second"] = nn.Identity()
    >>> list(layers), "first" in layers
    (['first', 'second'], True)
    """

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        """Register the modules under their keys."""
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        """Return the module called `key`."""
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        """Add a module, or replace one."""
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        """Remove a module."""
        if key not in self._module_names:
            raise KeyError(key)
        delattr(self, key)

    def __len__(self) -> int:
        """Count the modules."""
        return len(self._module_names)

    def __iter__(self) -> Iterator[str]:
        """Go through the keys."""
        return iter(list(self._module_names))

    def __contains__(self, key: object) -> bool:
        """Whether a module is called `key`."""
        return key in self._module_names

    def keys(self) -> KeysView[str]:
        """Return the keys."""
        return self._modules.keys()

    def values(self) -> ValuesView[Any]:
        """Return the modules."""
        return self._modules.values()

    def items(self) -> ItemsView[str, Any]:
        """Return pairs of key and module."""
        return self._modules.items()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        module = self[key]
        del self[key]
        return module

    def clear(self) -> None:
        """Remove all modules."""
        for key in self:
            del self[key]

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add the modules of a dict, or of pairs of key and module."""
        pairs = modules.items() if isinstance(modules, Mapping | ModuleDict) else modules
        for key, module in list(pairs):
            self[key] = module
