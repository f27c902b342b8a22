"""Views that keep some of the elements: one index, a range, a diagonal, sliding windows, pieces.

Each answer is again offset, shape and strides over the same buffer. `indexing.py` builds Python's
`x[...]` out of `select` and `slice_dim`.
"""

from __future__ import annotations

from functools import lru_cache

from norch_strides.cache import CACHE_SIZE
from norch_strides.dims import Ints, as_ints, normalize_dim
from norch_strides.layout import Layout


def select(layout: Layout, dim: int, index: int) -> Layout:
    """Take one index along `dim`; that dimension disappears.

    Raises IndexError when `index` is out of range.

    >>> select(Layout((2, 3), (3, 1)), 0, 1)
    Layout(shape=(3,), strides=(1,), offset=3)
    """
    shape, strides, offset = layout
    if not shape:
        raise IndexError("[select] an array without dimensions has nothing to select from")
    k = normalize_dim(dim, len(shape), "select")
    (i,) = as_ints((index,), "select")
    size = shape[k]
    if not -size <= i < size:
        raise IndexError(f"[select] index {i} is out of bounds for dimension {k} with size {size}")
    start = (i + size if i < 0 else i) * strides[k]
    return Layout(shape[:k] + shape[k + 1 :], strides[:k] + strides[k + 1 :], offset + start)


def slice_dim(
    layout: Layout,
    dim: int,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
) -> Layout:
    """Take `start:stop:step` along `dim`, by Python's slice rules. Negative steps are views too.

    Raises ValueError when `step` is 0, TypeError when a bound is no whole number.

    >>> slice_dim(Layout((10,), (1,)), 0, 1, 8, 3)
    Layout(shape=(3,), strides=(3,), offset=1)
    >>> slice_dim(Layout((4,), (1,)), 0, None, None, -1)
    Layout(shape=(4,), strides=(-1,), offset=3)
    """
    shape, strides, offset = layout
    if not shape:
        raise IndexError("[slice] an array without dimensions has nothing to slice")
    k = normalize_dim(dim, len(shape), "slice")
    # ex 1.5 begin
    first, size, jump = slice_range(slice(start, stop, step), shape[k])
    new_shape = (*shape[:k], size, *shape[k + 1 :])
    new_strides = (*strides[:k], strides[k] * jump, *strides[k + 1 :])
    return Layout(new_shape, new_strides, offset + first * strides[k])
    # ex 1.5 end


def slice_range(part: slice, size: int) -> tuple[int, int, int]:
    """Return first index, count and step of a Python slice of a dimension of `size` elements.

    An empty slice begins at 0, so that its offset never leaves the buffer. One element has no
    next: a step that would leave 64 bits as a stride is 1.

    >>> slice_range(slice(1, 8, 3), 10), slice_range(slice(5, 2), 10)
    ((1, 3, 3), (0, 0, 1))
    """
    try:
        first, last, step = part.indices(size)
    except TypeError:
        raise TypeError(f"[slice] expected whole numbers or nothing, got {part}") from None
    except ValueError:
        raise ValueError(f"[slice] {part} has step 0: use 1 for every element") from None
    count = len(range(first, last, step))
    return (first if count else 0), count, (step if count > 1 or abs(step) < 2**31 else 1)


def narrow(layout: Layout, dim: int, start: int, length: int) -> Layout:
    """Take `length` elements from `start` on along `dim`; nothing is clipped silently.

    Raises IndexError for a bad `start`, RuntimeError when `length` does not fit.

    >>> narrow(Layout((5,), (1,)), 0, 1, 3)
    Layout(shape=(3,), strides=(1,), offset=1)
    """
    if not layout.shape:
        raise RuntimeError("[narrow] an array without dimensions has nothing to narrow")
    k = normalize_dim(dim, len(layout.shape), "narrow")
    first, count = as_ints((start, length), "narrow")
    size = layout.shape[k]
    if not -size <= first <= size:
        raise IndexError(f"[narrow] start {first} is out of range for dimension {k} of size {size}")
    first += size if first < 0 else 0
    if count < 0 or first + count > size:
        raise RuntimeError(
            f"[narrow] start {first} and length {count} do not fit dimension {k} of size {size}"
        )
    return slice_dim(layout, k, first, first + count)


def diagonal(layout: Layout, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Layout:
    """Walk two dimensions at once: element `i` is at `(i, i + offset)`; the diagonal comes last.

    Raises RuntimeError when both dimensions are the same.

    >>> diagonal(Layout((3, 3), (3, 1)))
    Layout(shape=(3,), strides=(4,), offset=0)
    """
    above, first, second = as_ints((offset, dim1, dim2), "diagonal")
    return _diagonal(layout.shape, layout.strides, above, first, second).shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _diagonal(shape: Ints, strides: Ints, offset: int, dim1: int, dim2: int) -> Layout:
    row = normalize_dim(dim1, len(shape), "diagonal")
    column = normalize_dim(dim2, len(shape), "diagonal")
    if row == column:
        raise RuntimeError(f"[diagonal] dims {dim1} and {dim2} are the same: name two of them")
    down, right = max(-offset, 0), max(offset, 0)
    length = max(min(shape[row] - down, shape[column] - right), 0)
    start = down * strides[row] + right * strides[column] if length else 0
    others = [k for k in range(len(shape)) if k not in (row, column)]
    return Layout(
        (*(shape[k] for k in others), length),
        (*(strides[k] for k in others), strides[row] + strides[column]),
        start,
    )


def windows(layout: Layout, dim: int, size: int, step: int = 1) -> Layout:
    """See every run of `size` elements along `dim`, begun every `step`, as a last dimension.

    Windows overlap and share memory; nothing is copied (PyTorch's `Tensor.unfold`).
    Raises RuntimeError when `size` does not fit or `step` is not positive.

    >>> windows(Layout((5,), (1,)), 0, size=3, step=1)
    Layout(shape=(3, 3), strides=(1, 1), offset=0)
    """
    k, length, jump = as_ints((dim, size, step), "windows")
    return _windows(layout.shape, layout.strides, k, length, jump).shifted(layout.offset)


@lru_cache(maxsize=CACHE_SIZE)
def _windows(shape: Ints, strides: Ints, dim: int, size: int, step: int) -> Layout:
    k = normalize_dim(dim, len(shape), "windows")
    room, stride = (shape[k], strides[k]) if shape else (1, 1)
    if not 0 <= size <= room:
        raise RuntimeError(f"[windows] size {size} does not fit dimension {k} of size {room}")
    if step <= 0:
        raise RuntimeError(f"[windows] step is {step}, but must be positive")
    if not shape:
        return Layout((size,), (stride,))
    # ex 1.8 begin
    count = (room - size) // step + 1
    return Layout(
        (*shape[:k], count, *shape[k + 1 :], size),
        (*strides[:k], step * stride, *strides[k + 1 :], stride),
    )
    # ex 1.8 end


def split(layout: Layout, sizes: int | Ints, dim: int = 0) -> list[Layout]:
    """Cut `dim` into pieces: of one size (the last may be smaller), or of the sizes listed.

    Raises RuntimeError when listed sizes do not add up.

    >>> [piece.shape for piece in split(Layout((5, 2), (2, 1)), 2)]
    [(2, 2), (2, 2), (1, 2)]
    """
    if not layout.shape:
        raise RuntimeError("[split] an array without dimensions cannot be split")
    k = normalize_dim(dim, len(layout.shape), "split")
    room = layout.shape[k]
    pieces = _piece_sizes(sizes, room) if isinstance(sizes, int) else as_ints(sizes, "split")
    if sum(pieces) != room or any(size < 0 for size in pieces):
        raise RuntimeError(f"[split] sizes {pieces} do not add up to dimension {k} of size {room}")
    found, start = [], 0
    for size in pieces:
        found.append(narrow(layout, k, start, size))
        start += size
    return found


def _piece_sizes(size: int, room: int) -> Ints:
    if size < 0 or (size == 0 and room > 0):
        raise RuntimeError(f"[split] size {size} for a dimension of size {room}: must be positive")
    if room == 0:
        return (0,)
    whole, rest = divmod(room, size)
    return (size,) * whole + ((rest,) if rest else ())


def chunk(layout: Layout, chunks: int, dim: int = 0) -> list[Layout]:
    """Cut `dim` into at most `chunks` pieces of equal size (the last may be smaller).

    Raises RuntimeError when `chunks` is not positive.

    >>> [piece.shape for piece in chunk(Layout((7,), (1,)), 3)]
    [(3,), (3,), (1,)]
    """
    (count,) = as_ints((chunks,), "chunk")
    if count <= 0:
        raise RuntimeError(f"[chunk] chunks is {count}, but must be positive")
    if not layout.shape:
        raise RuntimeError("[chunk] an array without dimensions cannot be cut")
    room = layout.shape[normalize_dim(dim, len(layout.shape), "chunk")]
    if room == 0:
        return split(layout, (0,) * count, dim)
    return split(layout, -(-room // count), dim)


def unbind(layout: Layout, dim: int = 0) -> list[Layout]:
    """List the view at every index along `dim`.

    >>> unbind(Layout((2, 3), (3, 1)))[1]
    Layout(shape=(3,), strides=(1,), offset=3)
    """
    if not layout.shape:
        raise IndexError("[unbind] an array without dimensions has nothing to list")
    k = normalize_dim(dim, len(layout.shape), "unbind")
    return [select(layout, k, i) for i in range(layout.shape[k])]
