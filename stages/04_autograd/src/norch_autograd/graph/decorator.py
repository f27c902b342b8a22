"""A setting for a `with` block that a function can wear too: each of its calls runs inside one.
And the name of a function that another one made.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")


def set_name(function: Any, name: str) -> None:
    """Call a function that another one made by this name, also in tracebacks and profiles."""
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)


class Decorator:
    """What the modes of a thread have in common: grad mode, `composite`, `autocast`."""

    def _anew(self) -> AbstractContextManager[Any]:
        """The same setting for one call."""
        raise NotImplementedError

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Let each call of `function` run under this setting."""
        if inspect.isgeneratorfunction(function):
            return cast("Callable[P, R]", self._generator(function))

        @functools.wraps(function)
        def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
            with self._anew():
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
                    with self._anew():
                        value = go_on()
                except StopIteration as end:
                    return end.value
                try:
                    go_on = functools.partial(body.send, (yield value))
                except GeneratorExit:
                    with self._anew():
                        body.close()
                    raise
                except BaseException as error:  # the caller has thrown it in
                    go_on = functools.partial(body.throw, error)

        return wrapper
