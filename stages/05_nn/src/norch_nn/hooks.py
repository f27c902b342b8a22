"""Hooks: functions a user hangs on a module, and the handle that takes them off again.

Called by Module only. A hook never sees the graph: tensors have hooks of their own in stage 4.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

__all__ = ["HookDict", "RemovableHandle"]

HookDict = dict[int, Callable[..., Any]]


class RemovableHandle:
    """What registering a hook returns; `remove()` takes the hook off, and may be called twice.

    >>> hooks = {}
    >>> with RemovableHandle.add(hooks, print):
    ...     len(hooks)
    1
    >>> len(hooks)
    0
    """

    _numbers = count()

    def __init__(self, hooks: HookDict, number: int) -> None:
        """Point at hook `number` of `hooks`; made by `add`."""
        self.hooks = hooks
        self.id = number

    @classmethod
    def add(cls, hooks: HookDict, hook: Callable[..., Any]) -> RemovableHandle:
        """Append `hook` to `hooks` under a number of its own."""
        if not callable(hook):
            raise TypeError(f"[register_hook] a hook must be callable, not {type(hook).__name__}")
        handle = cls(hooks, next(cls._numbers))
        hooks[handle.id] = hook
        return handle

    def remove(self) -> None:
        """Take the hook off."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        """Keep the hook for the length of a `with` block."""
        return self

    def __exit__(self, *exc: object) -> None:
        """Take the hook off at the end of the block."""
        self.remove()
