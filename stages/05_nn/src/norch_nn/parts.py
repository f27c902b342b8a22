"""Parts: the parameters, buffers or modules of one module, as a dict that writes through.

`module._parameters`, `module._buffers` and `module._modules` are made of it, for scripts that
exchange a layer by its name. The values stay where they are: in the attributes of the module.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any


class Parts(MutableMapping[str, Any]):
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
        """Return the part called `name`."""
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
        """Count the parts."""
        return len(self.tree.__dict__[self.kind])

    def __repr__(self) -> str:
        """Print as the dict it looks like."""
        return repr(dict(self))
