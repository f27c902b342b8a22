"""Values written where indices say: `index_put_`, `put_`, `index_copy_`; and into a copy (`put`),
which is an edit of a clone. Further edits by index are in more/inplace.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.indexing.gather import index_add
from norch_autograd.ops.indexing.getitem import getitem, wrap_index
from norch_autograd.ops.indexing.index_copy import index_copy
from norch_autograd.ops.inplace.edit import edit, in_place
from norch_autograd.ops.inplace.setitem import setitem
from norch_autograd.ops.shape.view import expand, reshape
from norch_cpu_ops import int64

index_copy_ = in_place(index_copy)


def index_put_(
    input: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """`input[indices] = values`; with `accumulate` they are added, repeated places and all.

    >>> norch.zeros(3).index_put_((norch.tensor([1, 1]),), norch.tensor([2., 3.]), accumulate=True)
    tensor([0., 5., 0.])
    """
    x, y = array_of(input), array_of(values)
    if isinstance(indices, Tensor) or not isinstance(indices, (tuple, list)):
        raise TypeError("[index_put_] indices must be a tuple of tensors")
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"[index_put_] input is {x.dtype} but values are {y.dtype}: cast one of them first"
        )
    key = tuple(slice(None) if index is None else index for index in indices)
    if not accumulate:
        setitem(input, key, values)
        return input
    numbers = reshape(plain(x.ops.arange(0, x.numel, 1, int64)), x.shape)
    places = getitem(numbers, key)
    spread = reshape(expand(values, places.array.shape), -1)

    def index_put(old: Tensor, where_to: Tensor, added: Tensor) -> Tensor:
        return reshape(index_add(reshape(old, -1), 0, where_to, added), x.shape)

    return edit(input, index_put, reshape(places, -1), spread)


def index_put(
    input: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """`index_put_` into a copy.

    >>> norch.index_put(norch.zeros(3), (norch.tensor([1]),), norch.tensor([2.]))
    tensor([0., 2., 0.])
    """
    array_of(input)
    return index_put_(clone(input), indices, values, accumulate)


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`source` where `index` says, counted through the flattened input.

    >>> norch.zeros(2, 2).put_(norch.tensor([0, 3]), norch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    x, y = array_of(input), array_of(source)
    if array_of(index).dtype is not int64:
        raise RuntimeError(f"[put_] index must be int64, got {index.array.dtype}")
    if index.array.numel != y.numel:
        raise IndexError(f"[put_] {index.array.numel} indices for {y.numel} elements of source")
    if x.dtype is not y.dtype:
        raise RuntimeError(f"[put_] input is {x.dtype} but source is {y.dtype}: cast one first")
    places, added = reshape(wrap_index(index, (x.numel,), 0), -1), reshape(source, -1)

    def put(old: Tensor, where_to: Tensor, new: Tensor) -> Tensor:
        return reshape(index_put(reshape(old, -1), (where_to,), new, accumulate), x.shape)

    return edit(input, put, places, added)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put_` into a copy.

    >>> norch.put(norch.zeros(3), norch.tensor([2]), norch.tensor([7.]))
    tensor([0., 0., 7.])
    """
    array_of(input)
    return put_(clone(input), index, source, accumulate)
