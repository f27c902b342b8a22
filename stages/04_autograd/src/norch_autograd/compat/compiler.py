"""What PyTorch compiles, norch runs as it is: `compile`, and the functions of `norch.jit`.

Each returns the function or module that it is given, so that a script which compiles computes the
same numbers. Nothing here makes anything faster.
"""

from __future__ import annotations

import functools
import warnings
from typing import Any


def compile(model: Any = None, **options: Any) -> Any:
    """Return `model`, a module or a function, as it is: norch has no compiler yet, and warns so.

    Also a decorator; `options` are PyTorch's (`mode`, `fullgraph`, `dynamic`, ...) and change
    nothing. Source: `torch.compile`.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     norch.compile(norch.exp, mode="max-autotune") is norch.exp
    True
    """
    if model is None:
        return functools.partial(compile, **options)
    if not callable(model):
        raise TypeError(
            f"[compile] expected a module or a function, got {type(model).__name__}: "
            "compile the model, then call it"
        )
    warnings.warn("[compile] norch has no compiler yet: the model runs as it is", stacklevel=2)
    return model


def script(obj: Any, *_: Any, **__: Any) -> Any:
    """Return `obj` as it is: in norch Python itself runs what PyTorch's TorchScript would.

    >>> script(norch.exp) is norch.exp
    True
    """
    return obj


def script_method(fn: Any) -> Any:
    """Return the method as it is: TorchScript would compile it.

    >>> script_method(norch.exp) is norch.exp
    True
    """
    return fn


def ignore(drop: Any = False, **_: Any) -> Any:
    """Return the method as it is, with or without options: TorchScript would leave it in Python.

    >>> ignore(norch.exp) is ignore(drop=True)(norch.exp) is norch.exp
    True
    """
    return drop if callable(drop) else script


def unused(fn: Any) -> Any:
    """Return the method as it is: TorchScript would leave it out.

    >>> unused(norch.exp) is norch.exp
    True
    """
    return fn


def export(fn: Any) -> Any:
    """Return the method as it is: TorchScript would compile it beside `forward`.

    >>> export(norch.exp) is norch.exp
    True
    """
    return fn


def is_scripting() -> bool:
    """Whether TorchScript is running this line: no.

    >>> is_scripting()
    False
    """
    return False
