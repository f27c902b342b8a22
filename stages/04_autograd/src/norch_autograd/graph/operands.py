"""What an operation may be given, a tensor or a number; from tensor to array, and back.

Operations made of others wear `in_own_name`: what goes wrong inside is said in the name that the
user called.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

from norch_autograd.graph.tensor_base import Tensor, array_of, wrap

Number: TypeAlias = float | int | bool
Operand: TypeAlias = "Tensor | Number"
Function = TypeVar("Function", bound=Callable[..., Any])
OTHER_NAME = re.compile(r"^\[\w+\] ")


def raw(operand: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    return operand.array if isinstance(operand, Tensor) else operand


def wrapped_array(grad: Any) -> Any:
    """A gradient on its way as a tensor, if it is an array; None, or a tensor, as it is."""
    return wrap(grad, False, None) if hasattr(grad, "layout") else grad


def in_own_name(function: Function) -> Function:
    """`function`, whose errors begin with its own name, whichever operation inside raised them. An
    argument that is no tensor and should be one is a TypeError.
    """

    @functools.wraps(function)
    def called(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except Exception as error:
            _check_tensors(function, args, options)
            text = str(error.args[0]) if error.args else ""
            if OTHER_NAME.match(text):
                error.args = (OTHER_NAME.sub(f"[{function.__name__}] ", text), *error.args[1:])
            elif isinstance(error, (AttributeError, KeyError)):
                raise TypeError(f"[{function.__name__}] a wrong argument: {error}") from error
            raise

    return cast(Function, called)


def _check_tensors(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """TypeError for an argument that is no tensor, though its annotation says so."""
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **options).arguments
    except TypeError:  # too few, or too many: Python has said so
        return
    for name, value in given.items():
        kind = str(signature.parameters[name].annotation)
        if kind == "Tensor" or (kind == "Tensor | None" and value is not None):
            array_of(value, function.__name__)
