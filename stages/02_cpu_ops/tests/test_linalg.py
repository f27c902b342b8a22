"""LAPACK through OpenBLAS: factors and solutions in every layout, batch and size against NumPy, its
codes, what it cannot count, and what is said where it is absent.
"""

import subprocess
import sys
import threading

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import lapack, ops

needs_lapack = pytest.mark.skipif(not lapack.has_lapack(), reason="OpenBLAS is not installed")

DTYPES = {np.float32: 3e-5, np.float64: 1e-12}  # and how near results are to be
SHAPES = [(3, 3), (5, 2), (2, 5), (1, 1), (2, 4, 3), (2, 1, 3, 3), (40, 30), (0, 3, 2)]
SQUARE = [(3, 3), (1, 1), (2, 1, 4, 4), (40, 40), (0, 2, 2), (0, 0), (3, 0, 0)]
RNG = np.random.default_rng(0)


def drawn(shape, dtype):
    return RNG.normal(size=shape).astype(dtype)


def arrays(found):
    return [np.asarray(each) for each in found]


def turned(x):
    return np.swapaxes(x, -1, -2)


def each_layout(shape, dtype, layouts, make=lambda x: x):
    """The same matrices as NumPy's array, and as arrays of several layouts."""
    a = make(drawn(shape, dtype))
    return a, [ops.share_buffer(x) for x in layouts(a)]


def same(got, want, dtype):
    size = np.abs(want).max(initial=1)
    np.testing.assert_allclose(got, want, rtol=0, atol=DTYPES[dtype] * size * 20, strict=True)


@needs_lapack
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (3, 0), (0, 3), (2, 0, 0)])
@pytest.mark.parametrize("full", [True, False])
def test_svd(layouts, shape, dtype, full):
    a, inputs = each_layout(shape, dtype, layouts)
    want = np.linalg.svd(a, full_matrices=full)
    k = min(shape[-2:])
    for x in inputs:
        u, s, vh, info = arrays(lapack.svd(x, full))
        assert [u.shape, vh.shape] == [want.U.shape, want.Vh.shape]
        same(s, want.S, dtype)
        same((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], a, dtype)
        same(turned(u) @ u, np.zeros_like(turned(u) @ u) + np.eye(u.shape[-1], dtype=dtype), dtype)
        same(np.asarray(lapack.svd(x, compute_uv=False)[1]), s, dtype)
        assert info.shape == shape[:-2] and not info.any()


@needs_lapack
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_eigh_reads_the_lower_triangle(layouts, shape, dtype):
    a, inputs = each_layout(shape, dtype, layouts)
    symmetric = np.tril(a) + turned(np.tril(a, -1))
    for x in inputs:
        w, v, info = arrays(lapack.eigh(x))
        same(w, np.linalg.eigvalsh(symmetric), dtype)
        same((v * w[..., None, :]) @ turned(v), symmetric, dtype)
        same(np.asarray(lapack.eigh(x, compute_v=False)[0]), w, dtype)
        assert not info.any()


@needs_lapack
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (3, 0), (0, 3)])
@pytest.mark.parametrize("complete", [True, False])
def test_qr(layouts, shape, dtype, complete):
    a, inputs = each_layout(shape, dtype, layouts)
    want = np.linalg.qr(a, "complete" if complete else "reduced")
    for x in inputs:
        q, r = arrays(lapack.qr(x, complete))
        same(q, want.Q, dtype)
        same(r, want.R, dtype)
        same(np.asarray(lapack.qr(x, complete, compute_q=False)[1]), r, dtype)


@needs_lapack
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SQUARE)
def test_cholesky_reads_the_lower_triangle(layouts, shape, dtype):
    positive = drawn(shape, dtype)
    positive = positive @ turned(positive) + np.eye(shape[-1], dtype=dtype)
    for x in layouts(np.tril(positive)):
        factor, info = arrays(lapack.cholesky(ops.share_buffer(x)))
        same(factor, np.linalg.cholesky(positive), dtype)
        assert not info.any()


@needs_lapack
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (3, 0), (0, 3)])
def test_lu_factor(layouts, shape, dtype):
    a, inputs = each_layout(shape, dtype, layouts)
    m, k = shape[-2], min(shape[-2:])
    for x in inputs:
        lu, pivots, _ = lapack.lu_factor(x)
        order = np.asarray(lapack.row_order(pivots, m))
        lower = np.tril(np.asarray(lu)[..., :k], -1) + np.eye(m, k, dtype=dtype)
        upper = np.triu(np.asarray(lu)[..., :k, :])
        same(lower @ upper, np.take_along_axis(a, order[..., None], -2), dtype)
        assert pivots.dtype is cpu.int32 and pivots.shape == (*shape[:-2], k)


@needs_lapack
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("shape", SQUARE)
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_solve_triangular(layouts, shape, columns, dtype, upper, unit):
    one = np.eye(shape[-1], dtype=dtype)
    a, inputs = each_layout(shape, dtype, layouts, lambda x: x / (4 * max(shape[-1], 1)) + 2 * one)
    read = np.triu(a, int(unit)) if upper else np.tril(a, -int(unit))
    read = read + one if unit else read
    want = drawn((*shape[:-1], columns), dtype)
    for x, b in zip(inputs, layouts(read @ want), strict=True):
        got = np.asarray(lapack.solve_triangular(x, ops.share_buffer(b), upper, unit))
        same(got, want, dtype)


@needs_lapack
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("columns", [0, 1, 3])
@pytest.mark.parametrize("shape", [*SHAPES, (3, 0), (0, 3)])
@pytest.mark.parametrize("driver", ["gels", "gelsy", "gelsd", "gelss"])
def test_lstsq(layouts, shape, columns, dtype, driver):
    a, inputs = each_layout(shape, dtype, layouts)
    right = drawn((*shape[:-1], columns), dtype)
    for x, b in zip(inputs, layouts(right), strict=True):
        found = arrays(lapack.lstsq(x, ops.share_buffer(b), 1e-6, driver))
        solution, rank, values, info = found
        same(solution, np.linalg.pinv(a) @ right, dtype)
        if driver != "gels" and columns > 0:
            assert (rank == min(shape[-2:])).all()
        if driver in ("gelsd", "gelss") and columns > 0:
            same(values, np.linalg.svd(a, compute_uv=False), dtype)
        assert not info.any()


@needs_lapack
def test_lstsq_of_low_rank_is_the_shortest_solution():
    a = np.ones((3, 2))
    for driver in ("gelsy", "gelsd", "gelss"):
        b = ops.share_buffer(np.full((3, 1), 4.0))
        x, rank, *_ = arrays(lapack.lstsq(ops.share_buffer(a), b, 1e-6, driver))
        np.testing.assert_allclose(x, [[2], [2]], atol=1e-12)
        assert rank == 1


@needs_lapack
def test_gels_tells_the_column_that_adds_nothing():
    a = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]])  # exact zeros: no rounding decides
    b = ops.share_buffer(np.full((3, 1), 4.0))
    assert np.asarray(lapack.lstsq(ops.share_buffer(a), b, 1e-6, "gels")[3]) == 2


@needs_lapack
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("call", ["svd", "svdvals", "eigh", "eigvalsh", "lstsq"])
def test_what_is_not_finite_is_told_for_its_matrix_alone(call, bad):
    a = np.stack([np.eye(3), np.eye(3)])
    a[1, 2, 0] = bad
    x = ops.share_buffer(a)
    one = ops.share_buffer(np.ones((2, 3, 1)))
    *found, info = arrays({
        "svd": lambda: lapack.svd(x), "svdvals": lambda: lapack.svd(x, compute_uv=False),
        "eigh": lambda: lapack.eigh(x), "eigvalsh": lambda: lapack.eigh(x, compute_v=False),
        "lstsq": lambda: lapack.lstsq(x, one, 1e-6, "gelsd"),
    }[call]())  # fmt: skip
    assert info.tolist() == [0, -1]
    values = [each for each in found if each.dtype.kind == "f" and each.size]
    assert all(np.isfinite(each[0]).all() and np.isnan(each[1]).all() for each in values)


@needs_lapack
def test_codes():
    half = np.stack([np.eye(3), np.diag([1.0, 4.0, 0.0])])
    assert lapack.lu_factor(ops.share_buffer(half))[2].tolist() == [0, 3]
    assert lapack.cholesky(ops.share_buffer(half))[1].tolist() == [0, 3]
    half[1, 1, 1] = np.nan
    assert lapack.cholesky(ops.share_buffer(half))[1].tolist() == [0, 2]
    assert lapack.cholesky(ops.share_buffer(np.full((2, 2), np.nan)))[1].item() == 1


def test_row_order_follows_the_exchanges():
    pivots = ops.from_list([[3, 3, 3], [1, 2, 3]], cpu.int32)
    assert lapack.row_order(pivots, 3).tolist() == [[2, 0, 1], [0, 1, 2]]
    assert lapack.row_order(pivots, 4).tolist() == [[2, 0, 1, 3], [0, 1, 2, 3]]
    assert lapack.row_order(ops.empty((2, 0), cpu.int32), 2).tolist() == [[0, 1], [0, 1]]


def ones(*shape, dtype=cpu.float64):
    return ops.ones(shape, dtype)


def huge(rows, columns):
    """A matrix of one element, repeated by strides of 0: there is no memory behind it."""
    line = cpu.ops.share_buffer(np.broadcast_to(np.zeros(1, np.float32), (rows, columns)))
    return line


ERRORS = [
    (lambda: lapack.svd(ones(3)), r"\[svd\] expected matrices \(..., rows, columns\), got"),
    (lambda: lapack.eigh(ones(2, 3)), r"\[eigh\] expected square matrices, got shape \(2, 3\)"),
    (lambda: lapack.svd(ones(2, 2, dtype=cpu.int64)), r"\[svd\] expected float32 or float64"),
    (lambda: lapack.qr(ones(2, 2, dtype=cpu.float16)), r"\[qr\] expected float32 or float64"),
    (lambda: lapack.lstsq(ones(2, 2), ones(2, 1), 0, "x"), r"\[lstsq\] driver must be .* got 'x'"),
    (lambda: lapack.lstsq(ones(2, 2), ones(3, 1), 0, "gels"), "do not match"),
    (lambda: lapack.solve_triangular(ones(2, 2), ones(5, 2, 1), True), "do not match"),
    (lambda: lapack.solve_triangular(ones(2, 2), ones(2, 1, dtype=cpu.float32), True), "float32"),
    (lambda: lapack.svd(huge(2**31, 1)), r"\[svd\] .* too large for LAPACK, which counts in 32"),
    (lambda: lapack.svd(huge(1, 2**31)), r"\[svd\] .* too large"),
    (lambda: lapack.lu_factor(huge(2**16, 2**16)), r"\[lu_factor\] .* too large"),
    (lambda: lapack.eigh(huge(30000, 30000)), r"\[eigh\] .* too large"),
]  # fmt: skip


@needs_lapack
@pytest.mark.parametrize(("call", "message"), ERRORS, ids=[text for _, text in ERRORS])
def test_errors(call, message):
    with pytest.raises((RuntimeError, TypeError), match=message):
        call()


@pytest.mark.parametrize("pivots", [[[0, 1]], [[3, 1]], [[-(2**31), 1]], [[1, 1, 1]]])
def test_pivots_that_are_no_rows_are_refused(pivots):
    with pytest.raises(RuntimeError, match=r"\[row_order\] "):
        lapack.row_order(ops.from_list(pivots, cpu.int32), 2)


@needs_lapack
def test_threads_do_not_change_the_result(thread_counts):
    a = ops.share_buffer(drawn((64, 12, 12), np.float64))
    first, *others = [
        [each.tolist() for each in (*lapack.svd(a), *lapack.qr(a), *lapack.eigh(a))]
        for _ in thread_counts
    ]
    assert all(other == first for other in others)


@needs_lapack
def test_threads_of_python_may_call_at_once():
    a = ops.share_buffer(drawn((60, 60), np.float64))
    want = lapack.svd(a)[1].tolist()
    found = []
    threads = [
        threading.Thread(target=lambda: found.extend(lapack.svd(a)[1].tolist() for _ in range(5)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [want] * 20


@needs_lapack
def test_other_threads_of_python_run_meanwhile():
    a = ops.share_buffer(drawn((400, 400), np.float64))
    turns = 0
    done = threading.Event()

    def count():
        nonlocal turns
        while not done.wait(0.001):
            turns += 1

    counter = threading.Thread(target=count)
    counter.start()
    lapack.svd(a)  # a tenth of a second or more
    done.set()
    counter.join()
    assert turns >= 5


ABSENT = """
import importlib.util, sys
if sys.argv[1] == "absent":
    importlib.util.find_spec = lambda name: None
import norch_cpu_ops as cpu
from norch_cpu_ops import lapack, ops
cpu.set_blas_enabled(sys.argv[1] == "absent")
assert not lapack.has_lapack()
a = ops.ones((2, 2), cpu.float32)
calls = dict(svd=(a,), eigh=(a,), qr=(a,), cholesky=(a,), lu_factor=(a,),
             solve_triangular=(a, a, True), lstsq=(a, a, 0.1, "gels"), require_lapack=("cond",))
for name, args in calls.items():
    try:
        getattr(lapack, name)(*args)
    except RuntimeError as error:
        op = "cond" if name == "require_lapack" else name
        wanted = f"[{op}] needs LAPACK, which the optional OpenBLAS brings: pip install "
        assert str(error).startswith(wanted), error
        assert ("set_blas_enabled" in str(error)) == (sys.argv[1] == "off"), error
    else:
        raise SystemExit(f"{name} ran")
"""


@pytest.mark.parametrize("how", ["absent", "off"])
def test_one_sentence_where_it_is_absent(how):
    subprocess.run([sys.executable, "-c", ABSENT, how], check=True)
