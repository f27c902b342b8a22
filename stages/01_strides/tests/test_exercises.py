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
    (1, 2, 1, 3, 1, 2),
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
    for shape, strides in [
        ((0,), (1,)),
        ((2, 0), (1, 1)),
        ((0, 3), (3, 1)),
        ((2, 0, 3), (3, 3, 1)),
        ((0, 0, 4, 0), (4, 4, 1, 1)),
    ]:
        expect(f"row_major({shape})", lambda shape=shape: row_major(shape), strides)


@exercise("1.2")
def test_the_position_is_numpys_value():
    for layout in [
        dense((4,)),
        dense((2, 3)),
        Layout((3, 2), (1, 3)),
        Layout((2, 2), (2, -1), 7),
        Layout((3, 4), (0, 1)),
        Layout((1, 2), (9, -5), 5),
        dense((2, 3, 2), 20),
        Layout((2, 1, 2, 1, 1, 2), (-40, 0, 3, 7, 0, 9), 90),
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
    cases = [(layout, idx) for idx in [(2, 0), (0, 3), (-3, 0), (0, -4)]]
    cases += [(Layout((0,), (1,)), (0,)), (Layout((0,), (1,)), (-1,))]
    cases += [(Layout((2, 0), (1, 1), 4), (1, 0)), (Layout((3,), (0,)), (3,))]
    for at, idx in cases:
        shown = f"index({spelled(at)}, {idx})"
        expect_error(shown, lambda at=at, idx=idx: index(at, idx), IndexError)


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
        Layout((0,), (1,)),
        Layout((0,), (5,)),
        Layout((2, 0), (7, 7)),
        Layout((0, 2), (1, 7)),
        Layout((2, 1, 3), (3, 8, 1)),
        Layout((2, 2, 2), (4, 1, 2)),
        Layout((2, 3), (3, -1), 2),
        Layout((2, 0, 3), (5, 7, 2)),
        Layout((3, 2), (2, 0)),
        Layout((2, 2), (3, 0)),
        Layout((1, 1), (0, -3)),
        Layout((2, 1, 1), (1, 1, 9)),
        Layout((2, 3), (6, 2)),
        Layout((2, 1, 3), (9, 8, 1)),
        Layout((2, 3, 2), (6, 1, 1)),
        Layout((1, 2, 1, 3, 1, 2), (0, 6, -9, 2, 50, 1)),
        Layout((1, 2, 1, 3, 1, 2), (0, 6, -9, 4, 50, 1)),
        Layout((100, 100), (100, 1)),
    ]
    for layout in sorted(layouts, key=lambda one: (0 in one.shape, len(one.shape), *one.shape)):
        right = numpy_of(layout).flags.c_contiguous
        expect(f"is_contiguous({spelled(layout)})", lambda at=layout: is_contiguous(at), right)


@exercise("1.3")
def test_a_huge_layout_is_judged_by_its_numbers():
    odd = 2**53 + 1  # a float cannot hold it
    for shape, strides, right in [
        ((3, odd), (odd, 1), True),
        ((3, odd), (odd - 1, 1), False),
        ((2**40, 2**20), (2**20, 1), True),
    ]:
        at = Layout(shape, strides)
        expect(f"is_contiguous({spelled(at)})", lambda at=at: is_contiguous(at), right)


@exercise("1.4")
def test_permute_is_numpys_transpose():
    for layout in [
        Layout((), (), 5),
        *(dense(shape, 5) for shape in [(4,), (2, 3), (2, 3, 4), (2, 3, 4, 5)]),
        Layout((0, 3), (3, 1), 2),
        Layout((2, 1, 3), (0, 7, -2), 30),
    ]:
        for dims in permutations(range(len(layout.shape))):
            expect_permuted(layout, dims)
    expect_permuted(dense((1, 2, 1, 3, 1, 2), 5), (5, 0, 3, 1, 4, 2))


def expect_permuted(layout, dims):
    """Expect a layout with these dims, counted from the front and from the back."""
    expected = Layout(
        tuple(layout.shape[dim] for dim in dims),
        tuple(layout.strides[dim] for dim in dims),
        layout.offset,
    )
    for named in dict.fromkeys([dims, tuple(dim - len(dims) for dim in dims)]):
        shown = f"permute({spelled(layout)}, {named})"
        expect(shown, lambda at=layout, named=named: permute(at, named), expected)


@exercise("1.4")
def test_permute_refuses_a_dimension_named_twice():
    for layout, dims in [
        (dense((2, 3)), (0, 0)),
        (dense((2, 3)), (1, -1)),
        (dense((2, 3, 4)), (2, 0, -1)),
    ]:
        shown = f"permute({spelled(layout)}, {dims})"
        expect_error(shown, lambda at=layout, dims=dims: permute(at, dims), RuntimeError)


@exercise("1.5")
def test_a_slice_is_pythons():
    parts = [(1, None, None), (None, 2, None), (None, None, 2), (1, 4, 2), (None, None, -1)]
    parts += [(-2, None, None), (3, 0, -2), (2, 2, None)]
    for shape in [(4,), (2, 5), (2, 3, 4)]:
        for dim, part in product(reversed(range(len(shape))), parts):
            expect_slice(dense(shape, 6), dim, part)
    for layout, dim in [
        (Layout((1,), (7,), 3), 0),
        (Layout((5,), (-2,), 40), 0),
        (Layout((4,), (0,), 2), 0),
        (Layout((0,), (1,), 3), 0),
        (Layout((0, 4), (4, 1), 3), 1),
        (Layout((3, 4), (-5, -20), 90), 1),
        (Layout((1, 2, 1, 5, 1, 2), (0, 10, -9, -2, 50, 1), 70), 3),
    ]:
        for part in parts:
            expect_slice(layout, dim, part)


@exercise("1.5")
def test_a_dimension_may_be_counted_from_the_end():
    for layout, dim in [(dense((4,), 6), -1), (dense((2, 5), 6), -2), (dense((2, 3, 4), 6), -2)]:
        for part in [(1, None, None), (None, None, -1)]:
            expect_slice(layout, dim, part)


@exercise("1.5")
def test_the_step_of_one_element_is_no_matter():
    at = Layout((4,), (2,), 6)
    for part, right in [
        ((3, None, 2**70), Layout((1,), (2,), 12)),
        ((0, None, -(2**70)), Layout((1,), (2,), 6)),
        ((1, 0, 2**70), Layout((0,), (2,), 6)),
    ]:
        shown = f"slice_dim({spelled(at)}, 0, {part[0]}, {part[1]}, {part[2]})"
        expect(shown, lambda part=part: slice_dim(at, 0, *part), right)


@exercise("1.5")
def test_a_slice_is_a_layout():
    shown = "slice_dim(Layout((4,), (1,), 6), 0, 1, 3).shape"
    expect(shown, lambda: slice_dim(Layout((4,), (1,), 6), 0, 1, 3).shape, (2,))


def expect_slice(layout, dim, part):
    """Expect the view that a range of the dimension's indices describes."""
    kept = range(layout.shape[dim])[slice(*part)]
    shape, strides = list(layout.shape), list(layout.strides)
    first = kept[0] if kept else 0
    expected = layout.offset + first * strides[dim]
    shape[dim], strides[dim] = len(kept), kept.step * strides[dim]
    shown = f"slice_dim({spelled(layout)}, {dim}, {part[0]}, {part[1]}, {part[2]})"
    expected = Layout(tuple(shape), tuple(strides), expected)
    expect(shown, lambda: slice_dim(layout, dim, *part), expected)


@exercise("1.6")
def test_broadcasting_is_numpys():
    for shape, target in [
        ((1,), (3,)),
        ((3,), (3,)),
        ((), (2,)),
        ((), ()),
        ((3,), (2, 3)),
        ((2,), (2, 2)),
        ((3, 1), (3, 4)),
        ((1, 4), (3, 4)),
        ((1, 1), (2, 2)),
        ((3, 1), (2, 3, 5)),
        ((2, 1, 3), (2, 4, 3)),
        ((1, 3), (0, 3)),
        ((3, 0), (2, 3, 0)),
        ((2, 1, 1, 2), (3, 1, 2, 4, 1, 2)),
    ]:
        expect_stretched(dense(shape, 2), target)
    for layout, target in [
        (Layout((3,), (-2,), 9), (2, 3)),
        (Layout((2, 3), (0, 1), 4), (2, 3)),
        (Layout((2, 1), (-7, 3), 20), (4, 2, 5)),
    ]:
        expect_stretched(layout, target)


def expect_stretched(layout, target):
    """Expect NumPy's strides, but where nothing is ever walked: in a dimension of size 1."""
    array = np.broadcast_to(numpy_of(layout), target)
    expected = layout_of(array).strides

    def stretched():
        strides = broadcast_to(layout, target).strides
        return type(strides)(
            right if size == 1 else stride
            for size, stride, right in zip(target, strides, expected, strict=True)
        )

    expect(f"broadcast_to({spelled(layout)}, {target}).strides", stretched, expected)


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
        (Layout((), ()), ()),
        (Layout((), ()), (1, 1, 1)),
        (Layout((4, 3), (-3, -1), 11), (2, 2, 3)),
        (Layout((4, 3), (3, -1), 2), (2, 6)),
        (Layout((6,), (0,)), (2, 3)),
        (Layout((2, 3), (0, 1)), (6,)),
        (Layout((4, 6), (1, 4)), (2, 2, 2, 3)),
        (Layout((4, 6), (1, 4)), (6, 4)),
        (Layout((2, 9), (20, 2)), (1, 2, 1, 3, 1, 3)),
    ]:
        found = walk_of(layout, shape)
        expected = None if found is None else (shape, found)
        whole = coalesce(layout)
        runs = list(zip(whole.shape, whole.strides, strict=True))
        shown = f"_cut_runs({runs}, {shape}): shape and positions"
        expect(shown, lambda runs=runs, to=shape: walk(_cut_runs([*runs], to)), expected)


@exercise("1.8")
def test_windows_begin_every_step():
    for layout, dim, size, step in [
        (dense((1,), 3), 0, 1, 1),
        (dense((3,), 3), 0, 2, 1),
        (dense((4,), 3), 0, 2, 2),
        (dense((5,), 3), 0, 3, 1),
        (dense((6,), 3), 0, 3, 2),
        (dense((7,), 3), 0, 2, 3),
        (dense((4,), 3), 0, 4, 1),
        (dense((4,), 3), 0, 4, 3),
        (dense((2, 4), 3), 1, 2, 1),
        (Layout((4, 2), (6, 3), 2), 0, 2, 1),
        (dense((4, 2), 3), 0, 2, 1),
        (dense((4, 5, 2), 3), 1, 2, 3),
        (dense((3,), 3), 0, 0, 1),
        (dense((4,), 3), 0, 0, 3),
        (Layout((0,), (1,), 3), 0, 0, 2),
        (Layout((0, 5), (5, 1), 3), 1, 2, 2),
        (Layout((5,), (-3,), 60), 0, 2, 2),
        (Layout((5,), (0,), 1), 0, 3, 1),
        (Layout((3, 6), (-20, -2), 90), 1, 3, 2),
        (Layout((1, 2, 1, 5, 1, 2), (0, 10, -9, -2, 50, 1), 70), 3, 2, 1),
        (dense((4,), 3), -1, 2, 1),
        (dense((4, 5, 2), 3), -2, 2, 3),
        (dense((4, 5, 2), 3), -3, 3, 1),
        (Layout((10_000,), (1,)), 0, 1, 1),
        (Layout((2**60,), (1,)), 0, 1, 2**57),
    ]:
        begins, k = range(0, layout.shape[dim] - size + 1, step), dim % len(layout.shape)
        shape, strides = [*layout.shape, size], [*layout.strides, layout.strides[dim]]
        shape[k], strides[k] = len(begins), step * layout.strides[dim]
        expected = Layout(tuple(shape), tuple(strides), layout.offset)
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
        (Layout((), (), 4), ()),
        (Layout((1,), (7,), 2), (0,)),
        (Layout((2, 3), (-9, -2), 50), (1, 0)),
        (Layout((1, 2, 1, 3, 1, 2), (0, 6, -9, 2, 50, 1), 70), (1, -1, 3)),
    ]:
        shown = f"flip({spelled(layout)}, {dims})"
        named = {dim % len(layout.shape) for dim in dims}
        steps = (-1 if k in named else None for k in range(len(layout.shape)))
        flipped = tuple(slice(None, None, step) for step in steps)
        expected = layout_of(numpy_of(layout)[(*flipped, ...)])
        expect(shown, lambda at=layout, dims=dims: flip(at, dims), expected)


@exercise("1.9")
def test_a_flip_of_nothing_stays_where_it_is():
    for layout, dims, offset in [
        (Layout((0,), (1,), 3), (0,), 3),
        (Layout((0, 4), (4, 1), 3), (0, 1), 6),
        (Layout((4, 0), (-1, 1), 9), (1, 0), 6),
    ]:
        shown = f"flip({spelled(layout)}, {dims}).offset"
        expect(shown, lambda at=layout, dims=dims: flip(at, dims).offset, offset)


@exercise("1.9")
def test_flip_refuses_a_dimension_named_twice():
    for dims in [(0, 0), (1, -1)]:
        shown = f"flip({spelled(dense((2, 3)))}, {dims})"
        expect_error(shown, lambda dims=dims: flip(dense((2, 3)), dims), RuntimeError)
