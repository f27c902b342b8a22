"""The tests of exercises 1.1 to 1.9: from small cases to large, judged against NumPy.

`make check 1.6` runs those marked 1.6 on the reader's answer; pytest runs all of them on the
reference. A test uses nothing that another exercise writes, so layouts are made by hand here.
"""

from itertools import permutations, product

import numpy as np

from norch_course.testing import exercise, expect, expect_error
from norch_strides import (
    Layout,
    broadcast_to,
    coalesce,
    flip,
    index,
    is_contiguous,
    permute,
    positions,
    row_major,
    slice_dim,
    windows,
)
from norch_strides.reshaping import _cut_runs

BUFFER = np.arange(400)
SHAPES = [
    (),
    (1,),
    (4,),
    (1, 1),
    (2, 3),
    (3, 1),
    (1, 4),
    (4, 2),
    (2, 3, 4),
    (2, 1, 3),
    (2, 3, 1, 4),
]


def numpy_of(layout):
    """Return the NumPy array that walks BUFFER by the layout."""
    steps = [stride * BUFFER.itemsize for stride in layout.strides]
    return np.lib.stride_tricks.as_strided(BUFFER[layout.offset :], layout.shape, steps)


def layout_of(array):
    """Return the layout of a view of BUFFER."""
    steps = tuple(stride // BUFFER.itemsize for stride in array.strides)
    start = array.__array_interface__["data"][0] - BUFFER.__array_interface__["data"][0]
    return Layout(array.shape, steps, start // BUFFER.itemsize)


def dense(shape, offset=0):
    """Return the layout of an array stored row after row."""
    return layout_of(BUFFER[offset:][: np.prod(shape, dtype=int)].reshape(shape))


def spelled(layout):
    """Spell a layout as short as it can be read."""
    return f"Layout({layout.shape}, {layout.strides}, {layout.offset})"


@exercise("1.1")
def test_row_major_strides_are_numpys():
    for shape in SHAPES:
        expect(f"row_major({shape})", lambda shape=shape: row_major(shape), dense(shape).strides)


@exercise("1.1")
def test_an_empty_array_has_pytorchs_strides():
    for shape, strides in [((0,), (1,)), ((2, 0), (1, 1)), ((2, 0, 3), (3, 3, 1))]:
        expect(f"row_major({shape})", lambda shape=shape: row_major(shape), strides)


@exercise("1.2")
def test_the_position_is_numpys_value():
    for layout in [
        dense((4,)),
        dense((2, 3)),
        Layout((3, 2), (1, 3)),
        Layout((2, 2), (2, -1), 7),
        Layout((3, 4), (0, 1)),
        dense((2, 3, 2), 20),
    ]:
        array = numpy_of(layout)
        for idx in product(*([*range(size), *range(-1, -size - 1, -1)] for size in layout.shape)):
            shown = f"index({spelled(layout)}, {idx})"
            expect(shown, lambda at=layout, idx=idx: index(at, idx), int(array[idx]))


@exercise("1.2")
def test_a_number_lives_at_the_offset():
    expect("index(Layout((), (), 5), ())", lambda: index(Layout((), (), 5), ()), 5)


@exercise("1.2")
def test_an_index_out_of_range_is_refused():
    layout = dense((2, 3))
    for idx in [(2, 0), (0, 3), (-3, 0), (0, -4)]:
        shown = f"index({spelled(layout)}, {idx})"
        expect_error(shown, lambda idx=idx: index(layout, idx), IndexError)


@exercise("1.3")
def test_contiguous_is_what_numpy_calls_c_contiguous():
    layouts = [dense(shape) for shape in SHAPES]
    layouts += [
        Layout((3,), (2,)),
        Layout((2,), (-1,), 1),
        Layout((1,), (7,)),
        Layout((2, 3), (4, 1)),
        Layout((3, 2), (1, 3)),
        Layout((3, 2), (0, 1)),
        Layout((1, 3), (9, 1)),
        Layout((3, 1), (1, 9)),
        Layout((0,), (5,)),
        Layout((2, 0), (7, 7)),
        Layout((0, 2), (1, 7)),
        Layout((2, 1, 3), (3, 8, 1)),
        Layout((2, 2, 2), (4, 1, 2)),
    ]
    for layout in sorted(layouts, key=lambda one: (0 in one.shape, len(one.shape), *one.shape)):
        right = numpy_of(layout).flags.c_contiguous
        expect(f"is_contiguous({spelled(layout)})", lambda at=layout: is_contiguous(at), right)


@exercise("1.4")
def test_permute_is_numpys_transpose():
    for shape in [(4,), (2, 3), (2, 3, 4), (2, 3, 4, 5)]:
        layout = dense(shape, 5)
        for dims in permutations(range(len(shape))):
            expected = layout_of(numpy_of(layout).transpose(dims))
            for named in (dims, tuple(dim - len(shape) for dim in dims)):
                shown = f"permute({spelled(layout)}, {named})"
                expect(shown, lambda at=layout, named=named: permute(at, named), expected)


@exercise("1.4")
def test_permute_refuses_a_dimension_named_twice():
    layout = dense((2, 3))
    for dims in [(0, 0), (1, -1)]:
        shown = f"permute({spelled(layout)}, {dims})"
        expect_error(shown, lambda dims=dims: permute(layout, dims), RuntimeError)


@exercise("1.5")
def test_a_slice_is_numpys():
    parts = [(1, None, None), (None, 2, None), (None, None, 2), (1, 4, 2), (None, None, -1)]
    parts += [(-2, None, None), (3, 0, -2), (2, 2, None)]
    for shape in [(4,), (2, 5), (2, 3, 4)]:
        layout = dense(shape, 6)
        for dim, part in product(reversed(range(len(shape))), parts):
            key = (slice(None),) * dim + (slice(*part),)
            array = numpy_of(layout)[key]
            expected = layout_of(array)
            if array.size == 0:
                expected = expected._replace(offset=layout.offset)
            shown = f"slice_dim({spelled(layout)}, {dim}, {part[0]}, {part[1]}, {part[2]})"
            expect(shown, lambda at=layout, dim=dim, p=part: slice_dim(at, dim, *p), expected)


@exercise("1.6")
def test_broadcasting_is_numpys():
    for shape, target in [
        ((1,), (3,)),
        ((3,), (3,)),
        ((), (2,)),
        ((3,), (2, 3)),
        ((2,), (2, 2)),
        ((3, 1), (3, 4)),
        ((1, 4), (3, 4)),
        ((1, 1), (2, 2)),
        ((3, 1), (2, 3, 5)),
        ((2, 1, 3), (2, 4, 3)),
    ]:
        layout = dense(shape, 2)
        expected = layout_of(np.broadcast_to(numpy_of(layout), target)).strides
        shown = f"broadcast_to({spelled(layout)}, {target}).strides"
        expect(shown, lambda at=layout, to=target: broadcast_to(at, to).strides, expected)


def walk_of(layout, shape):
    """Return the steps from the first element of a reshaped layout, or None if NumPy copies."""
    try:
        found = numpy_of(layout).reshape(shape, copy=False).ravel()
    except ValueError:
        return None
    return (found - found[0]).tolist()


def walk(layout):
    """Return the shape and the positions of a view, or None."""
    return None if layout is None else (layout.shape, positions(layout))


@exercise("1.7")
def test_runs_are_cut_exactly_when_numpy_has_a_view():
    row, cube = Layout((2,), (3,), 1), Layout((2, 3, 4), (12, 4, 1))
    for layout, shape in [
        (Layout((), ()), (1,)),
        (Layout((1, 1), (1, 1)), (1,)),
        (row, (2, 1)),
        (row, (1, 2)),
        (Layout((4,), (1,)), (2, 2)),
        (Layout((2, 2), (1, 2)), (4,)),
        (Layout((3, 2), (1, 3)), (6,)),
        (Layout((3, 2), (1, 3)), (3, 1, 2)),
        (Layout((3, 2), (1, 3)), (2, 3)),
        (Layout((2, 2), (4, 1)), (4,)),
        (Layout((6,), (-1,), 5), (2, 3)),
        (Layout((3, 4), (0, 1)), (3, 2, 2)),
        (Layout((2, 6), (6, 1)), (3, 4)),
        (Layout((4, 4), (8, 1)), (2, 2, 4)),
        (Layout((4, 4), (8, 1)), (2, 8)),
        (cube, (6, 4)),
        (cube, (24,)),
        (cube, (2, 2, 6)),
        (Layout((3, 2, 4), (4, 12, 1)), (3, 8)),
        (Layout((3, 2, 4), (4, 12, 1)), (3, 2, 2, 2)),
    ]:
        found = walk_of(layout, shape)
        expected = None if found is None else (shape, found)
        whole = coalesce(layout)
        runs = list(zip(whole.shape, whole.strides, strict=True))
        shown = f"_cut_runs({runs}, {shape}): shape and positions"
        expect(shown, lambda runs=runs, to=shape: walk(_cut_runs([*runs], to)), expected)


@exercise("1.8")
def test_windows_are_numpys():
    for shape, dim, size, step in [
        ((1,), 0, 1, 1),
        ((3,), 0, 2, 1),
        ((4,), 0, 2, 2),
        ((5,), 0, 3, 1),
        ((6,), 0, 3, 2),
        ((7,), 0, 2, 3),
        ((4,), 0, 4, 1),
        ((2, 4), 1, 2, 1),
        ((4, 2), 0, 2, 1),
        ((4, 5, 2), 1, 2, 3),
    ]:
        layout = dense(shape, 3)
        seen = np.lib.stride_tricks.sliding_window_view(numpy_of(layout), size, dim)
        expected = layout_of(seen[(slice(None),) * dim + (slice(None, None, step),)])
        shown = f"windows({spelled(layout)}, dim={dim}, size={size}, step={step})"
        args = (layout, dim, size, step)
        expect(shown, lambda args=args: windows(*args), expected)


@exercise("1.9")
def test_a_flip_is_numpys():
    for layout, dims in [
        (dense((3,)), (0,)),
        (dense((2, 3)), (1,)),
        (dense((2, 3)), (0,)),
        (dense((2, 3)), (0, 1)),
        (dense((2, 3), 4), (1, 0)),
        (dense((2, 3, 4)), (0, 2)),
        (dense((2, 3, 4)), (-1, 0, 1)),
        (dense((1, 3)), (0, 1)),
        (dense((2, 3)), ()),
        (Layout((3, 2), (1, 3)), (0,)),
        (Layout((3,), (-2,), 4), (0,)),
        (Layout((2, 3), (4, 0), 1), (0, 1)),
    ]:
        shown = f"flip({spelled(layout)}, {dims})"
        named = {dim % len(layout.shape) for dim in dims}
        steps = (-1 if k in named else None for k in range(len(layout.shape)))
        expected = layout_of(numpy_of(layout)[tuple(slice(None, None, step) for step in steps)])
        expect(shown, lambda at=layout, dims=dims: flip(at, dims), expected)


@exercise("1.9")
def test_a_flip_of_nothing_stays_where_it_is():
    for layout, dims, offset in [
        (Layout((0,), (1,), 3), (0,), 3),
        (Layout((0, 4), (4, 1), 3), (0, 1), 6),
    ]:
        shown = f"flip({spelled(layout)}, {dims}).offset"
        expect(shown, lambda at=layout, dims=dims: flip(at, dims).offset, offset)


@exercise("1.9")
def test_flip_refuses_a_dimension_named_twice():
    for dims in [(0, 0), (1, -1)]:
        shown = f"flip({spelled(dense((2, 3)))}, {dims})"
        expect_error(shown, lambda dims=dims: flip(dense((2, 3)), dims), RuntimeError)
