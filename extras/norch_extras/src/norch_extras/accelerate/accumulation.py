"""The state of gradient accumulation: after which backward gradients travel and optimizers step.

An accelerator has one `AccumulationState`. `accumulate` counts in it, its loaders enter themselves
while they are iterated, and its optimizers and schedules ask it whether this step is a real one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol


class Iterated(Protocol):
    """What a loader says about the batch that it has yielded last."""

    is_last: bool
    samples: int | None


class AccumulationState:
    """Counts the backwards since the last step; `sync_gradients` is True for the last of them.

    >>> state = AccumulationState(steps=2)
    >>> [state.next() for _ in range(4)]
    [False, True, False, True]
    """

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.count = 0
        self.sync_gradients = True
        self._loaders: list[Iterated] = []

    @property
    def loader(self) -> Iterated | None:
        """The loader that is being iterated; of nested ones the innermost."""
        return self._loaders[-1] if self._loaders else None

    def next(self) -> bool:
        """Begin a backward; return whether a step follows it. The last batch always has one."""
        self.count += 1
        last = self.loader is not None and self.loader.is_last
        self.sync_gradients = last or self.count >= self.steps
        if self.sync_gradients:
            self.count = 0
        return self.sync_gradients

    @contextmanager
    def iterating(self, loader: Iterated) -> Iterator[None]:
        """Count `loader` as the one that is being iterated, until it ends or is left."""
        self._loaders.append(loader)
        try:
            yield
        finally:
            self._loaders.remove(loader)

    def state_dict(self) -> dict[str, Any]:
        """Return how far a gradient accumulation is."""
        return {"count": self.count, "sync_gradients": self.sync_gradients}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with an accumulation that was saved."""
        self.count, self.sync_gradients = state_dict["count"], state_dict["sync_gradients"]
