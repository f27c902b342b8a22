"""`family`: functions that differ in one thing (max_pool1d, 2d, 3d; zeros_like, ones_like), written
once.

The decorated function takes that thing first. Each member is named in its file by a line of its
own, with its own docstring, and has the signature of the rest:

    max_pool2d = _max_pool(2)("The largest element under each window of images.")

Other functions that a function made are called by their own name with `set_name`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from norch_autograd.graph.operands import in_own_name

K = TypeVar("K")
P = ParamSpec("P")
R = TypeVar("R")
Members = Callable[[K], Callable[[str], Callable[P, R]]]


def family(
    name: str, *decorators: Callable[[Any], Any]
) -> Callable[[Callable[Concatenate[K, P], R]], Members[K, P, R]]:
    """Make of `function(key, ...)` a maker of its members: of `key`, then of the docstring, the
    function of the arguments after `key`, called `name` with `key` in it. Each member wears the
    `decorators`, and in_own_name above them.

    >>> @family("power{}d")
    ... def _power(dims: int, side: float) -> float:
    ...     return side**dims
    >>> power2d = _power(2)("The area of a square.")
    >>> power2d(3.0), power2d.__name__, power2d.__doc__
    (9.0, 'power2d', 'The area of a square.')
    """

    def decorator(function: Callable[Concatenate[K, P], R]) -> Members[K, P, R]:
        whole = cast("FunctionType", function)
        signature = inspect.signature(whole)
        first, *others = signature.parameters.values()
        hints = {key: kind for key, kind in whole.__annotations__.items() if key != first.name}

        def member(key: K, doc: str) -> Callable[P, R]:
            own = FunctionType(
                *(whole.__code__, whole.__globals__, name.format(key)),
                *(whole.__defaults__, whole.__closure__),
            )
            own.__kwdefaults__ = whole.__kwdefaults__
            one: Any = functools.update_wrapper(functools.partial(own, key), whole)
            one.__name__ = one.__qualname__ = own.__qualname__ = own.__name__
            one.__doc__ = inspect.cleandoc(doc)
            one.__signature__ = signature.replace(parameters=others)
            for decorate in decorators:
                one = decorate(one)
            one = in_own_name(one)
            one.__annotations__ = hints  # last: since Python 3.14 no decorator copies them
            return cast("Callable[P, R]", one)

        return lambda key: functools.partial(member, key)

    return decorator


def set_name(function: Any, name: str) -> None:
    """Call a function that another one made by this name, also in tracebacks and profiles."""
    function.__name__ = function.__qualname__ = name
    function.__code__ = function.__code__.replace(co_name=name, co_qualname=name)
