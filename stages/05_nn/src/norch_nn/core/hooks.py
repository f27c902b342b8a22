"""Hooks of a module: functions called around its forward and backward, and their handles.

call.py and state_dict.py register and call them. Full backward hooks stand at two operations in the
graph that change nothing, one before the module and one behind it: when the backward pass comes to
the one behind, the gradient of the output is known; at the one before, that of the inputs.
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
    """What registering a hook of a module or optimizer returns; `remove()` may be called twice.

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
        """Put `hook` behind those of a module or optimizer, or before, under its own number."""
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
        """Take the hook off its module or optimizer."""
        self.hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        """Keep the hook for the length of a `with` block."""
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


Grads = tuple[Any, ...]


class BackwardHookFunction(Function):
    """Returns tensors unchanged; its backward hands their gradients to a function."""

    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[Tensor, ...]:
        """Return the same numbers: the module computes what it did without hooks."""
        ctx.hook, *tensors = args
        return tuple(tensor.detach() for tensor in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Grads:
        """Call the function of the module's hooks; its result replaces the gradients."""
        return (None, *ctx.hook(grads))


class BackwardHook:
    """The backward hooks of one call of a module, and what they have seen so far."""

    def __init__(self, module: Any) -> None:
        """Take the hooks as they are now."""
        self.module = module
        self.pre = [hook.call for hook in module._hooks_of("backward_pre").values()]
        self.full = [hook.call for hook in module._hooks_of("backward").values()]
        self.inputs: list[int] | None = None  # which arguments require a gradient
        self.input_count = 0
        self.outputs: list[int] = []
        self.output_count = 0
        self.grad_outputs: Grads | None = None

    def setup_input_hook(self, args: Grads) -> Grads:
        """Put the function before the module, if an argument requires a gradient."""
        self.input_count = len(args)
        args, self.inputs = _apply_on_tensors(args, self.on_grad_inputs)
        return args

    def setup_output_hook(self, output: Any) -> Any:
        """Put the function behind the module: on a tensor, or the tensors of a tuple."""
        outputs = output if isinstance(output, tuple) else (output,)
        self.output_count = len(outputs)
        outputs, places = _apply_on_tensors(outputs, self.on_grad_outputs)
        if places is None:
            return output
        self.outputs = places
        return outputs if isinstance(output, tuple) else outputs[0]

    def on_grad_outputs(self, grads: Grads) -> Grads:
        """Run the backward pre-hooks: the gradients of the module's outputs are known."""
        known = place_gradients(grads, self.outputs, self.output_count)
        for hook in self.pre:
            known = merge_result("register_full_backward_pre_hook", known, hook(self.module, known))
        self.grad_outputs = known
        if self.inputs is None:  # nothing goes further back: the hooks run now
            for hook in self.full:
                changed = hook(self.module, (None,) * self.input_count, known)
                if changed is not None and any(grad is not None for grad in changed):
                    raise RuntimeError(
                        "[register_full_backward_hook] no input of the module requires a gradient: "
                        "the hook must return None"
                    )
        return tuple(known[i] for i in self.outputs)

    def on_grad_inputs(self, grads: Grads) -> Grads:
        """Run the backward hooks: the gradients of the module's inputs are known."""
        places = self.inputs or []
        known = place_gradients(grads, places, self.input_count)
        for hook in self.full if self.grad_outputs is not None else ():
            changed = hook(self.module, known, self.grad_outputs)
            known = merge_result("register_full_backward_hook", known, changed)
        self.grad_outputs = None
        return tuple(known[i] for i in places)


def _apply_on_tensors(
    tensors: Grads, hook: Callable[[Grads], Grads]
) -> tuple[Grads, list[int] | None]:
    """Put a hook's function on a module's tensors that require a gradient; return also which."""
    places = [i for i, x in enumerate(tensors) if isinstance(x, Tensor) and x.requires_grad]
    if not places or not is_grad_enabled():
        return tensors, None
    through = BackwardHookFunction.apply(hook, *(tensors[i] for i in places))
    new = list(tensors)
    for place, tensor in zip(places, through, strict=True):
        new[place] = tensor
    return tuple(new), places


def place_gradients(grads: Grads, places: list[int], count: int) -> Grads:
    """Put gradients at their places among `count` arguments of a module, None elsewhere."""
    known: list[Any] = [None] * count
    for place, grad in zip(places, grads, strict=True):
        known[place] = grad
    return tuple(known)


def merge_result(name: str, grads: Grads, changed: Any) -> Grads:
    """Return what a module's backward hook made of the gradients."""
    if changed is None:
        return grads
    new = changed if isinstance(changed, tuple) else (changed,)
    if len(new) != len(grads):
        raise RuntimeError(
            f"[{name}] the hook returned {len(new)} gradients, {len(grads)} are expected"
        )
    return new
