"""conv2d and its gradients against sums over shifted images in float64."""

import subprocess
import sys

import numpy as np
import pytest
from slow_windows import convolution
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
# x, weight, stride, padding, dilation, groups; heights and widths differ on purpose.
CASES = [
    ((2, 3, 7, 9), (4, 3, 3, 3), (1, 1), (0, 0), (1, 1), 1),
    ((2, 3, 7, 9), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 3, 7, 9), (4, 3, 3, 2), (2, 3), (1, 2), (1, 1), 1),
    ((1, 2, 9, 8), (2, 2, 3, 2), (1, 1), (0, 1), (2, 3), 1),
    ((2, 3, 11, 10), (4, 3, 5, 3), (3, 2), (2, 1), (2, 1), 1),
    ((3, 4, 6, 5), (6, 2, 3, 3), (1, 1), (1, 0), (1, 1), 2),
    ((2, 4, 6, 5), (8, 1, 3, 3), (2, 1), (1, 1), (1, 1), 4),
    ((2, 5, 4, 6), (3, 5, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 4, 4, 6), (4, 2, 1, 1), (1, 1), (0, 0), (1, 1), 2),
    ((2, 5, 5, 6), (3, 5, 1, 1), (2, 2), (0, 0), (1, 1), 1),
    ((2, 1, 3, 4), (2, 1, 3, 4), (1, 1), (0, 0), (1, 1), 1),
    ((1, 1, 2, 2), (1, 1, 3, 3), (1, 1), (3, 3), (1, 1), 1),
    ((0, 3, 5, 5), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((20, 3, 8, 8), (16, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
]


def numbers(shape, dtype, seed):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_conv2d_and_gradients_on_every_layout(layouts, dtype, case):
    x_shape, weight_shape, *options = case
    x, weight = numbers(x_shape, dtype, 0), numbers(weight_shape, dtype, 1)
    bias = numbers(weight_shape[:1], dtype, 2)
    grad = numbers(convolution(x, weight, None, *options)[0].shape, dtype, 3)
    out, dx, dweight = convolution(x, weight, grad, *options)
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype == "float32" else {"rtol": 1e-11, "atol": 1e-11}
    for x_, weight_, bias_, grad_ in zip(*map(layouts, (x, weight, bias, grad)), strict=True):
        a, w, b, g = map(share, (x_, weight_, bias_, grad_))
        with_bias = np.asarray(ops.conv2d(a, w, b, *options))
        np.testing.assert_allclose(with_bias, out + bias[:, None, None], **close)
        no_bias = np.asarray(ops.conv2d(a, w, None, *options))
        np.testing.assert_allclose(no_bias, out, **close)
        got = ops.conv2d_backward_input(g, w, x_shape, *options)
        np.testing.assert_allclose(np.asarray(got), dx, **close)
        got = ops.conv2d_backward_weight(g, a, weight_shape, *options)
        np.testing.assert_allclose(np.asarray(got), dweight, **close)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("case", [
    ((2, 3, 7, 9), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    ((2, 3, 7, 9), (4, 3, 3, 2), (2, 3), (1, 2), (1, 1), 1),
    ((1, 2, 9, 8), (2, 2, 3, 2), (1, 1), (0, 1), (2, 3), 1),
    ((3, 4, 6, 5), (6, 2, 3, 3), (1, 1), (1, 0), (1, 1), 2),
    ((2, 5, 4, 6), (3, 5, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((2, 9, 6, 7), (9, 1, 3, 3), (2, 1), (1, 1), (1, 1), 9),
    ((2, 9, 12, 11), (8, 9, 5, 5), (1, 1), (2, 2), (1, 1), 1),
], ids=str)  # fmt: skip
def test_what_is_not_finite_reaches_only_what_looks_at_it(case, value, dtype):
    x_shape, weight_shape, *options = case
    x, weight = numbers(x_shape, dtype, 0), numbers(weight_shape, dtype, 1)
    bias, close = numbers(weight_shape[:1], dtype, 2), {"rtol": 1e-4, "atol": 1e-4}
    grad = numbers(convolution(x, weight, None, *options)[0].shape, dtype, 3)
    for odd in (x, grad):
        finite = odd[0, 0, 2, 1]
        odd[0, 0, 2, 1] = value
        with np.errstate(invalid="ignore"):
            out, dx, dweight = convolution(x, weight, grad, *options)
        a, w, g = map(share, (x, weight, grad))
        got = (ops.conv2d(a, w, share(bias), *options),
               ops.conv2d_backward_input(g, w, x_shape, *options),
               ops.conv2d_backward_weight(g, a, weight_shape, *options))  # fmt: skip
        for array, want in zip(got, (out + bias[:, None, None], dx, dweight), strict=True):
            np.testing.assert_allclose(np.asarray(array), want, **close)
        odd[0, 0, 2, 1] = finite


def test_one_integer_counts_for_both_directions():
    x, weight = (
        share(numbers((1, 2, 7, 7), "float32", 0)),
        share(numbers((3, 2, 3, 3), "float32", 1)),
    )
    one = ops.conv2d(x, weight, None, 2, 1, 1, 1)
    two = ops.conv2d(x, weight, None, (2, 2), (1, 1), (1, 1), 1)
    np.testing.assert_array_equal(np.asarray(one), np.asarray(two))


def conv(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return ops.conv2d(x, weight, bias, stride, padding, dilation, groups)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: conv(ones(1, 3, 5, 5), ones(4, 2, 3, 3)), RuntimeError,
         r"\[conv2d\] x \(1, 3, 5, 5\) has 3 channels, but weight \(4, 2, 3, 3\) .* expects 2"),
        (lambda: conv(ones(3, 5, 5), ones(4, 3, 3, 3)), RuntimeError, r"expected x \(N, C, H, W\)"),
        (lambda: conv(ones(1, 3, 2, 5), ones(4, 3, 3, 3)), RuntimeError,
         "reaches over 3 does not fit into an input of 2"),
        (lambda: conv(ones(1, 4, 5, 5), ones(3, 2, 3, 3), groups=2), RuntimeError, "divisible"),
        (lambda: conv(ones(1, 3, 5, 5), ones(4, 3, 3, 3), stride=0), RuntimeError, "stride 0"),
        (lambda: conv(ones(1, 3, 5, 5), ones(4, 3, 3, 3), padding=-1), RuntimeError, "padding -1"),
        (lambda: conv(ones(1, 3, 5, 5), ones(4, 3, 3, 3), stride=(1, 1, 1)), RuntimeError,
         "stride as one or two integers, got 3"),
        (lambda: conv(ones(1, 3, 5, 5), ones(4, 3, 3, 3), ones(3)), RuntimeError, r"bias \(3,\)"),
        (lambda: conv(ones(1, 3, 5, 5), ones(4, 3, 3, 3, dtype=cpu.float64)), RuntimeError,
         "float32 and float64 differ"),
        (lambda: conv(ones(1, 0, 8, 8), ones(0, 4, 3, 3), groups=2**62), RuntimeError,
         r"weight \(0, 4, 3, 3\) has 0 outputs: expected groups of at least 1 .* got groups 46116"),
        (lambda: conv(ones(1, 0, 8, 8), ones(0, 0, 3, 3), groups=2**62), RuntimeError, "0 outputs"),
        (lambda: conv(ones(1, 2, 5, 5), ones(0, 2, 3, 3)), RuntimeError, "at least one output"),
        (lambda: conv(ones(1, 2, 5, 5), ones(2, 2, 3, 3), groups=0), RuntimeError, "got groups 0"),
        (lambda: ops.conv2d_backward_input(ones(1, 0, 6, 6), ones(0, 4, 3, 3), (1, 0, 8, 8),
                                            1, 0, 1, 2**62), RuntimeError, "has 0 outputs"),
        (lambda: ops.conv2d_backward_weight(ones(1, 1, 6, 6), ones(1, 0, 8, 8),
                                             (2**62, 4, 3, 3), 1, 0, 1, 2**62), RuntimeError,
         r"\[conv2d_backward_weight\] .* expects 2\^63 or more and outputs divisible"),
        (lambda: ops.conv2d_backward_input(ones(1, 1, 1, 1), ones(1, 1, 1, 1),
                                            (1, 1, 2**63 - 1, 1), 1, 1, 1, 1), RuntimeError,
         "an input of 9223372036854775807 is too long: expected at most 2"),
        (lambda: ops.conv2d_backward_input(ones(1, 4, 9, 9), ones(4, 3, 3, 3), (1, 3, 5, 5),
                                            1, 0, 1, 1), RuntimeError,
         r"expected grad of shape \(1, 4, 3, 3\), got \(1, 4, 9, 9\)"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("padding", "dilation", "stride"),
    [(2**30 - 1, 2**31 - 1, 1), (29999, 59999, 1), (2**30 - 1, 1, 2**31)],
)
@pytest.mark.parametrize("channels", [1, 8], ids=["depthwise", "direct"])
def test_padding_that_no_memory_holds_is_not_stored(channels, padding, dilation, stride):
    """The padded plane was allocated, and where its size overflowed, written beyond."""
    x, weight = ones(64, 8, 2, 2), ones(8, channels, 2, 2)
    options = (stride, padding, dilation, 8 // channels)
    out = ops.conv2d(x, weight, None, *options)
    assert np.asarray(out).tolist() == np.zeros((64, 8, 1, 1)).tolist()
    grad = ones(*out.shape)
    assert not np.asarray(ops.conv2d_backward_input(grad, weight, x.shape, *options)).any()
    assert not np.asarray(ops.conv2d_backward_weight(grad, x, weight.shape, *options)).any()


def test_a_program_that_only_convolves_finds_openblas():
    """It was looked up by matrix products alone, so a convolution ran on our own kernel."""
    program = (
        "import sys; import norch_cpu_ops as cpu\n"
        "ones = lambda *shape: cpu.ops.ones(shape, cpu.float32)\n"
        "assert 'norch_cpu_ops.openblas' not in sys.modules\n"
        "cpu.ops.conv2d(ones(1, 8, 16, 16), ones(8, 8, 3, 3), None, (1, 1), (0, 0), (1, 1), 1)\n"
        "assert 'norch_cpu_ops.openblas' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=600)
