"""Largest and smallest elements, and the nodes of results that are one of the inputs.

`amax`, and `max` of all elements, share the gradient among equals (`Extreme`, `SharedByEquals`);
`max(dim)` and whatever else reports an index give it to the element that the index names (`Picked`,
also used by cumulative.py, sort.py and more/reduction).
"""

from __future__ import annotations

from typing import Any

from norch_autograd.graph import return_types
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.comparison import isnan
from norch_autograd.ops.elementwise.where import maximum, minimum
from norch_autograd.ops.indexing.gather import scatter_add
from norch_autograd.ops.reduction.sum import Dims, restore_dims, sum
from norch_autograd.ops.shape.view import unsqueeze


class Extreme(Node):
    """dx = dy / n at the n elements that attain the extreme, else 0. The context ends with the
    node's name.
    """

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        shape, dim, keepdim, _ = self.context
        attains = to(x == restore_dims(y, shape, dim, keepdim), grad.dtype)
        share = grad / sum(attains, dim, keepdim)
        return (restore_dims(share, shape, dim, keepdim) * attains,)

    def name(self) -> str:
        return str(self.context[-1])


def amax(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The largest element over `dim` (one or several; all if None).

    >>> norch.amax(norch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([5., 3.])
    """
    x = array_of(input)
    y = x.ops.amax(x, dim, keepdim)
    return unary(Extreme, y, input, (input, y), (x.shape, dim, keepdim, "AmaxBackward0"))


def amin(input: Tensor, dim: Dims = None, keepdim: bool = False) -> Tensor:
    """The smallest element over `dim` (one or several; all if None).

    >>> norch.amin(norch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([1., 2.])
    """
    x = array_of(input)
    y = x.ops.amin(x, dim, keepdim)
    return unary(Extreme, y, input, (input, y), (x.shape, dim, keepdim, "AminBackward0"))


class SharedByEquals(Node):
    """dx = dy / n at the n elements of x that equal y, else 0; NaN equals NaN here. The context is
    the node's name.
    """

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        equal = (x == y) | (isnan(x) & isnan(y))
        return (equal * (grad / sum(equal)),)

    def name(self) -> str:
        return str(self.context)


class Picked(Node):
    """dx = dy at the elements that the indices name, else 0. The context ends with the node's
    name.
    """

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim, keepdim, _ = self.context
        index = self.saved(0)
        if not keepdim and shape:
            grad, index = unsqueeze(grad, dim), unsqueeze(index, dim)
        return (scatter_add(constant(grad, 0, shape), dim, index, grad),)

    def name(self) -> str:
        return str(self.context[-1])


def record_picks(
    name: str, input: Tensor, found: tuple[Any, Any], dim: int, keepdim: bool
) -> tuple[Tensor, Tensor]:
    """`found`, the arrays of values and of the indices along `dim` they were picked by, as tensors;
    the values are recorded as `Picked`, which prints as `name`.
    """
    values, indices = found
    places, context = plain(indices), (input.array.shape, dim, keepdim, name)
    return unary(Picked, values, input, (places,), context), places


def max(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The largest element; with `dim`, the pair (values, indices); with a tensor, `maximum`.

    >>> norch.max(norch.tensor([[1., 5.], [3., 2.]]), dim=1).indices
    tensor([1, 0])
    """
    if dim is None:
        x = array_of(input)
        y = x.ops.amax(x, None)
        return unary(SharedByEquals, y, input, (input, y), "MaxBackward1")
    if isinstance(dim, Tensor):
        return maximum(input, dim)
    x = array_of(input)
    found = x.ops.max(x, dim, keepdim)
    return return_types.max(*record_picks("MaxBackward0", input, found, dim, keepdim))


def min(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    """The smallest element; with `dim`, the pair (values, indices); with a tensor, `minimum`.

    >>> norch.min(norch.tensor([[1., 5.], [3., 2.]]), dim=1).values
    tensor([1., 2.])
    """
    if dim is None:
        x = array_of(input)
        y = x.ops.amin(x, None)
        return unary(SharedByEquals, y, input, (input, y), "MinBackward1")
    if isinstance(dim, Tensor):
        return minimum(input, dim)
    x = array_of(input)
    found = x.ops.min(x, dim, keepdim)
    return return_types.min(*record_picks("MinBackward0", input, found, dim, keepdim))


def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the largest element stands along `dim` (in the flattened tensor if None).

    >>> norch.argmax(norch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([1, 0])
    """
    x = _check_ordered("argmax", input)
    return plain(x.ops.argmax(x, dim, keepdim))


def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """Where the smallest element stands along `dim` (in the flattened tensor if None).

    >>> norch.argmin(norch.tensor([[1., 5.], [7., 2.]]), dim=1)
    tensor([0, 1])
    """
    x = _check_ordered("argmin", input)
    return plain(x.ops.argmin(x, dim, keepdim))


def _check_ordered(op: str, input: Tensor) -> Any:
    """What `max` or its like reduces, unless it holds bools: PyTorch does not rank them either."""
    x = array_of(input, op)
    if x.dtype.name == "bool":
        raise RuntimeError(f"[{op}] bools have no largest or smallest: cast to uint8 first")
    return x


@in_own_name
def aminmax(
    input: Tensor, *, dim: int | None = None, keepdim: bool = False
) -> return_types.aminmax:
    """The pair `amin(...)`, `amax(...)`.

    >>> norch.aminmax(norch.tensor([1., 3., 2.])).max
    tensor(3.)
    """
    return return_types.aminmax(amin(input, dim, keepdim), amax(input, dim, keepdim))
