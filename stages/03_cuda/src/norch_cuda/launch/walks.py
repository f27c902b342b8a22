"""How the elements of an operand reach a kernel: a layout to walk along and the first element.

A kernel gets as few dimensions as possible, so these functions coalesce; `whole` does not, for
kernels that read sizes from the layout. Computes numbers only, launches nothing.
"""

from __future__ import annotations

from functools import lru_cache

from norch_cuda.arrays.array import CudaArray
from norch_cuda.runtime.backend import Argument, Pointer
from norch_strides import Layout, broadcast_to, coalesce, contiguous, numel

Shape = tuple[int, ...]
Arguments = tuple[Argument, ...]
NOTHING = Pointer(None)
_NO_WALK = (Layout((), ()), NOTHING)


@lru_cache(maxsize=4096)
def row_major(shape: Shape) -> tuple[Layout, int]:
    """Return the layout of the new array that a launch writes, and its number of elements."""
    return contiguous(shape), numel(shape)


@lru_cache(maxsize=4096)
def coalesce_walk(shape: Shape, strides: Shape) -> Layout:
    """Return the walk over so many elements with so large steps, in as few dimensions as it can."""
    return coalesce(Layout(shape, strides))


@lru_cache(maxsize=4096)
def _broadcast_walk(shape: Shape, strides: Shape, to: Shape) -> Layout:
    """Return the walk over an operand that is broadcast to a larger shape."""
    layout = broadcast_to(Layout(shape, strides), to)
    return coalesce_walk(layout.shape, layout.strides)


def walk(array: CudaArray, shape: Shape | None = None) -> tuple[Layout, Pointer]:
    """Return the two kernel arguments of an operand, broadcast to `shape` if it is given."""
    layout = array.layout
    if shape is not None and shape != layout.shape:
        return _broadcast_walk(layout.shape, layout.strides, shape), array.pointer
    return coalesce_walk(layout.shape, layout.strides), array.pointer


def optional_walk(array: CudaArray | None, shape: Shape | None = None) -> tuple[Layout, Pointer]:
    """Return the walk of an operand, or a null pointer where it was not given."""
    return _NO_WALK if array is None else walk(array, shape)


def whole(array: CudaArray) -> tuple[Layout, Pointer]:
    """Return the layout, every dimension kept, and the first element."""
    return Layout(array.layout.shape, array.layout.strides), array.pointer


def vector_walk(array: CudaArray | None) -> tuple[Argument, Argument]:
    """Return the step and the first element of an array (C,); null where it was not given."""
    return (0, NOTHING) if array is None else (array.layout.strides[0], array.pointer)


def matrix_walk(layout: Layout, batch: Shape) -> tuple[Layout, int, int]:
    """Return the walk over the batches of matrices, and the steps of row and column."""
    shape, strides = layout.shape, layout.strides
    batches = Layout(shape[:-2], strides[:-2])
    if batches.shape != batch:
        batches = broadcast_to(batches, batch)
    return coalesce_walk(batches.shape, batches.strides), strides[-2], strides[-1]


def split_dims(layout: Layout, dims: Shape) -> tuple[Layout, Layout]:
    """Return the walk over the dimensions that stay, and the one over `dims`."""
    return _split(layout.shape, layout.strides, dims)


@lru_cache(maxsize=4096)
def _split(shape: Shape, strides: Shape, dims: Shape) -> tuple[Layout, Layout]:
    """Do it for a shape and strides, which are found again."""
    stay = tuple(d for d in range(len(shape)) if d not in dims)
    outer, inner = (
        coalesce(Layout(tuple(shape[d] for d in ds), tuple(strides[d] for d in ds)))
        for ds in (stay, dims)
    )
    return outer, inner


def line_walks(
    x: Layout, out: Layout, dim: int
) -> tuple[tuple[Layout, Layout], tuple[int, int, int]]:
    """Return the walks over the lines of two layouts along `dim`; length of a line, both steps."""
    if not x.shape:
        return (Layout((1,), (0,)), Layout((1,), (0,))), (1, 1, 1)
    (outer, _), (outer_out, _) = (split_dims(layout, (dim,)) for layout in (x, out))
    return (outer, outer_out), (x.shape[dim], x.strides[dim], out.strides[dim])


@lru_cache(maxsize=4096)
def rest_of(layout: Layout, dim: int, shape: Shape) -> Layout:
    """Return the walk over `shape` in an array of that layout that stands still along `dim`."""
    return coalesce_walk(shape, tuple(0 if d == dim else s for d, s in enumerate(layout.strides)))
