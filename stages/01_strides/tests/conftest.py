"""The oracle of this stage: NumPy arrays with the same shape, strides and offset.

Tests take a `Layout` from hypothesis (`@given(layout=...)` draws any legal one: negative and zero
strides, size 0, no dimensions, an offset) and the fixture `agrees`, which makes one line a case.
"""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from numpy.lib.stride_tricks import as_strided

from norch_strides import Layout, bounds, positions

settings.register_profile("norch", deadline=None, max_examples=100, derandomize=True)
settings.load_profile("norch")


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Draw a layout that stays inside a buffer beginning at 0."""
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    strides = tuple(draw(st.integers(-7, 7)) for _ in shape)
    span = bounds(Layout(shape, strides))
    lowest = span[0] if span else 0
    return Layout(shape, strides, draw(st.integers(0, 5)) - lowest)


st.register_type_strategy(Layout, layouts())


def as_numpy(layout: Layout) -> np.ndarray:
    """Return the NumPy array that walks a buffer of 0, 1, 2, ... by `layout`."""
    span = bounds(layout)
    buffer = np.arange(max(span[1] if span else 0, layout.offset) + 1)
    strides = [stride * buffer.itemsize for stride in layout.strides]
    return as_strided(buffer[layout.offset :], layout.shape, strides)


def first_position(array: np.ndarray) -> int:
    """Return where a view of `as_numpy` begins: its first value is its position."""
    return int(array[(0,) * array.ndim])


def assert_same(layout: Layout, array: np.ndarray) -> None:
    """Compare shape, byte strides, offset and values; size 1 takes no step, so has no stride."""
    assert isinstance(layout, Layout)
    assert layout.shape == array.shape
    assert all(type(n) is int for n in (*layout.shape, *layout.strides, layout.offset))
    if array.size == 0:
        return  # no element: strides and offset say nothing
    steps = zip(layout.shape, layout.strides, array.strides, strict=True)
    assert all(size == 1 or ours * array.itemsize == theirs for size, ours, theirs in steps)
    assert layout.offset == first_position(array)
    assert positions(layout) == array.ravel().tolist()


@pytest.fixture(scope="session")
def agrees() -> Callable[..., None]:
    """Return the check: the view `ours(layout)` is the view `theirs(array)`."""

    def check(
        layout: Layout,
        ours: Callable[[Layout], Layout],
        theirs: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        assert_same(ours(layout), theirs(as_numpy(layout)))

    return check


@pytest.fixture(scope="session")
def numpy_of() -> Callable[[Layout], np.ndarray]:
    """Return the function from a layout to the NumPy array with that layout."""
    return as_numpy
