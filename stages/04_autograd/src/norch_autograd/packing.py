"""Kept values that went through the pack hook of `saved_tensors_hooks` (saved.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd.mode import mode
from norch_autograd.state import TensorBase, array_of, wrap

if TYPE_CHECKING:
    from norch_autograd.node import Node

hooked: list[object] = []  # open `saved_tensors_hooks` of any thread; which, says its mode


class Packed:
    """What a pack hook made of a kept value, and the way back."""

    __slots__ = ("content", "is_array", "is_result", "node", "unpack")

    def __init__(
        self,
        tensor: TensorBase,
        node: Node | None = None,
        is_array: bool = False,
        is_result: bool = False,
    ) -> None:
        pack, self.unpack = mode.packers[-1]
        self.node, self.is_array, self.is_result = node, is_array, is_result
        found, mode.packers = mode.packers, ()  # a hook's own operations are not packed
        try:
            self.content = pack(tensor)
        finally:
            mode.packers = found

    def value(self, node: Node, on_arrays: bool) -> Any:
        """What the hook gives back, in the place of what `node` kept."""
        array = array_of(self.unpack(self.content), "saved_tensors_hooks")
        if self.is_array or on_arrays:
            return array
        history = node if self.is_result else self.node
        return wrap(array, history is not None, history)
