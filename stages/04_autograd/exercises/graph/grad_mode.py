"""Grad mode: is what happens now being recorded for a later backward?

`mode.enabled` is read by the record (record.py, broadcast.py); only the switches of this file and
of inference_mode.py write it. They restore what they found on any exit, exceptions included, and
work as decorators too. The mode belongs to the thread that sets it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from norch_autograd.graph.decorator import Decorator
from norch_autograd.types.modes import mode


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread.

    >>> is_grad_enabled()
    True
    """
    return mode.enabled


class Switch(Decorator):
    """A setting of the mode for a `with` block, or for each call of a decorated function."""

    def __init__(self, enabled: bool, inference: bool | None = None) -> None:
        self._enabled = enabled
        self._inference = inference
        self._found: list[tuple[bool, bool]] = []  # a stack: one switch may be entered twice

    def __enter__(self) -> Self:
        # ex 4.6 begin
        raise NotImplementedError("exercise 4.6 is yours to write")
        # ex 4.6 end

    def __exit__(self, *_: object) -> None:
        mode.enabled, mode.inference = self._found.pop()

    def _anew(self) -> Switch:
        return Switch(self._enabled, self._inference)


class no_grad(Switch):
    """Record nothing inside: results do not require gradients.

    >>> x = norch.ones(2, requires_grad=True)
    >>> with norch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """`@no_grad` without parentheses decorates at once, as in PyTorch."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(False)


class enable_grad(Switch):
    """Record inside, even within `no_grad`.

    >>> x = norch.ones(2, requires_grad=True)
    >>> with norch.no_grad(), norch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """`@enable_grad` without parentheses decorates at once, as in PyTorch."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(True)
