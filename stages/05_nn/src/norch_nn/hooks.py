"""Hooks: functions a user hangs on a module, and the handle that takes them off again.

`Hooked` (hooked.py) and `state` register and call them. A hook never sees the graph: tensors have
hooks of their own in stage 4.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple


class Hook(NamedTuple):
    """A function, and how it wants to be called."""

    call: Callable[..., Any]
    with_kwargs: bool = False
    always: bool = False


HookDict = dict[int, Hook]


class RemovableHandle:
    """What registering a hook returns; `remove()` takes the hook off, and may be called twice.

    >>> hooks = {}
    >>> with RemovableHandle.add(hooks, Hook(print)):
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
    def add(cls, hooks: HookDict, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Put `hook` behind those of `hooks`, or before them, under a number of its own."""
        if not callable(hook.call):
            given = type(hook.call).__name__
            raise TypeError(f"[register_hook] a hook must be callable, not {given}")
        handle = cls(hooks, next(cls._numbers))
        others = list(hooks.items()) if prepend else []
        if prepend:
            hooks.clear()
        hooks[handle.id] = hook
        hooks.update(others)
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
