"""scatter, scatter_reduce and embedding_backward against plain loops, on any memory layout."""

import numpy as np
import pytest
from small_arrays import zeros

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

CASES = [((7,), 0, (4,)), ((7, 3), 0, (9, 3)), ((7, 3), -1, (5, 2)), ((4, 5, 6), 1, (4, 8, 6)),
         ((4, 5), 0, (0, 5))]  # fmt: skip
share = ops.share_buffer


def numbers(shape, dtype, seed):
    low, high = {"bool": (0, 2), "uint8": (0, 5)}.get(dtype, (-4, 5))
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def scattered(a, dim, index, source, combine):
    """One element at a time, in order: out[place] = combine(old, new, is_first)."""
    out, seen = a.copy(), set()
    for at in np.ndindex(index.shape):
        place = list(at)
        place[dim] = index[at]
        place = tuple(place)
        out[place] = combine(out[place], source[at], place not in seen)
        seen.add(place)
    return out, seen


def reduced(a, dim, index, source, join, include_self):
    """As scatter_reduce for sum, prod, amax and amin."""

    def combine(old, new, is_first):
        return new if is_first and not include_self else join(old, new)

    return scattered(a, dim, index, source, combine)


def mean_of(a, dim, index, source, include_self):
    total, seen = reduced(a, dim, index, source, np.add, include_self)
    ones = np.ones(source.shape, "int64")
    counts = reduced(np.full(a.shape, int(include_self)), dim, index, ones, np.add, True)[0]
    divide = np.floor_divide if total.dtype.kind in "iu" else np.true_divide
    for place in seen:
        total[place] = divide(total[place], counts[place])
    return total


REDUCE = {"sum": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "int32", "uint8", "bool"])
@pytest.mark.parametrize(("shape", "dim", "index_shape"), CASES)
def test_scatter(layouts, dtype, shape, dim, index_shape):
    a = numbers(shape, dtype, 1)
    index = np.random.default_rng(2).integers(0, shape[dim], index_shape)
    source = numbers([size + 1 for size in index_shape], dtype, 3)  # may be larger than the index
    want = scattered(a, dim, index, source, lambda x, y, _: y)[0]
    for a_, index_, source_ in zip(layouts(a), layouts(index), layouts(source), strict=True):
        got = ops.scatter(share(a_), dim, share(index_), share(source_))
        np.testing.assert_array_equal(np.asarray(got), want, strict=True)


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("reduce", [*REDUCE, "mean"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "int32", "uint8"])
@pytest.mark.parametrize(("shape", "dim", "index_shape"), CASES)
def test_scatter_reduce(layouts, dtype, shape, dim, index_shape, reduce, include_self):
    a = numbers(shape, dtype, 1)
    index = np.random.default_rng(2).integers(0, shape[dim], index_shape)
    source = numbers(index_shape, dtype, 3)
    if reduce == "mean":
        want = mean_of(a, dim, index, source, include_self)
    else:
        want = reduced(a, dim, index, source, REDUCE[reduce], include_self)[0]
    rtol = 1e-3 if dtype == "float16" else 1e-6
    for a_, index_, source_ in zip(layouts(a), layouts(index), layouts(source), strict=True):
        arguments = share(a_), dim, share(index_), share(source_), reduce, include_self
        got = np.asarray(ops.scatter_reduce(*arguments))
        np.testing.assert_allclose(got, want, rtol=rtol, strict=True)


def test_nan_wins_a_scattered_extreme():
    a, index = ops.zeros((2,), cpu.float32), ops.from_list([0, 0, 1], cpu.int64)
    source = ops.from_list([np.nan, 1.0, 2.0])
    for reduce in ("amax", "amin"):
        got = ops.scatter_reduce(a, 0, index, source, reduce).tolist()
        assert np.isnan(got[0])
        assert got[1] == (2.0 if reduce == "amax" else 0.0)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("index_shape", [(), (6,), (3, 5), (0,)])
@pytest.mark.parametrize("by_freq", [False, True])
def test_embedding_backward(layouts, dtype, index_shape, by_freq):
    index = np.random.default_rng(0).integers(0, 4, index_shape)
    grad = numbers((*index_shape, 3), dtype, 1)
    want = np.zeros((4, 3))
    for at in np.ndindex(index_shape):
        if index[at] != 2:  # the padding
            want[index[at]] += grad[at] / ((index == index[at]).sum() if by_freq else 1)
    rtol = 1e-2 if dtype == "float16" else 1e-6
    for grad_, index_ in zip(layouts(grad), layouts(index), strict=True):
        got = np.asarray(ops.embedding_backward(share(grad_), share(index_), 4, 2, by_freq))
        np.testing.assert_allclose(got, want.astype(dtype), rtol=rtol, atol=rtol, strict=True)


def test_repeated_rows_do_not_depend_on_the_number_of_threads(thread_counts):
    rng = np.random.default_rng(0)
    grad = rng.standard_normal((4000, 70)).astype("float32")
    index, results = rng.integers(0, 7, 4000), set()
    for _ in thread_counts:
        results.add(bytes(np.asarray(ops.embedding_backward(share(grad), share(index), 9))))
    assert len(results) == 1


def places(*values):
    return ops.from_list(list(values), cpu.int64)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.scatter(zeros(3), 0, places(3), zeros(1)), RuntimeError,
         r"\[scatter\] index 3 .* of size 3"),
        (lambda: ops.scatter(zeros(3), 0, places(0, 1), zeros(1)), RuntimeError,
         r"index \(2,\) does not fit into the source \(1,\)"),
        (lambda: ops.scatter(zeros(3), 0, places(0), zeros(1, dtype=cpu.int64)), TypeError,
         "array is float32 but the source is int64"),
        (lambda: ops.scatter_reduce(zeros(3), 0, places(0), zeros(1), "max"), RuntimeError,
         r"reduce is 'max': expected 'sum', 'prod', 'mean', 'amax' or 'amin'"),
        (lambda: ops.scatter_reduce(zeros(3), 0, places(-1), zeros(1), "sum"), RuntimeError,
         "index -1"),
        (lambda: ops.embedding_backward(zeros(2, 3), places(0, 4), 4), IndexError, "index 4"),
        (lambda: ops.embedding_backward(zeros(2, 3), places(0), 4), RuntimeError,
         r"grad \(2, 3\) does not match index \(1,\)"),
        (lambda: ops.embedding_backward(zeros(1, 3, dtype=cpu.int64), places(0), 4), TypeError,
         "floating dtype, got int64"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
