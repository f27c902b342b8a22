"""skip_init: a module whose parameters are not drawn, for those who load them at once."""

from __future__ import annotations

from typing import Any, TypeVar

from norch_nn.core.module import Module

M = TypeVar("M", bound=Module)


def skip_init(module_cls: type[M], *args: Any, **kwargs: Any) -> M:
    """Make a module with uninitialized parameters and buffers.

    >>> tuple(skip_init(nn.Linear, 2, 3).weight.shape)
    (3, 2)
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"[skip_init] a class of modules is expected, not {module_cls!r}")
    device = kwargs.get("device", "cpu")
    module: M = module_cls(*args, **kwargs)
    return module.to_empty(device=device)
