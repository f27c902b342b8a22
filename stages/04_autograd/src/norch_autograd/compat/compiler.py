"""The functions of `norch.jit`: what TorchScript compiles, norch runs as it is.

Each returns what it is given, so that a script which uses them computes the same numbers. What does
compile is `norch.compile` (fusion/).
"""

from __future__ import annotations

from typing import Any


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
