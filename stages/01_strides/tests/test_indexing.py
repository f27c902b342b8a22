"""basic_index and plan_index: every key that needs no copy, and the arrays in those that do."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from norch_strides import (
    Layout,
    basic_index,
    contiguous,
    is_basic_index,
    plan_index,
    positions,
)


@st.composite
def keys(draw, shape, arrays=False):
    """Draw a key for `shape`: numbers, slices, None, at most one '...', perhaps index arrays."""
    items = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        while draw(st.integers(0, 3)) == 0:
            items.append(None)
        kinds = ["slice"] + ["int", "array"] * bool(size)
        kind = draw(st.sampled_from(kinds))
        if kind == "slice":
            edge = st.none() | st.integers(-6, 6)
            step = draw(st.none() | st.integers(-3, 3).filter(bool))
            items.append(slice(draw(edge), draw(edge), step))
        elif kind == "int" or not arrays:
            items.append(draw(st.integers(-size, size - 1)))
        else:
            items.append([draw(st.integers(-size, size - 1)) for _ in range(3)])
    named = sum(item is not None for item in items)
    if draw(st.booleans()):
        # '...' stands for dimensions left at the end, so only None may follow it here.
        items += [..., *[None] * draw(st.integers(0, 2))]
    elif named == len(shape) and draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), ...)
    return tuple(items)


def view_of(array, key):
    """Index with NumPy, but keep a view of one element a view."""
    return array[(*key, ...)] if ... not in key else array[key]


@given(layout=..., data=st.data())
def test_basic_index(layout: Layout, data, agrees):
    key = data.draw(keys(layout.shape))
    assert is_basic_index(key)
    agrees(layout, lambda x: basic_index(x, key), lambda a: view_of(a, key))
    if len(key) == 1:
        agrees(layout, lambda x: basic_index(x, key[0]), lambda a: view_of(a, key))


@pytest.mark.parametrize("dots", range(4))
def test_dots_stand_for_the_dimensions_not_named(dots, agrees):
    key = [1, slice(None, None, -2)]
    key.insert(min(dots, 2), ...)
    agrees(contiguous((2, 3, 4, 5)), lambda x: basic_index(x, tuple(key)), lambda a: a[tuple(key)])


def test_numbers_of_other_libraries_index():
    assert is_basic_index(np.int64(1)) and is_basic_index((np.array(1),))
    assert basic_index(contiguous((3,)), np.int64(-1)).offset == 2
    assert type(basic_index(contiguous((3,)), np.int64(-1)).offset) is int


def test_numbers_are_never_compared_only_asked():
    class Number:
        """A number whose == answers element by element, as a tensor's does."""

        def __index__(self):
            return 1

        def __eq__(self, other):
            raise TypeError("compares elements")

    assert basic_index(contiguous((3, 4)), (Number(), None)).shape == (1, 4)


def test_new_dimensions_have_the_strides_of_unsqueeze():
    assert basic_index(contiguous((3, 4)), None).strides == (12, 4, 1)
    assert basic_index(contiguous((3, 4)), (..., None)).strides == (4, 1, 1)


@pytest.mark.parametrize(
    "key", [[0], True, False, np.array([1]), np.array(True), 1.0, "a", (0, [1]), np.float32(1)]
)
def test_what_is_not_basic(key):
    assert not is_basic_index(key)


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        (2, IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
        ((0, -4), IndexError, "[index] index -4 is out of bounds for dimension 1 with size 3"),
        ((0, 0, 0), IndexError, "[index] too many indices: 3 for shape (2, 3) with 2 dimensions"),
        ((..., 0, 0, 0), IndexError, "[index] too many indices: 3"),
        ((..., ...), IndexError, "[index] more than one '...'"),
        (1.0, IndexError, "[index] 1.0 is no basic index: expected whole numbers, slices"),
        ("a", IndexError, "[index] 'a' is no basic index"),
        (True, IndexError, "[index] True is no basic index"),
        ([0, 1], IndexError, "[index] [0, 1] is no basic index"),
        (slice(None, None, 0), ValueError, "[slice] slice(None, None, 0) has step 0"),
        (slice(0.5, None), TypeError, "[slice] expected whole numbers or nothing"),
    ],
)
def test_bad_input(key, error, message):
    with pytest.raises(error) as caught:
        basic_index(contiguous((2, 3)), key)
    assert message in str(caught.value)


def test_an_array_without_dimensions_has_no_index_but_dots():
    point = Layout((), (), 3)
    assert basic_index(point, ()) == basic_index(point, ...) == point
    assert basic_index(point, None) == Layout((1,), (1,), 3)
    with pytest.raises(IndexError, match="too many indices: 1 for shape"):
        basic_index(point, 0)


def gather(layout, key):
    """Carry out a plan with NumPy's own indexing on the view, arrays only."""
    plan = plan_index(layout.shape, key)
    view = basic_index(layout, plan.basic)
    walk = np.array(positions(view), dtype=int).reshape(view.shape)
    if not plan.arrays:
        return walk, plan
    picked = dict(plan.arrays)
    arrays_first = np.moveaxis(walk, list(picked), range(len(picked)))[tuple(picked.values())]
    return np.moveaxis(arrays_first, 0, plan.place), plan


@given(layout=..., data=st.data())
def test_plan_index_agrees_with_numpy(layout: Layout, data, numpy_of):
    key = data.draw(keys(layout.shape, arrays=True))
    found, _ = gather(layout, key)
    if not any(isinstance(item, int) for item in key):
        expected = numpy_of(layout)[key]
        assert found.shape == expected.shape and (found == expected).all()
    else:  # NumPy counts a number as an array here, PyTorch takes numbers first: so take them first
        numbers = tuple(
            i if isinstance(i, int) else ... if i is ... else slice(None)
            for i in key
            if i is not None
        )
        rest = tuple(item for item in key if not isinstance(item, int))
        expected = view_of(numpy_of(layout), numbers)[rest]
        assert found.shape == expected.shape and (found == expected).all()


def test_numbers_are_taken_before_arrays_as_in_pytorch():
    found, plan = gather(contiguous((2, 3, 4)), (0, slice(None), [0, 1, 1]))
    assert plan.place == 1 and found.shape == (3, 3)


def test_arrays_apart_come_first(numpy_of):
    key = (slice(None), [0, 1, 1], slice(None), [0, 1, 0])
    found, plan = gather(contiguous((2, 3, 4, 5)), key)
    assert plan.place == 0 and found.shape == (3, 2, 4)
    assert (found == numpy_of(contiguous((2, 3, 4, 5)))[key]).all()


def test_arrays_side_by_side_stay_where_they_stand():
    found, plan = gather(contiguous((2, 3, 4, 5)), (slice(None), [0, 1, 1], [0, 1, 0]))
    assert plan.place == 1 and found.shape == (2, 3, 5)


def test_a_mask_stands_for_several_dimensions():
    plan = plan_index((2, 3, 4), (..., "mask"), dims_of=lambda item: 2)
    assert plan.arrays == ((1, "mask"),) and plan.place == 1
    with pytest.raises(IndexError, match="too many indices: 4 for shape"):
        plan_index((2, 3, 4), (0, 0, "mask"), dims_of=lambda item: 2)
