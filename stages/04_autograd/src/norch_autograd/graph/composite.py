"""`composite()`: every derivative and every function by its reference, never by a fused routine.

Inside, the engine never calls a node's `kernel`, and each operation that wears `fused` runs its
reference: the same function made of basic operations, whose derivative is the engine's work alone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Self

from norch_autograd.types.modes import Decorator, P, R, mode

open_composites: list[object] = []  # of any thread; which, says its mode


def fused(reference: Callable[..., Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates an operation that one routine computes: inside `composite()` `reference`, which
    takes the same arguments, runs in its place.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def dispatch(*args: P.args, **kwargs: P.kwargs) -> R:
            if open_composites and mode.composite:
                return reference(*args, **kwargs)  # type: ignore[no-any-return]
            return function(*args, **kwargs)

        dispatch.reference = reference  # type: ignore[attr-defined]
        return dispatch

    return decorate


class composite(Decorator):
    """Inside, nothing is fused: functions and derivatives are made of basic operations.

    >>> x = norch.tensor([0., 1.], requires_grad=True)
    >>> norch.softmax(x, 0).grad_fn.name()
    'SoftmaxBackward0'
    >>> with norch.autograd.composite():
    ...     norch.softmax(x, 0).grad_fn.name()
    'DivBackward0'
    """

    def __init__(self, mode: bool = True) -> None:
        self._wanted = mode
        self._found: list[bool] = []

    def __enter__(self) -> Self:
        self._found.append(mode.composite)
        open_composites.append(self)
        mode.composite = self._wanted
        return self

    def __exit__(self, *_: object) -> None:
        mode.composite = self._found.pop()
        open_composites.remove(self)

    def _clone(self) -> composite:
        """The same switch for one call of a decorated function."""
        return composite(self._wanted)


def is_composite_enabled() -> bool:
    """Whether this thread is inside `composite()`.

    >>> is_composite_enabled()
    False
    """
    return mode.composite
