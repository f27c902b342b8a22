"""What an operation may be given, a tensor or a number; from tensor to array, and back. And what is
said of a call that was given something else.

Operations made of others, and whatever computes with its arguments, wear `in_own_name`: what goes
wrong inside is said in the name that the user called, and about the argument that does not fit its
annotation, where Python's own words would speak of our insides. Nothing of it runs while all goes
well, and no value is judged: who knows a value to be wrong says so itself. The error carries the
name as `op`, and what follows it as `words`.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import types
import typing
from collections import abc
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar, cast

from norch_autograd.graph.tensor_base import Tensor, no_tensor, wrap
from norch_autograd.types.errors import op_and_words, refusal, rename_error

Number: TypeAlias = float | int | bool
Operand: TypeAlias = Tensor | float | int | bool
Function = TypeVar("Function", bound=Callable[..., Any])
PYTHONS = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, NameError)


def raw(operand: Any) -> Any:
    """The array of an operand that is a tensor; anything else as it is."""
    return operand.array if isinstance(operand, Tensor) else operand


def number(operand: Any) -> Any:
    """The number in an operand that is a tensor without dimensions and wants no gradient; anything
    else as it is.
    """
    alone = isinstance(operand, Tensor) and not operand.ndim and not operand.requires_grad
    return operand.array.item() if alone else operand


def number_alone(operand: Any) -> Any:
    """`number`, where there is nothing that a gradient could go through: that it is lost is said,
    as by `float(x)`.
    """
    alone = isinstance(operand, Tensor) and not operand.ndim
    return number(float(operand) if alone and operand.requires_grad else operand)


def wrap_array(grad: Any) -> Any:
    """A gradient in the graph as a tensor, if it is an array; None, or a tensor, as it is. An array
    that is late (fusion/) is computed: whoever asks for a tensor lives outside.
    """
    if not hasattr(grad, "layout"):
        return grad
    return wrap(getattr(grad, "__norch_array__", grad), False, None)


def freeze(value: Any) -> Any:
    """What a node keeps of `value`, so that no later edit of the caller's reaches its backward: of
    a list a tuple, of a tensor its numbers. All else is kept as it is.

    >>> freeze((2, [0, norch.tensor(1)], None))
    (2, (0, 1), None)
    """
    kind = type(value)
    if isinstance(value, (tuple, list)):
        items = [freeze(item) for item in value]
        if kind is not list and all(map(operator.is_, items, value)):
            return value
        return kind._make(items) if hasattr(kind, "_make") else tuple(items)
    if kind is slice:
        return slice(freeze(value.start), freeze(value.stop), freeze(value.step))
    if isinstance(value, int) or not hasattr(kind, "__index__"):
        return value
    try:
        return operator.index(value)
    except TypeError:  # no whole number, or several
        return freeze(value.tolist()) if hasattr(kind, "tolist") else value


def in_own_name(function: Function) -> Function:
    """`function`, whose errors about operands begin with its name, whatever inside raised them. An
    argument that is no tensor and should be one is a TypeError, and so is any other that does not
    fit its annotation where Python's own words would say what broke inside. Of an `__init__` the
    name is the class's.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except Exception as error:
            said, trace = error_in_own_name(function, args, options, error), error.__traceback__
            try:
                raise said
            except Exception:
                said.__traceback__ = trace and trace.tb_next  # from `function` on, without us
                raise

    return cast(Function, wrapper)


def error_in_own_name(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any], error: Exception
) -> Exception:
    """The error to raise in place of `error`: a sentence of ours in the name of `function`, or a
    new one about the argument that was wrong.
    """
    name = type(args[0]).__name__ if function.__name__ == "__init__" else function.__name__
    given = _bind_arguments(function, args, options)
    for value, kind in given.values():
        if _is_tensor(kind) and not _fits(value, kind):
            return no_tensor(name, value)
    op, words = op_and_words(error)
    is_pythons = bool(given) and not op and isinstance(error, (*PYTHONS, MemoryError))
    is_of_an_argument = op == "bool" or (op != name and bool(getattr(error, "argument", False)))
    if is_pythons or is_of_an_argument:  # "bool": `if` met a tensor of several elements
        misfit = _misfit(name, given)
        if misfit or is_pythons:
            return misfit or _error_of_values(name, given, error)
    if op.isidentifier():
        rename_error(error, name, words)
    return error


def _bind_arguments(
    function: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, tuple[Any, Any]]:
    """An operation's operands, {parameter: (argument, annotation)}; empty where Python itself has
    said what is wrong: too many arguments, or unknown ones.
    """
    signature = inspect.signature(function)
    try:
        given = signature.bind(*args, **options).arguments
        kinds = typing.get_type_hints(function)
    except (TypeError, NameError):
        return {}
    several = {p.name for p in signature.parameters.values() if "VAR" in p.kind.name}
    return {
        name: (value, Any if name in several else kinds.get(name, Any))
        for name, value in given.items()
        if name != "self"
    }


def _is_tensor(kind: Any) -> bool:
    """Whether the annotation of an argument is Tensor, or Tensor | None."""
    union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    parts = typing.get_args(kind) if union else (kind,)
    kinds = [one for one in parts if one is not types.NoneType]
    return len(kinds) == 1 and isinstance(kinds[0], type) and issubclass(kinds[0], Tensor)


def _misfit(name: str, given: dict[str, tuple[Any, Any]]) -> Exception | None:
    """The TypeError for the first operand that does not fit its annotation; None if all do."""
    for parameter, (value, kind) in given.items():
        if not _fits(value, kind):
            words = f"expected {_spell(kind)}, got {_describe(value)}"
            return cast(Exception, refusal(TypeError, name, words, parameter))
    return None


def _spell(kind: Any) -> str:
    """The annotation of an argument as it is written.

    >>> _spell(Tensor), _spell(int | abc.Sequence[int] | None)
    ('Tensor', 'int | Sequence[int] | None')
    """
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(map(_spell, inside))
    if isinstance(kind, list):  # of a Callable
        return f"[{', '.join(map(_spell, kind))}]"
    own = {Tensor: "Tensor", types.NoneType: "None", ...: "..."}
    name: str = own.get(kind, "") or getattr(kind, "__name__", repr(kind))
    return f"{name}[{', '.join(map(_spell, inside))}]" if inside else name


def _error_of_values(name: str, given: dict[str, tuple[Any, Any]], error: Exception) -> Exception:
    """What Python said about our insides, as a sentence about operands that each look right."""
    if any(callable(value) and not isinstance(value, type) for value, _ in given.values()):
        return error  # perhaps one of the user's own function
    call = ", ".join(f"{parameter}={_describe(value)}" for parameter, (value, _) in given.items())
    if isinstance(error, MemoryError):
        return cast(Exception, refusal(MemoryError, name, f"out of memory: {call}"))
    kind = type(error) if type(error) in (TypeError, ValueError, IndexError) else TypeError
    is_math = isinstance(error, ArithmeticError)
    words = f"these arguments do not go together: {call}; help({name}) says what does"
    cause = None if is_math else error
    return cast(Exception, refusal(RuntimeError if is_math else kind, name, words, cause=cause))


def _fits(value: Any, kind: Any) -> bool:
    """Whether an argument is of the kind that an annotation says; where none is known, it is.

    >>> _fits(3, int | None), _fits(3.5, int), _fits([1, "a"], list[int])
    (True, False, False)
    """
    if kind is Any:
        return True
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, one) for one in inside)
    if origin in (abc.Sequence, abc.Iterable, list, tuple):
        listed = isinstance(value, abc.Iterable) and not isinstance(value, (str, bytes, dict))
        seen = value if isinstance(value, (list, tuple)) else ()
        return listed and all(_fits(one, inside[0]) for one in seen)
    if origin is abc.Callable:
        return callable(value)
    if kind in (int, float, bool) and isinstance(value, Tensor):
        return bool(math.prod(value.array.shape) == 1)
    if kind is int:
        return hasattr(type(value), "__index__")
    if kind is float:
        return hasattr(type(value), "__float__") or hasattr(type(value), "__index__")
    return isinstance(value, kind) if isinstance(kind, type) else True


def _describe(value: Any) -> str:
    """An operand as a message names it: a number or a word itself, of anything else its type."""
    if isinstance(value, (int, float, str, bool)):
        return repr(value)[:30]
    if isinstance(value, (list, tuple)) and len(value) <= 4:
        return f"{type(value).__name__} of {', '.join(map(_describe, value)) or 'nothing'}"
    return type(value).__name__
