"""index_select, index_add, gather, scatter_add against NumPy, on any memory layout."""

import numpy as np
import pytest
from small_arrays import zeros

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

DTYPES = ("float32", "float64", "int64", "int32", "uint8", "bool")
share = ops.share_buffer


def numbers(shape, dtype, seed=0):
    return (
        np.random.default_rng(seed).integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)
    )


def added_at(a, dim, index, source):
    """NumPy's answer to index_add: one slice at a time, so that repeats count."""
    out = a.copy()
    for i, place in enumerate(index):
        target = np.moveaxis(out, dim, 0)
        target[place] += np.moveaxis(source, dim, 0)[i]
    return out


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "dim"), [
    ((7,), 0), ((7, 3), 0), ((7, 3), 1), ((7, 3), -1), ((7, 1), 0),
    ((4, 5, 6), 0), ((4, 5, 6), 1), ((4, 5, 6), 2), ((3, 0), 0),
])  # fmt: skip
def test_index_select(layouts, dtype, shape, dim):
    a = numbers(shape, dtype)
    index = np.random.default_rng(1).integers(0, a.shape[dim], 9)  # longer than dim: repeats
    for a_ in layouts(a):
        for index_ in layouts(index):
            got = np.asarray(ops.index_select(share(a_), dim, share(index_)))
            np.testing.assert_array_equal(got, np.take(a, index, axis=dim), strict=True)


def test_index_select_gathers_a_batch_of_bytes_row_by_row():  # what a data loader asks for
    images = numbers((500, 784), "uint8")
    index = np.random.default_rng(1).integers(0, 500, 128)
    got = np.asarray(ops.index_select(share(images), 0, share(index)))
    np.testing.assert_array_equal(got, images[index], strict=True)


def test_an_empty_index_selects_nothing():
    got = ops.index_select(ops.ones((3, 4), cpu.float32), 0, ops.empty((0,), cpu.int64))
    assert got.shape == (0, 4)


def test_an_index_of_int32_and_of_no_dims():
    a = numbers((5, 2), "float32")
    assert (
        ops.index_select(share(a), 0, ops.from_list([4, 0], cpu.int32)).tolist()
        == a[[4, 0]].tolist()
    )
    assert ops.index_select(share(a), 0, ops.from_list(3, cpu.int64)).tolist() == a[[3]].tolist()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "dim"), [
    ((7,), 0), ((7, 3), 0), ((7, 3), 1), ((4, 5, 6), 0), ((4, 5, 6), 1), ((4, 5, 6), 2),
    ((3, 0), 0),
])  # fmt: skip
def test_index_add_with_repeated_indices(layouts, dtype, shape, dim):
    a = numbers(shape, dtype, 1)
    index = np.random.default_rng(2).integers(0, a.shape[dim], 11)
    source = numbers([11 if i == dim else size for i, size in enumerate(shape)], dtype, 3)
    expected = added_at(a, dim, index, source)
    for a_, source_ in zip(layouts(a), layouts(source), strict=True):
        before = a_.copy()
        got = np.asarray(ops.index_add(share(a_), dim, share(index), share(source_)))
        np.testing.assert_array_equal(got, expected, strict=True)
        np.testing.assert_array_equal(a_, before)  # a new array: the operand stays


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "dim", "index_shape"), [
    ((7,), 0, (4,)), ((7, 3), 0, (9, 3)), ((7, 3), 1, (7, 1)), ((7, 3), -1, (5, 2)),
    ((4, 5, 6), 1, (4, 8, 6)), ((4, 5, 6), 0, (2, 3, 1)), ((4, 5), 0, (0, 5)),
])  # fmt: skip
def test_gather_and_scatter_add(layouts, dtype, shape, dim, index_shape):
    a = numbers(shape, dtype, 1)
    index = np.random.default_rng(2).integers(0, shape[dim], index_shape)
    source = numbers([size + 1 for size in index_shape], dtype, 3)  # may be larger than the index
    picked = a[tuple(slice(0, n) if i != dim % a.ndim else slice(None)
                     for i, n in enumerate(index_shape))]  # fmt: skip
    there = list(np.indices(index_shape))
    there[dim] = index
    expected = a.copy()
    np.add.at(expected, tuple(there), source[tuple(slice(0, n) for n in index_shape)])
    for a_, index_, source_ in zip(layouts(a), layouts(index), layouts(source), strict=True):
        got = np.asarray(ops.gather(share(a_), dim, share(index_)))
        np.testing.assert_array_equal(got, np.take_along_axis(picked, index, dim), strict=True)
        got = np.asarray(ops.scatter_add(share(a_), dim, share(index_), share(source_)))
        np.testing.assert_array_equal(got, expected, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize(
    "values", [(np.inf,), (-np.inf,), (np.nan,), (np.inf, -np.inf), (-np.inf, np.nan)], ids=str
)
def test_what_is_not_finite_is_moved_and_added_as_numbers_are(layouts, values, dim, dtype):
    a, source = numbers((6, 6), dtype, 1), numbers((6, 6), dtype, 2)
    a.reshape(-1)[3:7] = source.reshape(-1)[-4:] = [*values, *values, *values, *values][:4]
    index = np.array([0, 5, 1, 1, 0, 0])
    wide = np.broadcast_to(index[:, None] if dim == 0 else index, a.shape)
    with np.errstate(invalid="ignore"):
        total = added_at(a, dim, index, source)
    for a_, source_ in zip(layouts(a), layouts(source), strict=True):
        x, y, at, each = map(share, (a_, source_, index, wide))
        for got, want in ((ops.index_select(x, dim, at), np.take(a, index, dim)),
                          (ops.gather(x, dim, each), np.take_along_axis(a, wide, dim)),
                          (ops.index_add(x, dim, at, y), total),
                          (ops.scatter_add(x, dim, each, y), total)):  # fmt: skip
            np.testing.assert_array_equal(np.asarray(got), want, strict=True)


def test_gather_without_dims():
    got = ops.gather(ops.from_list(5.0), 0, ops.from_list(0, cpu.int64))
    assert (got.shape, got.item()) == ((), 5.0)


@pytest.mark.parametrize("dim", [0, 1])
def test_repeated_sums_do_not_depend_on_the_number_of_threads(thread_counts, dim):
    rng = np.random.default_rng(0)
    source = rng.standard_normal((3000, 40) if dim == 0 else (40, 3000)).astype("float32")
    index = rng.integers(0, 7, 3000)
    a = np.zeros((7, 40) if dim == 0 else (40, 7), "float32")
    wide = np.broadcast_to(index[:, None] if dim == 0 else index, source.shape)
    results = set()
    for _ in thread_counts:
        for add, places in ((ops.index_add, index), (ops.scatter_add, wide)):
            results.add(bytes(np.asarray(add(share(a), dim, share(places), share(source)))))
    assert len(results) == 1


def places(*values):
    return ops.from_list(list(values), cpu.int64)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.index_select(zeros(3, 4), 0, places(0, 3)), IndexError,
         r"\[index_select\] index 3 .* out of range for dim 0 of size 3: expected 0 to 2"),
        (lambda: ops.index_select(zeros(3, 4), 0, places(-1)), IndexError, "index -1"),
        (lambda: ops.index_select(zeros(3, 4), 2, places(0)), IndexError, "dim 2 is out of range"),
        (lambda: ops.index_select(zeros(3, 4), 0, zeros(2)), TypeError,
         "int64 or int32, got float32"),
        (lambda: ops.index_select(zeros(3, 4), 0, zeros(1, 2, dtype=cpu.int64)), IndexError,
         r"one dimension, got shape \(1, 2\)"),
        (lambda: ops.index_select(zeros(), 0, places(0)), IndexError, "no dim to index"),
        (lambda: ops.index_select(zeros(0, 4), 0, places(0)), IndexError,
         r"index 0 is out of range for dim 0 of size 0, which has nothing to choose: expected no"),
        (lambda: ops.index_select(zeros(3, 4), 0, [0]), TypeError,
         r"\[index_select\] expected an Array, got list"),
        (lambda: ops.index_add(zeros(3, 4), 0, places(0, 7), zeros(2, 4)), IndexError, "index 7"),
        (lambda: ops.index_add(zeros(3, 4), 0, places(0), zeros(2, 4)), RuntimeError,
         r"source \(2, 4\) does not match array \(3, 4\) with 1 indices along dim 0"),
        (lambda: ops.index_add(zeros(3, 4), 0, places(0), zeros(1, 4, dtype=cpu.float64)),
         TypeError, "array is float32 but the source is float64"),
        (lambda: ops.gather(zeros(3, 4), 0, places(0)), RuntimeError,
         r"index \(1,\) does not fit into the array \(3, 4\)"),
        (lambda: ops.gather(zeros(3, 4), 0, zeros(1, 5, dtype=cpu.int64)), RuntimeError,
         "except in dim 0"),
        (lambda: ops.gather(zeros(3), 0, places(0, 5)), RuntimeError, "index 5 .* of size 3"),
        (lambda: ops.scatter_add(zeros(3), 0, places(-2), zeros(1)), RuntimeError, "index -2"),
        (lambda: ops.scatter_add(zeros(3), 0, places(0, 1), zeros(1)), RuntimeError,
         r"index \(2,\) does not fit into the source \(1,\)"),
        (lambda: ops.scatter_add(zeros(3), 0, places(0), zeros(1, dtype=cpu.int64)), TypeError,
         "array is float32 but the source is int64"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def ravelled(indices, shape, dims):
    """NumPy's answer to ravel_multi_index, negative indices counted from the end first."""
    sizes = [shape[dim] for dim in dims]
    counted = [np.where(i < 0, i + n, i) for i, n in zip(indices, sizes, strict=True)]
    return np.ravel_multi_index(np.broadcast_arrays(*counted), sizes)


@pytest.mark.parametrize("dtype", ["int64", "int32"])
@pytest.mark.parametrize(("shape", "dims", "sizes"), [
    ((7, 3, 4), (0,), [(9,)]), ((7, 3, 4), (0, 2), [(9,), (9,)]),
    ((7, 3, 4), (2, 0), [(5, 1), (6,)]), ((7, 3, 4), (1, -1, 0), [(2, 3), (), (3,)]),
    ((5,), (0,), [(2, 3)]), ((5,), (0,), [(0,)]),
])  # fmt: skip
def test_ravel_multi_index(layouts, dtype, shape, dims, sizes):
    rng = np.random.default_rng(3)
    for lowest in (0, 1):  # with and without indices that count from the end
        indices = [
            np.asarray(rng.integers(-shape[dim] * lowest, shape[dim], size)).astype(dtype)
            for dim, size in zip(dims, sizes, strict=True)
        ]
        want = ravelled(indices, shape, dims)
        for given in zip(*map(layouts, indices), strict=True):
            got = np.asarray(ops.ravel_multi_index(list(map(share, given)), shape, dims))
            np.testing.assert_array_equal(got, want, strict=True)


def test_an_index_that_needs_no_change_is_its_own_numbers():
    index = ops.from_list([2, 0], cpu.int64)
    assert ops.ravel_multi_index([index], (3, 4), (0,)).shares_storage(index)


@pytest.mark.parametrize(("index", "error", "message"), [
    ([3], IndexError, "[index] index 3 is out of bounds for dimension 1 with size 3"),
    ([0, -4], IndexError, "[index] index -4 is out of bounds for dimension 1 with size 3"),
    ([0.5], TypeError, "[ravel_multi_index] expected an index of int64 or int32, got float32"),
])  # fmt: skip
def test_indices_that_name_no_place(index, error, message):
    with pytest.raises(error) as caught:
        ops.ravel_multi_index([ops.from_list([0]), ops.from_list(index)], (2, 3), (0, 1))
    assert str(caught.value) == message


@pytest.mark.parametrize(("dims", "words"), [((), "2 arrays of indices for 0 dims"),
                                             ((0,), "2 arrays of indices for 1 dims")])  # fmt: skip
def test_there_is_one_dim_for_each_list_of_indices(dims, words):
    index = ops.from_list([0])
    with pytest.raises(RuntimeError, match=words):
        ops.ravel_multi_index([index, index], (2, 3), dims)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "dim"), [
    ((7,), 0), ((7, 3), 0), ((7, 3), 1), ((7, 3), -1), ((4, 5, 6), 1), ((3, 0), 0),
])  # fmt: skip
def test_index_copy_(layouts, dtype, shape, dim):
    a = numbers(shape, dtype)
    index = np.random.default_rng(1).integers(0, a.shape[dim], 9)  # repeats: the last one stays
    sizes = list(shape)
    sizes[dim] = 9
    source = numbers(sizes, dtype, seed=2)
    want = a.copy()
    for i, place in enumerate(index):
        np.moveaxis(want, dim, 0)[place] = np.moveaxis(source, dim, 0)[i]
    for a_, index_, source_ in zip(layouts(a), layouts(index), layouts(source), strict=True):
        a_ = a_.copy(order="K") if 0 in a_.strides else a_
        array = share(a_)
        ops.index_copy_(array, dim, share(index_), share(source_))
        np.testing.assert_array_equal(np.asarray(array), want, strict=True)
        assert array.version == 1


def test_index_copy_from_itself_and_from_one_row():
    a = ops.arange(0, 6, 1, cpu.int64).view(((3, 2), (2, 1), 0))
    ops.index_copy_(a, 0, ops.from_list([1, 2]), a.view(((2, 2), (2, 1), 0)))
    assert a.tolist() == [[0, 1], [0, 1], [2, 3]]
    ops.index_copy_(a, 0, ops.from_list([0, 2]), ops.from_list([9]).view(((2, 2), (0, 0), 0)))
    assert a.tolist() == [[9, 9], [0, 1], [9, 9]]
    index = ops.from_list([1, 2, 0])
    ops.index_copy_(index, 0, index, index)  # places and values as they were before
    assert index.tolist() == [0, 1, 2]


@pytest.mark.parametrize(("index", "source", "error", "message"), [
    ([3], (1, 2), IndexError, "[index_copy_] index 3 (number 0 of them) is out of range for dim 0"),
    ([-1], (1, 2), IndexError, "negative ones do not count from the end"),
    ([0], (2, 2), RuntimeError, "[index_copy_] source (2, 2) does not match array (3, 2) with 1"),
])  # fmt: skip
def test_index_copy_leaves_everything_when_refused(index, source, error, message):
    a = ops.zeros((3, 2), cpu.float32)
    with pytest.raises(error) as caught:
        ops.index_copy_(a, 0, ops.from_list(index), ops.ones(source, cpu.float32))
    assert message in str(caught.value)
    assert a.version == 0 and a.tolist() == [[0, 0]] * 3


def test_index_copy_of_another_dtype_is_refused():
    with pytest.raises(TypeError, match="the array is float32 but the source is int64"):
        ops.index_copy_(
            ops.zeros((3,), cpu.float32), 0, ops.from_list([0]), ops.ones((1,), cpu.int64)
        )
