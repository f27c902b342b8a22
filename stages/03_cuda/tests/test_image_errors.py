"""Convolution, pooling, resizing and layer_norm refuse what stage 2 refuses, in the same words."""

import pytest

import norch_cpu_ops as cpu

F32, F64, I64 = cpu.float32, cpu.float64, cpu.int64
IMAGE, WEIGHT = (1, 3, 5, 5), (4, 3, 3, 3)


def conv(o, x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, dtype=F32):
    added = None if bias is None else o.ones(bias, F32)
    options = (stride, padding, dilation, groups)
    return o.conv2d(o.ones(x, F32), o.ones(weight, dtype), added, *options)


def ones(o, *shape, dtype=F32):
    return o.ones(shape, dtype)


CASES = {
    "channels": lambda o: conv(o, IMAGE, (4, 2, 3, 3)),
    "groups": lambda o: conv(o, (1, 4, 5, 5), (3, 2, 3, 3), groups=2),
    "no groups": lambda o: conv(o, IMAGE, WEIGHT, groups=0),
    "no outputs": lambda o: conv(o, IMAGE, (0, 3, 3, 3)),
    "more groups than outputs": lambda o: conv(o, (1, 0, 8, 8), (0, 4, 3, 3), groups=2**62),
    "channels beyond integers": lambda o: o.conv2d_backward_weight(
        ones(o, 1, 1, 6, 6), ones(o, 1, 0, 8, 8), (2**62, 4, 3, 3), 1, 0, 1, 2**62
    ),
    "input too long": lambda o: o.conv2d_backward_input(
        ones(o, 1, 1, 1, 1), ones(o, 1, 1, 1, 1), (1, 1, 2**63 - 1, 1), 1, 1, 1, 1
    ),
    "dims": lambda o: conv(o, IMAGE[1:], WEIGHT),
    "kernel too large": lambda o: conv(o, (1, 3, 2, 5), WEIGHT),
    "stride": lambda o: conv(o, IMAGE, WEIGHT, stride=0),
    "padding": lambda o: conv(o, IMAGE, WEIGHT, padding=-1),
    "dilation": lambda o: conv(o, IMAGE, WEIGHT, dilation=0),
    "dilation enormous": lambda o: conv(o, IMAGE, WEIGHT, dilation=2**40),
    "three strides": lambda o: conv(o, IMAGE, WEIGHT, stride=(1, 1, 1)),
    "bias": lambda o: conv(o, IMAGE, WEIGHT, bias=(3,)),
    "dtypes": lambda o: conv(o, IMAGE, WEIGHT, dtype=F64),
    "whole numbers": lambda o: conv(o, IMAGE, WEIGHT, dtype=I64),
    "grad of input": lambda o: o.conv2d_backward_input(
        ones(o, 1, 4, 9, 9), ones(o, *WEIGHT), IMAGE, 1, 0, 1, 1
    ),
    "grad of weight": lambda o: o.conv2d_backward_weight(
        ones(o, 1, 4, 9, 9), ones(o, *IMAGE), WEIGHT, 1, 0, 1, 1
    ),
    "pool dims": lambda o: o.max_pool2d(ones(o, 4, 4), 2, 2, 0, 1),
    "pool padding": lambda o: o.max_pool2d(ones(o, 1, 4, 4), 2, 2, 2, 1),
    "pool hollow": lambda o: o.max_pool2d(ones(o, 1, 2, 9), 2, 1, 1, 3),
    "pool nothing": lambda o: o.avg_pool2d(ones(o, 1, 0, 4), 2, 1, 1),
    "pool kernel": lambda o: o.avg_pool2d(ones(o, 1, 4, 4), (1, 2, 3), 2, 0),
    "pool enormous": lambda o: o.avg_pool2d(ones(o, 1, 4, 4), 2**40, 2, 0),
    "pool whole numbers": lambda o: o.avg_pool2d(ones(o, 1, 4, 4, dtype=I64), 2, 2, 0),
    "pool grad": lambda o: o.avg_pool2d_backward(ones(o, 1, 3, 3), (1, 4, 4), 2, 2, 0),
    "pool input": lambda o: o.max_pool2d_backward(
        ones(o, 1, 2, 2), ones(o, 1, 2, 2, dtype=I64), (2, 4, 4)
    ),
    "volume dims": lambda o: o.conv3d(ones(o, *IMAGE), ones(o, *WEIGHT), None, 1, 0, 1, 1),
    "volume strides": lambda o: o.avg_pool3d(ones(o, 1, 4, 4, 4), 2, (1, 2), 0),
    "volume pool dims": lambda o: o.max_pool3d(ones(o, 4, 4, 4), 2, 2, 0, 1),
    "adaptive dims": lambda o: o.adaptive_avg_pool2d(ones(o, 4, 4), (2, 2)),
    "adaptive size": lambda o: o.adaptive_max_pool2d(ones(o, 1, 4, 4), (2, 2, 2)),
    "adaptive nothing": lambda o: o.adaptive_avg_pool2d(ones(o, 1, 0, 4), (2, 2)),
    "nearest nothing": lambda o: o.upsample_nearest2d(ones(o, 1, 4, 4), (0, 2)),
    "nearest dtype": lambda o: o.upsample_nearest2d(ones(o, 1, 4, 4, dtype=I64), (2, 2)),
    "bilinear scale": lambda o: o.upsample_bilinear2d(ones(o, 1, 4, 4), (2, 2), False, (0.0, 1.0)),
    "nearest scale": lambda o: o.upsample_nearest2d(ones(o, 1, 4, 4), (2, 2), (1.0, float("inf"))),
    "bilinear grad": lambda o: o.upsample_bilinear2d_backward(ones(o, 1, 4, 4), (2, 0)),
    "columns dims": lambda o: o.im2col(ones(o, 4, 4), 2, 1, 0, 1),
    "columns kernel": lambda o: o.im2col(ones(o, 1, 4, 4), 5, 1, 0, 1),
    "columns size": lambda o: o.col2im(ones(o, 4, 9), (4, 4, 4), 2, 1, 0, 1),
    "columns rows": lambda o: o.col2im(ones(o, 5, 9), (4, 4), 2, 1, 0, 1),
    "columns patches": lambda o: o.col2im(ones(o, 4, 8), (4, 4), 2, 1, 0, 1),
    "norm weight": lambda o: o.layer_norm(ones(o, 2, 3), ones(o, 2)),
    "norm bias": lambda o: o.layer_norm(ones(o, 2, 3), None, ones(o, 3, dtype=F64)),
    "norm whole numbers": lambda o: o.layer_norm(ones(o, 2, dtype=I64)),
    "norm rows": lambda o: o.layer_norm_backward(
        ones(o, 2, 3), ones(o, 2, 4), ones(o, 2), ones(o, 2)
    ),
    "norm dtypes": lambda o: o.layer_norm_backward(
        ones(o, 2, 3), ones(o, 2, 3), ones(o, 2), ones(o, 2, dtype=F64)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_message_is_stage_2s(ops, name):
    with pytest.raises((RuntimeError, TypeError, ValueError)) as on_cpu:
        CASES[name](cpu.ops)
    with pytest.raises(on_cpu.type) as on_device:
        CASES[name](ops)
    assert str(on_device.value) == str(on_cpu.value)


def test_a_maximum_outside_its_plane(ops):
    index = ops.full((1, 1, 1), 4, I64)
    with pytest.raises(IndexError, match=r"\[max_pool2d_backward\] index 4"):
        ops.max_pool2d_backward(ones(ops, 1, 1, 1), index, (1, 2, 2))
        ops.backend.synchronize()  # where a GPU tells what a kernel found wrong


def test_two_devices(ops):
    with pytest.raises(RuntimeError, match=r"\[conv2d\] the arrays are on two devices"):
        ops.conv2d(ones(ops, *IMAGE), cpu.ops.ones(WEIGHT, F32), None, 1, 0, 1, 1)
