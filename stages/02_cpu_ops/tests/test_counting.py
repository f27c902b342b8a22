"""searchsorted, bincount, histc and nonzero against NumPy, on any memory layout."""

import numpy as np
import pytest
from small_arrays import zeros

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer


def numbers(shape, dtype, seed=0, high=9):
    return np.random.default_rng(seed).integers(0, high, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "uint8"])
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("values_shape", [(), (5,), (3, 4), (0,)])
def test_searchsorted_in_one_row(check, dtype, right, values_shape):
    row, values = np.sort(numbers((8,), dtype)), numbers(values_shape, dtype, 1, 12)
    side = "right" if right else "left"
    want = np.asarray(np.searchsorted(row, values, side), "int64")
    check(lambda a, b: ops.searchsorted(a, b, right), want, row, values)


def test_searchsorted_row_by_row(check):
    rows, values = np.sort(numbers((2, 3, 8), "float32"), -1), numbers((2, 3, 5), "float32", 1)
    want = np.array([[np.searchsorted(*pair) for pair in zip(*block, strict=True)]
                     for block in zip(rows, values, strict=True)])  # fmt: skip
    check(ops.searchsorted, want, rows, values)


def test_searchsorted_puts_nan_behind_everything():
    row = ops.from_list([1.0, 2.0, 3.0])
    assert ops.searchsorted(row, ops.from_list([np.nan, 2.0])).tolist() == [3, 1]


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_bincount(check, dtype):
    x = numbers((30,), dtype)
    check(ops.bincount, np.bincount(x), x)
    check(lambda a: ops.bincount(a, None, 12), np.bincount(x, minlength=12), x)
    for weight_type, result in (("float32", "f4"), ("float64", "f8"), ("int64", "f8")):
        weights = numbers((30,), weight_type, 1)
        check(ops.bincount, np.bincount(x, weights).astype(result), x, weights)


def test_bincount_of_nothing():
    assert ops.bincount(ops.zeros((0,), cpu.int64), minlength=2).tolist() == [0, 0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(("low", "high"), [(0, 0), (2, 6), (-1, 20)])
def test_histc(check, dtype, low, high):
    x = numbers((5, 20), dtype)
    span = (x.min(), x.max()) if low == high else (low, high)
    want = np.histogram(x.astype("f8"), 4, span)[0].astype(dtype)
    check(lambda a: ops.histc(a, 4, low, high), want, x)


def test_histc_passes_nan_by_and_widens_an_empty_range():
    assert ops.histc(ops.from_list([1.0, np.nan, 1.0]), 2, 0, 2).tolist() == [0.0, 2.0]
    assert ops.histc(ops.from_list([1.0, 1.0]), 3, 0, 0).tolist() == [0.0, 2.0, 0.0]
    assert ops.histc(ops.zeros((0,), cpu.float32), 2, 0, 0).tolist() == [0.0, 0.0]
    assert sum(ops.histc(ops.from_list([-3e38, 0.0, 3e38]), 9, -3e38, 3e38).tolist()) == 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape", [(), (6,), (4, 5), (2, 3, 4), (3, 0), (0, 3)])
def test_nonzero(check, dtype, shape):
    x = numbers(shape, dtype, high=2)
    if dtype.startswith("float") and x.size > 1:
        x.flat[:2] = np.nan, -0.0
    check(ops.nonzero, np.argwhere(x).astype("int64"), x)


def whole(*values):
    return ops.from_list(list(values), cpu.int64)


def test_bincount_of_a_huge_value_asks_for_its_memory_at_once():
    with pytest.raises(MemoryError, match=rf"asked for {8 * (2**50 + 1)} bytes"):
        ops.bincount(whole(2**50))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ops.searchsorted(zeros(2, 3), zeros(3, 2)),
         r"\[searchsorted\] sorted \(2, 3\) and values \(3, 2\) do not match"),
        (lambda: ops.searchsorted(zeros(2, 3), zeros()), "do not match"),
        (lambda: ops.searchsorted(zeros(3), whole(1)), "sorted is float32 but values are int64"),
        (lambda: ops.bincount(whole(1, -2)), r"\[bincount\] value -2 is negative"),
        (lambda: ops.bincount(whole(1, 2**63 - 1)),
         r"\[bincount\] value 9223372036854775807 is too large: expected less than 2\^63 - 1"),
        (lambda: ops.bincount(whole(2**62)), r"needs more than 2\^63 bytes"),
        (lambda: ops.bincount(zeros(2)), "whole numbers, got float32"),
        (lambda: ops.bincount(zeros(2, 2, dtype=cpu.int64)), r"got shape \(2, 2\)"),
        (lambda: ops.bincount(whole(1, 2), zeros(1)), r"weights \(1,\) and values \(2,\) differ"),
        (lambda: ops.bincount(whole(1), minlength=-1), "minlength is -1"),
        (lambda: ops.histc(whole(1), 3, 0, 1), "floating dtype, got int64"),
        (lambda: ops.histc(zeros(2), 0, 0, 1), "bins is 0: expected 1 or more"),
        (lambda: ops.histc(zeros(2), 3, 2, 1), "min 2 lies above max 1"),
        (lambda: ops.histc(ops.full((2,), np.nan, cpu.float32), 3, 0, 0), "is not finite"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()
