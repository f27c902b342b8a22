"""Layout, contiguous, is_contiguous, index, positions, bounds, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from norch_strides import (
    Layout,
    bounds,
    check_layout,
    contiguous,
    index,
    is_contiguous,
    numel,
    positions,
    row_major,
)

shapes = st.lists(st.integers(0, 5), max_size=5).map(tuple)
full_shapes = st.lists(st.integers(1, 5), max_size=5).map(tuple)


@given(shape=full_shapes, offset=st.integers(0, 9))
def test_contiguous_has_numpys_strides(shape, offset):
    array = np.empty(shape, dtype=np.int8)
    assert contiguous(shape, offset) == Layout(array.shape, array.strides, offset)
    assert row_major(shape) == array.strides


@pytest.mark.parametrize(
    ("shape", "strides"), [((2, 0, 3), (3, 3, 1)), ((0,), (1,)), ((), ()), ((0, 0), (1, 1))]
)
def test_contiguous_of_empty_shapes_has_pytorchs_strides(shape, strides):
    assert row_major(shape) == strides


@given(layout=..., data=st.data())
def test_is_contiguous_agrees_with_numpy(layout: Layout, data, numpy_of):
    assert is_contiguous(layout) == numpy_of(layout).flags.c_contiguous
    dense = contiguous(layout.shape, layout.offset)
    assert is_contiguous(dense)
    loose = list(dense.strides)
    for dim, size in enumerate(layout.shape):
        if size == 1:  # no step is taken along it
            loose[dim] = data.draw(st.integers(-9, 9))
    assert is_contiguous(dense._replace(strides=tuple(loose)))


@given(layout=...)
def test_positions_are_numpys_values(layout: Layout, numpy_of):
    assert positions(layout) == numpy_of(layout).ravel().tolist()
    assert numel(layout.shape) == len(positions(layout))


@given(layout=..., data=st.data())
def test_index_is_numpys_value(layout: Layout, data, numpy_of):
    if 0 not in layout.shape:
        idx = tuple(data.draw(st.integers(-size, size - 1)) for size in layout.shape)
        assert index(layout, idx) == numpy_of(layout)[idx]


@given(layout=...)
def test_bounds_are_the_extreme_positions(layout: Layout):
    touched = positions(layout)
    assert bounds(layout) == ((min(touched), max(touched)) if touched else None)


@given(layout=...)
def test_check_layout_accepts_exactly_the_buffers_that_are_large_enough(layout: Layout):
    touched = positions(layout)
    needed = max(touched) + 1 if touched else 0
    check_layout(layout, needed, "view")
    if touched:
        with pytest.raises(RuntimeError, match=r"^\[view\] the layout reaches positions"):
            check_layout(layout, needed - 1, "view")
        with pytest.raises(RuntimeError, match="positions -1 to"):
            check_layout(layout.shifted(-min(touched) - 1), needed, "view")


def test_a_layout_is_immutable():
    with pytest.raises(AttributeError):
        contiguous((2,)).offset = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: contiguous((2, -1)), RuntimeError, "[contiguous] shape (2, -1) has a negative"),
        (lambda: contiguous((2.0,)), TypeError, "[contiguous] expected whole numbers, got (2.0,)"),
        (lambda: contiguous(3), TypeError, "[contiguous] expected whole numbers, got 3"),
        (lambda: row_major(("a",)), TypeError, "[row_major] expected whole numbers"),
        (
            lambda: index(contiguous((2, 3)), (1,)),
            IndexError,
            "[index] 1 indices (1,) for shape (2, 3)",
        ),
        (
            lambda: index(contiguous((2, 3)), (1, 3)),
            IndexError,
            "[index] index 3 is out of bounds for dimension 1 with size 3",
        ),
        (lambda: index(contiguous((2, 3)), (-3, 0)), IndexError, "index -3 is out of bounds"),
        (
            lambda: check_layout(Layout((2,), (1, 1)), 4, "view"),
            RuntimeError,
            "[view] shape (2,) and strides (1, 1) differ in length",
        ),
        (
            lambda: check_layout(Layout((-2,), (1,)), 4, "view"),
            RuntimeError,
            "[view] shape (-2,) has a negative size",
        ),
        (lambda: check_layout(Layout((), ()), 0, "view"), RuntimeError, "the buffer has none"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
