"""A tensor's state, without a single operation, and how one is put around an array.

The operations must make real `Tensor`s, whose class is written above them in tensors.py: it
introduces itself through `set_tensor_class`, once, at import.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weakref import ref

    from norch_autograd.hooks import Hooks
    from norch_autograd.node import Node
    from norch_autograd.tensors import Tensor

_new = object.__new__
tensor_class: type[Any]


def set_tensor_class(cls: type[TensorBase]) -> None:
    """Say which class results have: `Tensor`, whatever subclass the inputs were. Called by
    tensors.py.
    """
    global tensor_class
    tensor_class = cls


class TensorBase:
    """A tensor's state. Hooks of a tensor with a node live there, where the pass finds them."""

    __slots__ = ("__weakref__", "array", "base", "hooks", "node", "stored_grad", "tracked", "views")

    array: Any  # a stage 2 or stage 3 array
    tracked: bool  # whether gradients are wanted; the user's `requires_grad`
    stored_grad: Tensor | None  # what the user sees, and may assign, as `grad`
    node: Node | None
    hooks: Hooks | None
    # of a view: whose storage it is, that one's node then, and why not to edit it; see bases.py
    base: tuple[Tensor, Node | None, str | None] | None
    views: list[ref[Tensor]]  # those that want no gradient; not there before the first


def wrap(array: Any, tracked: bool, node: Node | None) -> Tensor:
    """A `Tensor` around an array that exists already."""
    tensor: Tensor = _new(tensor_class)
    tensor.array = array
    tensor.tracked = tracked
    tensor.stored_grad = None
    tensor.node = node
    tensor.hooks = None
    tensor.base = None
    return tensor


def plain(array: Any) -> Tensor:
    """The result of an operation that has no derivative."""
    return wrap(array, False, None)


def array_of(tensor: TensorBase, op: str = "") -> Any:
    """The array of a tensor; TypeError, in the name of the calling operation, for anything else."""
    try:
        return tensor.array
    except AttributeError:
        op = op or sys._getframe(1).f_code.co_name
        raise TypeError(
            f"[{op}] expected a Tensor, got {type(tensor).__name__}: tensor(...) makes one"
        ) from None


def raw(operand: Any) -> Any:
    """The array of a tensor; anything else as it is."""
    return operand.array if isinstance(operand, TensorBase) else operand
