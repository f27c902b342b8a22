"""normalize_dim, normalize_dims, reduced_shape: every spelling, every refusal."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from norch_strides import (
    Layout,
    as_dims,
    as_ints,
    movedim,
    normalize_dim,
    normalize_dims,
    reduced_shape,
    squeeze,
)


@given(ndim=st.integers(1, 6), data=st.data())
def test_negative_dims_count_from_the_back(ndim, data):
    dim = data.draw(st.integers(0, ndim - 1))
    assert normalize_dim(dim, ndim, "op") == normalize_dim(dim - ndim, ndim, "op") == dim


def test_an_array_without_dimensions_accepts_0_and_minus_1():
    assert normalize_dim(0, 0, "op") == normalize_dim(-1, 0, "op") == 0
    assert normalize_dims(0, 0, "op") == normalize_dims(None, 0, "op") == ()


def test_numbers_of_other_libraries_count():
    assert normalize_dim(np.int64(-1), 3, "op") == 2
    assert as_ints(np.array([2, 3]), "op") == (2, 3)
    assert type(normalize_dim(True, 2, "op")) is int


class OneElement:
    """A number that could be listed as well, as a tensor of one element."""

    def __index__(self):
        return 1

    def __iter__(self):
        return iter([1])


class NoNumber(OneElement):
    """It has the method of a number, and no number: an array of several elements."""

    def __index__(self):
        raise TypeError

    def __iter__(self):
        return iter([2, 0])


def test_a_number_that_can_be_listed_is_one_dim():
    assert as_dims(OneElement(), "op") == as_dims((OneElement(),), "op") == (1,)
    assert as_dims(NoNumber(), "op") == (2, 0) and normalize_dims(NoNumber(), 3, "op") == (0, 2)
    assert squeeze(Layout((2, 1), (1, 1)), OneElement()).shape == (2,)
    assert movedim(Layout((2, 3), (3, 1)), OneElement(), 0).shape == (3, 2)


@pytest.mark.parametrize("dims", [{}, {0}, {0: 1}, frozenset()], ids=repr)
def test_what_has_no_order_lists_no_dims(dims):
    for refused in (as_ints, as_dims):
        with pytest.raises(TypeError, match=r"\[op\] expected whole numbers"):
            refused(dims, "op")
    with pytest.raises(TypeError, match=r"\[squeeze\] expected whole numbers"):
        squeeze(Layout((1,), (1,)), dims)


@given(layout=..., data=st.data(), keepdim=st.booleans())
def test_reduced_shape_is_numpys(layout: Layout, data, keepdim, numpy_of):
    ndim = len(layout.shape)
    axes = data.draw(st.lists(st.integers(0, ndim - 1), unique=True)) if ndim else []
    signed = tuple(axis - data.draw(st.sampled_from([0, ndim])) for axis in axes)
    for dims in (signed, *signed[:1]):
        axis = None if dims == () else dims
        expected = numpy_of(layout).sum(axis=axis, keepdims=keepdim).shape
        assert reduced_shape(layout.shape, dims, keepdim) == expected
    expected = numpy_of(layout).sum(keepdims=keepdim).shape
    assert reduced_shape(layout.shape, None, keepdim) == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: normalize_dim(2, 2, "sum"), IndexError, "[sum] dim 2 is out of range for 2"),
        (lambda: normalize_dim(-3, 2, "sum"), IndexError, "expected -2 to 1"),
        (lambda: normalize_dim(1, 0, "sum"), IndexError, "expected -1 to 0"),
        (lambda: normalize_dim(1.0, 2, "sum"), TypeError, "[sum] a dim must be a whole number"),
        (lambda: normalize_dim("0", 2, "sum"), TypeError, "got '0'"),
        (lambda: normalize_dims((0, 0), 2, "sum"), RuntimeError, "[sum] dim 0 appears twice"),
        (lambda: normalize_dims((0, -2), 2, "sum"), RuntimeError, "dim 0 appears twice in (0, -2)"),
        (lambda: normalize_dims((0, 0), 0, "sum"), RuntimeError, "dim 0 appears twice"),
        (lambda: normalize_dims((0.0,), 2, "sum"), TypeError, "[sum] expected whole numbers"),
        (lambda: normalize_dims(1.5, 2, "sum"), TypeError, "[sum] expected whole numbers"),
        (lambda: normalize_dims((0, 5), 2, "sum"), IndexError, "[sum] dim 5 is out of range"),
        (lambda: reduced_shape((2,), 1, False, "mean"), IndexError, "[mean] dim 1 is out of range"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
