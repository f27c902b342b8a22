"""Adaptive pooling, interpolation and columns of patches against loops over outputs."""

import itertools

import numpy as np
import pytest
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
SHAPES = [
    ((2, 3, 5, 7), (3, 4)),
    ((3, 8, 6), (5, 9)),
    ((1, 2, 1, 9), (4, 2)),
    ((0, 2, 4, 5), (3, 3)),
]


def numbers(shape, seed, dtype="float64"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def adaptive(size, count, scale=None):
    """Return for each output the inputs it looks at, with their weights."""
    spans = [range(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
    return [{i: 1 / len(span) for i in span} for span in spans]


def nearest(size, count, scale=None):
    step = size / count if scale is None else scale
    return [{min(int(i * step), size - 1): 1.0} for i in range(count)]


def linear(size, count, scale=None, corners=False):
    step = size / count if scale is None else scale
    lines = []
    for i in range(count):
        at = max((i + 0.5) * step - 0.5, 0)
        if corners:
            at = i * (size - 1) / (count - 1) if count > 1 else 0
        before = min(int(at), size - 1)
        pair = {before: 1 - min(at - before, 1)}
        after = min(before + 1, size - 1)
        pair[after] = pair.get(after, 0) + min(at - before, 1)
        lines.append(pair)
    return lines


def matrix(lines, size):
    result = np.zeros((len(lines), size))
    for row, pair in zip(result, lines, strict=True):
        for place, weight in pair.items():
            row[place] = weight
    return result


OPERATIONS = {
    "adaptive": (ops.adaptive_avg_pool2d, ops.adaptive_avg_pool2d_backward, adaptive, []),
    "nearest": (ops.upsample_nearest2d, ops.upsample_nearest2d_backward, nearest, []),
    "nearest by scale": (
        ops.upsample_nearest2d, ops.upsample_nearest2d_backward, nearest, [(0.7, 1.3)]),
    "bilinear": (ops.upsample_bilinear2d, ops.upsample_bilinear2d_backward, linear, []),
    "bilinear by scale": (
        ops.upsample_bilinear2d, ops.upsample_bilinear2d_backward, linear, [False, (0.7, 1.3)]),
    "bilinear, corners": (
        ops.upsample_bilinear2d, ops.upsample_bilinear2d_backward,
        lambda size, count, scale: linear(size, count, corners=True), [True]),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize(("shape", "size"), SHAPES, ids=str)
def test_resized_and_back_on_every_layout(layouts, shape, size, name, dtype):
    forward, backward, lines, options = OPERATIONS[name]
    scale = options[-1] if options and isinstance(options[-1], tuple) else (None, None)
    down = matrix(lines(shape[-2], size[0], scale[0]), shape[-2])
    across = matrix(lines(shape[-1], size[1], scale[1]), shape[-1])
    x, grad = numbers(shape, 0, dtype), numbers((*shape[:-2], *size), 1, dtype)
    close = {"rtol": 1e-5, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-12}
    for x_, grad_ in zip(layouts(x), layouts(grad), strict=True):
        got = forward(share(x_), size, *options)
        assert np.asarray(got).dtype == dtype
        np.testing.assert_allclose(np.asarray(got), down @ x @ across.T, **close)
        got = backward(share(grad_), shape[-2:], *options)
        np.testing.assert_allclose(np.asarray(got), down.T @ grad @ across, **close)


@pytest.mark.parametrize(("shape", "size"), SHAPES, ids=str)
def test_adaptive_maximum_and_its_place_on_every_layout(layouts, shape, size):
    x = numbers(shape, 0, "float32")
    x[..., 0, -1] = np.nan
    out, place = np.zeros((*shape[:-2], *size), "float32"), np.zeros((*shape[:-2], *size), int)
    rows, cols = adaptive(shape[-2], size[0]), adaptive(shape[-1], size[1])
    for plane in np.ndindex(shape[:-2]):
        for (i, a), (j, b) in itertools.product(enumerate(rows), enumerate(cols)):
            most = -np.inf
            for r, c in itertools.product(a, b):
                value = x[plane][r, c]
                if value > most or np.isnan(value):
                    most, out[plane][i, j], place[plane][i, j] = value, value, r * shape[-1] + c
    for x_ in layouts(x):
        got, index = ops.adaptive_max_pool2d(share(x_), size)
        np.testing.assert_array_equal(np.asarray(got), out)
        np.testing.assert_array_equal(np.asarray(index), place)


@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "dilation"),
    [((3, 2), (1, 1), (0, 0), (1, 1)), ((3, 2), (2, 1), (1, 2), (1, 1)),
     ((2, 3), (1, 2), (0, 1), (2, 3)), ((1, 1), (1, 1), (0, 0), (1, 1))],
)  # fmt: skip
def test_columns_of_patches_and_back_on_every_layout(layouts, kernel, stride, padding, dilation):
    x = numbers((2, 3, 7, 9), 0)
    padded = np.pad(x, ((0, 0), (0, 0), *((p, p) for p in padding)))
    counts = [
        (s + 2 * p - (k - 1) * d - 1) // t + 1
        for s, k, t, p, d in zip((7, 9), kernel, stride, padding, dilation, strict=True)
    ]
    columns = np.zeros((2, 3, *kernel, *counts))
    back = np.zeros_like(padded)
    grad = numbers(columns.shape, 1)
    for i, j in np.ndindex(*kernel):
        rows, cols = (
            slice(k * d, k * d + t * n, t)
            for k, d, t, n in zip((i, j), dilation, stride, counts, strict=True)
        )
        columns[:, :, i, j] = padded[:, :, rows, cols]
        back[:, :, rows, cols] += grad[:, :, i, j]
    back = back[:, :, padding[0] : padding[0] + 7, padding[1] : padding[1] + 9]
    flat, options = (2, 3 * kernel[0] * kernel[1], -1), (kernel, stride, padding, dilation)
    for x_, grad_ in zip(layouts(x), layouts(grad.reshape(flat)), strict=True):
        got = np.asarray(ops.im2col(share(x_), *options))
        np.testing.assert_array_equal(got, columns.reshape(flat))
        np.testing.assert_array_equal(np.asarray(ops.im2col(share(x_[0]), *options)), got[0])
        got = np.asarray(ops.col2im(share(grad_), (7, 9), *options))
        np.testing.assert_allclose(got, back, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16], ids=str)
def test_halves_are_computed_in_float32_and_rounded_once(dtype):
    x = ops.cast(share(numbers((2, 3, 6, 8), 0, "float32")), dtype)
    wide = ops.cast(x, cpu.float32)
    for call in (
        lambda a: ops.adaptive_avg_pool2d(a, (4, 3)),
        lambda a: ops.adaptive_max_pool2d(a, (4, 3))[0],
        lambda a: ops.upsample_bilinear2d(a, (9, 9)),
        lambda a: ops.upsample_nearest2d_backward(a, (3, 4)),
        lambda a: ops.im2col(a, 3, 1, 1, 1),
        lambda a: ops.col2im(ops.im2col(a, 2, 2, 0, 1), (6, 8), 2, 2, 0, 1),
    ):
        got = call(x)
        assert got.dtype == dtype
        assert got.tolist() == ops.cast(call(wide), dtype).tolist()


def test_no_images_of_any_size_cost_no_work():
    """What each output is made of was written down for every one, although there was none."""
    none, size = ones(0, 2, 4, 4), (2**40, 1)
    for resize in (ops.adaptive_avg_pool2d, ops.upsample_nearest2d, ops.upsample_bilinear2d):
        assert resize(none, size).shape == (0, 2, *size)
    assert [a.shape for a in ops.adaptive_max_pool2d(none, size)] == [(0, 2, *size)] * 2
    assert ops.upsample_nearest2d_backward(none, size).shape == (0, 2, *size)


@pytest.mark.parametrize("resize", [ops.upsample_nearest2d, ops.upsample_bilinear2d])
@pytest.mark.parametrize("step", [1e19, 1e30, 3e38])
def test_steps_beyond_every_integer_end_at_the_last_input(resize, step):
    x, options = share(np.arange(16.0).reshape(1, 4, 4)), {"scale": (step, step)}
    first = 0.0 if resize is ops.upsample_nearest2d else 15.0  # which begins in the middle
    got = np.asarray(resize(x, (2, 2), **options))
    assert got[0, 0, 0] == first and got[0, 1, 1] == 15.0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.adaptive_avg_pool2d(ones(4, 4), (2, 2)), RuntimeError,
         r"\[adaptive_avg_pool2d\] expected \(N, C, H, W\) or \(C, H, W\), got \(4, 4\)"),
        (lambda: ops.adaptive_avg_pool2d(ones(1, 4, 4), (2, 2, 2)), ValueError, "two integers"),
        (lambda: ops.adaptive_max_pool2d(ones(1, 0, 4), (2, 2)), RuntimeError, "cannot make 2"),
        (lambda: ops.upsample_nearest2d(ones(1, 4, 4), (0, 2)), RuntimeError, "cannot make 0"),
        (lambda: ops.upsample_bilinear2d(ones(1, 4, 4), (2, 2), False, (0.0, 1.0)), ValueError,
         "expected scale above 0, and finite in float32, got 0"),
        (lambda: ops.upsample_nearest2d(ones(1, 4, 4), (2, 2), (1.0, float("inf"))), ValueError,
         "and finite in float32, got inf"),
        (lambda: ops.upsample_nearest2d(ones(1, 4, 4, dtype=cpu.int64), (2, 2)), cpu.DTypeError,
         "got int64"),
        (lambda: ops.col2im(ones(1, 4, 4, dtype=cpu.int64), (3, 3), 2, 1, 0, 1), cpu.DTypeError,
         r"\[col2im\] expected a floating dtype, got int64"),
        (lambda: ops.adaptive_avg_pool2d(ones(1, 4, 4), (2**58, 1)), MemoryError,
         f"out of memory: asked for {2**60}"),
        (lambda: ops.adaptive_max_pool2d(ones(1, 4, 4), (2**58, 1)), MemoryError, "asked for"),
        (lambda: ops.upsample_nearest2d(ones(1, 4, 4), (1, 2**58)), MemoryError, "asked for"),
        (lambda: ops.upsample_bilinear2d_backward(ones(1, 4, 4), (1, 2**58)), MemoryError,
         "asked for"),
        (lambda: ops.im2col(ones(4, 4), 2, 1, 0, 1), RuntimeError, r"\[im2col\] expected \(N, C"),
        (lambda: ops.im2col(ones(1, 4, 4), 5, 1, 0, 1), RuntimeError, "does not fit"),
        (lambda: ops.im2col(ones(4, 1, 1), 2**31, 1, 2**30, 1), RuntimeError,
         r"\[im2col\] shape \(4, 2147483648, 2147483648\) has more than 2\^63 elements"),
        (lambda: ops.im2col(ones(1, 1, 1), 1, 1, 2**31, 1), RuntimeError,
         r"\[im2col\] shape \(4294967297, 4294967297\) has more than 2\^63 elements"),
        (lambda: ops.col2im(ones(4, 1), (1, 1), 2**32, 1, 0, 1), RuntimeError, "none above 2"),
        (lambda: ops.col2im(ones(1, 9, 4), (3, 3), 2, 1, 0, 1), RuntimeError, "KH KW = 4"),
        (lambda: ops.col2im(ones(1, 8, 5), (3, 3), 2, 1, 0, 1), RuntimeError,
         r"hold 5 patches, but an output of \(3, 3\) has 2 x 2"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
