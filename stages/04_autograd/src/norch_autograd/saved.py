"""Hooks on what nodes keep: `saved_tensors_hooks(pack, unpack)`.

Inside, every value that an operation keeps for its derivative goes through `pack`, and what that
returns is kept instead: a place on a disk, half the precision, a number. When the derivative asks,
`unpack` must give the value back. Leaves that want gradients are kept as they are: they live
anyway, and a gradient must find them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from norch_autograd.mode import mode
from norch_autograd.packing import hooked


class saved_tensors_hooks:
    """Let `pack` replace what operations keep, and `unpack` bring it back.

    >>> import norch_autograd as norch
    >>> x = norch.tensor([2.], requires_grad=True)
    >>> with norch.autograd.saved_tensors_hooks(lambda t: t.tolist(), norch.tensor):
    ...     y = (x * 1).exp()
    >>> y.backward()
    >>> x.grad
    tensor([7.3891])
    """

    def __init__(self, pack_hook: Callable[[Any], Any], unpack_hook: Callable[[Any], Any]) -> None:
        self._hooks = (pack_hook, unpack_hook)

    def __enter__(self) -> Self:
        hooked.append(self)
        mode.packers = (*mode.packers, self._hooks)
        return self

    def __exit__(self, *_: object) -> None:
        mode.packers = mode.packers[:-1]
        hooked.remove(self)
