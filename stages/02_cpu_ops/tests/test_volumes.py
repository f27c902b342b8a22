"""Convolution and pooling in three dimensions against loops; both also in half precision."""

import itertools

import numpy as np
import pytest
from slow_windows import convolution, windows
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
# x, weight, stride, padding, dilation, groups; all three sizes differ on purpose.
CONVOLUTIONS = [
    ((2, 3, 4, 5, 6), (4, 3, 2, 3, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1), 1),
    ((2, 2, 5, 7, 6), (3, 2, 3, 2, 3), (2, 1, 3), (1, 2, 0), (1, 2, 1), 1),
    ((1, 4, 5, 4, 6), (6, 2, 3, 3, 3), (1, 2, 1), (1, 1, 1), (2, 1, 2), 2),
    ((2, 3, 2, 3, 4), (5, 3, 1, 1, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1), 1),
    ((0, 3, 4, 5, 6), (4, 3, 2, 3, 1), (1, 1, 1), (0, 0, 0), (1, 1, 1), 1),
    ((2, 16, 4, 9, 8), (16, 16, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
]
# shape, kernel, stride, padding, dilation, ceil_mode
POOLS = [
    ((2, 3, 4, 6, 8), (2, 2, 2), (2, 2, 2), (0, 0, 0), (1, 1, 1), False),
    ((2, 5, 7, 9), (3, 2, 4), (1, 2, 3), (1, 1, 2), (1, 1, 1), False),
    ((1, 2, 6, 9, 8), (2, 3, 2), (2, 2, 1), (1, 0, 1), (2, 2, 3), False),
    ((1, 2, 5, 6, 7), (2, 2, 3), (2, 3, 2), (1, 0, 1), (1, 1, 1), True),
    ((0, 2, 5, 6, 7), (2, 2, 3), (2, 3, 2), (1, 0, 1), (1, 1, 1), False),
]


def numbers(shape, seed, dtype="float64"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_conv3d_and_gradients_on_every_layout(layouts, dtype, case):
    x_shape, weight_shape, *options = case
    x, weight = numbers(x_shape, 0, dtype), numbers(weight_shape, 1, dtype)
    bias = numbers(weight_shape[:1], 2, dtype)
    grad = numbers(convolution(x, weight, None, *options)[0].shape, 3, dtype)
    out, dx, dweight = convolution(x, weight, grad, *options)
    close = {"rtol": 1e-4, "atol": 2e-4} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-11}
    for variant in zip(*map(layouts, (x, weight, bias, grad)), strict=True):
        a, w, b, g = map(share, variant)
        got = np.asarray(ops.conv3d(a, w, b, *options))
        np.testing.assert_allclose(got, out + bias[:, None, None, None], **close)
        got = np.asarray(ops.conv3d_backward_input(g, w, x_shape, *options))
        np.testing.assert_allclose(got, dx, **close)
        got = np.asarray(ops.conv3d_backward_weight(g, a, weight_shape, *options))
        np.testing.assert_allclose(got, dweight, **close)


@pytest.mark.parametrize("case", POOLS, ids=str)
def test_max_pool3d_and_gradient_on_every_layout(layouts, case):
    shape, *options = case
    x = numbers(shape, 0) - 10  # all negative: a padding of zeros would win
    counts, pairs = windows(shape, *options)
    out, dx = np.zeros((*shape[:-3], *counts)), np.zeros(shape)
    grad = numbers(out.shape, 1)
    for place, under in pairs:
        most = x[(..., *under)].max((-3, -2, -1))
        out[(..., *place)] = most
        hit = x[(..., *under)] == most[..., None, None, None]
        dx[(..., *under)] += hit * grad[(..., *place)][..., None, None, None]
    for x_, grad_ in zip(layouts(x), layouts(grad), strict=True):
        got, index = ops.max_pool3d(share(x_), *options)
        np.testing.assert_array_equal(np.asarray(got), out)
        back = ops.max_pool3d_backward(share(grad_), index, shape)
        np.testing.assert_allclose(np.asarray(back), dx, rtol=1e-12, atol=1e-12)
        planes = x.reshape(*shape[:-3], np.prod(shape[-3:]))
        flat = np.asarray(index).reshape(*shape[:-3], np.prod(counts))
        found = np.take_along_axis(planes, flat, -1)
        np.testing.assert_array_equal(found.reshape(out.shape), out)


@pytest.mark.parametrize("count_include_pad", [True, False])
@pytest.mark.parametrize("divisor_override", [0, 5])
@pytest.mark.parametrize("case", [c for c in POOLS if c[4] == (1, 1, 1)], ids=str)
def test_avg_pool3d_and_gradient_on_every_layout(
    layouts, count_include_pad, divisor_override, case
):
    shape, kernel, stride, padding, dilation, ceil_mode = case
    x = numbers(shape, 0)
    counts, pairs = windows(shape, kernel, stride, padding, dilation, ceil_mode)
    out, dx = np.zeros((*shape[:-3], *counts)), np.zeros(shape)
    grad = numbers(out.shape, 1)
    for place, under in pairs:
        values = x[(..., *under)]
        count = divisor_override or values[(0,) * (values.ndim - 3)].size if values.size else 1
        if count_include_pad and not divisor_override:
            starts = [place[i] * stride[i] - padding[i] for i in range(3)]
            ends = [min(starts[i] + kernel[i], shape[i - 3] + padding[i]) for i in range(3)]
            count = np.prod(np.subtract(ends, starts))
        out[(..., *place)] = values.sum((-3, -2, -1)) / count
        dx[(..., *under)] += grad[(..., *place)][..., None, None, None] / count
    options = (kernel, stride, padding, count_include_pad, ceil_mode, divisor_override)
    for x_, grad_ in zip(layouts(x), layouts(grad), strict=True):
        got = np.asarray(ops.avg_pool3d(share(x_), *options))
        np.testing.assert_allclose(got, out, rtol=1e-12, atol=1e-12)
        back = np.asarray(ops.avg_pool3d_backward(share(grad_), shape, *options))
        np.testing.assert_allclose(back, dx, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("dtype", "error"), [(cpu.float16, 2e-3), (cpu.bfloat16, 2e-2)], ids=str)
def test_halves_are_computed_in_float32_and_rounded_once(dtype, error):
    def half(shape, seed):
        return ops.cast(share(numbers(shape, seed, "float32")), dtype)

    def wide(array):
        return ops.cast(array, cpu.float32)

    x, w, b, dy = (
        half((2, 8, 8, 9), 0),
        half((16, 8, 3, 3), 1),
        half((16,), 2),
        half((2, 16, 8, 9), 3),
    )
    moves = (1, 1, 1, 1)
    pooled, index = ops.max_pool2d(x, 2, 2, 0, 1)
    volume = half((1, 2, 4, 4, 4), 4)
    pairs = [
        (ops.conv2d(x, w, b, *moves), ops.conv2d(*map(wide, (x, w, b)), *moves)),
        (ops.conv2d_backward_input(dy, w, x.shape, *moves),
         ops.conv2d_backward_input(wide(dy), wide(w), x.shape, *moves)),
        (ops.conv2d_backward_weight(dy, x, w.shape, *moves),
         ops.conv2d_backward_weight(wide(dy), wide(x), w.shape, *moves)),
        (pooled, ops.max_pool2d(wide(x), 2, 2, 0, 1)[0]),
        (ops.max_pool2d_backward(pooled, index, x.shape),
         ops.max_pool2d_backward(wide(pooled), index, x.shape)),
        (ops.avg_pool2d(x, 2, 2, 0), ops.avg_pool2d(wide(x), 2, 2, 0)),
        (ops.avg_pool3d(volume, 2, 2, 0), ops.avg_pool3d(wide(volume), 2, 2, 0)),
        (ops.avg_pool2d_backward(pooled, x.shape, 2, 2, 0),
         ops.avg_pool2d_backward(wide(pooled), x.shape, 2, 2, 0)),
    ]  # fmt: skip
    for got, want in pairs:
        assert got.dtype == dtype
        got, want = np.asarray(wide(got)), np.asarray(want)
        assert np.abs(got - want).max() <= error * np.abs(want).max()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_wins_wherever_it_stands_and_of_equals_the_first(dtype):
    """Rows are compared before columns; the order of a window must not show."""
    x = np.zeros((1, 5, 37), dtype)
    x[0, 1, ::5] = x[0, 3, 2::7] = np.nan
    x[0, 2, 4::3] = -np.inf
    x[0, 0, 1::4] = x[0, 4, 1::4] = 1
    out, index = (np.asarray(a) for a in ops.max_pool2d(share(x), 3, 1, 1, 1))
    for i, j in np.ndindex(5, 37):
        rows, cols = range(max(i - 1, 0), min(i + 2, 5)), range(max(j - 1, 0), min(j + 2, 37))
        most, where = -np.inf, rows[0] * 37 + cols[0]
        for r, c in itertools.product(rows, cols):
            if x[0, r, c] > most or np.isnan(x[0, r, c]):
                most, where = x[0, r, c], r * 37 + c
        np.testing.assert_array_equal(out[0, i, j], most)
        assert index[0, i, j] == where


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.conv3d(ones(1, 3, 5, 5), ones(4, 3, 3, 3, 3), None, 1, 0, 1, 1), RuntimeError,
         r"\[conv3d\] expected x \(N, C, D, H, W\) and weight \(O, C / groups, KD, KH, KW\)"),
        (lambda: ops.conv3d(ones(1, 3, 5, 5, 5), ones(4, 3, 3, 3, 3), None, (1, 1), 0, 1, 1),
         RuntimeError, "stride as one or three integers, got 2"),
        (lambda: ops.conv3d(ones(1, 3, 2, 5, 5), ones(4, 3, 3, 3, 3), None, 1, 0, 1, 1),
         RuntimeError, "reaches over 3 does not fit into an input of 2"),
        (lambda: ops.conv3d(*(ones(1, 1, 1, 1, 1, dtype=cpu.int64),) * 2, None, 1, 0, 1, 1),
         TypeError, "expected a floating dtype, the same for all, got int64"),
        (lambda: ops.conv3d_backward_weight(ones(1, 4, 3, 3, 3), ones(1, 3, 4, 4, 4),
                                            (4, 3, 3, 3, 3), 1, 0, 1, 1), RuntimeError,
         r"\[conv3d_backward_weight\] expected grad of shape \(1, 4, 2, 2, 2\)"),
        (lambda: ops.conv3d(ones(1, 0, 5, 5, 5), ones(0, 4, 3, 3, 3), None, 1, 0, 1, 2**62),
         RuntimeError, r"\[conv3d\] weight \(0, 4, 3, 3, 3\) has 0 outputs"),
        (lambda: ops.max_pool3d(ones(1, 4, 4), 2, 2, 0, 1), RuntimeError,
         r"\(C, D, H, W\), got \(1, 4, 4\)"),
        (lambda: ops.avg_pool3d(ones(1, 4, 4, 4), 2, 2, 2), RuntimeError, "more than half"),
        (lambda: ops.max_pool3d_backward(
            ones(1, 1, 1, 1), ops.full((1, 1, 1, 1), 8, cpu.int64), (1, 2, 2, 2)), IndexError,
         r"\[max_pool3d_backward\] index 8 lies outside a plane of 8"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
