"""as_torch: libraries that look for `torch` by name find norch, in this process, while it is on.

`import torch.nn` asks each finder of `sys.meta_path` for that name. `Finder`, put first, answers
with norch's module of the same path: itself, no copy. Only `torch` is a module of its own, which
hands on every name of norch but the version. Off unless it is called; nothing in norch calls it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, Self

VERSION = "2.13.0"  # of the PyTorch whose behaviour norch keeps
MODULES = {"torch": "norch", "torchvision": "norchvision"}


class as_torch:
    """Let `import torch` find norch: from this call on, or as a `with` block until its end.

    RuntimeError where PyTorch itself is imported already. A library that is imported meanwhile
    keeps norch after the block, because it holds the module; one that asks for torch at each call
    wants to be called inside. `torchvision` is `norchvision`; `torchvision=False` leaves the
    name alone, for libraries that would import more of it than there is.

    >>> with norch.as_torch():
    ...     import torch.nn.functional as F
    ...     from torch import version
    >>> F.relu is norch.nn.functional.relu, version.__version__
    (True, '2.13.0')
    """

    def __init__(self, torchvision: bool = True) -> None:
        """Turn it on, unless it is on already: then the outermost block turns it off."""
        self._is_outermost = not any(isinstance(finder, Finder) for finder in sys.meta_path)
        if not self._is_outermost:
            return
        if found := _imported():
            raise RuntimeError(
                f"[as_torch] {found[0]} itself is imported already, and both cannot have the name: "
                "call norch.as_torch() before anything imports torch"
            )
        sys.meta_path.insert(0, Finder(MODULES if torchvision else {"torch": "norch"}))
        import_module("torch.version")  # libraries ask whether "torch" is in sys.modules

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_outermost:
            sys.meta_path[:] = [each for each in sys.meta_path if not isinstance(each, Finder)]
            for name in _imported():
                del sys.modules[name]


def _imported() -> list[str]:
    """The names of `sys.modules` that this file is about."""
    return [name for name in sys.modules if name.partition(".")[0] in MODULES]


class Finder:
    """Finds `torch.a.b` where `norch.a.b` is, and PyTorch's version where packages ask for it."""

    def __init__(self, modules: dict[str, str]) -> None:
        self.modules = modules

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Say how to load a module of ours; None, "ask the next finder", for every other name."""
        root, dot, rest = fullname.partition(".")
        ours = _module(self.modules[root] + dot + rest) if root in self.modules else None
        if ours is None:
            return None
        loader: Any = self  # has the two methods that are called; its class need not be importlib's
        return ModuleSpec(fullname, loader, loader_state=(ours, ours.__spec__), is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return norch's module; where there is a version, one that says PyTorch's."""
        ours, _ = spec.loader_state
        return Renamed(spec.name, ours) if "__version__" in vars(ours) else ours

    def exec_module(self, module: ModuleType) -> None:
        """Nothing has to run; norch's module keeps its spec, in place of the one just made."""
        spec: Any = module.__spec__  # the one that find_spec made
        ours, own_spec = spec.loader_state
        ours.__spec__ = own_spec

    def find_distributions(self, context: Any) -> list[Any]:
        """Answer `importlib.metadata.version("torch")`."""
        return [_distribution()] if context.name == "torch" else []


def _module(name: str) -> ModuleType | None:
    """Import a module of norch, or take the one that another module of norch has as `name`."""
    parent, _, last = name.rpartition(".")
    if parent:
        found = getattr(import_module(parent), last, None)
        if isinstance(found, ModuleType):
            return found
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name == name:
            return None
        raise


class Renamed(ModuleType):
    """A module that hands on the names of another, and says PyTorch's version."""

    def __init__(self, name: str, ours: ModuleType) -> None:
        super().__init__(name, ours.__doc__)
        self.__all__ = [each for each in dir(ours) if not each.startswith("_")]
        self.__version__ = VERSION
        self._ours = ours
        # Libraries count their uses with it: a name of PyTorch's inside that norch does not have.
        self._C = SimpleNamespace(_log_api_usage_once=lambda event: None)

    def __getattr__(self, name: str) -> object:
        return getattr(self._ours, name)

    def __dir__(self) -> list[str]:
        return dir(self._ours)


def _distribution() -> Any:
    """What an installer would have written of PyTorch: its name and its version."""
    from importlib.metadata import Distribution  # slow to import, and seldom asked for

    class PyTorch(Distribution):
        def read_text(self, filename: str) -> str | None:
            text = f"Metadata-Version: 2.1\nName: torch\nVersion: {VERSION}\n"
            return text if filename == "METADATA" else None

        def locate_file(self, path: Any) -> Any:
            raise FileNotFoundError(f"[as_torch] PyTorch has no file {path} here: this is norch")

    return PyTorch()
