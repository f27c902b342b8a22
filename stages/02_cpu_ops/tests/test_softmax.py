"""The softmax family against formulas in float64, with logits that break naive code."""

import numpy as np
import pytest
from small_arrays import zeros

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
FLOATS = ("float32", "float64")
INF, NAN = np.inf, np.nan
SHAPES = [
    ((5,), 0), ((1,), 0), ((3, 4), 0), ((3, 4), 1), ((3, 16), -1), ((2, 17), 1), ((4, 100), 1),
    ((2, 3, 33), 0), ((2, 33, 3), 1), ((2, 3, 33), 2), ((0, 4), 1), ((3, 0), 1), ((3, 0), 0),
]  # fmt: skip


def numbers(shape, dtype="float64", seed=0, scale=5.0):
    return (np.random.default_rng(seed).standard_normal(shape) * scale).astype(dtype)


def exact_logsumexp(x, dims):
    """The formula in float64; an infinite maximum is the answer itself, as PyTorch has it."""
    x = x.astype("float64")
    with np.errstate(all="ignore"):
        most = x.max(axis=dims, keepdims=True, initial=-INF)
        shift = np.where(np.isfinite(most), most, 0.0)
        return np.log(np.exp(x - shift).sum(axis=dims, keepdims=True)) + shift


def exact_log_softmax(x, dim):
    with np.errstate(all="ignore"):
        return x.astype("float64") - exact_logsumexp(x, dim)


def assert_close(got, expected, dtype, ulps=8):
    got = np.asarray(got)
    assert got.shape == expected.shape
    assert got.dtype == dtype
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(got, expected, rtol=ulps * eps, atol=ulps * eps)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
def test_softmax_on_every_layout(layouts, dtype, shape, dim):
    x = numbers(shape, dtype)
    expected = exact_log_softmax(x, dim)
    for x_ in layouts(x):
        assert_close(ops.softmax(share(x_), dim), np.exp(expected), dtype)
        assert_close(ops.log_softmax(share(x_), dim), expected, dtype, ulps=64)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("keepdim", [False, True])
@pytest.mark.parametrize(("shape", "dims"), [
    ((5,), 0), ((3, 40), 0), ((3, 40), 1), ((3, 40), -1), ((3, 40), None), ((3, 40), (0, 1)),
    ((2, 3, 5), (0, 2)), ((2, 3, 5), (1,)), ((2, 3, 5), (-1, 0)), ((3, 0), 1), ((0, 3), 1),
    ((), None),
])  # fmt: skip
def test_logsumexp(layouts, dtype, keepdim, shape, dims):
    x = numbers(shape, dtype)
    axes = tuple(range(x.ndim)) if dims is None else tuple(np.atleast_1d(dims))
    expected = exact_logsumexp(x, axes) if x.ndim else x
    if not keepdim:
        expected = expected.squeeze(axes)
    for x_ in layouts(x):
        assert_close(ops.logsumexp(share(x_), dims, keepdim), expected, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("shape", "dim"), SHAPES)
def test_backward_on_every_layout(layouts, dtype, shape, dim):
    logs, grad = exact_log_softmax(numbers(shape, dtype), dim), numbers(shape, dtype, 1, 1.0)
    y, log_y = np.exp(logs).astype(dtype), logs.astype(dtype)
    p, g = y.astype("float64"), grad.astype("float64")
    expected = p * (g - (g * p).sum(dim, keepdims=True))
    log_expected = g - np.exp(log_y.astype("float64")) * g.sum(dim, keepdims=True)
    for g_, y_, log_ in zip(layouts(grad), layouts(y), reversed(layouts(log_y)), strict=True):
        assert_close(ops.softmax_backward(share(g_), share(y_), dim), expected, dtype, ulps=16)
        assert_close(
            ops.log_softmax_backward(share(g_), share(log_), dim), log_expected, dtype, ulps=64
        )


def test_backward_takes_a_gradient_that_was_broadcast():
    y = ops.softmax(share(numbers((3, 40), "float32")), 1)
    one = ops.ones((1,), cpu.float32)
    wide = one.view(((3, 40), (0, 0), 0))
    np.testing.assert_allclose(np.asarray(ops.softmax_backward(wide, y, 1)), 0, atol=1e-6)
    np.testing.assert_allclose(np.asarray(ops.softmax_backward(wide, y, 0)).shape, (3, 40))


def test_backward_of_saturated_rows():  # a probability of exactly 0 or 1, a logarithm of -inf
    y, grad = ops.from_list([[0.0, 1.0]]), ops.from_list([[3.0, 2.0]])
    assert ops.softmax_backward(grad, y, 1).tolist() == [[0.0, 0.0]]
    log_y = ops.from_list([[-INF, 0.0]])
    assert ops.log_softmax_backward(grad, log_y, 1).tolist() == [[3.0, -3.0]]
    assert np.isnan(ops.softmax_backward(grad, ops.from_list([[NAN, 1.0]]), 1).tolist()).all()


def test_without_dims():
    one = ops.from_list(1.0)
    assert ops.softmax_backward(one, one, 0).item() == 0.0
    assert ops.log_softmax_backward(one, ops.from_list(0.0), -1).item() == 0.0
    assert ops.softmax(ops.from_list(3.0), 0).item() == 1.0
    assert ops.log_softmax(ops.from_list(3.0), -1).item() == 0.0


def test_large_logits_do_not_overflow():  # pitfall: inf for logits [0, 200]
    x = ops.from_list([[0.0, 200.0], [1e4, -1e4], [3e38, 0.0]])
    assert ops.softmax(x, 1).tolist() == [[pytest.approx(1.4e-87, abs=1e-40), 1.0], [1, 0], [1, 0]]
    assert ops.log_softmax(x, 1).tolist()[0] == [-200.0, 0.0]
    assert ops.logsumexp(x, 1).tolist()[0] == 200.0
    losses, _ = ops.cross_entropy(x, ops.from_list([0, 1, 0], cpu.int64))
    assert losses.tolist() == [200.0, 20000.0, 0.0]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", [2, 16, 40])
def test_infinities_and_nan_as_pytorch(dtype, n):
    rows = np.zeros((5, n), dtype)
    rows[0, :] = -INF
    rows[1, 0] = -INF
    rows[2, 0] = INF
    rows[3, 1] = NAN
    rows[4, :] = INF
    got = np.asarray(ops.softmax(share(rows), 1))
    assert np.isnan(got[[0, 3, 4]]).all()
    assert np.isnan(got[2, 0])
    np.testing.assert_allclose(got[1], [0] + [1 / (n - 1)] * (n - 1), rtol=1e-6)
    assert np.isnan(np.asarray(ops.log_softmax(share(rows), 1))[0]).all()
    lse = np.asarray(ops.logsumexp(share(rows), 1))
    np.testing.assert_array_equal(lse[[0, 2, 4]], [-INF, INF, INF])
    assert np.isnan(lse[3])


def reference_cross_entropy(x, target, ignore_index=-100):
    logs = exact_log_softmax(x, 1)
    kept = target != ignore_index
    losses = np.where(kept, -logs[np.arange(len(target)), np.where(kept, target, 0)], 0.0)
    gradient = np.exp(logs)
    gradient[np.arange(len(target)), np.where(kept, target, 0)] -= 1
    return losses, gradient * kept[:, None]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(("rows", "classes"), [(1, 1), (3, 2), (32, 10), (5, 16), (7, 100), (0, 4)])
@pytest.mark.parametrize("ignore_index", [-100, 1])
def test_cross_entropy_and_its_gradient(layouts, dtype, rows, classes, ignore_index):
    rng = np.random.default_rng(0)
    x, grad = numbers((rows, classes), dtype), rng.standard_normal(rows).astype(dtype)
    target = rng.integers(0, classes, rows)
    target[::4] = ignore_index
    losses, gradient = reference_cross_entropy(x, target, ignore_index)
    for x_, target_, grad_ in zip(layouts(x), layouts(target), layouts(grad), strict=False):
        got, lse = ops.cross_entropy(share(x_), share(target_), ignore_index)
        assert_close(got, losses, dtype, ulps=64)
        assert_close(lse, exact_logsumexp(x, 1).squeeze(1), dtype)
        dx = ops.cross_entropy_backward(share(grad_), share(x_), lse, share(target_), ignore_index)
        assert_close(dx, gradient * grad[:, None], dtype)


def test_cross_entropy_gradient_follows_the_upstream_gradient():  # pitfall: 2 * loss
    x, target = share(numbers((4, 3), "float32")), ops.from_list([0, 1, 2, 0], cpu.int64)
    _, lse = ops.cross_entropy(x, target)
    once = ops.cross_entropy_backward(ops.ones((4,), cpu.float32), x, lse, target)
    twice = ops.cross_entropy_backward(ops.full((4,), 2.0, cpu.float32), x, lse, target)
    np.testing.assert_array_equal(np.asarray(twice), 2 * np.asarray(once))
    at_once = ops.cross_entropy_backward(ops.full((), 2.0, cpu.float64), x, lse, target)
    np.testing.assert_array_equal(np.asarray(twice), np.asarray(at_once))


def test_cross_entropy_gradient_stays_exact_for_large_logits():
    x = numbers((50, 10), "float32", scale=1.0) + 3000  # where lse itself is rounded to 2.4e-4
    target = np.arange(50) % 10
    _, lse = ops.cross_entropy(share(x), share(target))
    dx = ops.cross_entropy_backward(ops.ones((50,), cpu.float32), share(x), lse, share(target))
    assert_close(dx, reference_cross_entropy(x, target)[1], "float32")


def test_half_precision_is_computed_in_float32():
    x = numbers((3, 5), "float32", scale=1.0)
    half = ops.cast(share(x), cpu.float16)
    got = ops.softmax(half, 1)
    assert got.dtype is cpu.float16
    expected = np.exp(exact_log_softmax(np.asarray(ops.cast(half, cpu.float32)), 1))
    np.testing.assert_allclose(np.asarray(ops.cast(got, cpu.float32)), expected, rtol=1e-3)
    wide = ops.cast(got, cpu.float32)
    for op in (ops.softmax_backward, ops.log_softmax_backward):
        assert op(half, got, 1).tolist() == ops.cast(op(ops.cast(half, cpu.float32), wide, 1),
                                                     cpu.float16).tolist()  # fmt: skip


@pytest.mark.parametrize("dtype", FLOATS)
def test_instruction_sets_and_threads_agree(instruction_set, thread_counts, dtype):
    x = numbers((300, 77), dtype)
    expected = np.exp(exact_log_softmax(x, 1))
    for _ in thread_counts:
        assert_close(ops.softmax(share(x), 1), expected, dtype)


def labels(*values):
    return ops.from_list(list(values), cpu.int64)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.softmax(zeros(2, 3), 2), IndexError, r"\[softmax\] dim 2 is out of range"),
        (lambda: ops.softmax(zeros(2, dtype=cpu.int64), 0), TypeError, "floating array, got int64"),
        (lambda: ops.log_softmax(zeros(2, dtype=cpu.bool_), 0), TypeError, "got bool"),
        (lambda: ops.softmax([1.0], 0), TypeError, r"\[softmax\] expected an Array, got list"),
        (lambda: ops.softmax_backward(zeros(2, 3), zeros(3, 2), 0), RuntimeError,
         r"\[softmax_backward\] grad is float32 \(2, 3\) but y float32 \(3, 2\)"),
        (lambda: ops.log_softmax_backward(zeros(2, dtype=cpu.float64), zeros(2), 0), RuntimeError,
         r"grad is float64 \(2,\) but y float32"),
        (lambda: ops.softmax_backward(zeros(2), zeros(2), 1), IndexError, "dim 1 is out of range"),
        (lambda: ops.log_softmax_backward(labels(0), labels(0), 0), TypeError, "got int64"),
        (lambda: ops.logsumexp(zeros(2, 3), (0, -2)), RuntimeError, "dim 0 appears more than once"),
        (lambda: ops.logsumexp(zeros(2, 3), 5), IndexError, "dim 5 is out of range"),
        (lambda: ops.cross_entropy(zeros(2, 3), labels(0, 3)), IndexError,
         r"\[cross_entropy\] target 3 in row 1 is out of range: expected 0 to 2"),
        (lambda: ops.cross_entropy(zeros(2, 3), labels(0, -1)), IndexError, "target -1"),
        (lambda: ops.cross_entropy(zeros(2, 3), labels(0)), RuntimeError,
         r"\(2, 3\) and target \(1,\)"),
        (lambda: ops.cross_entropy(zeros(3), labels(0)), RuntimeError, r"expected \(N, C\)"),
        (lambda: ops.cross_entropy(zeros(2, 3), zeros(2)), TypeError, "int64, got float32"),
        (lambda: ops.cross_entropy(zeros(2, 3, dtype=cpu.int64), labels(0, 0)), TypeError,
         "floating"),
        (lambda: ops.cross_entropy_backward(zeros(3), zeros(2, 3), zeros(2), labels(0, 0)),
         RuntimeError, r"grad \(3,\) and logsumexp \(2,\)"),
        (lambda: ops.cross_entropy_backward(zeros(2), zeros(2, 3), zeros(2), labels(0, 9)),
         IndexError, "target 9"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
