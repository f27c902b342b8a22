"""reshape, view, resolve_shape, flatten and unflatten: a view exactly when one exists."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from norch_strides import (
    Layout,
    as_strided,
    bounds,
    contiguous,
    flattened_shape,
    flip,
    numel,
    overlaps,
    permute,
    positions,
    reshape,
    resolve_shape,
    row_major,
    transpose,
    unflattened_shape,
    view,
)


@st.composite
def factorings(draw, count):
    """Draw a shape that holds `count` elements."""
    if count == 0:
        return tuple(draw(st.permutations([0, *draw(st.lists(st.integers(0, 3), max_size=3))])))
    shape = []
    while count > 1 and len(shape) < 5:
        size = draw(st.sampled_from([n for n in range(1, count + 1) if count % n == 0]))
        shape.append(size)
        count //= size
    return tuple(draw(st.permutations([*shape, count])))


def view_by_brute_force(layout, shape):
    """Find the strides from the positions themselves, or None where no strides give them."""
    walk = positions(layout)
    steps = row_major(shape)
    pairs = zip(shape, steps, strict=True)
    strides = tuple(walk[step] - walk[0] if size > 1 else 0 for size, step in pairs)
    found = Layout(shape, strides, walk[0])
    return found if positions(found) == walk else None


@given(layout=..., data=st.data())
def test_reshape_is_a_view_exactly_when_one_exists(layout: Layout, data):
    shape = data.draw(factorings(numel(layout.shape)))
    found = reshape(layout, shape)
    if 0 in layout.shape:
        assert found is not None and found.shape == shape
        return
    expected = view_by_brute_force(layout, shape)
    assert (found is None) == (expected is None)
    if found is not None:
        assert found.shape == shape
        assert positions(found) == positions(layout)


@given(shape=st.lists(st.integers(1, 4), max_size=4), data=st.data())
def test_reshape_agrees_with_numpy_on_permuted_and_flipped_arrays(shape, data, numpy_of, agrees):
    dims = data.draw(st.permutations(range(len(shape))))
    backwards = [dim for dim in dims if data.draw(st.booleans())]
    layout = flip(permute(contiguous(tuple(shape)), dims), backwards)
    target = data.draw(factorings(math.prod(shape)))
    try:
        numpy_of(layout).reshape(target, copy=False)
    except ValueError:
        assert reshape(layout, target) is None
    else:
        agrees(layout, lambda x: reshape(x, target), lambda a: a.reshape(target, copy=False))


@given(layout=..., data=st.data())
def test_minus_one_is_what_is_left(layout: Layout, data):
    shape = list(data.draw(factorings(numel(layout.shape))))
    assert resolve_shape(shape, numel(layout.shape)) == tuple(shape)
    place = data.draw(st.integers(0, len(shape) - 1))
    size, shape[place] = shape[place], -1
    if 0 not in shape:
        assert resolve_shape(shape, numel(layout.shape))[place] == size


def test_reshape_of_a_contiguous_array_is_contiguous():
    assert reshape(contiguous((4, 6), 7), (2, -1, 3)) == contiguous((2, 4, 3), 7)
    assert reshape(contiguous((1, 1)), ()) == contiguous(())
    assert reshape(contiguous(()), (1, 1)) == contiguous((1, 1))
    assert reshape(contiguous((0, 3)), (5, 0)) == contiguous((5, 0))


def test_a_transposed_array_flattens_only_by_copying():
    turned = transpose(contiguous((2, 3)), 0, 1)
    assert reshape(turned, (6,)) is None
    assert reshape(turned, (3, 1, 2)) == Layout((3, 1, 2), (1, 6, 3))


def test_the_same_shape_keeps_even_odd_strides():
    odd = Layout((2, 1), (0, 5), 3)
    assert reshape(odd, (2, 1)) == odd


def test_flattened_and_unflattened_shapes_are_numpys():
    array = np.empty((2, 3, 4, 5))
    assert flattened_shape(array.shape, 1, 2) == array.reshape(2, -1, 5).shape
    assert flattened_shape(array.shape) == (120,)
    assert flattened_shape(()) == (1,)
    assert flattened_shape((2, 0, 3)) == (0,)
    assert unflattened_shape((2, 12), -1, (3, -1)) == (2, 3, 4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: reshape(x, (4,)), RuntimeError, "[reshape] shape (4,) does not hold 6 elements"),
        (lambda x: reshape(x, (4, -1)), RuntimeError, "shape (4, -1) does not hold 6 elements"),
        (lambda x: reshape(x, (0, -1)), RuntimeError, "shape (0, -1) does not hold 6 elements"),
        (lambda x: reshape(x, (-1, -1)), RuntimeError, "has more than one -1"),
        (lambda x: reshape(x, (-2, 3)), RuntimeError, "has a negative size; only -1"),
        (lambda x: reshape(x, (2.0, 3)), TypeError, "[reshape] expected whole numbers"),
        (
            lambda x: reshape(contiguous((0,)), (0, -1)),
            RuntimeError,
            "[reshape] shape (0, -1) of 0 elements: -1 could be any size, name it",
        ),
        (
            lambda x: view(transpose(x, 0, 1), (6,)),
            RuntimeError,
            "[view] shape (6,) cannot be seen in shape (3, 2) with strides (1, 3) without a copy",
        ),
        (lambda x: view(x, (4,)), RuntimeError, "[view] shape (4,) does not hold 6 elements"),
        (lambda x: view(x, 6), TypeError, "[view] expected whole numbers, got 6"),
        (lambda x: flattened_shape(x.shape, 1, 0), RuntimeError, "[flatten] start_dim 1 comes"),
        (lambda x: flattened_shape(x.shape, 2), IndexError, "[flatten] dim 2 is out of range"),
        (
            lambda x: unflattened_shape(x.shape, 1, (2, 2)),
            RuntimeError,
            "[unflatten] shape (2, 2) does not hold 3 elements",
        ),
        (lambda x: unflattened_shape((), 0, (1,)), RuntimeError, "[unflatten] an array without"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as caught:
        call(contiguous((2, 3)))
    assert message in str(caught.value)


@given(layout=..., data=st.data())
def test_as_strided(layout: Layout, data, numpy_of):
    size = tuple(data.draw(st.lists(st.integers(0, 3), max_size=3)))
    stride = tuple(data.draw(st.integers(-2, 4)) for _ in size)
    span = bounds(Layout(size, stride))
    start = -span[0] if span else 0
    found = as_strided(layout, size, stride, start)
    assert found == Layout(size, stride, start)
    buffer = np.arange(span[1] + start + 1 if span else 1)
    steps = [step * buffer.itemsize for step in stride]
    want = np.lib.stride_tricks.as_strided(buffer[start:], size, steps)
    assert positions(found) == want.ravel().tolist()
    assert as_strided(layout, size, stride).offset == layout.offset


@given(layout=...)
def test_overlaps_never_misses_a_place_that_two_elements_share(layout: Layout):
    places = positions(layout)
    if len(set(places)) < len(places):
        assert overlaps(layout)
    if not overlaps(layout):
        assert len(set(places)) == len(places)


def test_overlaps_of_the_usual_views():
    assert not overlaps(contiguous((2, 3, 4)))
    assert not overlaps(Layout((3, 2), (1, 3), 5))
    assert not overlaps(Layout((2, 1, 3), (-3, 0, 1), 3))
    assert overlaps(Layout((2, 3), (0, 1)))
    assert overlaps(Layout((3, 2), (1, 1)))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (((2,), (1, 1)), RuntimeError, r"\(2,\) and strides \(1, 1\) differ in length"),
        (((-1,), (1,)), RuntimeError, "negative size"),
        (((2,), (1,), -1), RuntimeError, "offset -1 lies before the buffer"),
        (((2.0,), (1,)), TypeError, "whole numbers"),
    ],
)
def test_as_strided_refuses(arguments, error, message):
    with pytest.raises(error, match=message):
        as_strided(contiguous((4,)), *arguments)
