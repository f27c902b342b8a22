"""Pieces and turns: parts between given places, overlapping windows, mirror images."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import norch_cpu_ops
import norch_strides as strides
from norch_autograd.dtype import get_default_dtype
from norch_autograd.graph import Gradients, Node, TensorBase, array_of, plain
from norch_autograd.ops.gather import index_add
from norch_autograd.ops.join import cat, flip, split
from norch_autograd.ops.promotion import common_dtype
from norch_autograd.ops.shape import seen_as, transpose

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor

Places = int | Sequence[int]


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the lengths given.

    >>> import norch_autograd as norch
    >>> norch.split_with_sizes(norch.arange(3), [1, 2])
    (tensor([0]), tensor([1, 2]))
    """
    return split(input, list(split_sizes), dim)


def tensor_split(
    input: Tensor, indices_or_sections: Places | Tensor, dim: int = 0
) -> tuple[Tensor, ...]:
    """So many parts of nearly equal length, or the parts between the places given.

    >>> import norch_autograd as norch
    >>> norch.tensor_split(norch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    >>> norch.tensor_split(norch.arange(5), (1, 4))
    (tensor([0]), tensor([1, 2, 3]), tensor([4]))
    """
    shape = array_of(input).shape
    if not shape:
        raise RuntimeError("[tensor_split] a tensor without dimensions cannot be split")
    length = shape[strides.normalize_dim(dim, len(shape), "tensor_split")]
    places: Any = indices_or_sections
    if isinstance(places, TensorBase):
        places = places.array.tolist()
    if isinstance(places, int):
        if places < 1:
            raise RuntimeError(f"[tensor_split] expected at least 1 section, got {places}")
        short, longer = divmod(length, places)
        places = [i * short + min(i, longer) for i in range(1, places)]
    ends = [0, *(min(max(p + length if p < 0 else p, 0), length) for p in places), length]
    return tuple(input.narrow(dim, a, max(b - a, 0)) for a, b in pairwise(ends))


def hsplit(input: Tensor, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`tensor_split` along the columns (the only dimension of a vector).

    >>> import norch_autograd as norch
    >>> norch.hsplit(norch.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _split_evenly(
        "hsplit", input, indices_or_sections, 0 if array_of(input).ndim == 1 else 1, 1
    )


def vsplit(input: Tensor, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`tensor_split` along the rows.

    >>> import norch_autograd as norch
    >>> norch.vsplit(norch.zeros(4, 2), 2)[0].shape
    norch.Size([2, 2])
    """
    return _split_evenly("vsplit", input, indices_or_sections, 0, 2)


def dsplit(input: Tensor, indices_or_sections: Places) -> tuple[Tensor, ...]:
    """`tensor_split` along the third dimension.

    >>> import norch_autograd as norch
    >>> norch.dsplit(norch.zeros(1, 1, 4), 2)[0].shape
    norch.Size([1, 1, 2])
    """
    return _split_evenly("dsplit", input, indices_or_sections, 2, 3)


def _split_evenly(
    op: str, input: Tensor, places: Places, dim: int, least: int
) -> tuple[Tensor, ...]:
    """`tensor_split`, where a number of sections must divide the length."""
    shape = array_of(input, op).shape
    if len(shape) < least:
        raise RuntimeError(f"[{op}] expected at least {least} dimensions, got shape {shape}")
    if isinstance(places, int) and (places < 1 or shape[dim] % places):
        raise RuntimeError(f"[{op}] {places} sections do not divide size {shape[dim]} of dim {dim}")
    return tensor_split(input, places, dim)


class UnfoldWindows(Node):
    """An element collects the blame of every window it was seen through."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        shape, dim, size, step = self.context
        ops, count = grad.array.ops, strides.numel(shape)
        numbers = ops.arange(0, count, 1, norch_cpu_ops.int64).view(strides.contiguous(shape))
        places = plain(numbers.view(strides.windows(numbers.layout, dim, size, step)))
        flat = index_add(grad.new_zeros((count,)), 0, places.reshape(-1), grad.reshape(-1))
        return (flat.reshape(shape),)

    def name(self) -> str:
        return "UnfoldBackward0"


def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Every run of `size` elements along `dimension`, begun every `step`, as a last dimension; a
    view.

    >>> import norch_autograd as norch
    >>> norch.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    x = array_of(input)
    layout = strides.windows(x.layout, dimension, size, step)
    return seen_as(UnfoldWindows, input, layout, (x.shape, dimension, size, step))


def fliplr(input: Tensor) -> Tensor:
    """The columns in reverse order.

    >>> import norch_autograd as norch
    >>> norch.fliplr(norch.tensor([[1, 2]]))
    tensor([[2, 1]])
    """
    if array_of(input).ndim < 2:
        raise RuntimeError(f"[fliplr] expected at least 2 dimensions, got {input.array.ndim}")
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """The rows in reverse order.

    >>> import norch_autograd as norch
    >>> norch.flipud(norch.tensor([1, 2]))
    tensor([2, 1])
    """
    if array_of(input).ndim < 1:
        raise RuntimeError("[flipud] expected at least 1 dimension, got 0")
    return flip(input, 0)


def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """`k` quarter turns from the first of `dims` towards the second.

    >>> import norch_autograd as norch
    >>> norch.rot90(norch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise RuntimeError(f"[rot90] expected 2 dims to turn between, got {len(dims)}")
    first, second = (strides.normalize_dim(d, array_of(input).ndim, "rot90") for d in dims)
    if first == second:
        raise RuntimeError(f"[rot90] expected two different dims, got {dims[0]} and {dims[1]}")
    turns = k % 4
    if turns == 0:
        return input.clone()
    if turns == 2:
        return flip(input, first, second)
    turned = transpose(flip(input, second if turns == 1 else first), first, second)
    return turned.contiguous()


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of all tensors in the one shape they broadcast to.

    >>> import norch_autograd as norch
    >>> [t.shape for t in norch.broadcast_tensors(norch.zeros(2, 1), norch.zeros(3))]
    [norch.Size([2, 3]), norch.Size([2, 3])]
    """
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape = strides.broadcast_shapes(*(array_of(t).shape for t in given))
    return tuple(t.expand(shape) for t in given)


def block_diag(*tensors: Tensor) -> Tensor:
    """One matrix with the given ones along its diagonal and zeros elsewhere.

    >>> import norch_autograd as norch
    >>> norch.block_diag(norch.tensor([[1, 2]]), norch.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    if not tensors:
        return plain(norch_cpu_ops.ops.zeros((1, 0), get_default_dtype()))
    dtype = common_dtype(*tensors)
    matrices = [(t.reshape(1, -1) if array_of(t).ndim < 2 else t).to(dtype) for t in tensors]
    width = sum(m.array.shape[1] for m in matrices)
    rows, before = [], 0
    for m in matrices:
        height, columns = m.array.shape
        left = m.new_zeros((height, before))
        right = m.new_zeros((height, width - before - columns))
        rows.append(cat([left, m, right], 1))
        before += columns
    return cat(rows, 0)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Every choice of one element from each vector, one row each.

    >>> import norch_autograd as norch
    >>> norch.cartesian_prod(norch.tensor([1, 2]), norch.tensor([5]))
    tensor([[1, 5],
            [2, 5]])
    """
    shapes = [array_of(t).shape for t in tensors]
    if any(len(shape) != 1 for shape in shapes) or len({t.array.dtype for t in tensors}) > 1:
        raise RuntimeError(
            f"[cartesian_prod] expected vectors of one dtype, got shapes {shapes} of "
            f"{[t.array.dtype for t in tensors]}"
        )
    if len(tensors) == 1:
        return tensors[0]
    sizes = [shape[0] for shape in shapes]
    columns = []
    for k, t in enumerate(tensors):
        shape = [1] * len(sizes)
        shape[k] = sizes[k]
        columns.append(t.reshape(shape).expand(sizes).reshape(-1, 1))
    return cat(columns, 1)


def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` in the shape of `other`.

    >>> import norch_autograd as norch
    >>> norch.arange(4).reshape_as(norch.zeros(2, 2)).shape
    norch.Size([2, 2])
    """
    result: Tensor = input.reshape(array_of(other).shape)
    return result
