"""The functions of `norch.jit`, PyTorch's older compiler: what TorchScript compiles runs as it is.

They return what they are given, so that a script which uses them computes the same numbers.
"""

from __future__ import annotations

from typing import Any


def script(obj: Any, *_: Any, **__: Any) -> Any:
    """Return `obj` as it is, for older scripts: Python itself runs what TorchScript compiled.

    >>> script(norch.exp) is norch.exp
    True
    """
    return obj


def script_method(fn: Any) -> Any:
    """Return the method as it is, for older scripts: TorchScript would compile it.

    >>> script_method(norch.exp) is norch.exp
    True
    """
    return fn


def ignore(drop: Any = False, **_: Any) -> Any:
    """Return the method as it is, for older scripts: TorchScript would leave it in Python.

    >>> ignore(norch.exp) is ignore(drop=True)(norch.exp) is norch.exp
    True
    """
    return drop if callable(drop) else script


def unused(fn: Any) -> Any:
    """Return the method as it is, for older scripts: TorchScript would leave it out.

    >>> unused(norch.exp) is norch.exp
    True
    """
    return fn


def export(fn: Any) -> Any:
    """Return the method as it is, for older scripts: TorchScript would compile it too.

    >>> export(norch.exp) is norch.exp
    True
    """
    return fn


def is_scripting() -> bool:
    """Whether TorchScript is running this line, which older scripts ask: no.

    >>> is_scripting()
    False
    """
    return False
