"""Hooks on what nodes keep: `saved_tensors_hooks(pack, unpack)`. PyTorch's `autograd.graph`.

Inside, every value that an operation keeps for its derivative goes through `pack`, and what that
returns is kept instead: a place on a disk, half the precision, a number. When the derivative asks,
`unpack` must give the value back. Leaves that want gradients are kept as they are: they live
anyway, and a gradient must find them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from norch_autograd.graph.tensor_base import Tensor, array_of, plain, wrap
from norch_autograd.types.modes import mode

packing: list[object] = []  # open `saved_tensors_hooks` of any thread; which, says its mode


class Packed:
    """What a pack hook made of a kept value, and the way back."""

    __slots__ = ("content", "is_array", "is_result", "node", "unpack")

    def __init__(
        self, tensor: Tensor, node: Any = None, is_array: bool = False, is_result: bool = False
    ) -> None:
        pack, self.unpack = mode.packers[-1]
        self.node, self.is_array, self.is_result = node, is_array, is_result
        found, mode.packers = mode.packers, ()  # a hook's own operations are not packed
        try:
            self.content = pack(tensor)
        finally:
            mode.packers = found

    def array(self) -> Any:
        """The kept array, as the unpack hook gives it back."""
        return array_of(self.unpack(self.content), "saved_tensors_hooks")

    def connect(self, array: Any, node: Any) -> Any:
        """The unpacked `array` as a tensor with the history of what `node` kept."""
        if self.is_array:
            return array
        history = node if self.is_result else self.node
        return wrap(array, history is not None, history)


def pack_saved(kept: list[Any], edge_of: Callable[[Tensor], Any]) -> list[Any]:
    """Pass kept values through the pack hook; leaves that want gradients stay as they are."""
    result: list[Any] = []
    for item in kept:
        if item.__class__ is not tuple:
            is_array = hasattr(item, "layout")
            result.append(Packed(plain(item), is_array=True) if is_array else item)
        elif item[0] is None:
            result.append(Packed(plain(item[1]), is_result=True))
        else:
            edge = edge_of(item[0])
            result.append(item if edge is item[0] else Packed(item[0], edge))
    return result


class saved_tensors_hooks:
    """Let `pack` replace what operations keep, and `unpack` bring it back.

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
        if mode.packing_refused is not None:
            raise RuntimeError(mode.packing_refused)
        packing.append(self)
        mode.packers = (*mode.packers, self._hooks)
        return self

    def __exit__(self, *_: object) -> None:
        mode.packers = mode.packers[:-1]
        packing.remove(self)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Refuse `saved_tensors_hooks` inside, with RuntimeError and these words.

    >>> with disable_saved_tensors_hooks("not here"):
    ...     with saved_tensors_hooks(lambda t: t, lambda t: t):
    ...         pass
    Traceback (most recent call last):
      ...
    RuntimeError: not here
    """
    found = mode.packing_refused
    mode.packing_refused = error_message
    try:
        yield
    finally:
        mode.packing_refused = found


def freed_error(node: Any) -> RuntimeError:
    """The error for a second backward pass through a node that the first one freed."""
    return RuntimeError(
        f"[backward] the graph was already walked backward and what {node.name()} had kept is "
        "freed; pass retain_graph=True to the first backward if you need a second one"
    )


def edited_error(node: Any, array: Any, version: int) -> RuntimeError:
    """The error for a value kept for backward that was edited in place since."""
    return RuntimeError(
        "[backward] one of the variables needed for gradient computation has been modified by an "
        f"inplace operation: a value of shape {list(array.shape)} kept by {node.name()} is at "
        f"version {array.version}, expected version {version}; use the out-of-place form, or edit "
        "a clone"
    )
