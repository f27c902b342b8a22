"""Convolution straight from the pixels, without zeros, and of each channel, against float64."""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

# x, weight, stride, padding, dilation, groups; channels and sizes that fill no vector, no tile.
DIRECT = [
    ((3, 17, 9, 14), (19, 17, 3, 3), (2, 1), (1, 0), (1, 1), 1),
    ((2, 9, 12, 13), (33, 9, 3, 3), (1, 1), (2, 1), (2, 1), 1),
    ((2, 9, 12, 13), (12, 9, 3, 3), (1, 1), (2, 4), (1, 2), 1),
    ((4, 8, 7, 9), (40, 8, 5, 2), (1, 1), (4, 3), (1, 1), 1),  # more padding than the kernel
    ((2, 3, 17, 18), (10, 3, 7, 7), (2, 3), (3, 2), (1, 1), 1),
    ((2, 24, 8, 11), (51, 8, 2, 3), (1, 1), (0, 1), (1, 1), 3),
    ((1, 64, 40, 70), (16, 64, 1, 3), (1, 1), (0, 1), (1, 1), 1),  # more rows than a strip holds
    ((2, 128, 18, 19), (34, 128, 3, 3), (1, 2), (1, 1), (1, 2), 1),
    ((3, 8, 7, 9), (8, 1, 3, 3), (1, 1), (1, 1), (1, 1), 8),
    ((2, 21, 8, 11), (21, 1, 5, 4), (2, 3), (2, 1), (1, 1), 21),
    ((2, 40, 9, 7), (40, 1, 3, 2), (1, 2), (0, 1), (2, 3), 40),
    ((1, 16, 3, 1), (16, 1, 3, 3), (4, 9), (1, 5), (1, 1), 16),  # columns that no output looks at
    ((0, 16, 9, 9), (16, 16, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    ((0, 16, 9, 9), (16, 1, 3, 3), (2, 2), (1, 1), (1, 1), 16),
]
# Few pixels, and strides on the way back.
UNPADDED = [
    ((3, 40, 4, 5), (35, 40, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((5, 70, 2, 2), (33, 70, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 9, 7, 8), (17, 9, 4, 4), (2, 2), (1, 1), (1, 1), 1),
    ((3, 10, 8, 6), (12, 10, 3, 2), (2, 3), (1, 2), (1, 1), 1),
    ((2, 9, 8, 7), (33, 9, 3, 3), (1, 2), (2, 1), (2, 1), 1),
    ((2, 11, 5, 7), (12, 11, 3, 2), (3, 3), (0, 2), (2, 3), 1),
    ((2, 200, 4, 3), (24, 200, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 33, 7, 6), (20, 33, 1, 1), (2, 3), (0, 0), (1, 1), 1),  # most pixels have no gradient
    ((2, 24, 5, 6), (51, 8, 3, 3), (2, 1), (1, 1), (1, 1), 3),
    ((2, 33, 13, 12), (34, 33, 5, 5), (1, 1), (2, 2), (1, 1), 1),
    ((2, 8, 3, 2), (9, 8, 3, 3), (1, 1), (4, 3), (1, 1), 1),  # outputs that see the padding alone
    ((0, 16, 4, 4), (16, 16, 3, 3), (2, 2), (1, 1), (1, 1), 1),
]
CASES = DIRECT + UNPADDED


def random(shape, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def operands(case):
    x_shape, weight_shape, *options = case
    x, weight = random(x_shape, 0), random(weight_shape, 1)
    out = ops.conv2d(ops.share_buffer(x), ops.share_buffer(weight), None, *options)
    return x, weight, random(weight_shape[:1], 2), random(out.shape, 3)


def three_passes(arrays, options):
    """Return the output and both gradients as NumPy arrays."""
    x, weight, bias, grad = map(ops.share_buffer, arrays)
    results = (
        ops.conv2d(x, weight, bias, *options),
        ops.conv2d_backward_input(grad, weight, x.shape, *options),
        ops.conv2d_backward_weight(grad, x, weight.shape, *options),
    )
    return [np.asarray(result) for result in results]


def by_columns(arrays, options):
    cpu.set_direct_enabled(False)
    cpu.set_winograd_enabled(False)
    try:
        return three_passes(arrays, options)
    finally:
        cpu.set_direct_enabled(True)
        cpu.set_winograd_enabled(True)


def largest_error(got, want):
    """Return the largest error relative to the largest value."""
    return np.abs(got - want).max(initial=0) / np.abs(want).max(initial=1e-30)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_size_stride_padding_and_dilation(instruction_set, layouts, case):
    arrays, options = operands(case), case[2:]
    exact = three_passes([a.astype("float64") for a in arrays], options)
    for variant in zip(*map(layouts, arrays), strict=True):
        for got, want in zip(three_passes(variant, options), exact, strict=True):
            assert largest_error(got, want) <= (1e-6 if case in UNPADDED else 2e-6)


@pytest.mark.parametrize("case", [c for c in CASES if c[0][0] > 1 or c in UNPADDED[:-1]], ids=str)
def test_it_is_the_path_that_was_tested(case):
    arrays = operands(case)
    got, plain = three_passes(arrays, case[2:]), by_columns(arrays, case[2:])
    assert not all(np.array_equal(a, b) for a, b in zip(got, plain, strict=True))


@pytest.mark.parametrize("channels", [64, 512])
def test_long_sums_err_no_more_than_short_ones(channels):
    """One sum of 4608 products was off by 1.8e-6; sums of 64 that are added up are not."""
    options = ((1, 1), (1, 1), (1, 1), 1)
    arrays = operands(((8, channels, 4, 4), (32, channels, 3, 3), *options))
    exact = three_passes([a.astype("float64") for a in arrays], options)
    for got, want in zip(three_passes(arrays, options), exact, strict=True):
        assert largest_error(got, want) <= 5e-7


@pytest.mark.parametrize(
    ("size", "options"), [(9, ((1, 1), (1, 1), (2, 2), 1)), (6, ((2, 2), (1, 1), (1, 1), 1))]
)
def test_non_finite_numbers_stay_where_they_belong(size, options):
    x, weight, _, grad = arrays = operands(((2, 16, size, size), (16, 16, 3, 3), *options))
    x[0, 3, 4, 4] = grad[0, 3, 1, 2] = np.inf
    weight[2] = np.abs(weight[2])
    for got, want in zip(three_passes(arrays, options), by_columns(arrays, options), strict=True):
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))


@pytest.mark.parametrize(
    "case", [DIRECT[0], DIRECT[9], UNPADDED[0], UNPADDED[2], UNPADDED[8]], ids=str
)
def test_threads_change_no_bit(thread_counts, case):
    arrays = operands(case)
    results = [three_passes(arrays, case[2:]) for _ in thread_counts]
    for passes in zip(*results, strict=True):
        assert len({a.tobytes() for a in passes}) == 1
