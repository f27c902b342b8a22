"""What an operation may be given, a tensor or a number; from tensor to array, and back.

Operations made of others wear `in_own_name`: what goes wrong inside is said in the name that the
user called.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

from norch_autograd.graph.tensor_base import Tensor, wrap
from norch_autograd.graph.wrong_arguments import told

Number: TypeAlias = float | int | bool
Operand: TypeAlias = Tensor | float | int | bool
Function = TypeVar("Function", bound=Callable[..., Any])


def raw(operand: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    return operand.array if isinstance(operand, Tensor) else operand


def wrapped_array(grad: Any) -> Any:
    """A gradient on its way as a tensor, if it is an array; None, or a tensor, as it is."""
    return wrap(grad, False, None) if hasattr(grad, "layout") else grad


def in_own_name(function: Function) -> Function:
    """`function`, whose errors begin with its own name, whichever operation inside raised them. An
    argument that is no tensor and should be one is a TypeError, and so is any other that does not
    fit its annotation where Python's own words would say what broke inside. Of an `__init__` the
    name is the class's.
    """

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except Exception as error:
            said = told(function, args, options, error)
            if said is error:
                raise
            raise said from said.__cause__

    return cast(Function, called)
