"""sort, topk, kthvalue, median and unique against NumPy, on any memory layout.

NumPy's stable argsort is the reference: NaN last, -0 equal to 0, equal elements in their order.
"""

import numpy as np
import pytest
from small_arrays import zeros

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8")
SHAPES = [((7,), 0), ((5, 6), 0), ((5, 6), -1), ((2, 3, 1000), 2), ((2, 900, 3), 1), ((3, 0), 0)]
SHAPES[:0] = [((3, 56), 1), ((3, 57), 1), ((17_000,), 0)]  # where one way of sorting ends
share = ops.share_buffer


def numbers(shape, dtype, seed=0):
    """Numbers with repeats, and with every special one if the type has them."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0 if dtype == "uint8" else -20, 20, shape).astype(dtype)
    if np.issubdtype(x.dtype, np.floating):
        special = rng.choice([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-7], x.shape)
        x = np.where(rng.random(x.shape) < 0.2, special, x).astype(dtype)
    elif dtype.startswith("int") and x.size > 2:
        x.flat[:2] = np.iinfo(dtype).min, np.iinfo(dtype).max
    return x


def order(x, dim, descending=False):
    """Where the elements of a sorted line come from."""
    if not descending:
        return np.argsort(x, axis=dim, kind="stable")
    backwards = np.flip(x, dim)  # the last of equals would come first: turn twice
    return np.flip(x.shape[dim] - 1 - np.argsort(backwards, axis=dim, kind="stable"), dim)


def check_pair(pair, x, places, dim):
    values, indices = map(np.asarray, pair)
    np.testing.assert_array_equal(indices, places, strict=True)
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, dim), strict=True)


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
@pytest.mark.parametrize("descending", [False, True])
def test_sort(layouts, dtype, shape, dim, descending):
    x = numbers(shape, dtype)
    for a in layouts(x):
        pair = ops.sort(share(a), dim, descending)
        check_pair(pair, x, order(x, dim, descending), dim)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "dim"), SHAPES[:-1])
def test_topk(layouts, dtype, shape, dim, largest, k):
    k = {1: 1, 2: 2, 3: shape[dim]}[k]
    x = numbers(shape, dtype)
    places = np.take(order(x, dim, largest), range(k), dim)
    for a in layouts(x):
        check_pair(ops.topk(share(a), k, dim, largest), x, places, dim)


def test_topk_of_a_long_line_that_refills_its_room_again_and_again():
    rising = np.arange(5000, dtype="float32")
    for k in (1, 130, 900):
        check_pair(ops.topk(share(rising), k), rising, np.arange(4999, 4999 - k, -1), 0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "dim"), SHAPES[:-1])
def test_kthvalue_and_median(layouts, dtype, shape, dim):
    x = numbers(shape, dtype)
    n = shape[dim]
    for a in layouts(x):
        for k in (1, 2, n):
            places = np.take(order(x, dim), [k - 1], dim)
            check_pair(ops.kthvalue(share(a), k, dim, True), x, places, dim)
        middle = np.take(order(x, dim), [(n - 1) // 2], dim)
        if np.issubdtype(x.dtype, np.floating):  # NaN wins, the first one
            first = np.argmax(np.isnan(x), dim, keepdims=True)
            middle = np.where(np.isnan(x).any(dim, keepdims=True), first, middle)
        check_pair(ops.median(share(a), dim, True), x, middle, dim)
    assert ops.median(share(x), dim)[0].shape == np.median(x, dim).shape


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
@pytest.mark.parametrize("shape", [(), (9,), (3, 700), (0,)])
def test_unique(layouts, dtype, shape):
    x = numbers(shape, dtype)
    want = np.unique(x, return_inverse=True, return_counts=True, equal_nan=False)
    for a in layouts(x):
        values, inverse, counts = map(np.asarray, ops.unique(share(a)))
        np.testing.assert_array_equal(values, want[0], strict=True)
        np.testing.assert_array_equal(counts, want[2], strict=True)
        assert inverse.shape == x.shape
        np.testing.assert_array_equal(values[inverse], x, strict=True)


def test_bfloat16_is_sorted_as_the_numbers_it_holds():
    x = numbers((900,), "float32")
    a = ops.cast(share(x), cpu.bfloat16)
    held = np.asarray(ops.cast(a, cpu.float32))
    values, indices = ops.sort(a)
    assert values.dtype is cpu.bfloat16
    check_pair((ops.cast(values, cpu.float32), indices), held, order(held, 0), 0)


def test_an_array_without_dims_is_a_line_of_one():
    for pair in (ops.sort(ops.from_list(5.0)), ops.topk(ops.from_list(5.0), 1),
                 ops.kthvalue(ops.from_list(5.0), 1), ops.median(ops.from_list(5.0))):  # fmt: skip
        assert [(p.shape, p.item()) for p in pair] == [((), 5.0), ((), 0)]


def test_no_elements_are_wanted():
    assert [p.shape for p in ops.topk(ops.zeros((2, 0), cpu.float32), 0)] == [(2, 0)] * 2
    assert [p.shape for p in ops.topk(ops.zeros((0, 3), cpu.float32), 2)] == [(0, 2)] * 2


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.sort(zeros(2), 1), IndexError, r"\[sort\] dim 1 is out of range"),
        (lambda: ops.sort([2.0]), TypeError, r"\[sort\] expected an Array, got list"),
        (lambda: ops.topk(zeros(2, 5), 6), RuntimeError,
         r"\[topk\] k is 6 but dim 1 of shape \(2, 5\) has 5 elements: expected 0 to 5"),
        (lambda: ops.topk(zeros(5), -1), RuntimeError, "k is -1"),
        (lambda: ops.topk(zeros(5, dtype=cpu.bool_), 1), RuntimeError, "cast to uint8 first"),
        (lambda: ops.kthvalue(zeros(5), 0), RuntimeError, r"k is 0 .* expected 1 to 5"),
        (lambda: ops.kthvalue(zeros(5), 6), RuntimeError, "k is 6"),
        (lambda: ops.kthvalue(zeros(2, 0), 1), IndexError, r"\[kthvalue\] dim 1 .* has size 0"),
        (lambda: ops.median(zeros(2, 0)), IndexError, r"\[median\] dim 1 .* has size 0"),
        (lambda: ops.median(zeros(2, dtype=cpu.bool_)), RuntimeError, "no kernel for bool"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_the_largest_none_of_a_number_alone_is_that_number():
    values, indices = ops.topk(ops.from_list(5), 0)
    assert (values.tolist(), indices.tolist()) == (5, 0)  # not what memory happened to hold
