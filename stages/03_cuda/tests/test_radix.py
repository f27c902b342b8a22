"""Lines too long for one block's shared memory: radix.cu gives what a stable sort of NumPy does."""

import numpy as np
import pytest
from cuda_comparison import assert_same
from cuda_lessons import ORDERS, SIM

import norch_cpu_ops as cpu
import norch_cuda
from norch_cuda.operations import sort as sorting
from norch_cuda.runtime.simulator_options import simulator
from norch_strides import transpose

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e-42, -1e-42]
DTYPES = [np.float32, np.float64, np.int64, np.int32, np.uint8]


def entries(dtype, shape):
    """Numbers of both signs with many ties; among floats everything that compares unusually."""
    drawn = np.random.default_rng(0)
    if np.issubdtype(dtype, np.floating):
        values = (drawn.normal(size=shape) * 100).round().astype(dtype)
        values.reshape(-1)[::7][: len(SPECIAL)] = SPECIAL
        return values
    info = np.iinfo(dtype)
    values = drawn.integers(info.min, info.max, shape, dtype, endpoint=True)
    values.reshape(-1)[::3] = values.reshape(-1)[0]
    return values


def expected_places(values, descending):
    """A stable order by what `before` of sort.cu says: a NaN is the largest, zeros are equal."""
    nan = np.isnan(values) if np.issubdtype(values.dtype, np.floating) else values != values
    numbers = np.where(nan, 0, values)
    _, ranks = np.unique(np.where(numbers == 0, 0, numbers), return_inverse=True)
    ranks = np.where(nan, values.size, ranks.reshape(values.shape))
    return np.argsort(-ranks if descending else ranks, axis=-1, kind="stable")


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1025,), (6001,), (2, 2500)])
def test_long_lines_stand_in_a_stable_order(shape, dtype, descending):
    values = entries(dtype, shape)
    found, places = SIM.sort(SIM.from_buffer(values), -1, descending)
    order = expected_places(values, descending)
    np.testing.assert_array_equal(np.array(places.tolist()), order)
    np.testing.assert_array_equal(
        np.array(found.tolist(), dtype), np.take_along_axis(values, order, -1)
    )


@pytest.mark.parametrize("order", ORDERS)
def test_columns_are_sorted_too_whatever_the_order_of_threads(order):
    values = entries(np.float32, (3, 1100))
    x = SIM.from_buffer(values)
    with simulator(check=True, order=order):
        found, places = SIM.sort(x.view(transpose(x.layout, 0, 1)), 0)
    order = expected_places(values, False)
    np.testing.assert_array_equal(np.array(places.tolist()), order.T)
    np.testing.assert_array_equal(
        np.array(found.tolist(), np.float32), np.take_along_axis(values, order, -1).T
    )


def test_both_ways_of_sorting_agree(monkeypatch):
    """The bitonic network is the reference: a line that either takes."""
    x = SIM.from_buffer(entries(np.float32, (4, 900)))
    short = [a.tolist() for a in SIM.sort(x, -1, True)]
    monkeypatch.setattr(sorting, "_SHARED", 0)
    assert repr([a.tolist() for a in SIM.sort(x, -1, True)]) == repr(short)


def test_runs_grow_with_the_line(monkeypatch):
    monkeypatch.setattr(sorting, "_MOST_BLOCKS", 2)
    values = entries(np.int32, (9000,))
    places = SIM.sort(SIM.from_buffer(values))[1]
    assert places.tolist() == expected_places(values, False).tolist()


def test_a_long_line_is_shared_by_blocks():
    x = SIM.from_buffer(entries(np.float32, (9000,)))
    found = norch_cuda.profile(SIM.sort, x, kernel="radix_move_kernel")
    assert "5 blocks of 64 threads" in str(found)


@pytest.mark.parametrize("rows", [3, 300])
def test_gradient_of_a_table_from_many_tokens(rows):
    drawn = np.random.default_rng(1)
    index, grad = drawn.integers(0, rows, 1500), drawn.normal(size=(1500, 3)).astype(np.float32)
    expected, found = (
        o.embedding_backward(o.from_buffer(grad), o.from_buffer(index), rows)
        for o in (cpu.ops, SIM)
    )
    assert_same(expected, found, 1e-5)
    index[700] = rows
    with pytest.raises(IndexError, match=r"\[embedding_backward\]"):
        SIM.embedding_backward(SIM.from_buffer(grad), SIM.from_buffer(index), rows)
