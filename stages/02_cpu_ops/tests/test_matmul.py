"""Matrix products: three levels against each other and against NumPy, on any memory layout."""

import subprocess
import sys

import numpy as np
import pytest
from small_arrays import zeros

import norch_cpu_ops as cpu
from norch_cpu_ops import _cpu, ops

FLOATS = ("float32", "float64")
INTEGERS = ("int64", "int32", "uint8")
LEVELS = {"ops": ops.matmul, "naive": _cpu.matmul_naive, "blocked": _cpu.matmul_blocked}
# Around the tile of 6 x 64 (6 x 16, 6 x 8), around the depth of a block, thin, and empty.
SHAPES = [
    ((3, 4), (4, 5)),
    ((6, 7), (7, 64)),
    ((7, 9), (9, 65)),
    ((15, 9), (9, 33)),
    ((13, 11), (11, 50)),
    ((29, 300), (300, 176)),
    ((65, 400), (400, 70)),
    ((30, 800), (800, 17)),
    ((3, 90), (90, 41)),
    ((1, 300), (300, 40)),
    ((300, 40), (40, 1)),
    ((7, 1), (1, 9)),
    ((0, 4), (4, 5)),
    ((3, 0), (0, 5)),
    ((3, 4), (4, 0)),
    ((4,), (4,)),
    ((0,), (0,)),
    ((4,), (4, 5)),
    ((3, 4), (4,)),
    ((4,), (2, 4, 5)),
    ((2, 3, 4), (4,)),
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 3, 4), (2, 4, 5)),
    ((7, 1, 3, 4), (2, 4, 5)),
    ((2, 0, 4), (4, 5)),
    ((0, 3, 4), (1, 4, 5)),
]


@pytest.fixture(params=["with BLAS", "without BLAS"])
def either_blas(request):
    """Run the test with OpenBLAS, which AVX-512 does without, and with norch's own kernel alone."""
    before, instruction_set = _cpu.is_blas_enabled(), cpu.instruction_set()
    if request.param == "with BLAS":
        cpu.set_instruction_set(request.getfixturevalue("openblas_instruction_set"))
    cpu.set_blas_enabled(request.param == "with BLAS")
    yield
    cpu.set_instruction_set(instruction_set)
    cpu.set_blas_enabled(before)


def numbers(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype in FLOATS:
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(0, 200, shape).astype(dtype)


def assert_product(got, a, b):
    expected = np.matmul(a, b)
    got = np.asarray(got)
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    if a.dtype in FLOATS:
        scale = np.matmul(np.abs(a), np.abs(b)) + 1
        assert np.all(np.abs(got - expected) <= 8 * np.finfo(a.dtype).eps * scale)
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS)
@pytest.mark.parametrize(("shape_a", "shape_b"), SHAPES)
def test_every_level_on_every_layout(layouts, either_blas, level, dtype, shape_a, shape_b):
    a, b = numbers(shape_a, dtype, 1), numbers(shape_b, dtype, 2)
    for left in layouts(a):
        for right in layouts(b):
            assert_product(LEVELS[level](ops.share_buffer(left), ops.share_buffer(right)), a, b)


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_instruction_set(instruction_set, dtype):
    a, b = numbers((101, 67), dtype, 1), numbers((67, 95), dtype, 2)
    assert_product(_cpu.matmul_blocked(ops.share_buffer(a), ops.share_buffer(b)), a, b)


# The last two are wide enough for both operands to be packed.
WIDE = [(200, 300, 250), (13, 1000, 600), (700, 400, 9), (127, 401, 530), (68, 250, 600)]


@pytest.mark.parametrize("shape", WIDE)
def test_threads_do_not_change_the_result(either_blas, thread_counts, shape):
    m, k, n = shape
    a, b = numbers((m, k), "float32", 1), numbers((k, n), "float32", 2)
    for _ in thread_counts:
        for level in (ops.matmul, _cpu.matmul_blocked):
            assert_product(level(ops.share_buffer(a), ops.share_buffer(b)), a, b)


def test_broadcast_operands_with_stride_zero(either_blas):
    a = np.broadcast_to(numbers((1, 50), "float32"), (40, 50))
    b = np.broadcast_to(numbers((50, 1), "float32"), (50, 30))
    assert_product(ops.matmul(ops.share_buffer(a), ops.share_buffer(b)), a, b)


def test_inner_dimension_above_sixteen(either_blas):  # the seed's tiled kernel forgot the rest
    for k in (15, 16, 17, 31, 33, 383, 385):
        a, b = numbers((20, k), "float32", 1), numbers((k, 20), "float32", 2)
        assert_product(ops.matmul(ops.share_buffer(a), ops.share_buffer(b)), a, b)


def test_integers_are_exact_and_wrap_around():
    big = np.array([[2**40 + 1, 2**62]], dtype=np.int64)
    other = np.array([[3], [4]], dtype=np.int64)
    with np.errstate(over="ignore"):
        assert_product(ops.matmul(ops.share_buffer(big), ops.share_buffer(other)), big, other)


def test_not_a_number_and_infinity_pass_through(either_blas):
    a, b = np.ones((20, 20), "float32"), np.ones((20, 20), "float32")
    a[3, 4], a[5, 6] = np.nan, np.inf
    got = np.asarray(ops.matmul(ops.share_buffer(a), ops.share_buffer(b)))
    assert np.isnan(got[3]).all()
    assert np.isposinf(got[5]).all()
    assert np.isfinite(np.delete(got, [3, 5], axis=0)).all()


def test_operands_stay_as_they_were(either_blas):
    a, b = numbers((40, 40), "float32", 1), numbers((40, 40), "float32", 2)
    copies = a.copy(), b.copy()
    ops.matmul(ops.share_buffer(a), ops.share_buffer(b))
    np.testing.assert_array_equal(a, copies[0])
    np.testing.assert_array_equal(b, copies[1])


@pytest.mark.parametrize("dtype", (*FLOATS, "int64"))
@pytest.mark.parametrize("shape", [(4,), (3, 4), (2, 3, 4), (0, 4), (2, 0, 4), (64, 4)])
@pytest.mark.parametrize("has_bias", [True, False])
def test_linear(layouts, either_blas, dtype, shape, has_bias):
    x, weight, bias = numbers(shape, dtype, 1), numbers((5, 4), dtype, 2), numbers((5,), dtype, 3)
    expected = x @ weight.T + (bias if has_bias else 0)
    for x_, weight_, bias_ in zip(layouts(x), layouts(weight), layouts(bias), strict=False):
        added = ops.share_buffer(bias_) if has_bias else None
        got = np.asarray(ops.linear(ops.share_buffer(x_), ops.share_buffer(weight_), added))
        assert got.shape == expected.shape
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_linear_without_inputs_is_the_bias():
    x, weight = np.ones((3, 0), "float32"), np.ones((2, 0), "float32")
    bias = np.array([1, 2], "float32")
    got = ops.linear(*map(ops.share_buffer, (x, weight, bias)))
    np.testing.assert_array_equal(np.asarray(got), np.tile(bias, (3, 1)))


def halves(shape, dtype, seed):
    """Random halves as an array, and the float64 numbers that they are."""
    array = ops.cast(ops.share_buffer(numbers(shape, "float32", seed)), dtype)
    return array, np.asarray(ops.cast(array, cpu.float64))


def assert_rounded(got, expected, dtype, terms):
    """Sums of `terms` products in float32, rounded once to the half type."""
    assert got.dtype is dtype
    values = np.asarray(ops.cast(got, cpu.float64))
    step = 2**-11 if dtype is cpu.float16 else 2**-8
    np.testing.assert_allclose(values, expected, rtol=step, atol=1e-6 * max(terms, 1))


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize(("shape_a", "shape_b"), SHAPES)
def test_halves_are_multiplied_in_float32_and_rounded_once(shape_a, shape_b, dtype):
    a, x = halves(shape_a, dtype, 0)
    b, y = halves(shape_b, dtype, 1)
    for op in LEVELS.values():
        assert_rounded(op(a, b), np.matmul(x, y), dtype, shape_a[-1])


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16], ids=["float16", "bfloat16"])
def test_transposed_sliced_and_broadcast_halves(dtype):
    a, x = halves((70, 40), dtype, 0)
    b, y = halves((300, 70), dtype, 1)
    flip = a.view(((40, 70), (1, 40), 0)), b.view(((70, 150), (1, 140), 0))
    assert_rounded(ops.matmul(*flip), x.T @ y[::2].T, dtype, 70)
    column, z = halves((70, 1), dtype, 2)
    assert_rounded(ops.matmul(flip[0], column), x.T @ z, dtype, 70)
    assert_rounded(ops.matmul(b.view(((150, 35), (140, 2), 0)), column.view(((35,), (2,), 0))),
                   y[::2, ::2] @ z[::2, 0], dtype, 35)  # fmt: skip
    batch = a.view(((3, 70, 40), (0, 40, 1), 0))
    assert_rounded(ops.matmul(batch, a.view(((40, 70), (1, 40), 0))), [x @ x.T] * 3, dtype, 40)


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16], ids=["float16", "bfloat16"])
@pytest.mark.parametrize("rows", [1, 5, 100])
def test_linear_in_halves_adds_the_bias_before_it_rounds(rows, dtype):
    x, xs = halves((2, rows, 30), dtype, 0)
    weight, ws = halves((20, 30), dtype, 1)
    bias, bs = halves((20,), dtype, 2)
    assert_rounded(ops.linear(x, weight, bias), xs @ ws.T + bs, dtype, 30)
    assert_rounded(ops.linear(x, weight), xs @ ws.T, dtype, 30)


def test_a_product_of_halves_that_overflows_is_infinite_and_nan_passes():
    a = ops.full((2, 3), 300.0, cpu.float16)
    assert ops.matmul(a, ops.full((3, 2), 300.0, cpu.float16)).tolist() == [[np.inf] * 2] * 2
    assert np.isnan(ops.matmul(a, ops.full((3, 2), np.nan, cpu.float16)).tolist()).all()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.matmul(zeros(2, 3), zeros(4, 5)), RuntimeError,
         r"\[matmul\] shapes \(2, 3\) and \(4, 5\) do not match: 3 columns against 4 rows"),
        (lambda: ops.matmul(zeros(3), zeros(4)), RuntimeError, "3 columns against 4 rows"),
        (lambda: ops.matmul(zeros(), zeros(4)), RuntimeError, "at least one dimension"),
        (lambda: ops.matmul(zeros(2, 3, 4), zeros(3, 4, 5)), RuntimeError,
         r"\[matmul\] batches \(2,\) and \(3,\) do not broadcast"),
        (lambda: ops.matmul(zeros(2, 3), zeros(3, 2, dtype=cpu.float64)), RuntimeError,
         "float32 and float64 differ"),
        (lambda: ops.matmul(zeros(2, 2, dtype=cpu.bool_), zeros(2, 2, dtype=cpu.bool_)), TypeError,
         "no kernel for bool"),
        (lambda: ops.matmul(zeros(2, 3), 2.0), TypeError,
         r"\[matmul\] expected an Array, got float"),
        (lambda: ops.linear(zeros(2, 3), zeros(5, 4)), RuntimeError,
         r"\[linear\] x \(2, 3\) and weight \(5, 4\) do not match"),
        (lambda: ops.linear(zeros(2, 3), zeros(3)), RuntimeError, r"weight \(out, in\)"),
        (lambda: ops.linear(zeros(2, 3), zeros(5, 3), zeros(4)), RuntimeError,
         r"bias \(4,\) does not match"),
        (lambda: ops.linear(zeros(2, 3), zeros(5, 3), 1.0), TypeError,
         r"\[linear\] expected an Array, got float"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_blas_says_who_multiplies():
    pytest.importorskip("scipy_openblas32")
    assert cpu.blas().startswith("OpenBLAS")
    cpu.set_blas_enabled(False)
    try:
        assert cpu.blas() == "norch"
    finally:
        cpu.set_blas_enabled(True)


def test_works_where_openblas_is_not_installed():
    program = """
import importlib.util
importlib.util.find_spec = lambda name: None
import norch_cpu_ops as cpu
from norch_cpu_ops import ops
a = ops.ones((64, 64), cpu.float32)
assert ops.matmul(a, a).tolist() == [[64.0] * 64] * 64
assert cpu.blas() == "norch", cpu.blas()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_openblas_is_opened_by_the_first_product_that_wants_it_and_numpy_never():
    program = """
import sys
import norch_cpu_ops as cpu
from norch_cpu_ops import ops
def is_open():
    return any("openblas" in line for line in open("/proc/self/maps"))
small, large = ops.ones((4, 4), cpu.float32), ops.ones((64, 64), cpu.float32)
ops.matmul(small, small)
assert not is_open()
ops.matmul(large, large)
assert is_open() == (cpu.instruction_set() != "avx512") and "numpy" not in sys.modules
cpu.set_instruction_set(cpu.instruction_sets()[0])
ops.matmul(large, large)
assert is_open() == (cpu.instruction_set() != "avx512")
"""
    pytest.importorskip("scipy_openblas32")
    if not sys.platform.startswith("linux"):
        pytest.skip("reads /proc/self/maps")
    subprocess.run([sys.executable, "-c", program], check=True)
