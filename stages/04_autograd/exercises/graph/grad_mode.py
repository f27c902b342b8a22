"""Grad mode: is what happens now being recorded for a later backward? And is it fused?

`mode.enabled` is read by every operation (graph.py), `mode.composite` by every fused one; only the
switches of this file write them. They restore what they found on any exit, exceptions included, and
work as decorators too. The mode belongs to the thread that sets it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from typing import Any, ParamSpec, Self, TypeVar, cast

from norch_autograd.types.modes import mode

P = ParamSpec("P")
R = TypeVar("R")


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


class Switch:
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

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Let each call of `function` run under this setting."""
        if inspect.isgeneratorfunction(function):
            return cast("Callable[P, R]", self._generator(function))

        @functools.wraps(function)
        def switched(*args: P.args, **kwargs: P.kwargs) -> R:
            with Switch(self._enabled, self._inference):
                return function(*args, **kwargs)

        return switched

    def _generator(self, function: Callable[..., Generator[Any, Any, Any]]) -> Callable[..., Any]:
        """The mode holds while the generator's body runs, never between two of its values."""

        @functools.wraps(function)
        def switched(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            body = function(*args, **kwargs)
            go_on = functools.partial(next, body)
            while True:
                try:
                    with Switch(self._enabled, self._inference):
                        value = go_on()
                except StopIteration as end:
                    return end.value
                try:
                    go_on = functools.partial(body.send, (yield value))
                except GeneratorExit:
                    with Switch(self._enabled, self._inference):
                        body.close()
                    raise
                except BaseException as error:  # the caller has thrown it in
                    go_on = functools.partial(body.throw, error)

        return switched


class no_grad(Switch):
    """Record nothing inside: results do not require gradients.

    >>> import norch_autograd as norch
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

    >>> import norch_autograd as norch
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


class set_grad_enabled(Switch):
    """Switch recording on or off: at once when called, and back at the end of a `with` block.

    >>> import norch_autograd as norch
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

    >>> import norch_autograd as norch
    >>> with norch.inference_mode():
    ...     norch.is_grad_enabled(), norch.is_inference_mode_enabled()
    (False, True)
    """

    def __new__(cls, mode: bool | Callable[..., Any] = True) -> Any:
        """`@inference_mode` without parentheses decorates at once, as in PyTorch."""
        return cls()(mode) if callable(mode) else super().__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(not mode, mode)
