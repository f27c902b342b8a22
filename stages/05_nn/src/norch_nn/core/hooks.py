"""Hooks: functions a user hangs on a module, and the handle that takes them off again.

`Hooked` (hooked.py) and `state` register and call them. A hook never sees the graph: tensors have
hooks of their own in stage 4.

Full backward hooks: two invisible gates in the graph, before and behind a module.

A gate is an operation that changes nothing. When the pass comes to the gate behind the module, the
gradient of its output is known; at the gate before it, that of its inputs. `Hooked` opens them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

from norch_autograd import Function, Tensor, is_grad_enabled


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
        self.remove()


Grads = tuple[Any, ...]


class Gate(Function):
    """Lets tensors through unchanged, and shows their gradients to a function on the way back."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[Tensor, ...]:
        """Give the same numbers out."""
        ctx.seen, *tensors = args
        return tuple(tensor.detach() for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Grads:
        """Show the gradients; go on with what comes back."""
        return (None, *ctx.seen(grads))


class Crossing:
    """One call of a module with backward hooks: its gates, and what passes them."""

    def __init__(self, module: Any) -> None:
        """Remember the hooks as they are now."""
        self.module = module
        self.pre = [hook.call for hook in module._hooks_of("backward_pre").values()]
        self.full = [hook.call for hook in module._hooks_of("backward").values()]
        self.inputs: list[int] | None = None  # which arguments want a gradient
        self.input_count = 0
        self.outputs: list[int] = []
        self.output_count = 0
        self.grad_outputs: Grads | None = None

    def enter(self, args: Grads) -> Grads:
        """Set the gate before the module, if an argument wants a gradient."""
        self.input_count = len(args)
        args, self.inputs = gated(args, self.at_inputs)
        return args

    def leave(self, output: Any) -> Any:
        """Set the gate behind the module: a tensor, or the tensors of a tuple."""
        parts = output if isinstance(output, tuple) else (output,)
        self.output_count = len(parts)
        parts, outputs = gated(parts, self.at_outputs)
        if outputs is None:
            return output
        self.outputs = outputs
        return parts if isinstance(output, tuple) else parts[0]

    def at_outputs(self, grads: Grads) -> Grads:
        """The gradients of the outputs are known: run the pre-hooks."""
        known = spread(grads, self.outputs, self.output_count)
        for hook in self.pre:
            known = replaced("register_full_backward_pre_hook", known, hook(self.module, known))
        self.grad_outputs = known
        if self.inputs is None:  # nothing goes further back: the hooks run now
            for hook in self.full:
                changed = hook(self.module, (None,) * self.input_count, known)
                if changed is not None and any(grad is not None for grad in changed):
                    raise RuntimeError(
                        "[register_full_backward_hook] no input of the module wants a gradient: "
                        "the hook must return None"
                    )
        return tuple(known[i] for i in self.outputs)

    def at_inputs(self, grads: Grads) -> Grads:
        """The gradients of the inputs are known: run the hooks."""
        places = self.inputs or []
        known = spread(grads, places, self.input_count)
        for hook in self.full if self.grad_outputs is not None else ():
            changed = hook(self.module, known, self.grad_outputs)
            known = replaced("register_full_backward_hook", known, changed)
        self.grad_outputs = None
        return tuple(known[i] for i in places)


def gated(parts: Grads, seen: Callable[[Grads], Grads]) -> tuple[Grads, list[int] | None]:
    """Send the tensors that want a gradient through a gate; say which they were."""
    places = [i for i, x in enumerate(parts) if isinstance(x, Tensor) and x.requires_grad]
    if not places or not is_grad_enabled():
        return parts, None
    through = Gate.apply(seen, *(parts[i] for i in places))
    new = list(parts)
    for place, tensor in zip(places, through, strict=True):
        new[place] = tensor
    return tuple(new), places


def spread(grads: Grads, places: list[int], count: int) -> Grads:
    """Put gradients at their places among `count`, None elsewhere."""
    known: list[Any] = [None] * count
    for place, grad in zip(places, grads, strict=True):
        known[place] = grad
    return tuple(known)


def replaced(name: str, grads: Grads, changed: Any) -> Grads:
    """Return what a hook made of the gradients."""
    if changed is None:
        return grads
    new = changed if isinstance(changed, tuple) else (changed,)
    if len(new) != len(grads):
        raise RuntimeError(
            f"[{name}] the hook returned {len(new)} gradients, {len(grads)} are expected"
        )
    return new
