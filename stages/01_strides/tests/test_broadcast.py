"""broadcast_shapes, broadcast_to, broadcast_strides, expand, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from norch_strides import (
    Layout,
    broadcast_shapes,
    broadcast_strides,
    broadcast_to,
    contiguous,
    expand,
    positions,
)


@given(drawn=mutually_broadcastable_shapes(num_shapes=3, min_side=0, max_side=4, max_dims=4))
def test_broadcast_shapes(drawn):
    assert broadcast_shapes(*drawn.input_shapes) == drawn.result_shape


def test_broadcast_shapes_of_nothing_is_the_shape_of_a_number():
    assert broadcast_shapes() == ()


@given(a=st.lists(st.integers(0, 3), max_size=3), b=st.lists(st.integers(0, 3), max_size=3))
def test_shapes_that_numpy_refuses_are_refused(a, b):
    try:
        expected = np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        with pytest.raises(RuntimeError, match=r"^\[broadcast\] shapes .* do not match"):
            broadcast_shapes(a, b)
    else:
        assert broadcast_shapes(a, b) == expected


@given(layout=..., data=st.data())
def test_broadcast_to_and_expand(layout: Layout, data, agrees):
    new = data.draw(st.lists(st.integers(0, 3), max_size=2))
    old = [data.draw(st.integers(0, 3)) if size == 1 else size for size in layout.shape]
    target = (*new, *old)
    agrees(layout, lambda x: broadcast_to(x, target), lambda a: np.broadcast_to(a, target))
    kept = [-1 if data.draw(st.booleans()) else size for size in old]
    sizes = [have if size == -1 else size for size, have in zip(kept, layout.shape, strict=True)]
    agrees(
        layout,
        lambda x: expand(x, (*new, *kept)),
        lambda a: np.broadcast_to(a, (*new, *sizes)),
    )


@given(drawn=mutually_broadcastable_shapes(num_shapes=2, min_side=0, max_side=4, max_dims=4))
def test_broadcast_strides_walks_both_operands_as_numpy_does(drawn):
    a, b = (np.arange(int(np.prod(shape))).reshape(shape) for shape in drawn.input_shapes)
    x, y = contiguous(a.shape), contiguous(b.shape)
    shape, strides_a, strides_b = broadcast_strides(x.shape, x.strides, y.shape, y.strides)
    assert shape == drawn.result_shape
    for array, strides in ((a, strides_a), (b, strides_b)):
        assert positions(Layout(shape, strides)) == np.broadcast_to(array, shape).ravel().tolist()


def test_a_repeated_dimension_does_not_advance():
    assert broadcast_to(contiguous((3, 1)), (2, 3, 5)).strides == (0, 1, 0)


def test_a_column_and_a_row_meet_in_a_table():
    assert broadcast_strides((3, 1), (1, 1), (1, 4), (4, 1)) == ((3, 4), (1, 0), (0, 1))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda x: broadcast_shapes((2, 3), (4,)),
            RuntimeError,
            "[broadcast] shapes (2, 3) and (4,) do not match: in dimension -1 the sizes are 3 and",
        ),
        (lambda x: broadcast_shapes((2.0,)), TypeError, "[broadcast] expected whole numbers"),
        (
            lambda x: broadcast_strides((2,), (1,), (3,), (1,)),
            RuntimeError,
            "[broadcast] shapes (2,) and (3,) do not match",
        ),
        (
            lambda x: broadcast_to(x, (2, 4)),
            RuntimeError,
            "[broadcast_to] shape (2, 3) does not stretch to (2, 4)",
        ),
        (lambda x: broadcast_to(x, (3,)), RuntimeError, "does not stretch to (3,)"),
        (lambda x: broadcast_to(x, (-1, 2, 3)), RuntimeError, "[broadcast_to] shape (2, 3)"),
        (lambda x: broadcast_to(x, (2, 3.0)), TypeError, "[broadcast_to] expected whole numbers"),
        (lambda x: expand(x, (3,)), RuntimeError, "[expand] sizes (3,) for shape (2, 3)"),
        (lambda x: expand(x, (-1, 2, 3)), RuntimeError, "-1 keeps a size only where there is one"),
        (lambda x: expand(x, (-2, 3)), RuntimeError, "[expand] shape (2, 3) does not stretch"),
        (lambda x: expand(x, (2, 6)), RuntimeError, "[expand] shape (2, 3) does not stretch to"),
        (lambda x: expand(x, 3), TypeError, "[expand] expected whole numbers, got 3"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as caught:
        call(contiguous((2, 3)))
    assert message in str(caught.value)
