"""batch_norm and group_norm, forward and backward, against the formulas in float64."""

import numpy as np
import pytest
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
# (N, C, ...), among them single elements a channel (columns) and more than one group of columns
SHAPES = [
    (5, 1), (4, 3), (9, 40), (300, 33), (2, 3, 5), (3, 4, 7, 5), (2, 2, 33, 40), (1, 4, 2, 3, 2),
]  # fmt: skip
EPS = 1e-2


def numbers(shape, dtype, seed, shift=0.0):
    return (np.random.default_rng(seed).standard_normal(shape) + shift).astype(dtype)


def wide(values, x):
    """Values (C,) in the shape that broadcasts along the channels of x."""
    return values.astype("float64").reshape(-1, *[1] * (x.ndim - 2))


def standardized(x, axes):
    mean = x.mean(axes, keepdims=True)
    var = ((x - mean) ** 2).mean(axes, keepdims=True)
    return mean, var, 1 / np.sqrt(var + EPS), (x - mean) / np.sqrt(var + EPS)


def slope(h, y, rstd, axes):
    return rstd * (h - h.mean(axes, keepdims=True) - y * (h * y).mean(axes, keepdims=True))


def batch_reference(x, grad, weight, bias):
    """Return out, mean, var, dx, dweight, dbias in float64."""
    x, grad, w, b = x.astype("float64"), grad.astype("float64"), wide(weight, x), wide(bias, x)
    axes = (0, *range(2, x.ndim))
    mean, var, rstd, y = standardized(x, axes)
    dx = slope(grad * w, y, rstd, axes)
    return y * w + b, mean.ravel(), var.ravel(), dx, (grad * y).sum(axes), grad.sum(axes)


def group_reference(x, grad, groups, weight, bias):
    """Return out, mean, rstd, dx, dweight, dbias in float64."""
    x, grad, w, b = x.astype("float64"), grad.astype("float64"), wide(weight, x), wide(bias, x)
    rows = (x.shape[0], groups, -1)
    mean, _, rstd, y = standardized(x.reshape(rows), (2,))
    dx = slope((grad * w).reshape(rows), y, rstd, (2,)).reshape(x.shape)
    y, axes = y.reshape(x.shape), (0, *range(2, x.ndim))
    return y * w + b, mean[..., 0], rstd[..., 0], dx, (grad * y).sum(axes), grad.sum(axes)


def assert_all_close(got, expected, dtype):
    tolerance = {"float32": 1e-4, "float64": 1e-11}[dtype]
    for array, want in zip(got, expected, strict=True):
        assert np.asarray(array).dtype == dtype
        assert np.asarray(array).shape == np.shape(want)
        np.testing.assert_allclose(np.asarray(array), want, rtol=tolerance, atol=tolerance)


def operands(shape, dtype):
    channels = shape[1:2]
    return (numbers(shape, dtype, 0, 2.0), numbers(shape, dtype, 1), numbers(channels, dtype, 2),
            numbers(channels, dtype, 3))  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("is_affine", [True, False])
def test_batch_norm_on_every_layout(layouts, dtype, shape, is_affine):
    x, grad, weight, bias = operands(shape, dtype)
    if not is_affine:
        weight, bias = np.ones_like(weight), np.zeros_like(bias)
    expected = batch_reference(x, grad, weight, bias)
    for x_, grad_, w_, b_ in zip(
        layouts(x), reversed(layouts(grad)), layouts(weight), layouts(bias), strict=True
    ):
        w, b = (share(w_), share(b_)) if is_affine else (None, None)
        out, mean, var = ops.batch_norm(share(x_), w, b, EPS)
        gradients = ops.batch_norm_backward(share(grad_), share(x_), mean, var, w, EPS)
        assert_all_close((out, mean, var, *gradients), expected, dtype)
        again = ops.batch_norm_eval(share(x_), mean, var, w, b, EPS)
        assert_all_close([again], expected[:1], dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("shape", "groups"), [
    ((2, 4), 2), ((3, 6, 5), 3), ((3, 6, 5), 1), ((2, 6, 4, 9), 6), ((1, 4, 33, 40), 2),
])  # fmt: skip
@pytest.mark.parametrize("is_affine", [True, False])
def test_group_norm_on_every_layout(layouts, dtype, shape, groups, is_affine):
    x, grad, weight, bias = operands(shape, dtype)
    if not is_affine:
        weight, bias = np.ones_like(weight), np.zeros_like(bias)
    expected = group_reference(x, grad, groups, weight, bias)
    for x_, grad_, w_, b_ in zip(
        layouts(x), reversed(layouts(grad)), layouts(weight), layouts(bias), strict=True
    ):
        w, b = (share(w_), share(b_)) if is_affine else (None, None)
        out, mean, rstd = ops.group_norm(share(x_), groups, w, b, EPS)
        gradients = ops.group_norm_backward(share(grad_), share(x_), mean, rstd, groups, w)
        assert_all_close((out, mean, rstd, *gradients), expected, dtype)


@pytest.mark.parametrize("shape", [(400, 3), (16, 3, 40, 40)])
def test_a_large_mean_does_not_spoil_the_variance(shape):
    x = numbers(shape, "float32", 0, shift=10_000)
    axes = (0, *range(2, x.ndim))
    _, mean, var = ops.batch_norm(share(x))
    np.testing.assert_allclose(np.asarray(mean), x.astype("float64").mean(axes), rtol=1e-7)
    np.testing.assert_allclose(np.asarray(var), x.astype("float64").var(axes), rtol=1e-5)
    _, _, rstd = ops.group_norm(share(x.swapaxes(0, 1).copy()), 1, None, None, 0.0)
    groups = x.swapaxes(0, 1).astype("float64").reshape(3, -1)
    np.testing.assert_allclose(np.asarray(rstd)[:, 0], 1 / groups.std(1), rtol=1e-5)


def test_one_sample_far_away_does_not_spoil_the_variance():
    x = numbers((64, 2, 9, 9), "float32", 0)
    x[0] += 1000  # the plane the shift is taken from
    var = np.asarray(ops.batch_norm(share(x))[2])
    np.testing.assert_allclose(var, x.astype("float64").var((0, 2, 3)), rtol=1e-4)


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 40)])
def test_nan_stays_in_its_channel(shape):
    x = numbers(shape, "float32", 0)
    x[(2, 1, *[0] * (len(shape) - 2))] = np.nan
    out, mean, var = (np.asarray(a) for a in ops.batch_norm(share(x)))
    for found in (out.swapaxes(0, 1), mean, var):
        assert np.isnan(found[1]).all() and np.isfinite(found[[0, 2]]).all()


def test_a_gradient_that_was_broadcast():
    x = share(numbers((4, 3, 5), "float32", 0))
    _, mean, var = ops.batch_norm(x)
    grad = ops.ones((1,), cpu.float32).view(((4, 3, 5), (0, 0, 0), 0))
    dx, dweight, dbias = ops.batch_norm_backward(grad, x, mean, var)
    np.testing.assert_allclose(np.asarray(dx), 0, atol=1e-6)
    np.testing.assert_allclose(np.asarray(dweight), 0, atol=1e-5)
    assert dbias.tolist() == [20.0] * 3


@pytest.mark.parametrize("shape", [(300, 70), (30, 7, 9, 9)])
def test_threads_do_not_change_a_bit(thread_counts, shape):
    x, grad = share(numbers(shape, "float32", 0)), share(numbers(shape, "float32", 1))
    results = set()
    for _ in thread_counts:
        out, mean, var = ops.batch_norm(x)
        found = [out, *ops.batch_norm_backward(grad, x, mean, var)]
        _, mean, rstd = ops.group_norm(x, 7)
        found += ops.group_norm_backward(grad, x, mean, rstd, 7)
        results.add(b"".join(np.asarray(a).tobytes() for a in found))
    assert len(results) == 1


@pytest.mark.parametrize("shape", [(0, 4, 2, 2), (2, 4, 0), (0, 4), (2, 0, 3)])
def test_of_nothing_as_pytorch(shape):
    x, w = ones(*shape), ones(shape[1])
    out, mean, var = ops.batch_norm(x, w, w)
    found = ops.batch_norm_backward(x, x, mean, var, w)
    shapes = [a.shape for a in (out, mean, var, *found)]
    assert shapes == [shape, w.shape, w.shape, shape, w.shape, w.shape]
    assert not any(np.asarray(a).any() for a in (mean, var, *found))
    out, mean, rstd = ops.group_norm(x, 2, w, w)
    dx, dweight, dbias = ops.group_norm_backward(x, x, mean, rstd, 2, w)
    assert (out.shape, mean.shape, rstd.shape) == (shape, (shape[0], 2), (shape[0], 2))
    assert dx.shape == shape and dbias.tolist() == [0.0] * shape[1]
    assert not np.asarray(mean).any() and np.isnan(np.asarray(rstd)).all()
    np.testing.assert_array_equal(np.asarray(dweight), np.nan if shape[0] else 0.0)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.batch_norm(ones(2, 3), ones(2)), RuntimeError,
         r"\[batch_norm\] weight \(2,\) does not match x \(2, 3\): expected \(3,\)"),
        (lambda: ops.batch_norm(ones(3)), RuntimeError, r"x \(3,\) has no channels"),
        (lambda: ops.batch_norm(ones(2, 3, dtype=cpu.int64)), TypeError, "got int64"),
        (lambda: ops.batch_norm(ones(2, 3), None, ones(3, dtype=cpu.float64)), TypeError,
         "x is float32 but bias is float64"),
        (lambda: ops.batch_norm(3), TypeError, "expected an Array, got int"),
        (lambda: ops.batch_norm_eval(ones(2, 3), ones(3), ones(2)), RuntimeError,
         r"\[batch_norm_eval\] var \(2,\)"),
        (lambda: ops.batch_norm_backward(ones(2, 3), ones(2, 3, 1), ones(3), ones(3)),
         RuntimeError, r"grad \(2, 3\) must have the shape of x \(2, 3, 1\)"),
        (lambda: ops.batch_norm_backward(ones(2, 3), ones(2, 3), ones(2), ones(3)),
         RuntimeError, r"mean \(2,\) does not match"),
        (lambda: ops.group_norm(ones(2, 4), 3), RuntimeError,
         r"\[group_norm\] 4 channels of x \(2, 4\) do not make 3 groups"),
        (lambda: ops.group_norm(ones(2, 4), 0), RuntimeError, "do not make 0 groups"),
        (lambda: ops.group_norm_backward(ones(2, 4), ones(2, 4), ones(2, 1), ones(2, 2), 2),
         RuntimeError, r"mean \(2, 1\) and rstd \(2, 2\) must be \(2, 2\)"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
