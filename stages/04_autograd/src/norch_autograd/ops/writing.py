"""Writing into copies and into places: a copy with one part replaced (`select_scatter`), values put
where indices say (`index_put_`, `put_`), the diagonal (`fill_diagonal_`, `diagflat`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from norch_autograd.dtype import int64
from norch_autograd.graph import TensorBase, array_of, plain
from norch_autograd.ops.arrange import diag_embed
from norch_autograd.ops.assign import setitem
from norch_autograd.ops.convert import clone
from norch_autograd.ops.gather import index_add
from norch_autograd.ops.index import diagonal, getitem, narrow, select, wrapped
from norch_autograd.ops.inplace import edit, fill_
from norch_strides import normalize_dim

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` as slice number `index` along `dim`.

    >>> import norch_autograd as norch
    >>> norch.select_scatter(norch.zeros(2, 2), norch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    array_of(input)
    out = clone(input)
    return _with_part("select_scatter", out, select(out, dim, index), src)


def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """A copy of `input` with `src` in the slices `start:end:step` along `dim`.

    >>> import norch_autograd as norch
    >>> norch.slice_scatter(norch.zeros(4), norch.ones(2), 0, 1, 3)
    tensor([0., 1., 1., 0.])
    """
    place = dim % max(array_of(input).ndim, 1)
    narrow(input, dim, 0, 0)  # a bad dim speaks up here
    out = clone(input)
    key = (*[slice(None)] * place, slice(start, end, step))
    return _with_part("slice_scatter", out, getitem(out, key), src)


def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """A copy of `input` with `src` as its diagonal.

    >>> import norch_autograd as norch
    >>> norch.diagonal_scatter(norch.zeros(2, 2), norch.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    array_of(input)
    out = clone(input)
    return _with_part("diagonal_scatter", out, diagonal(out, offset, dim1, dim2), src)


def _with_part(op: str, out: Tensor, part: Tensor, src: Tensor) -> Tensor:
    """`out`, whose view `part` gets the elements of `src`."""
    if array_of(src, op).shape != part.array.shape:
        raise RuntimeError(f"[{op}] expected src of {part.array.shape}, got {src.array.shape}")
    part.copy_(src)
    return out


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input` as its diagonal.

    >>> import norch_autograd as norch
    >>> norch.diagflat(norch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    array_of(input)
    return diag_embed(input.reshape(-1), offset)


def fill_diagonal_(input: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """`fill_value` on the main diagonal; with `wrap`, again below it in a tall matrix.

    >>> import norch_autograd as norch
    >>> norch.zeros(2, 2).fill_diagonal_(5)
    tensor([[5., 0.],
            [0., 5.]])
    """
    shape, strides = array_of(input).shape, input.array.strides
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise RuntimeError(
            f"[fill_diagonal_] expected a matrix, or equal sizes in all dimensions, got {shape}"
        )
    count, step = min(shape), sum(strides)
    view = input.as_strided((count,), (step,))
    fill_(view, fill_value)
    height, width = shape[0], shape[1]
    if wrap and len(shape) == 2 and height > width + 1:
        for start in range(width + 1, height, width + 1):
            fill_(diagonal(narrow(input, 0, start, height - start)), fill_value)
    return input


def index_put_(
    input: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """`input[indices] = values`; with `accumulate` they are added, repeated places and all.

    >>> import norch_autograd as norch
    >>> norch.zeros(3).index_put_((norch.tensor([1, 1]),), norch.tensor([2., 3.]), accumulate=True)
    tensor([0., 5., 0.])
    """
    x, y = array_of(input), array_of(values)
    if isinstance(indices, TensorBase) or not isinstance(indices, (tuple, list)):
        raise TypeError("[index_put_] indices must be a tuple of tensors")
    if x.dtype is not y.dtype:
        raise RuntimeError(
            f"[index_put_] input is {x.dtype} but values are {y.dtype}: cast one of them first"
        )
    key = tuple(slice(None) if index is None else index for index in indices)
    if not accumulate:
        setitem(input, key, values)
        return input
    numbers = plain(x.ops.arange(0, x.numel, 1, int64)).reshape(x.shape)
    places = getitem(numbers, key)
    spread = values.expand(places.array.shape).reshape(-1)

    def index_put(old: Tensor, where_to: Tensor, added: Tensor) -> Tensor:
        return index_add(old.reshape(-1), 0, where_to, added).reshape(x.shape)

    return edit(input, index_put, places.reshape(-1), spread)


def index_put(
    input: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """`index_put_` into a copy.

    >>> import norch_autograd as norch
    >>> norch.index_put(norch.zeros(3), (norch.tensor([1]),), norch.tensor([2.]))
    tensor([0., 2., 0.])
    """
    array_of(input)
    return index_put_(clone(input), indices, values, accumulate)


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`source` where `index` says, counted through the flattened input.

    >>> import norch_autograd as norch
    >>> norch.zeros(2, 2).put_(norch.tensor([0, 3]), norch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    x, y = array_of(input), array_of(source)
    if array_of(index).numel != y.numel:
        raise RuntimeError(f"[put_] {index.array.numel} indices for {y.numel} elements of source")
    if x.dtype is not y.dtype:
        raise RuntimeError(f"[put_] input is {x.dtype} but source is {y.dtype}: cast one first")
    places, added = wrapped(index, x.numel, 0).reshape(-1), source.reshape(-1)

    def put(old: Tensor, where_to: Tensor, new: Tensor) -> Tensor:
        return index_put(old.reshape(-1), (where_to,), new, accumulate).reshape(x.shape)

    return edit(input, put, places, added)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """`put_` into a copy.

    >>> import norch_autograd as norch
    >>> norch.put(norch.zeros(3), norch.tensor([2]), norch.tensor([7.]))
    tensor([0., 0., 7.])
    """
    array_of(input)
    return put_(clone(input), index, source, accumulate)


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`input`, with every slice along `dim` whose p-norm is above `maxnorm` shortened to it.

    >>> import norch_autograd as norch
    >>> norch.renorm(norch.tensor([[3., 4.], [0., 1.]]), 2, 0, 1.)
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    """
    ndim = array_of(input).ndim
    if ndim < 2:
        raise RuntimeError(f"[renorm] expected at least 2 dimensions, got {ndim}")
    if p <= 0 or maxnorm < 0:
        raise RuntimeError(f"[renorm] expected p above 0 and maxnorm of at least 0: {p}, {maxnorm}")
    place = normalize_dim(dim, ndim, "renorm")
    others = tuple(k for k in range(ndim) if k != place)
    lengths = input.norm(p, others, True)
    scale = (maxnorm / (lengths + 1e-7)).masked_fill(lengths <= maxnorm, 1)
    shortened: Tensor = input * scale
    return shortened


def renorm_(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    """`renorm` in place."""
    return edit(input, renorm, p, dim, maxnorm)
