"""The other switches of grad mode: `set_grad_enabled` and `inference_mode`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from norch_autograd.graph.decorator import P, R
from norch_autograd.graph.grad_mode import Switch
from norch_autograd.types.modes import mode


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode()`.

    >>> is_inference_mode_enabled()
    False
    """
    return mode.inference


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
