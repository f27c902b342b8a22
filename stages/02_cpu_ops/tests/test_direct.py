"""Convolution straight from the pixels, and of each channel for itself, against float64."""

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

# x, weight, stride, padding, dilation, groups; channels and sizes that fill no vector, no tile.
CASES = [
    ((3, 17, 9, 14), (19, 17, 3, 3), (2, 1), (1, 0), (1, 1), 1),
    ((2, 9, 12, 13), (33, 9, 3, 3), (1, 1), (2, 1), (2, 1), 1),
    ((2, 9, 12, 13), (12, 9, 3, 3), (1, 1), (2, 4), (1, 2), 1),
    (
        (4, 8, 7, 9),
        (40, 8, 5, 2),
        (1, 1),
        (4, 3),
        (1, 1),
        1,
    ),  # more padding than the kernel reaches
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


@pytest.fixture(params=["baseline", "avx2", "avx512"])
def instruction_set(request):
    before = cpu.instruction_set()
    try:
        cpu.set_instruction_set(request.param)
    except ValueError as refusal:
        pytest.skip(str(refusal))
    yield
    cpu.set_instruction_set(before)


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


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_size_stride_padding_and_dilation(instruction_set, layouts, case):
    arrays, options = operands(case), case[2:]
    exact = three_passes([a.astype("float64") for a in arrays], options)
    for variant in zip(*map(layouts, arrays), strict=True):
        for got, want in zip(three_passes(variant, options), exact, strict=True):
            most = np.abs(want).max(initial=1e-30)
            assert np.abs(got - want).max(initial=0) <= 2e-6 * most


@pytest.mark.parametrize("case", [c for c in CASES if c[0][0] > 1], ids=str)
def test_it_is_the_path_that_was_tested(case):
    arrays = operands(case)
    got, plain = three_passes(arrays, case[2:]), by_columns(arrays, case[2:])
    assert not all(np.array_equal(a, b) for a, b in zip(got, plain, strict=True))


def test_non_finite_numbers_stay_where_they_belong():
    x, weight, _, _ = arrays = operands(((2, 16, 9, 9), (16, 16, 3, 3), (1, 1), (1, 1), (2, 2), 1))
    x[0, 3, 4, 4] = np.inf
    weight[2] = np.abs(weight[2])
    for got, want in zip(
        three_passes(arrays, (1, 1, 2, 1)), by_columns(arrays, (1, 1, 2, 1)), strict=True
    ):
        np.testing.assert_array_equal(np.isfinite(got), np.isfinite(want))
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))


@pytest.mark.parametrize("case", [CASES[0], CASES[9]], ids=str)
def test_threads_change_no_bit(case):
    arrays, before, results = operands(case), cpu.get_num_threads(), []
    try:
        for threads in (1, 4):
            cpu.set_num_threads(threads)
            results.append(three_passes(arrays, case[2:]))
    finally:
        cpu.set_num_threads(before)
    for one, four in zip(*results, strict=True):
        np.testing.assert_array_equal(one, four)
