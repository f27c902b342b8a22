"""`checkpoint` forgets what a function kept for its derivative and computes it again when needed.

The record itself is written as always; only the values in it are left out, through the hooks of
saved_tensors.py. When the backward pass asks for the first of them, the function runs once more, in
the same random state, and this time the values are kept. `save_on_cpu` saves a GPU's memory in the
other way: it keeps the values elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from norch_autograd.graph.composite import composite, is_composite_enabled
from norch_autograd.graph.grad_mode import enable_grad
from norch_autograd.graph.saved_tensors import saved_tensors_hooks
from norch_autograd.ops.dtype.autocast import autocast_settings, restore_autocast
from norch_autograd.ops.dtype.convert import cpu, detach, to
from norch_autograd.types.generator import get_rng_state, set_rng_state
from norch_autograd.types.modes import mode

Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]


Surrounding = Callable[[], AbstractContextManager[Any]]
surroundings: ContextVar[tuple[Surrounding, ...]] = ContextVar("surroundings", default=())


@contextmanager
def repeat_inside(surrounding: Surrounding) -> Iterator[None]:
    """Let the functions that are checkpointed in here run again inside `surrounding()`.

    For what is there only while a module runs, as the whole parameters of a `fully_shard`ed one.
    """
    token = surroundings.set((*surroundings.get(), surrounding))
    try:
        yield
    finally:
        surroundings.reset(token)


class CheckpointError(RuntimeError):
    """The function did not do the same when it ran again."""


class _EnoughError(Exception):
    """Everything that had been left out is there again: no need to run the function to its end."""


class _Frame:
    """One call of a checkpointed function: how to repeat it, and what the repetition brought."""

    def __init__(
        self, again: Callable[[], Any], preserve: bool, context: AbstractContextManager[Any]
    ) -> None:
        self.again, self.context = again, context
        self.state = get_rng_state() if preserve else None
        self.autocast, self.composite = autocast_settings(), is_composite_enabled()
        self.surroundings = surroundings.get()
        self.left_out: list[tuple[tuple[int, ...], Any]] = []  # shape and dtype of each value
        self.brought: dict[int, Any] = {}

    def leave_out(self, tensor: Any) -> int:
        """Leave a value out of what a checkpointed call keeps; the number to ask for it by."""
        self.left_out.append((tensor.array.shape, tensor.array.dtype))
        return len(self.left_out) - 1

    def bring(self, number: int) -> Any:
        """A value that was left out; the first to ask lets the checkpointed function run again."""
        if number not in self.brought:
            self._repeat()
        if number not in self.brought:
            raise CheckpointError(
                f"[checkpoint] the function kept {len(self.left_out)} values at first and fewer "
                "when it ran again: it must do the same each time"
            )
        return self.brought[number]

    def _keep_again(self, number: int, tensor: Any) -> Any:
        """Note value `number` of the repeated checkpointed call; with the last of them it ends."""
        if number < len(self.left_out):
            found = (tensor.array.shape, tensor.array.dtype)
            if found != self.left_out[number]:
                raise CheckpointError(
                    f"[checkpoint] value {number} was {self.left_out[number]} at first and "
                    f"{found} when the function ran again: it must do the same each time"
                )
            self.brought[number] = detach(tensor)
        if number + 1 == len(self.left_out):
            raise _EnoughError
        return tensor

    def _repeat(self) -> None:
        """Run the checkpointed function again, as it ran at first, for what it keeps."""
        numbers = itertools.count()

        def keep(tensor: Any) -> Any:
            return self._keep_again(next(numbers), tensor)

        # ex 4.13 begin
        now = get_rng_state()
        if self.state is not None:
            set_rng_state(self.state)
        try:
            with enable_grad(), self._modes(), saved_tensors_hooks(keep, lambda tensor: tensor):
                self.again()
        except _EnoughError:
            pass
        finally:
            set_rng_state(now)
        # ex 4.13 end

    @contextmanager
    def _modes(self) -> Iterator[None]:
        """The modes of a checkpointed call's first run, and the user's setting for this one."""
        with ExitStack() as stack:
            for surrounding in self.surroundings:
                stack.enter_context(surrounding())
            with composite(self.composite), restore_autocast(self.autocast), self.context:
                yield


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
    context_fn: Contexts | None = None,
    **kwargs: Any,
) -> Any:
    """`function(*args, **kwargs)`, whose inner values are computed again during backward.

    Random numbers repeat; the gradients are the same, memory is traded for time. `use_reentrant` is
    PyTorch's and makes no difference here. `context_fn` returns two context managers, for the first
    run and for the repetition.

    >>> x = norch.ones(2, requires_grad=True)
    >>> norch.autograd.checkpoint(lambda x: x.exp().sin(), x).sum().backward()
    >>> x.grad
    tensor([-2.4783, -2.4783])
    """
    if use_reentrant and kwargs:
        raise ValueError(
            f"[checkpoint] unexpected keyword arguments: {', '.join(kwargs)}; they reach the "
            "function with use_reentrant=False only"
        )
    first, second = (nullcontext(), nullcontext()) if context_fn is None else context_fn()
    if not mode.enabled:
        with first:
            return function(*args, **kwargs)
    frame = _Frame(lambda: function(*args, **kwargs), preserve_rng_state, second)
    with first, saved_tensors_hooks(frame.leave_out, frame.bring):
        return function(*args, **kwargs)


def checkpoint_sequential(
    functions: Any,
    segments: int,
    input: Any,
    use_reentrant: bool | None = None,
    preserve_rng_state: bool = True,
) -> Any:
    """Functions one after another, in so many checkpointed segments; the last one is not.

    >>> x = norch.ones(1, requires_grad=True)
    >>> steps = [norch.exp, norch.sin, norch.exp]
    >>> norch.autograd.checkpoint_sequential(steps, 2, x).backward()
    >>> x.grad
    tensor([-3.7373])
    """
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    if not 1 <= segments <= len(steps):
        raise ValueError(
            f"[checkpoint_sequential] {segments} segments for {len(steps)} functions: expected "
            "at least 1 and at most as many as functions"
        )

    def chain(part: list[Callable[..., Any]]) -> Callable[..., Any]:
        def run(value: Any) -> Any:
            for step in part:
                value = step(value)
            return value

        return run

    size = len(steps) // segments
    for start in range(0, size * (segments - 1), size):
        part = chain(steps[start : start + size])
        input = checkpoint(part, input, preserve_rng_state=preserve_rng_state)
    return chain(steps[size * (segments - 1) :])(input)


class save_on_cpu(saved_tensors_hooks):
    """Keep values in the CPU's memory, and bring each back to its device when it is needed.

    >>> x = norch.tensor([2.], requires_grad=True)
    >>> with save_on_cpu():
    ...     y = (x * 1).exp()
    >>> y.backward()
    >>> x.grad
    tensor([7.3891])
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(
            lambda tensor: (tensor.device, cpu(detach(tensor))),
            lambda kept: to(kept[1], kept[0]),
        )
