"""The indexed operations in place, under PyTorch's names with the underscore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from norch_autograd.ops.cumulative import cumprod, cumsum
from norch_autograd.ops.gather import index_add, scatter_add
from norch_autograd.ops.inplace import edit
from norch_autograd.ops.picking import index_copy, index_fill, masked_scatter
from norch_autograd.ops.scatter import scatter, scatter_reduce
from norch_autograd.ops.shifts import bitwise_left_shift, bitwise_right_shift

if TYPE_CHECKING:
    from norch_autograd.ops.arithmetic import Operand
    from norch_autograd.tensors import Tensor


def scatter_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: float | None = None,
    reduce: str | None = None,
) -> Tensor:
    """`scatter` in place.

    >>> import norch_autograd as norch
    >>> norch.zeros(2, 3).scatter_(1, norch.tensor([[2], [0]]), 1.0)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    return edit(
        input,
        lambda old, index, source: scatter(old, dim, index, source, reduce=reduce),
        index,
        value if src is None else src,
        op="scatter_",
    )


def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`scatter_add` in place.

    >>> import norch_autograd as norch
    >>> norch.zeros(2).scatter_add_(0, norch.tensor([1, 1]), norch.ones(2))
    tensor([0., 2.])
    """
    return edit(
        input,
        lambda old, index, source: scatter_add(old, dim, index, source),
        index,
        src,
        op="scatter_add_",
    )


def scatter_reduce_(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """`scatter_reduce` in place.

    >>> import norch_autograd as norch
    >>> norch.ones(2).scatter_reduce_(0, norch.tensor([1, 1]), norch.tensor([4., 3.]), "amax")
    tensor([1., 4.])
    """
    return edit(
        input,
        lambda old, index, source: scatter_reduce(
            old, dim, index, source, reduce, include_self=include_self
        ),
        index,
        src,
        op="scatter_reduce_",
    )


def index_add_(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1
) -> Tensor:
    """`index_add` in place.

    >>> import norch_autograd as norch
    >>> norch.zeros(2).index_add_(0, norch.tensor([1, 1]), norch.ones(2), alpha=3)
    tensor([0., 6.])
    """
    return edit(
        input,
        lambda old, index, source: index_add(old, dim, index, source, alpha=alpha),
        index,
        source,
        op="index_add_",
    )


def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy` in place.

    >>> import norch_autograd as norch
    >>> norch.zeros(2).index_copy_(0, norch.tensor([1]), norch.ones(1))
    tensor([0., 1.])
    """
    return edit(
        input,
        lambda old, index, source: index_copy(old, dim, index, source),
        index,
        source,
        op="index_copy_",
    )


def index_fill_(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """`index_fill` in place.

    >>> import norch_autograd as norch
    >>> norch.zeros(2).index_fill_(0, norch.tensor([1]), 7)
    tensor([0., 7.])
    """
    return edit(
        input,
        lambda old, index, value: index_fill(old, dim, index, value),
        index,
        value,
        op="index_fill_",
    )


def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`masked_scatter` in place.

    >>> import norch_autograd as norch
    >>> norch.zeros(2).masked_scatter_(norch.tensor([False, True]), norch.ones(1))
    tensor([0., 1.])
    """
    return edit(input, masked_scatter, mask, source)


def cumsum_(input: Tensor, dim: int) -> Tensor:
    """`cumsum` in place."""
    return edit(input, cumsum, dim)


def cumprod_(input: Tensor, dim: int) -> Tensor:
    """`cumprod` in place."""
    return edit(input, cumprod, dim)


def bitwise_left_shift_(input: Tensor, other: Operand) -> Tensor:
    """`<<=`."""
    return edit(input, bitwise_left_shift, other)


def bitwise_right_shift_(input: Tensor, other: Operand) -> Tensor:
    """`>>=`."""
    return edit(input, bitwise_right_shift, other)
