"""Largest and smallest: `amax` shares the blame among equals, `max(dim)` gives it to the one it
names.
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph import return_types
from norch_autograd.graph.arrays import constant
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.elementwise.comparison import isnan
from norch_autograd.ops.elementwise.where import maximum, minimum
from norch_autograd.ops.indexing.gather import scatter_add
from norch_autograd.ops.reduction.sum import Dims, spread, sum
from norch_autograd.ops.shape.view import unsqueeze


class Amax(Node):
    """Blame is shared equally by the elements that attain the extreme."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        shape, dim, keepdim = self.context
        winner = (x == spread(y, shape, dim, keepdim)).to(grad.dtype)
        share = grad / winner.sum(dim, keepdim)
        return (spread(share, shape, dim, keepdim) * winner,)


def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The largest element over `dim` (one or several; all if None).

    >>> norch.amax(norch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([5., 3.])
    """
    x = array_of(input)
    y = x.ops.amax(x, dim, keepdim)
    return unary(Amax, y, input, (input, y), (x.shape, dim, keepdim))


class Amin(Amax):
    """As Amax: blame is shared equally by the elements that attain the extreme."""

    __slots__ = ()


def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The smallest element over `dim` (one or several; all if None).

    >>> norch.amin(norch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([1., 2.])
    """
    x = array_of(input)
    y = x.ops.amin(x, dim, keepdim)
    return unary(Amin, y, input, (input, y), (x.shape, dim, keepdim))


def evenly(grad: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """The blame of the one element `y`, shared by all of `x` that equal it; NaN equals NaN here."""
    winner = (x == y) | (isnan(x) & isnan(y))
    return winner * (grad / sum(winner))


class Extreme(Node):
    """Blame is shared equally by the elements that attain the extreme of all."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (evenly(grad, self.saved(0), self.saved(1)),)

    def name(self) -> str:
        return f"{self.context}Backward1"


class Max(Node):
    """All blame goes to the element whose index was reported."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim, keepdim = self.context
        index = self.saved(0)
        if not keepdim and shape:
            grad, index = unsqueeze(grad, dim), index.unsqueeze(dim)
        return (scatter_add(constant(grad, 0, shape), dim, index, grad),)


class Min(Max):
    """As Max: all blame goes to the element whose index was reported."""

    __slots__ = ()


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; with `dim`, the pair (values, indices); with a tensor, `maximum`.

    >>> norch.max(norch.tensor([[1., 5.], [3., 2.]]), dim=1).indices
    tensor([1, 0])
    """
    if dim is None:
        x = array_of(input)
        y = x.ops.amax(x, None)
        return unary(Extreme, y, input, (input, y), "Max")
    if isinstance(dim, Tensor):
        return maximum(input, dim)  # type: ignore[arg-type]
    x = array_of(input)
    values, indices = x.ops.max(x, dim, keepdim)
    found = plain(indices)
    return return_types.max(unary(Max, values, input, (found,), (x.shape, dim, keepdim)), found)


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest element; with `dim`, the pair (values, indices); with a tensor, `minimum`.

    >>> norch.min(norch.tensor([[1., 5.], [3., 2.]]), dim=1).values
    tensor([1., 2.])
    """
    if dim is None:
        x = array_of(input)
        y = x.ops.amin(x, None)
        return unary(Extreme, y, input, (input, y), "Min")
    if isinstance(dim, Tensor):
        return minimum(input, dim)  # type: ignore[arg-type]
    x = array_of(input)
    values, indices = x.ops.min(x, dim, keepdim)
    found = plain(indices)
    return return_types.min(unary(Min, values, input, (found,), (x.shape, dim, keepdim)), found)


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element stands along `dim` (in the flattened tensor if None).

    >>> norch.argmax(norch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([1, 0])
    """
    x = _ordered("argmax", input)
    return plain(x.ops.argmax(x, dim, keepdim))


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the smallest element stands along `dim` (in the flattened tensor if None).

    >>> norch.argmin(norch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([0, 1])
    """
    x = _ordered("argmin", input)
    return plain(x.ops.argmin(x, dim, keepdim))


def _ordered(op: str, input: Tensor) -> Any:
    """The array, unless it holds bools: PyTorch does not rank them either."""
    x = array_of(input, op)
    if x.dtype.name == "bool":
        raise RuntimeError(f"[{op}] bools have no largest or smallest: cast to uint8 first")
    return x
