"""Hooked: calling a module, and the hooks that are run around its forward and its backward.

Module derives from it. A module without hooks pays for one test a call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

from norch_nn.core.hooks import BackwardHook, Hook, HookDict, RemovableHandle
from norch_nn.core.registry import Tree

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class _Forward(Protocol[P, R]):
    """A module, to type checkers: a call takes and gives what its own `forward` does."""

    _hooks: dict[str, HookDict] | None

    def forward(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def _call_with_hooks(self, args: Any, kwargs: Any) -> Any: ...


class Hooked(Tree):
    """A tree that is called, between its hooks."""

    _hooks: dict[str, HookDict] | None = None  # by kind; None until one is registered

    forward: Callable[..., Any]

    def __call__(self: _Forward[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Run `forward` between the hooks."""
        plain = self._hooks is None
        return self.forward(*args, **kwargs) if plain else self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Let hooks change arguments and output; `always_call` hooks run after an error too."""
        called: set[int] = set()
        try:
            args, kwargs = self._before(args, kwargs)
            backward_hook = None
            if self._hooks_of("backward") or self._hooks_of("backward_pre"):
                backward_hook = BackwardHook(self)
                args = backward_hook.setup_input_hook(args)
            output = self.forward(*args, **kwargs)
            output = self._after(args, kwargs, output, called)
            return output if backward_hook is None else backward_hook.setup_output_hook(output)
        except Exception:
            for number, hook in self._hooks_of("forward").items():
                if hook.always and number not in called:
                    _call_after(hook, self, args, kwargs, None)
            raise

    def _before(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Let the forward pre-hooks change the arguments; None changes nothing."""
        for hook in list(self._hooks_of("forward_pre").values()):
            if hook.with_kwargs:
                changed = hook.call(self, args, kwargs)
                if changed is None:
                    continue
                if not isinstance(changed, tuple) or len(changed) != 2:
                    raise RuntimeError(
                        "[register_forward_pre_hook] with_kwargs=True: the hook must return None "
                        f"or (args, kwargs), not {type(changed).__name__}"
                    )
                args, kwargs = changed
            else:
                changed = hook.call(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def _after(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any, called: set[int]
    ) -> Any:
        """Let the forward hooks change the output; None changes nothing."""
        for number, hook in list(self._hooks_of("forward").items()):
            called.add(number)
            changed = _call_after(hook, self, args, kwargs, output)
            if changed is not None:
                output = changed
        return output

    def _hooks_of(self, kind: str) -> HookDict:
        """Return this module's hooks of one kind."""
        return {} if self._hooks is None else self._hooks.get(kind, {})

    def _register_hook(self, kind: str, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Add a hook of one kind to this module."""
        if self._hooks is None:
            self._hooks = {}
        return RemovableHandle.add(self._hooks.setdefault(kind, {}), hook, prepend)

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before each forward; what it returns replaces the arguments.

        `with_kwargs` calls `hook(module, args, kwargs)`, which returns both or None; `prepend`
        puts it before the others.
        """
        return self._register_hook("forward_pre", Hook(hook, with_kwargs), prepend)

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after each forward; its result replaces the output.

        `with_kwargs` calls `hook(module, args, kwargs, output)`; `always_call` calls it after a
        forward that raised, too.

        >>> layer = nn.Identity()
        >>> handle = layer.register_forward_hook(lambda module, args, output: output + 1)
        >>> layer(1), handle.remove(), layer(1)
        (2, None, 1)
        """
        return self._register_hook("forward", Hook(hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradient of the output is known.

        What it returns replaces the gradients, a tuple.
        """
        return self._register_hook("backward_pre", Hook(hook), prepend)

    def register_full_backward_hook(
        self, hook: Callable[..., Any], prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradient of the inputs is known.

        Both are tuples, one gradient an argument or output (None where there is none); what the
        hook returns replaces `grad_input`. Keyword arguments are not seen.

        >>> layer = nn.ReLU()
        >>> handle = layer.register_full_backward_hook(lambda m, gi, go: print(go[0].tolist()))
        >>> layer(norch.ones(1, requires_grad=True)).backward()
        [1.0]
        """
        return self._register_hook("backward", Hook(hook), prepend)

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register a full backward hook, under PyTorch's older name."""
        return self.register_full_backward_hook(hook)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, prefix, keep_vars)` before the state_dict of this module is made."""
        return self._register_hook("state_dict_pre", Hook(hook))

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, state_dict, prefix, local_metadata)` after it was made: it may edit.

        `local_metadata` is an empty dict: norch keeps none.
        """
        return self._register_hook("state_dict_post", Hook(hook))

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook` before a state_dict is compared with this module: it may edit a copy.

        It is given (module, state_dict, prefix, local_metadata, strict, missing_keys,
        unexpected_keys, error_msgs); what it appends to the last is raised.
        """
        return self._register_hook("load_pre", Hook(hook))

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(module, incompatible_keys)` after the values were copied."""
        return self._register_hook("load_post", Hook(hook))

    def get_extra_state(self) -> Any:
        """Return what is to be saved beside tensors; a subclass writes it and the next one."""
        raise RuntimeError(
            f"[{type(self).__name__}] has no get_extra_state: write it, and set_extra_state"
        )

    def set_extra_state(self, state: Any) -> None:
        """Take back what `get_extra_state` returned."""
        raise RuntimeError(
            f"[{type(self).__name__}] has no set_extra_state: it got {type(state).__name__}"
        )

    def saves_extra_state(self) -> bool:
        """Whether a subclass wrote `get_extra_state`."""
        return type(self).get_extra_state is not Hooked.get_extra_state


def _call_after(hook: Hook, module: Any, args: Any, kwargs: Any, output: Any) -> Any:
    """Call a forward hook in the form it asked for."""
    if hook.with_kwargs:
        return hook.call(module, args, kwargs, output)
    return hook.call(module, args, output)
