"""Grad mode: is what happens now being recorded for a later backward? Each thread has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from norch_autograd.graph.decorator import Decorator
from norch_autograd.types.modes import mode


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread.

    >>> is_grad_enabled()
    True
    """
    return mode.enabled


class Switch(Decorator):  # door: decorator.py
    """A setting of the mode for a `with` block, or for each call of a decorated function."""

    def __init__(self, enabled: bool, inference: bool | None = None) -> None:
        self._enabled = enabled
        self._inference = inference
        self._found: list[tuple[bool, bool]] = []  # a stack: one switch may be entered twice

    def __enter__(self) -> Self:
        # ex 4.6 begin
        self._found.append((mode.enabled, mode.inference))
        mode.enabled = self._enabled
        if self._inference is not None:
            mode.inference = self._inference
        return self
        # ex 4.6 end

    def __exit__(self, *_: object) -> None:
        mode.enabled, mode.inference = self._found.pop()

    def _anew(self) -> Switch:
        return Switch(self._enabled, self._inference)


class GradSwitch(Switch):
    """`no_grad` and `enable_grad`, which decorate at once without parentheses, as in PyTorch."""

    recording: ClassVar[bool]

    def __new__(cls, function: Callable[..., Any] | None = None) -> Any:
        """A switch, or the decorated function."""
        return super().__new__(cls) if function is None else cls()(function)

    def __init__(self, function: None = None) -> None:
        super().__init__(self.recording)


class no_grad(GradSwitch):
    """Record nothing inside: results do not require gradients.

    >>> x = norch.ones(2, requires_grad=True)
    >>> with norch.no_grad():
    ...     y = x * 2
    >>> y.requires_grad
    False
    """

    recording = False


class enable_grad(GradSwitch):
    """Record inside, even within `no_grad`.

    >>> x = norch.ones(2, requires_grad=True)
    >>> with norch.no_grad(), norch.enable_grad():
    ...     y = x * 2
    >>> y.requires_grad
    True
    """

    recording = True
