"""Grad mode: is what happens now being recorded for a later backward? And is it fused?

`mode.enabled` is read by every operation (graph.py), `mode.composite` by every fused one; only the
switches of this file write them. They restore what they found on any exit, exceptions included, and
work as decorators too. The mode belongs to the thread that sets it.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, Self, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


class _Mode(threading.local):
    """What this thread is doing; the class attributes are what a new thread starts with."""

    enabled = True
    inference = False
    composite = False
    on_arrays = False  # inside a backward pass that hands on arrays: see ArrayNode in node.py
    autocast: Any = None  # autocast.Settings inside an autocast
    packers: tuple[Any, ...] = ()  # see saved.py
    packing_refused: str | None = None
    devices: tuple[str, ...] = ("cpu",)  # the default of new tensors, then one a `with device`


mode = _Mode()


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


class BackwardPass:
    """The mode of a backward pass: recorded or not; if not, and not `composite`, on arrays."""

    __slots__ = ("_found", "_recorded")

    def __init__(self, recorded: bool) -> None:
        self._recorded = recorded

    def __enter__(self) -> None:
        self._found = mode.enabled, mode.on_arrays
        mode.enabled = self._recorded
        mode.on_arrays = not (self._recorded or mode.composite)

    def __exit__(self, *_: object) -> None:
        mode.enabled, mode.on_arrays = self._found


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


@contextmanager
def autocast_off() -> Iterator[None]:
    """No autocast inside, whatever is set outside."""
    found = mode.autocast
    mode.autocast = None
    try:
        yield
    finally:
        mode.autocast = found


class composite:
    """Inside, every fused operation runs its twin: the same function made of basic operations,
    whose derivative is then nobody's work but the engine's.

    The fused operations say so in their first line, `if mode.composite: return ...`.

    >>> import norch_autograd as norch
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
        mode.composite = self._wanted
        return self

    def __exit__(self, *_: object) -> None:
        mode.composite = self._found.pop()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Let each call of `function` run its twins."""

        @functools.wraps(function)
        def switched(*args: P.args, **kwargs: P.kwargs) -> R:
            with composite(self._wanted):
                return function(*args, **kwargs)

        return switched


def is_composite_enabled() -> bool:
    """Whether this thread is inside `composite()`.

    >>> is_composite_enabled()
    False
    """
    return mode.composite
