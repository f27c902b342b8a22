"""Grad mode: is what happens now being recorded for a later backward? Each thread has its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

from norch_autograd.types.modes import Decorator, P, R, mode


def is_grad_enabled() -> bool:
    """Whether operations are being recorded in this thread.

    >>> is_grad_enabled()
    True
    """
    return mode.enabled


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode()`.

    >>> is_inference_mode_enabled()
    False
    """
    return mode.inference


class Switch(Decorator):
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

    def _clone(self) -> Switch:
        """The same switch of grad mode for one call of a decorated function."""
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


class set_grad_enabled(Switch):
    """Switch recording on or off: at once when called, and back at the end of a `with` block.

    >>> with norch.set_grad_enabled(False):
    ...     norch.is_grad_enabled()
    False
    >>> norch.is_grad_enabled()
    True
    """

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            given = type(mode).__name__
            raise TypeError(f"[set_grad_enabled] the mode must be True or False, not {given}")
        super().__init__(mode)
        super().__enter__()

    def __enter__(self) -> Self:
        return self  # the constructor has switched already

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Switch inside calls of the function only, not now."""
        super().__exit__()  # as a decorator it acts on calls only
        return super().__call__(function)


class inference_mode(Switch):
    """`no_grad` for code that will never want a gradient.

    >>> with norch.inference_mode():
    ...     norch.is_grad_enabled(), norch.is_inference_mode_enabled()
    (False, True)
    """

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        """`@inference_mode` without parentheses decorates at once, as in PyTorch."""
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode, mode)
