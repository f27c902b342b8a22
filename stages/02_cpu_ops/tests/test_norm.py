"""layer_norm and rms_norm, forward and backward, against the formulas in float64."""

import numpy as np
import pytest
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
SHAPES = [(5,), (3, 1), (4, 7), (2, 3, 32), (65, 33), (0, 4), (300, 100)]


def numbers(shape, dtype, seed, shift=0.0):
    return (np.random.default_rng(seed).standard_normal(shape) + shift).astype(dtype)


def reference(x, weight, bias, eps, grad):
    """Return out, mean, rstd, dx, dweight, dbias in float64."""
    x, grad = x.astype("float64"), grad.astype("float64")
    mean = x.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps)
    y = (x - mean) * rstd
    h = grad * weight
    dx = rstd * (h - h.mean(-1, keepdims=True) - y * (h * y).mean(-1, keepdims=True))
    rows = tuple(range(x.ndim - 1))
    return y * weight + bias, mean[..., 0], rstd[..., 0], dx, (grad * y).sum(rows), grad.sum(rows)


def assert_all_close(got, expected, dtype):
    tolerance = {"float32": 3e-5, "float64": 1e-12}[dtype]
    for array, want in zip(got, expected, strict=True):
        assert np.asarray(array).shape == np.shape(want)
        np.testing.assert_allclose(np.asarray(array), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("has_weight", [True, False])
@pytest.mark.parametrize("has_bias", [True, False])
def test_layer_norm_on_every_layout(layouts, dtype, shape, has_weight, has_bias):
    x, grad = numbers(shape, dtype, 0), numbers(shape, dtype, 1)
    weight, bias = numbers(shape[-1:], dtype, 2), numbers(shape[-1:], dtype, 3)
    expected = reference(x, weight if has_weight else 1, bias if has_bias else 0, 1e-2, grad)
    for x_, grad_, weight_, bias_ in zip(*map(layouts, (x, grad, weight, bias)), strict=True):
        scale = share(weight_) if has_weight else None
        shift = share(bias_) if has_bias else None
        out, mean, rstd = ops.layer_norm(share(x_), scale, shift, 1e-2)
        gradients = ops.layer_norm_backward(share(grad_), share(x_), mean, rstd, scale)
        assert_all_close((out, mean, rstd, *gradients), expected, dtype)


def allocations():
    stats = cpu.memory_stats()
    return stats["cache_hits"] + stats["system_allocations"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_that_lie_apart_are_read_where_they_are(dtype):
    x, grad = numbers((6, 3, 9), dtype, 5), numbers((6, 3, 9), dtype, 6)
    for part in (np.s_[:, 1], np.s_[::-2, 0], np.s_[2:5], np.s_[:, ::-1], np.s_[:1, :, :1]):
        whole = [share(np.ascontiguousarray(a[part])) for a in (x, grad)]
        apart = [share(a[part]) for a in (x, grad)]
        answers, used = [], []
        for a, g in (whole, apart):
            before = allocations()
            out, mean, rstd = ops.layer_norm(a)
            also, scale = ops.rms_norm(a)
            gradients = ops.layer_norm_backward(g, a, mean, rstd)
            more = ops.rms_norm_backward(g, a, scale)
            answers.append([t.tolist() for t in (out, mean, rstd, also, scale, *gradients, *more)])
            used.append(allocations() - before)
        assert answers[0] == answers[1]
        is_one_view = part != np.s_[:, ::-1]  # its rows go down inside, up outside: a copy
        assert (used[0] == used[1]) == is_one_view


def rms_reference(x, weight, eps, grad):
    """Return out, rstd, dx, dweight in float64."""
    x, grad = x.astype("float64"), grad.astype("float64")
    rstd = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + eps)
    y, h = x * rstd, grad * weight
    dx = rstd * (h - y * (h * y).mean(-1, keepdims=True))
    return y * weight, rstd[..., 0], dx, (grad * y).sum(tuple(range(x.ndim - 1)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("has_weight", [True, False])
def test_rms_norm_on_every_layout(layouts, dtype, shape, has_weight):
    x, grad, weight = (numbers(shape, dtype, 0, 1.0), numbers(shape, dtype, 1),
                       numbers(shape[-1:], dtype, 2))  # fmt: skip
    expected = rms_reference(x, weight if has_weight else 1, 1e-2, grad)
    for x_, grad_, weight_ in zip(
        layouts(x), reversed(layouts(grad)), layouts(weight), strict=True
    ):
        scale = share(weight_) if has_weight else None
        out, rstd = ops.rms_norm(share(x_), scale, 1e-2)
        gradients = ops.rms_norm_backward(share(grad_), share(x_), rstd, scale)
        assert_all_close((out, rstd, *gradients), expected, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "values", [(np.inf,), (-np.inf,), (np.nan,), (np.inf, -np.inf), (np.inf, np.nan)], ids=str
)
@pytest.mark.parametrize("name", ["x", "grad", "weight", "bias"])
def test_what_is_not_finite_stays_in_its_row_or_column(dtype, values, name):
    given = {k: numbers((6, 37), dtype, i) for i, k in enumerate(("x", "grad"))}
    given |= {k: numbers((37,), dtype, i) for i, k in enumerate(("weight", "bias"), start=2)}
    given[name].reshape(-1)[: 5 * len(values) : 5] = values
    x, grad, weight, bias = map(share, given.values())
    with np.errstate(invalid="ignore"):
        expected = reference(given["x"], given["weight"], given["bias"], 1e-2, given["grad"])
        rms_expected = rms_reference(given["x"], given["weight"], 1e-2, given["grad"])
    out, mean, rstd = ops.layer_norm(x, weight, bias, 1e-2)
    gradients = ops.layer_norm_backward(grad, x, mean, rstd, weight)
    assert_all_close((out, mean, rstd, *gradients), expected, dtype)
    out, rstd = ops.rms_norm(x, weight, 1e-2)
    got = (out, rstd, *ops.rms_norm_backward(grad, x, rstd, weight))
    assert_all_close(got, rms_expected, dtype)


def test_a_large_mean_does_not_spoil_the_variance():
    x = numbers((4, 512), "float32", 0, shift=10_000)
    expected = reference(x, 1, 0, 1e-5, x)[0]
    np.testing.assert_allclose(np.asarray(ops.layer_norm(share(x))[0]), expected, atol=5e-3)


def test_threads_do_not_change_a_bit(thread_counts):
    x, grad = share(numbers((2000, 64), "float32", 0)), share(numbers((2000, 64), "float32", 1))
    results = set()
    for _ in thread_counts:
        _, mean, rstd = ops.layer_norm(x)
        gradients = ops.layer_norm_backward(grad, x, mean, rstd)
        results.add(b"".join(np.asarray(a).tobytes() for a in gradients))
    assert len(results) == 1


@pytest.mark.parametrize("shape", [(3, 0), (0, 4), (2, 0, 3), (2, 3, 0), (0, 0)])
def test_of_nothing_as_pytorch(shape):
    x, w = ones(*shape), ones(shape[-1])
    out, mean, rstd = ops.layer_norm(x, w, w)
    y, root = ops.rms_norm(x, w)
    assert out.shape == y.shape == shape and mean.shape == rstd.shape == root.shape == shape[:-1]
    assert not np.asarray(mean).any()
    assert np.isnan(np.asarray(rstd)).all() and np.isnan(np.asarray(root)).all()
    found = [*ops.layer_norm_backward(x, x, mean, rstd, w), *ops.rms_norm_backward(x, x, root, w)]
    assert [a.shape for a in found] == [shape, w.shape, w.shape, shape, w.shape]
    assert not any(np.asarray(a).any() for a in found)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.layer_norm(ones(2, 3), ones(2)), RuntimeError,
         r"\[layer_norm\] weight \(2,\) does not match x \(2, 3\): expected \(3,\)"),
        (lambda: ops.layer_norm(ones(2, 3), None, ones(3, dtype=cpu.float64)), TypeError,
         "x is float32 but bias is float64"),
        (lambda: ops.layer_norm(ones()), RuntimeError, r"x \(\) has no dim to average over"),
        (lambda: ops.layer_norm_backward(ones(2, 0), ones(2, 0), ones(3), ones(3)), RuntimeError,
         r"needs a grad of its shape and mean \(2,\)"),
        (lambda: ops.layer_norm(ones(2, dtype=cpu.int64)), TypeError, "got int64"),
        (lambda: ops.layer_norm(3), TypeError, "expected an Array, got int"),
        (lambda: ops.layer_norm_backward(ones(2, 3), ones(2, 4), ones(2), ones(2)), RuntimeError,
         r"needs a grad of its shape and mean \(2,\)"),
        (lambda: ops.layer_norm_backward(ones(2, 3), ones(2, 3), ones(2), ones(3)), RuntimeError,
         r"and rstd \(2,\), got \(2, 3\) and \(3,\)"),
        (lambda: ops.rms_norm(ones(2, 3), ones(2)), RuntimeError,
         r"\[rms_norm\] weight \(2,\) does not match x \(2, 3\)"),
        (lambda: ops.rms_norm(ones(2, 3, dtype=cpu.int32)), TypeError, "got int32"),
        (lambda: ops.rms_norm_backward(ones(2, 3), ones(2, 3), ones(2, dtype=cpu.float64)),
         TypeError, r"\[rms_norm_backward\] grad and rstd must be float32"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
