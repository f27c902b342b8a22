"""Winograd's 3 x 3 and 5 x 5 convolutions against float64, and when it is left alone."""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

# x, out channels, padding, groups, size of the kernel if not 3; channels and sizes that fill
# neither vectors nor tiles.
CASES = [
    ((2, 16, 16, 16), 16, (1, 1), 1),
    ((3, 33, 14, 22), 35, (0, 1), 1),
    ((4, 32, 19, 21), 40, (2, 3), 1),  # more padding than the kernel: the way back leaves rows out
    ((1, 33, 8, 150), 35, (1, 0), 1),  # a row of tiles wider than a strip
    ((2, 90, 11, 18), 99, (1, 1), 3),
    ((9, 33, 14, 4), 34, (1, 1), 1),
    ((3, 65, 13, 22), 67, (2, 1), 1, 5),
    ((2, 130, 16, 14), 132, (2, 2), 2, 5),
    ((1, 65, 10, 150), 67, (2, 3), 1, 5),
]


@pytest.fixture
def directly():
    """Give a function that calls another one without Winograd."""

    def call(function, *arguments):
        cpu.set_winograd_enabled(False)
        try:
            return function(*arguments)
        finally:
            cpu.set_winograd_enabled(True)

    return call


def random(shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def three_passes(x, weight, bias, grad, *options):
    """Return the output and both gradients as NumPy arrays."""
    x, weight, bias, grad = map(ops.share_buffer, (x, weight, bias, grad))
    results = (
        ops.conv2d(x, weight, bias, *options),
        ops.conv2d_backward_input(grad, weight, x.shape, *options),
        ops.conv2d_backward_weight(grad, x, weight.shape, *options),
    )
    return [np.asarray(result) for result in results]


def operands(x_shape, out, padding, groups, kernel=3):
    n, c, *size = x_shape
    grad_shape = (n, out, *(s + 2 * p - kernel + 1 for s, p in zip(size, padding, strict=True)))
    return (
        random(x_shape, 0),
        random((out, c // groups, kernel, kernel), 1),
        random(out, 2),
        random(grad_shape, 3),
    )


def largest_error(got, want):
    """Return the largest error relative to the largest value."""
    return np.abs(got.astype("float64") - want).max() / np.abs(want).max()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_size_padding_and_group(instruction_set, directly, layouts, case):
    arrays, options = operands(*case), (1, case[2], 1, case[3])
    exact = three_passes(*(a.astype("float64") for a in arrays), *options)
    for variant in zip(*map(layouts, arrays), strict=True):
        for got, want in zip(three_passes(*variant, *options), exact, strict=True):
            assert largest_error(got, want) < 3e-6
    plain = directly(three_passes, *arrays, *options)
    for got, other in zip(three_passes(*arrays, *options), plain, strict=True):
        assert not np.array_equal(got, other), "it was not Winograd that was tested"


@pytest.mark.parametrize("mean", [0.0, 3.0])
@pytest.mark.parametrize(
    ("channels", "size", "out", "kernel"),
    [(64, 28, 16, 3), (512, 8, 16, 3), (2048, 8, 16, 3), (512, 28, 64, 5)],
)
def test_error_stays_below_one_in_fifty_thousand(directly, channels, size, out, kernel, mean):
    """The bound that the choice promises, up to the most channels it is made for."""
    x_shape, padding = (16 if kernel == 3 else 2, channels, size, size), kernel // 2
    x, weight, bias, grad = operands(x_shape, out, (padding, padding), 1, kernel)
    arrays = x + np.float32(mean), weight / np.float32(channels**0.5 * kernel), bias, grad
    options = 1, padding, 1, 1
    exact = three_passes(*(a.astype("float64") for a in arrays), *options)
    got = three_passes(*arrays, *options)
    assert not np.array_equal(got[0], directly(three_passes, *arrays, *options)[0])
    for one, want in zip(got, exact, strict=True):
        assert largest_error(one, want) < 2e-5


@pytest.mark.parametrize(("kernel", "channels"), [(3, 16), (5, 64)])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 1e38])
def test_values_that_would_spread_over_a_tile_are_computed_directly(
    directly, value, kernel, channels
):
    """An infinity became NaN in all sixteen outputs of its tile, and 1e38 an infinity."""
    x, weight, bias, grad = operands((2, channels, 16, 16), channels, (2, 2), 1, kernel)
    weight = np.abs(weight) / 16
    x[0, 3, 5, 6] = grad[0, 3, 5, 6] = value
    arrays = x, weight, bias, grad
    plain = directly(three_passes, *arrays, 1, 2, 1, 1)
    for got, want in zip(three_passes(*arrays, 1, 2, 1, 1), plain, strict=True):
        np.testing.assert_array_equal(got, want)
    assert np.isfinite(plain[0]).mean() > 0.9


@pytest.mark.parametrize(
    ("x_shape", "out", "options"),
    [
        ((2, 16, 16, 16), 16, (2, 1, 1, 1)),
        ((2, 16, 16, 16), 16, (1, 2, 2, 1)),
        ((2, 4, 16, 16), 16, (1, 1, 1, 1)),
        ((2, 8, 16, 16), 8, (1, 1, 1, 1)),
        ((2, 16, 16, 16), 16, (1, 1, 1, 16)),
        ((1, 16, 8, 8), 16, (1, 1, 1, 1)),
        ((8, 64, 4, 4), 64, (1, 1, 1, 1)),
        ((32, 32, 2, 2), 32, (1, 1, 1, 1)),
    ],
)
def test_where_it_does_not_pay_nothing_changes(directly, x_shape, out, options):
    x, weight = random(x_shape, 0), random((out, x_shape[1] // options[3], 3, 3), 1)
    got = ops.conv2d(ops.share_buffer(x), ops.share_buffer(weight), None, *options)
    grad = np.ones_like(np.asarray(got))
    arrays = x, weight, np.zeros(out, "float32"), grad
    for a, b in zip(
        three_passes(*arrays, *options), directly(three_passes, *arrays, *options), strict=True
    ):
        np.testing.assert_array_equal(a, b)


def test_threads_change_no_bit(thread_counts):
    arrays = operands((9, 33, 14, 14), 24, (1, 1), 1)
    results = [three_passes(*arrays, 1, 1, 1, 1) for _ in thread_counts]
    for passes in zip(*results, strict=True):
        assert len({a.tobytes() for a in passes}) == 1
