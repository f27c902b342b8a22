"""permute, transpose, movedim, squeeze, unsqueeze, flip, against NumPy on any layout."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from norch_strides import (
    Layout,
    contiguous,
    flip,
    movedim,
    permute,
    squeeze,
    transpose,
    unsqueeze,
)


def draw_dims(data, ndim, **kwargs):
    """Draw distinct dimensions, some of them counted from the back."""
    dims = data.draw(st.lists(st.integers(0, ndim - 1), unique=True, **kwargs)) if ndim else []
    return [dim - data.draw(st.sampled_from([0, ndim])) for dim in dims]


@given(layout=..., data=st.data())
def test_permute(layout: Layout, data, agrees):
    dims = draw_dims(data, len(layout.shape), min_size=len(layout.shape))
    agrees(layout, lambda x: permute(x, dims), lambda a: a.transpose(dims))


@given(layout=..., data=st.data())
def test_transpose(layout: Layout, data, agrees):
    if layout.shape:
        dim = st.integers(-len(layout.shape), len(layout.shape) - 1)
        dim0, dim1 = data.draw(dim), data.draw(dim)
        agrees(layout, lambda x: transpose(x, dim0, dim1), lambda a: a.swapaxes(dim0, dim1))


def test_transpose_of_an_array_without_dimensions_is_itself():
    assert transpose(Layout((), (), 3), 0, -1) == Layout((), (), 3)


@given(layout=..., data=st.data())
def test_movedim(layout: Layout, data, agrees):
    source = draw_dims(data, len(layout.shape))
    target = draw_dims(data, len(layout.shape), min_size=len(source), max_size=len(source))
    agrees(layout, lambda x: movedim(x, source, target), lambda a: np.moveaxis(a, source, target))
    if source:
        agrees(
            layout,
            lambda x: movedim(x, source[0], target[0]),
            lambda a: np.moveaxis(a, source[0], target[0]),
        )


@given(layout=..., data=st.data())
def test_squeeze(layout: Layout, data, agrees):
    agrees(layout, squeeze, np.squeeze)
    dims = draw_dims(data, len(layout.shape))
    ones = tuple(dim for dim in dims if layout.shape[dim] == 1)
    agrees(layout, lambda x: squeeze(x, dims), lambda a: a.squeeze(ones))
    if dims:
        one = ones[:1] if dims[0] in ones else ()
        agrees(layout, lambda x: squeeze(x, dims[0]), lambda a: a.squeeze(one))


@given(layout=..., data=st.data())
def test_unsqueeze(layout: Layout, data, agrees):
    dim = data.draw(st.integers(-len(layout.shape) - 1, len(layout.shape)))
    agrees(layout, lambda x: unsqueeze(x, dim), lambda a: np.expand_dims(a, dim))


@pytest.mark.parametrize(("dim", "strides"), [(0, (12, 4, 1)), (1, (4, 4, 1)), (-1, (4, 1, 1))])
def test_unsqueeze_has_pytorchs_strides(dim, strides):
    assert unsqueeze(contiguous((3, 4)), dim).strides == strides


@given(layout=..., data=st.data())
def test_flip(layout: Layout, data, agrees):
    dims = draw_dims(data, len(layout.shape))
    agrees(layout, lambda x: flip(x, dims), lambda a: np.flip(a, tuple(dims)))
    if dims:
        agrees(layout, lambda x: flip(x, dims[0]), lambda a: np.flip(a, dims[0]))
    if 0 not in layout.shape:
        assert flip(flip(layout, dims), dims) == layout


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: permute(x, (0,)), RuntimeError, "[permute] dims (0,) for shape (2, 3)"),
        (lambda x: permute(x, (0, 0)), RuntimeError, "[permute] dim 0 appears twice"),
        (lambda x: permute(x, (0, -2)), RuntimeError, "[permute] dim 0 appears twice"),
        (lambda x: permute(x, (0, 2)), IndexError, "[permute] dim 2 is out of range"),
        (lambda x: permute(x, 0), TypeError, "[permute] expected whole numbers, got 0"),
        (lambda x: permute(x, (1.0, 0.0)), TypeError, "[permute] expected whole numbers"),
        (lambda x: transpose(x, 0, 2), IndexError, "[transpose] dim 2 is out of range"),
        (lambda x: transpose(x, 0.0, 1), TypeError, "[transpose] expected whole numbers"),
        (lambda x: movedim(x, (0, 1), (0,)), RuntimeError, "[movedim] source (0, 1) and dest"),
        (lambda x: movedim(x, (0, 0), (0, 1)), RuntimeError, "[movedim] dim 0 appears twice"),
        (lambda x: movedim(x, 0, 2), IndexError, "[movedim] dim 2 is out of range"),
        (lambda x: squeeze(x, 2), IndexError, "[squeeze] dim 2 is out of range"),
        (lambda x: squeeze(x, 0.0), TypeError, "[squeeze] expected whole numbers"),
        (lambda x: unsqueeze(x, 3), IndexError, "[unsqueeze] dim 3 is out of range for 3"),
        (lambda x: unsqueeze(x, -4), IndexError, "[unsqueeze] dim -4 is out of range"),
        (lambda x: unsqueeze(x, "a"), TypeError, "[unsqueeze] expected whole numbers"),
        (lambda x: flip(x, (0, 0)), RuntimeError, "[flip] dim 0 appears twice"),
        (lambda x: flip(x, -3), IndexError, "[flip] dim -3 is out of range"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as caught:
        call(contiguous((2, 3)))
    assert message in str(caught.value)


def test_bad_input_is_refused_also_when_equal_good_input_is_cached():
    permute(contiguous((2, 3)), (1, 0))
    with pytest.raises(TypeError):
        permute(contiguous((2, 3)), (1.0, 0.0))
