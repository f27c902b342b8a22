"""Max and average pooling and their gradients against one window at a time."""

import numpy as np
import pytest
from slow_windows import windows
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
# shape, kernel, stride, padding, dilation[, ceil_mode]; heights and widths differ on purpose.
CASES = [
    ((2, 3, 6, 8), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((2, 3, 7, 9), (3, 2), (2, 1), (1, 1), (1, 1)),
    ((1, 2, 5, 6), (3, 3), (1, 1), (1, 0), (1, 1)),  # overlapping windows
    ((1, 2, 9, 8), (2, 3), (2, 2), (1, 1), (2, 3)),
    ((3, 4, 4), (4, 4), (4, 4), (0, 0), (1, 1)),
    ((0, 3, 4, 4), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((40, 30, 8, 8), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((2, 2, 6, 7), (3, 2), (2, 2), (0, 0), (1, 1), True),  # a last window that is cut off
    ((1, 2, 5, 7), (2, 3), (2, 3), (1, 1), (1, 1), True),  # cut off at the padding
    ((1, 1, 3, 4), (2, 2), (3, 3), (0, 0), (1, 1), True),  # a last window that would begin outside
    ((1, 2, 8, 7), (2, 3), (3, 2), (1, 0), (2, 2), True),
    ((1, 2, 4, 2), (3, 3), (3, 4), (0, 0), (2, 1), True),  # reaches over more than there is
]


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_max_pool2d_on_every_layout(layouts, dtype, case):
    shape, *options = case
    x = numbers(shape, dtype, 0) - 10  # all negative: a padding of zeros would win
    (oh, ow), all_windows = windows(shape, *options)
    out, dx = np.zeros((*shape[:-2], oh, ow)), np.zeros(shape)
    grad = numbers(out.shape, dtype, 1)
    for (i, j), place in all_windows:
        under = x[(..., *place)]
        out[..., i, j] = under.max((-2, -1))
        dx[(..., *place)] += (under == out[..., i : i + 1, j : j + 1]) * grad[
            ..., i : i + 1, j : j + 1
        ]
    for x_, grad_ in zip(layouts(x), layouts(grad), strict=True):
        got, index = ops.max_pool2d(share(x_), *options)
        np.testing.assert_array_equal(np.asarray(got), out.astype(dtype), strict=True)
        back = ops.max_pool2d_backward(share(grad_), index, shape)
        np.testing.assert_allclose(np.asarray(back), dx, rtol=1e-5, atol=1e-5)


def padded_count(i, d, case):
    """Return the places of window i along direction d, padding included, but nothing beyond."""
    shape, kernel, stride, padding, *_ = case
    start = i * stride[d] - padding[d]
    return min(start + kernel[d], shape[d - 2] + padding[d]) - start


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count_include_pad", [True, False])
@pytest.mark.parametrize("divisor_override", [0, 5])
@pytest.mark.parametrize("case", [c for c in CASES if c[4] == (1, 1)], ids=str)
def test_avg_pool2d_on_every_layout(layouts, dtype, count_include_pad, divisor_override, case):
    shape, kernel, stride, padding, dilation, *ceil_mode = case
    x = numbers(shape, dtype, 0)
    (oh, ow), all_windows = windows(shape, kernel, stride, padding, dilation, *ceil_mode)
    out, dx = np.zeros((*shape[:-2], oh, ow)), np.zeros(shape)
    grad = numbers(out.shape, dtype, 1)
    for (i, j), place in all_windows:
        under = x[(..., *place)].astype("float64")
        count = divisor_override or place[0].size * place[1].size
        if count_include_pad and not divisor_override:
            count = padded_count(i, 0, case) * padded_count(j, 1, case)
        out[..., i, j] = under.sum((-2, -1)) / count
        dx[(..., *place)] += grad[..., i : i + 1, j : j + 1] / count
    options = (kernel, stride, padding, count_include_pad, *(ceil_mode or [False]))
    options = (*options, divisor_override)
    for x_, grad_ in zip(layouts(x), layouts(grad), strict=True):
        got = np.asarray(ops.avg_pool2d(share(x_), *options))
        np.testing.assert_allclose(got, out, rtol=1e-5, atol=1e-5)
        back = np.asarray(ops.avg_pool2d_backward(share(grad_), shape, *options))
        np.testing.assert_allclose(back, dx, rtol=1e-5, atol=1e-5)


def test_ties_go_to_the_first_and_nan_wins():
    x = ops.from_list([[[1.0, 1.0], [1.0, 1.0]], [[5.0, float("nan")], [9.0, 2.0]]])
    out, index = ops.max_pool2d(x, 2, 2, 0, 1)
    assert out.tolist()[0] == [[1.0]]
    assert np.isnan(out.tolist()[1][0][0])
    assert index.tolist() == [[[0]], [[1]]]


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64])
def test_whole_numbers_have_a_largest_too(dtype):
    limits, rng = np.iinfo(dtype), np.random.default_rng(3)
    x = rng.integers(limits.min, limits.max, (2, 3, 9, 8), dtype=dtype, endpoint=True)
    out, index = (np.asarray(a) for a in ops.max_pool2d(share(x), 3, 2, 1, 1))
    for n, c, h, w in np.ndindex(out.shape):
        window = np.s_[max(0, 2 * h - 1) : 2 * h + 2, max(0, 2 * w - 1) : 2 * w + 2]
        assert out[n, c, h, w] == x[n, c][window].max()
        assert out[n, c, h, w] == x[n, c].reshape(-1)[index[n, c, h, w]]
    assert out.dtype == dtype


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.max_pool2d(ones(4, 4), 2, 2, 0, 1), RuntimeError,
         r"\(C, H, W\), got \(4, 4\)"),
        (lambda: ops.max_pool2d(ones(1, 4, 4), 2, 2, 2, 1), RuntimeError,
         r"\[max_pool2d\] padding 2 is more than half of kernel 2"),
        (lambda: ops.max_pool2d(ones(1, 4, 4), 5, 1, 0, 1), RuntimeError, "does not fit"),
        (lambda: ops.max_pool2d(ones(1, 2, 9), 2, 1, 1, 3), RuntimeError,
         r"\[max_pool2d\] a window of kernel 2, padding 1 and dilation 3 over an input of 2 would"),
        (lambda: ops.avg_pool2d(ones(1, 0, 4), 2, 1, 1), RuntimeError, "nothing but padding"),
        (lambda: ops.avg_pool2d(ones(1, 4, 4), 2**40, 1, 0), RuntimeError, "got kernel 1099511"),
        (lambda: ops.max_pool2d(ones(1, 4, 4), 2**62, 1, 0, 4), RuntimeError, "got kernel 46116"),
        (lambda: ops.max_pool2d_backward(ones(1, 1, 1), ones(1, 1, 1, dtype=cpu.int64),
                                         (1, 2**40, 2**40)), RuntimeError,
         r"\[max_pool2d_backward\] shape \(1, 1099511627776, .* has more than 2\^63 elements"),
        (lambda: ops.max_pool2d(ones(1, 4, 4), 2, 0, 0, 1), RuntimeError, "stride 0"),
        (lambda: ops.max_pool2d(ones(1, 4, 4, dtype=cpu.bool_), 2, 2, 0, 1), TypeError, "got bool"),
        (lambda: ops.avg_pool2d(ones(1, 4, 4, dtype=cpu.int64), 2, 2, 0), TypeError, "got int64"),
        (lambda: ops.avg_pool2d(ones(1, 4, 4), (1, 2, 3), 2, 0), RuntimeError,
         "one or two integers"),
        (lambda: ops.max_pool2d_backward(ones(1, 2, 2), ones(1, 2, 2, dtype=cpu.int64), (2, 4, 4)),
         RuntimeError, "do not belong to an input"),
        (lambda: ops.max_pool2d_backward(
            ones(1, 1, 1), ops.full((1, 1, 1), 4, cpu.int64), (1, 2, 2)), IndexError, "index 4"),
        (lambda: ops.avg_pool2d_backward(ones(1, 3, 3), (1, 4, 4), 2, 2, 0), RuntimeError,
         r"grad of shape \(1, 2, 2\), got \(1, 3, 3\)"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
