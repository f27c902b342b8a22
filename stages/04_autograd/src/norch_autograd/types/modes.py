"""The modes of a thread: one object, read by the record, the engine and the creation functions.

Only context managers write it (grad_mode.py, composite.py, saved_tensors.py, autocast.py, device.py
and the engine's `BackwardPass`), and each restores what it found. No operation reads it. A
`Decorator` is such a context manager that a function can wear too.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar, cast

from norch_autograd.types.core import in_core

P = ParamSpec("P")
R = TypeVar("R")


@in_core
class Mode(threading.local):
    """What this thread is doing; the class attributes are what a new thread starts with."""

    enabled = True
    inference = False
    composite = False
    on_arrays = False  # inside a backward pass that hands on arrays: see `saved` in graph/node.py
    autocast: Any = None  # autocast.Settings inside an autocast
    packers: tuple[Any, ...] = ()  # see graph/saved_tensors.py
    packing_refused: str | None = None
    devices: tuple[str, ...] = ("cpu",)  # the default of new tensors, then one a `with device`


mode = Mode()


class Decorator:
    """A mode for a `with` block that a function can wear: grad mode, `composite`, `autocast`."""

    def _clone(self) -> AbstractContextManager[Any]:
        """The same setting for one call of a decorated function."""
        raise NotImplementedError

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Let each call of `function` run under this setting."""
        if inspect.isgeneratorfunction(function):
            return cast("Callable[P, R]", self._generator(function))

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            with self._clone():
                return function(*args, **kwargs)

        return wrapper

    def _generator(self, function: Callable[..., Generator[Any, Any, Any]]) -> Callable[..., Any]:
        """The setting holds while the generator's body runs, never between two of its values."""

        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            body = function(*args, **kwargs)
            go_on = functools.partial(next, body)
            while True:
                try:
                    with self._clone():
                        value = go_on()
                except StopIteration as end:
                    return end.value
                try:
                    go_on = functools.partial(body.send, (yield value))
                except GeneratorExit:
                    with self._clone():
                        body.close()
                    raise
                except BaseException as error:  # the caller has thrown it in
                    go_on = functools.partial(body.throw, error)

        return wrapper
