"""A tensor's state, without a single operation, and how one is put around an array.

Every file below `Tensor` takes its type from here: to a reader, an editor and mypy the word means
the whole class with its methods, to the running program `TensorBase`, from which it inherits.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any
from weakref import ref

from norch_autograd.types.core import in_core
from norch_autograd.types.device import as_device, device
from norch_autograd.types.errors import refusal
from norch_autograd.types.size import Size
from norch_cpu_ops import DType

tensor_class: type[Any]


@in_core
def set_tensor_class(cls: type[TensorBase]) -> None:
    """Say which class results have: `Tensor`; tensor/tensor.py calls this once, at import."""
    global tensor_class
    tensor_class = cls


@in_core
class TensorState:
    """What a tensor holds."""

    __slots__ = (
        "__weakref__", "_grad", "_requires_grad", "array", "base", "hooks", "node", "views",
    )  # fmt: skip

    array: Any  # a stage 2 or stage 3 array
    _requires_grad: bool  # what `requires_grad` reads: operations look here, without a call
    _grad: Tensor | None  # what the user sees, and may assign, as `grad`
    node: Any  # the `Node` that made it; None for a leaf
    hooks: Any  # door: hooks.py. Those of a leaf; a node has its own
    base: tuple[Any, Any, str | None] | None  # door: views.py. Of a view, whose storage it is
    views: list[ref[Any]]  # of a base: see views.py; not there before the first


class TensorBase(TensorState):
    """A tensor's state, and what every operation reads of it."""

    __slots__ = ()

    @property
    @in_core
    def shape(self) -> Size:
        """The sizes of a tensor's dimensions."""
        return tuple.__new__(Size, self.array.shape)  # sizes already

    @property
    @in_core
    def dtype(self) -> DType:
        """The type of a tensor's elements."""
        return self.array.dtype  # type: ignore[no-any-return]

    @property
    @in_core
    def device(self) -> device:
        """The device that a tensor lives on."""
        return as_device(self.array.device)

    @property
    def ndim(self) -> int:
        """How many dimensions a tensor has."""
        return self.array.ndim  # type: ignore[no-any-return]

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are computed for a tensor."""
        return self._requires_grad


# The door: the one import upward in this package, for the eyes of readers and type checkers only.
if TYPE_CHECKING:
    from norch_autograd.tensor.tensor import Tensor as Tensor
else:
    Tensor = TensorBase


@in_core
def wrap(array: Any, requires_grad: bool, node: Any) -> Tensor:
    """A `Tensor` around an array that exists already."""
    tensor: Tensor = object.__new__(tensor_class)
    tensor.array = array
    tensor._requires_grad = requires_grad
    tensor._grad = None
    tensor.node = node
    tensor.hooks = None
    tensor.base = None
    return tensor


@in_core
def plain(array: Any) -> Tensor:
    """The result of an operation that has no derivative."""
    return wrap(array, False, None)


def array_of(tensor: Tensor, op: str = "") -> Any:
    """The array of a tensor; TypeError, in the name of the calling operation, for anything else."""
    try:
        return tensor.array
    except AttributeError:
        raise no_tensor(op or sys._getframe(1).f_code.co_name, tensor) from None


def no_tensor(op: str, given: Any) -> Exception:
    """The error for what is no tensor and should be one."""
    words = f"expected a Tensor, got {type(given).__name__}: tensor(...) makes one"
    return refusal(TypeError, op, words)  # type: ignore[no-any-return]
