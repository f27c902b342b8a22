"""When gradients travel: after every backward, or after every few of them.

One `Pace` belongs to an accelerator. Its loaders tell it where they stand, `accumulate` counts on
it, and its optimizers and schedulers ask it whether this step is a real one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .loader import PreparedLoader


class Pace:
    """Counts the backwards since the last step; `synchronizes` is True for the last of them.

    >>> pace = Pace(steps=2)
    >>> [pace.next() for _ in range(4)]
    [False, True, False, True]
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.count = 0
        self.synchronizes = True
        self._loaders: list[PreparedLoader] = []

    @property
    def loader(self) -> PreparedLoader | None:
        """The loader that is being iterated; of nested ones the innermost."""
        return self._loaders[-1] if self._loaders else None

    def next(self) -> bool:
        """Begin a backward; return whether a step follows it. The last batch always has one."""
        self.count += 1
        last = self.loader is not None and self.loader.is_last
        self.synchronizes = last or self.count >= self.steps
        if self.synchronizes:
            self.count = 0
        return self.synchronizes

    @contextmanager
    def iterating(self, loader: PreparedLoader) -> Iterator[None]:
        """Know that `loader` is being iterated, until it ends or is left."""
        self._loaders.append(loader)
        try:
            yield
        finally:
            self._loaders.remove(loader)

    def state_dict(self) -> dict[str, Any]:
        """Return how far an accumulation is."""
        return {"count": self.count, "synchronizes": self.synchronizes}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on there."""
        self.count, self.synchronizes = state_dict["count"], state_dict["synchronizes"]
