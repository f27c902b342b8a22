"""StridedArray: views share the buffer, writes go through, bad lists are refused."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes

from norch_strides import Layout, StridedArray, contiguous


def counting(*shape):
    return StridedArray(list(range(int(np.prod(shape)))), contiguous(shape))


@given(shape=array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
def test_nested_lists_there_and_back(shape):
    nested = np.arange(int(np.prod(shape))).reshape(shape).tolist()
    array = StridedArray.from_nested(nested)
    assert array.tolist() == nested
    assert array.flat() == list(range(len(array.buffer)))


@given(layout=...)
def test_tolist_is_numpys(layout: Layout, numpy_of):
    buffer = list(range(200))
    assert StridedArray(buffer, layout).tolist() == numpy_of(layout).tolist()


@pytest.mark.parametrize(
    "see",
    [
        lambda a: a.T,
        lambda a: a.transpose(0, 1),
        lambda a: a.flip(0, 2),
        lambda a: a.reshape(6, 4),
        lambda a: a.windows(2, 2, 1),
        lambda a: a.permute(2, 0, 1),
        lambda a: a[1:, ::-2],
        lambda a: a.broadcast_to(5, 2, 3, 4),
    ],
)
def test_a_write_through_a_view_shows_in_the_array(see):
    array = counting(2, 3, 4)
    seen = see(array)
    assert seen.shares_buffer(array)
    seen[...] = -1
    assert -1 in array.flat()
    assert set(seen.flat()) == {-1}


@given(data=st.data())
def test_setitem_is_numpys(data):
    array, expected = counting(3, 4), np.arange(12).reshape(3, 4)
    edge = st.none() | st.integers(-4, 4)
    step = st.sampled_from([None, 1, 2, -1, -2])
    key = tuple(slice(data.draw(edge), data.draw(edge), data.draw(step)) for _ in range(2))
    array[key] = 99
    expected[key] = 99
    assert array.tolist() == expected.tolist()


def test_setitem_takes_numbers_lists_and_arrays():
    array = counting(2, 3)
    array[0, 1] = 50
    array[1] = [7, 8, 9]
    assert array.tolist() == [[0, 50, 2], [7, 8, 9]]
    array[:, 0] = StridedArray.from_nested([-1])
    assert array.tolist() == [[-1, 50, 2], [-1, 8, 9]]


def test_setitem_reads_everything_before_it_writes():
    array = counting(4)
    array[1:] = array[:-1]
    assert array.tolist() == [0, 0, 1, 2]
    array[...] = array.flip(0)
    assert array.tolist() == [2, 1, 0, 0]


def test_a_refused_write_changes_nothing():
    array = counting(2, 3)
    with pytest.raises(RuntimeError, match=r"shape \(2,\) does not stretch to \(3,\)"):
        array[0] = [1, 2]
    assert array.flat() == list(range(6))


def test_contiguous_and_reshape_copy_only_when_they_must():
    array = counting(2, 3)
    assert array.contiguous() is array
    assert array.T.contiguous().buffer == [0, 3, 1, 4, 2, 5]
    assert array.T.reshape(-1).tolist() == [0, 3, 1, 4, 2, 5]
    assert not array.T.reshape(-1).shares_buffer(array)


def test_sizes_and_dimensions_may_be_given_as_a_tuple():
    array = counting(2, 3)
    assert array.reshape((3, 2)).tolist() == [[0, 1], [2, 3], [4, 5]]
    assert array.T.reshape([6]).tolist() == [0, 3, 1, 4, 2, 5]
    assert array.permute((1, 0)).tolist() == array.T.tolist()
    assert array.flip((0, 1)).tolist() == array.flip(0, 1).tolist()
    assert array.broadcast_to((1, 2, 3)).tolist() == [array.tolist()]


def test_iteration_length_and_repr():
    array = counting(2, 3)
    assert len(array) == 2 and [row.tolist() for row in array] == [[0, 1, 2], [3, 4, 5]]
    assert list(array[0]) == [0, 1, 2]
    assert repr(counting(20)).endswith("10, 11, ... 20 in all])")


@pytest.mark.parametrize(
    ("nested", "message"),
    [
        ([[1, 2], [3]], "in dimension 1 one element has length 2, another length 1"),
        ([[1, 2], 3], "in dimension 1 one element has length 2, another no list"),
        ([1, [2]], "some elements below shape (2,) are lists, others are not"),
        ([[], [1]], "in dimension 1 one element has length 0, another length 1"),
        ([[[1], [2]], [[3], [4, 5]]], "in dimension 2 one element has length 1, another length 2"),
    ],
)
def test_ragged_nested_lists_are_refused(nested, message):
    with pytest.raises(ValueError) as caught:
        StridedArray.from_nested(nested)
    assert "[StridedArray] ragged list" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: StridedArray([1, 2], contiguous((3,))),
            RuntimeError,
            "[StridedArray] the layout reaches positions 0 to 2, the buffer has 0 to 1",
        ),
        (lambda: StridedArray([1], Layout((2,), (-1,))), RuntimeError, "positions -1 to 0"),
        (lambda: len(StridedArray.from_nested(3)), TypeError, "[len] an array without dimensions"),
        (lambda: counting(3)[3], IndexError, "index 3 is out of bounds"),
        (lambda: counting(3)[[0]], IndexError, "[0] is no basic index"),
        (lambda: counting(6).reshape(4), RuntimeError, "shape (4,) does not hold 6 elements"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error) as caught:
        call()
    assert message in str(caught.value)
