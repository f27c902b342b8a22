"""Hooks of optimizers: functions called around a step, a state_dict, and the loading of one.

`Optimizer` derives from `Hooked`; every `step`, a user's own too, is wrapped by `around`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from norch_nn.core.hooks import Hook, HookDict, RemovableHandle


class Hooked:
    """What an optimizer's users may hang functions on; each method returns a handle to take off.

    >>> optimizer = nn.optim.SGD([norch.zeros(1, requires_grad=True)], lr=1.0)
    >>> handle = optimizer.register_step_post_hook(lambda optimizer, args, kwargs: print("stepped"))
    >>> optimizer.step()
    stepped
    """

    stepped = False  # whether a step was taken; read by schedulers
    _hooks: dict[str, HookDict] | None = None  # by kind; None until one is registered

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Wrap the `step` that a subclass writes."""
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = around(cls.__dict__["step"])  # type: ignore[attr-defined]

    def _hooks_of(self, kind: str) -> list[Callable[..., Any]]:
        """Return this optimizer's hooks of one kind, in order."""
        found = self._hooks.get(kind, {}) if self._hooks else {}
        return [hook.call for hook in found.values()]

    def _register(self, kind: str, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
        """Add a hook of one kind to this optimizer."""
        if self._hooks is None:
            self._hooks = {}
        return RemovableHandle.add(self._hooks.setdefault(kind, {}), Hook(hook), prepend)

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before each step; it may return both anew."""
        return self._register("step_pre", hook, False)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after each step."""
        return self._register("step_post", hook, False)

    def register_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` before a state_dict is made."""
        return self._register("state_dict_pre", hook, prepend)

    def register_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` after it was made; what it returns takes its place."""
        return self._register("state_dict_post", hook, prepend)

    def register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer, state_dict)` before loading; it may return another state_dict."""
        return self._register("load_pre", hook, prepend)

    def register_load_state_dict_post_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(optimizer)` after loading."""
        return self._register("load_post", hook, prepend)


def around(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return `step` with its hooks called before and after it."""

    @functools.wraps(step)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._hooks is None:
            self.stepped = True
            return step(self, *args, **kwargs)
        for hook in self._hooks_of("step_pre"):
            changed = hook(self, args, kwargs)
            if changed is not None:
                args, kwargs = _pair(changed)
        self.stepped = True
        result = step(self, *args, **kwargs)
        for hook in self._hooks_of("step_post"):
            hook(self, args, kwargs)
        return result

    return wrapper


def _pair(changed: Any) -> tuple[Any, Any]:
    """Return the arguments of an optimizer's step that a hook gave back, or raise."""
    if not isinstance(changed, tuple) or len(changed) != 2:
        raise RuntimeError(
            "[register_step_pre_hook] the hook must return None or (args, kwargs), "
            f"not {type(changed).__name__}"
        )
    return changed
