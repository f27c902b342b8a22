"""linear_int8: against NumPy's whole numbers, on every layout, size and instruction set."""

import ctypes
import mmap

import numpy as np
import pytest
from small_arrays import zeros

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

# Around the tile of 4 x 4, the 64 bytes of a vector and the 64 rows of a block; then around panels
# of 32 columns, strips of 8, 4 and 1 rows, words of 4 numbers and blocks of 256 rows.
SIZES = [(1, 1, 1), (4, 4, 64), (5, 7, 33), (3, 6, 130), (70, 9, 63), (129, 5, 200), (1, 40, 3000)]
SIZES += [(9, 32, 8), (13, 71, 6), (22, 64, 132), (269, 33, 20)]


def rounded(x):
    """The reference: whole numbers from -127 to 127, and the scale of each row."""
    largest = np.abs(x).max(-1, keepdims=True, initial=0)
    scale = np.maximum(largest / np.float32(127), np.finfo("float32").tiny)
    return np.rint(x * (np.float32(1) / scale)).astype("int64"), scale


def linear_int8(x, weight, scale, bias=0):
    whole, step = rounded(x)
    return (whole @ weight.astype("int64").T).astype("float32") * step * scale + bias


def operands(m, n, k, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((m, k)) * rng.choice([1e-3, 1, 50], (m, 1))
    weight, scale = rng.integers(-127, 128, (n, k)), rng.random(n) + 0.5
    values = x, weight, scale, rng.standard_normal(n)
    kinds = "float32", "int8", "float32", "float32"
    return [v.astype(kind) for v, kind in zip(values, kinds, strict=True)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("has_bias", [True, False])
def test_it_is_the_product_of_whole_numbers(check, instruction_set, size, has_bias):
    given = operands(*size)[: 4 if has_bias else 3]
    # The sums are exact; only two scales and a bias are rounded.
    largest = np.abs(linear_int8(*given)).max()
    check(ops.linear_int8, linear_int8, *given, rtol=1e-6, atol=1e-6 * float(largest))


@pytest.mark.parametrize("size", SIZES)
def test_sums_are_exact_on_every_set(instruction_set, size):
    """With scales of 1 and no bias nothing but the sums is seen, each rounded once."""
    x, weight, scale = operands(*size)[:3]
    x = np.clip(np.rint(x), -127, 127)
    x[:, 0] = 127
    arrays = [ops.share_buffer(a) for a in (x, weight, np.ones_like(scale))]
    sums = x.astype("int64") @ weight.astype("int64").T
    np.testing.assert_array_equal(np.asarray(ops.linear_int8(*arrays)), sums.astype("float32"))


@pytest.mark.parametrize("shape", [(8,), (2, 3, 8), (0, 8), (2, 0, 8), (3, 0)])
def test_it_takes_any_batch(check, instruction_set, shape):
    rng = np.random.default_rng(1)
    _, weight, scale, bias = operands(1, 5, shape[-1])
    x = rng.standard_normal(shape).astype("float32")
    check(ops.linear_int8, linear_int8, x, weight, scale, bias, rtol=1e-5, atol=1e-4)


def test_the_largest_sums_fit(instruction_set):
    columns = 66311
    x, weight = np.full((9, columns), -3, "float32"), np.full((33, columns), -127, "int8")
    got = ops.linear_int8(*map(ops.share_buffer, (x, weight, np.ones(33, "float32"))))
    np.testing.assert_allclose(np.asarray(got), np.full((9, 33), 3.0 * 127 * columns), rtol=1e-6)


@pytest.mark.parametrize("size", [(4, 4, 10), (5, 9, 70), (1, 1, 65), (9, 32, 7), (9, 64, 60)])
@pytest.mark.parametrize("left", [0, 1])
def test_nothing_behind_the_weights_is_read(instruction_set, size, left):
    """Rows are multiplied in whole vectors and words: the last ones end where their memory does,
    or `left` bytes before, so that words begin anywhere."""
    m, n, k = size
    x, weight, scale = operands(m, n, k)[:3]
    page, closed, readable = mmap.PAGESIZE, 0, mmap.PROT_READ | mmap.PROT_WRITE
    memory = mmap.mmap(-1, 2 * page, prot=readable)
    held = np.frombuffer(memory, "int8")
    protect = ctypes.CDLL(None).mprotect
    second = ctypes.c_void_p(held.ctypes.data + page)
    assert protect(second, ctypes.c_size_t(page), closed) == 0
    try:
        last = held[page - left - n * k : page - left].reshape(n, k)
        last[...] = weight
        got = np.asarray(ops.linear_int8(*map(ops.share_buffer, (x, last, scale))))
    finally:
        protect(second, ctypes.c_size_t(page), readable)
    np.testing.assert_allclose(got, linear_int8(x, weight, scale), rtol=1e-5, atol=1e-3)


def test_threads_change_nothing(instruction_set, thread_counts):
    arrays = [ops.share_buffer(a) for a in operands(130, 203, 300)]
    results = {np.asarray(ops.linear_int8(*arrays)).tobytes() for _ in thread_counts}
    assert len(results) == 1


def test_a_row_with_its_own_scale_is_off_by_half_of_it(instruction_set):
    x = operands(50, 1, 90)[0]
    weight = np.eye(90, dtype="int8") * 127  # what comes out is what became of x
    scale = np.full(90, 1 / 127, "float32")
    got = np.asarray(ops.linear_int8(*map(ops.share_buffer, (x, weight, scale))))
    step = np.abs(x).max(-1, keepdims=True) / 127
    assert (np.abs(got - x) <= step * 0.5001).all()
    assert (np.abs(got - x) > step * 0.4).any()


@pytest.mark.parametrize("strange", [np.inf, -np.inf, np.nan])
def test_what_has_no_scale_makes_its_row_nan_and_no_other(instruction_set, strange):
    x, weight, scale, bias = operands(6, 5, 70)
    x[2, 69] = strange
    got = np.asarray(ops.linear_int8(*map(ops.share_buffer, (x, weight, scale, bias))))
    assert np.isnan(got).nonzero()[0].tolist() == [2] * 5


@pytest.mark.parametrize("value", [0.0, -0.0, 1e-45, 1e-38])
def test_rows_of_nearly_nothing_are_the_bias(instruction_set, value):
    _, weight, scale, bias = operands(1, 5, 70)
    x = np.full((3, 70), value, "float32")
    got = np.asarray(ops.linear_int8(*map(ops.share_buffer, (x, weight, scale, bias))))
    np.testing.assert_array_equal(got, np.tile(bias, (3, 1)))


BYTES = zeros(5, 4, dtype=cpu.int8)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ((zeros(2, 3), BYTES, zeros(5)), RuntimeError, r"x \(2, 3\) and weight \(5, 4\) do not"),
        ((zeros(), BYTES, zeros(5)), RuntimeError, r"expected x \(..., in\)"),
        ((zeros(4), zeros(4, dtype=cpu.int8), zeros(4)), RuntimeError, r"weight \(out, in\)"),
        ((zeros(4), BYTES, zeros(4)), RuntimeError, r"scale \(4,\).*expected \(5,\)"),
        ((zeros(4), BYTES, zeros(5), zeros(5, 1)), RuntimeError, r"bias \(5, 1\)"),
        ((zeros(4), zeros(5, 4), zeros(5)), TypeError, "weight of int8.*got float32"),
        ((zeros(4, dtype=cpu.float64), BYTES, zeros(5)), TypeError, "got int8, float64"),
        ((zeros(66312), zeros(1, 66312, dtype=cpu.int8), zeros(1)), RuntimeError, "at most 66311"),
    ],
)
def test_bad_operands_are_refused(given, error, words):
    with pytest.raises(error, match=rf"\[linear_int8\].*{words}"):
        ops.linear_int8(*given)
