"""`compile`: the door to fuse.py, which is loaded when it is first asked for."""

from __future__ import annotations

import functools
import warnings
from typing import Any

_SMALLEST = 1 << 14  # elements: with fewer, eager is done before a chain has been traced


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    backend: Any = "eager",
    options: dict[str, Any] | None = None,
    disable: bool = False,
    **others: Any,
) -> Any:
    """A function or module that runs as it is, or with `backend="fuse"` one whose chains of
    elementwise operations are each computed by one loop, forward and backward; also a decorator.

    A fused function must compute with its tensors and edit none that a chain still has to read:
    such an edit is a RuntimeError. Its `kernels` (a module's `forward.kernels`) are the texts of
    the loops, `reasons` say what was not fused and why. Where Python reads a value (`item`, a
    branch), or there is no compiler, it computes as it always does; with `fullgraph` that is a
    RuntimeError. It does so for small arguments too, of less than 16,384 elements or what
    `options={"smallest": n}` says. `others` (`mode`, `dynamic`, ...) are PyTorch's and change
    nothing. Source: `torch.compile`.

    >>> @norch.compile(backend="fuse", options={"smallest": 1})
    ... def double_exp(x):
    ...     return norch.exp(x) * 2 + 1
    >>> double_exp(norch.tensor([0., 1.]))
    tensor([3.0000, 6.4366])
    >>> double_exp.reasons, len(double_exp.kernels)
    ([], 1)
    """
    if model is None:
        given = {"fullgraph": fullgraph, "backend": backend, "options": options}
        return functools.partial(compile, **given, disable=disable, **others)
    if not callable(model):
        raise TypeError(
            f"[compile] expected a module or a function, got {type(model).__name__}: "
            "compile the model, then call it"
        )
    if disable:
        return model
    if backend != "fuse":
        text = '[compile] the model runs as it is; backend="fuse" joins elementwise operations'
        warnings.warn(text, stacklevel=2)
        return model
    from norch_extras.fusion.fuse import fuse

    return fuse(model, fullgraph, (options or {}).get("smallest", _SMALLEST))
