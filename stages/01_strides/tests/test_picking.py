"""select, slice_dim, narrow, diagonal, windows, split, chunk, unbind, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.lib.stride_tricks import sliding_window_view

from norch_strides import (
    Layout,
    chunk,
    contiguous,
    diagonal,
    narrow,
    positions,
    select,
    slice_dim,
    split,
    unbind,
    windows,
)

bound = st.none() | st.integers(-6, 6)
steps = st.none() | st.integers(-5, 5).filter(bool)


def draw_dim(data, layout):
    """Draw a dimension from either end, and its size."""
    dim = data.draw(st.integers(-len(layout.shape), len(layout.shape) - 1))
    return dim, layout.shape[dim]


def at(dim, ndim, item):
    """Build the NumPy key that applies `item` to one dimension."""
    return (slice(None),) * (dim % ndim) + (item,)


@given(layout=..., data=st.data())
def test_select(layout: Layout, data, agrees):
    if layout.shape:
        dim, size = draw_dim(data, layout)
        if size:
            i = data.draw(st.integers(-size, size - 1))
            key = at(dim, len(layout.shape), i)
            # One more axis keeps NumPy from turning the last view into a number.
            agrees(layout, lambda x: select(x, dim, i), lambda a: a[..., None][key][..., 0])


@given(layout=..., data=st.data(), start=bound, stop=bound, step=steps)
def test_slice_dim(layout: Layout, data, start, stop, step, agrees):
    if layout.shape:
        dim, _ = draw_dim(data, layout)
        key = at(dim, len(layout.shape), slice(start, stop, step))
        agrees(layout, lambda x: slice_dim(x, dim, start, stop, step), lambda a: a[key])


def test_an_empty_slice_never_leaves_the_buffer():
    assert slice_dim(contiguous((3,)), 0, 3).offset == 0
    assert slice_dim(contiguous((3,)), 0, 2, 1).offset == 0


@given(layout=..., data=st.data())
def test_narrow(layout: Layout, data, agrees):
    if layout.shape:
        dim, size = draw_dim(data, layout)
        start = data.draw(st.integers(0, size))
        length = data.draw(st.integers(0, size - start))
        key = at(dim, len(layout.shape), slice(start, start + length))
        agrees(layout, lambda x: narrow(x, dim, start, length), lambda a: a[key])
        if start < size:
            agrees(layout, lambda x: narrow(x, dim, start - size, length), lambda a: a[key])


@given(layout=..., data=st.data(), offset=st.integers(-5, 5))
def test_diagonal(layout: Layout, data, offset, agrees):
    if len(layout.shape) > 1:
        dim1, dim2 = data.draw(st.permutations(range(len(layout.shape))))[:2]
        back = dim2 - len(layout.shape)
        agrees(
            layout,
            lambda x: diagonal(x, offset, dim1, back),
            lambda a: a.diagonal(offset, dim1, dim2),
        )


@given(layout=..., data=st.data(), step=st.integers(1, 4))
def test_windows(layout: Layout, data, step, agrees):
    if layout.shape:
        dim, room = draw_dim(data, layout)
        size = data.draw(st.integers(0, room))
        key = at(dim, len(layout.shape), slice(None, None, step))
        agrees(
            layout,
            lambda x: windows(x, dim, size, step),
            lambda a: sliding_window_view(a, size, dim)[key],
        )


def test_windows_of_an_array_without_dimensions():
    assert windows(Layout((), (), 3), 0, 1) == Layout((1,), (1,), 3)


@given(layout=..., data=st.data())
def test_split_chunk_unbind(layout: Layout, data, numpy_of):
    if layout.shape:
        dim, room = draw_dim(data, layout)
        cuts = sorted(data.draw(st.lists(st.integers(0, room), max_size=3)))
        sizes = [b - a for a, b in zip([0, *cuts], [*cuts, room], strict=True)]
        array = numpy_of(layout)
        assert_pieces(split(layout, sizes, dim), np.split(array, cuts, dim))
        assert_pieces(unbind(layout, dim), [array.take(i, dim) for i in range(room)])
        size = data.draw(st.integers(1, 5))
        cuts = range(size, room, size)
        assert_pieces(split(layout, size, dim), np.split(array, cuts, dim))
        count = data.draw(st.integers(1, 5))
        if room:
            cuts = range(-(-room // count), room, -(-room // count))
            assert_pieces(chunk(layout, count, dim), np.split(array, cuts, dim))


def assert_pieces(pieces, arrays):
    assert [piece.shape for piece in pieces] == [array.shape for array in arrays]
    assert [positions(piece) for piece in pieces] == [a.ravel().tolist() for a in arrays]


def test_cutting_an_empty_dimension_as_pytorch_does():
    empty = contiguous((0, 2))
    assert [x.shape for x in chunk(empty, 3)] == [(0, 2)] * 3
    assert [x.shape for x in split(empty, 2)] == [(0, 2)]
    assert [x.shape for x in split(empty, 0)] == [(0, 2)]
    assert unbind(empty) == []


point = Layout((), ())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda x: select(x, 1, 3),
            IndexError,
            "[select] index 3 is out of bounds for dimension 1 with size 3",
        ),
        (lambda x: select(x, 0, -3), IndexError, "[select] index -3 is out of bounds"),
        (lambda x: select(x, 2, 0), IndexError, "[select] dim 2 is out of range"),
        (lambda x: select(x, 0, 0.0), TypeError, "[select] expected whole numbers"),
        (lambda x: select(point, 0, 0), IndexError, "[select] an array without dimensions"),
        (lambda x: slice_dim(x, 0, step=0), ValueError, "[slice] slice(None, None, 0) has step 0"),
        (lambda x: slice_dim(x, 0, 1.5), TypeError, "[slice] expected whole numbers or nothing"),
        (lambda x: slice_dim(x, 2), IndexError, "[slice] dim 2 is out of range"),
        (lambda x: slice_dim(point, 0), IndexError, "[slice] an array without dimensions"),
        (lambda x: narrow(x, 1, 1, 3), RuntimeError, "[narrow] start 1 and length 3 do not fit"),
        (lambda x: narrow(x, 1, 0, -1), RuntimeError, "[narrow] start 0 and length -1"),
        (lambda x: narrow(x, 1, 4, 0), IndexError, "[narrow] start 4 is out of range"),
        (lambda x: narrow(point, 0, 0, 1), RuntimeError, "[narrow] an array without dimensions"),
        (lambda x: diagonal(x, 0, 1, -1), RuntimeError, "[diagonal] dims 1 and -1 are the same"),
        (lambda x: diagonal(x, 0, 0, 2), IndexError, "[diagonal] dim 2 is out of range"),
        (lambda x: diagonal(x, 0.5), TypeError, "[diagonal] expected whole numbers"),
        (lambda x: windows(x, 1, 4), RuntimeError, "[windows] size 4 does not fit dimension 1 of"),
        (lambda x: windows(x, 1, -1), RuntimeError, "[windows] size -1 does not fit"),
        (lambda x: windows(x, 1, 2, 0), RuntimeError, "[windows] step is 0, but must be positive"),
        (lambda x: windows(x, 2, 1), IndexError, "[windows] dim 2 is out of range"),
        (lambda x: windows(point, 0, 2), RuntimeError, "[windows] size 2 does not fit"),
        (lambda x: split(x, (1, 1), 1), RuntimeError, "[split] sizes (1, 1) do not add up to"),
        (lambda x: split(x, (4, -1), 1), RuntimeError, "[split] sizes (4, -1) do not add up to"),
        (lambda x: split(x, 0), RuntimeError, "[split] size 0 for a dimension of size 2"),
        (lambda x: split(x, -1), RuntimeError, "[split] size -1 for a dimension of size 2"),
        (lambda x: split(x, 1.5), TypeError, "[split] expected whole numbers"),
        (lambda x: split(point, 1), RuntimeError, "[split] an array without dimensions"),
        (lambda x: chunk(x, 0), RuntimeError, "[chunk] chunks is 0, but must be positive"),
        (lambda x: chunk(point, 1), RuntimeError, "[chunk] an array without dimensions"),
        (lambda x: unbind(x, 2), IndexError, "[unbind] dim 2 is out of range"),
        (lambda x: unbind(point), IndexError, "[unbind] an array without dimensions"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as caught:
        call(contiguous((2, 3)))
    assert message in str(caught.value)
