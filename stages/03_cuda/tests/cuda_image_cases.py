"""Cases of convolution, pooling and layer_norm: small, heights and widths different on purpose."""

import numpy as np
from cuda_comparison import place

import norch_cpu_ops as cpu
from norch_cpu_ops import float16 as F16

WHOLE_IMAGE = np.arange(2 * 7 * 6).reshape(2, 7, 6) * 37 % 101

# x, weight, stride, padding, dilation, groups
CONVOLUTIONS = [
    ((2, 3, 5, 6), (4, 3, 3, 2), (1, 1), (0, 0), (1, 1), 1),
    ((2, 3, 5, 7), (4, 3, 3, 2), (2, 3), (1, 2), (1, 1), 1),
    ((1, 2, 9, 8), (2, 2, 3, 2), (3, 1), (0, 1), (2, 3), 1),
    ((3, 4, 4, 5), (6, 2, 3, 3), (1, 2), (1, 0), (1, 1), 2),
    ((2, 4, 5, 4), (8, 1, 3, 3), (2, 1), (1, 1), (1, 1), 4),
    ((2, 3, 4, 5), (2, 3, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    ((0, 3, 5, 5), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1), 1),
]
# x, kernel, stride, padding
MEANS = [
    ((2, 3, 6, 8), (2, 2), (2, 2), (0, 0)),
    ((2, 2, 7, 9), (3, 2), (2, 1), (1, 1)),
    ((2, 5, 7), (2, 3), (3, 3), (1, 1)),
    ((1, 4, 4), (4, 4), (4, 4), (0, 0)),
    ((1, 6, 7), (2, 2), (3, 4), (0, 0)),  # places under no window
]
# x, weight, stride, padding, dilation, groups
VOLUMES = [
    ((2, 2, 4, 5, 3), (3, 2, 2, 3, 2), (1, 1, 1), (0, 0, 0), (1, 1, 1), 1),
    ((1, 4, 5, 4, 6), (4, 2, 2, 2, 3), (2, 1, 2), (1, 0, 1), (2, 1, 1), 2),
    ((2, 2, 3, 4, 4), (2, 1, 3, 1, 2), (1, 2, 1), (1, 1, 0), (1, 1, 2), 2),
]
# x, kernel, stride, padding
MEANS_3D = [
    ((2, 2, 4, 5, 6), (2, 3, 2), (2, 2, 2), (1, 1, 0)),
    ((2, 3, 4, 5), (2, 2, 3), (1, 2, 2), (0, 0, 1)),
]
MAXIMA = [(*case, (1, 1)) for case in MEANS] + [
    ((1, 2, 9, 8), (2, 3), (2, 2), (1, 1), (2, 3)),
    ((0, 3, 4, 4), (2, 2), (2, 2), (0, 0), (1, 1)),
]
ROWS = [(5,), (3, 1), (4, 7), (2, 3, 40), (0, 4), (3, 0), (3, 300), (600, 35)]


def drawn(o, shape, seed, dtype="float32"):
    """Random values in an awkward layout."""
    return place(o, np.random.default_rng(seed).normal(size=shape).astype(dtype))


def conv(o, x_shape, weight_shape, *options, bias=True, dtype="float32"):
    """Two- or three-dimensional, as the shapes say."""
    x, weight = drawn(o, x_shape, 0, dtype), drawn(o, weight_shape, 1, dtype)
    forward = o.conv2d if len(x_shape) == 4 else o.conv3d
    return forward(x, weight, drawn(o, weight_shape[:1], 2, dtype) if bias else None, *options)


def conv_gradient(o, name, x_shape, weight_shape, *options):
    """The gradient `name` of a convolution of these shapes."""
    grad = drawn(o, conv(o, x_shape, weight_shape, *options).shape, 3)
    backward = getattr(o, f"conv{len(x_shape) - 2}d_backward_{name}")
    if name == "input":
        return backward(grad, drawn(o, weight_shape, 1), x_shape, *options)
    return backward(grad, drawn(o, x_shape, 0), weight_shape, *options)


def max_gradient(o, shape, *options):
    x = drawn(o, shape, 0)
    _, index = o.max_pool2d(x, *options)
    return o.max_pool2d_backward(drawn(o, index.shape, 1), index, shape)


def mean_gradient(o, shape, *options):
    grad = drawn(o, o.avg_pool2d(drawn(o, shape, 0), *options).shape, 1)
    return o.avg_pool2d_backward(grad, shape, *options)


def max_gradient_3d(o, shape, *options):
    _, index = o.max_pool3d(drawn(o, shape, 0), *options)
    return o.max_pool3d_backward(drawn(o, index.shape, 1), index, shape)


def mean_gradient_3d(o, shape, *options):
    grad = drawn(o, o.avg_pool3d(drawn(o, shape, 0), *options).shape, 1)
    return o.avg_pool3d_backward(grad, shape, *options)


def halved(o, name, shape, *options):
    """A pooling of float16."""
    return getattr(o, name)(o.cast(drawn(o, shape, 0), F16), *options)


def special(o):
    """Ties, a NaN, and nothing but -inf: three planes of (2, 2)."""
    nan, inf = float("nan"), float("inf")
    return place(o, np.float32([[[1, 1], [1, 1]], [[5, nan], [9, 2]], [[-inf, -inf]] * 2]))


def norm(o, shape, weight, bias, eps=1e-2, dtype="float32"):
    scale, shift = (drawn(o, shape[-1:], seed, dtype) for seed in (1, 2))
    return o.layer_norm(
        drawn(o, shape, 0, dtype), scale if weight else None, shift if bias else None, eps
    )


def norm_gradients(o, shape, weight):
    x, grad, scale = drawn(o, shape, 0), drawn(o, shape, 3), drawn(o, shape[-1:], 1)
    _, mean, rstd = o.layer_norm(x, scale, None, 1e-2)
    return o.layer_norm_backward(grad, x, mean, rstd, scale if weight else None)


# What follows max_pool2d's x, and avg_pool2d's.
MORE_MAXIMA = [(*case, ceil_mode) for case in MAXIMA for ceil_mode in (False, True)]
MORE_MEANS = [
    (*case, *more)
    for case in MEANS
    for more in [(), (False,), (True, True), (False, True), (True, True, 5)]
]
# Image, size to bring it to, scale.
RESIZED = [
    ((2, 3, 4, 5), (7, 8), None),
    ((1, 2, 6, 9), (3, 4), None),
    ((2, 3, 4), (6, 8), (0.5, 0.5)),
    ((2, 1, 5), (1, 11), (0.7, 0.45)),
    ((1, 5, 4), (5, 1), None),
]
# Image, kernel, stride, padding, dilation.
CUT = [
    ((2, 3, 5, 6), (2, 3), (1, 1), (0, 0), (1, 1)),
    ((1, 2, 6, 5), (3, 2), (2, 1), (1, 1), (1, 2)),
    ((0, 2, 4, 4), (2, 2), (2, 2), (0, 0), (1, 1)),
    ((2, 4, 5), (2, 2), (1, 1), (0, 1), (1, 1)),
]


def back(o, forward, shape, size, *more):
    """The gradient of an image that was brought to this size."""
    out = getattr(o, forward)(drawn(o, shape, 0), size, *more)
    return getattr(o, f"{forward}_backward")(drawn(o, out.shape, 1), shape[-2:], *more)


def added_up(o, shape, *options):
    columns = drawn(o, o.im2col(drawn(o, shape, 0), *options).shape, 1)
    return o.col2im(columns, shape[-2:], *options)


CASES = {
    "conv2d": [
        *(lambda o, x, case=case: conv(o, *case) for case in CONVOLUTIONS),
        lambda o, x: conv(o, *CONVOLUTIONS[1], bias=False),
        lambda o, x: conv(o, *CONVOLUTIONS[3], dtype="float64"),
        lambda o, x: conv(o, (1, 2, 7, 7), (3, 2, 3, 3), 2, 1, 1, 1),
        lambda o, x: o.conv2d(*(o.cast(drawn(o, s, 0), F16) for s in [(1, 2, 5, 5), (3, 2, 3, 3)]),
                              None, 1, 0, 1, 1),
    ],
    "conv2d_backward_input": [
        lambda o, x, case=case: conv_gradient(o, "input", *case) for case in CONVOLUTIONS
    ],
    "conv2d_backward_weight": [
        lambda o, x, case=case: conv_gradient(o, "weight", *case) for case in CONVOLUTIONS
    ],
    "conv3d": [
        *(lambda o, x, case=case: conv(o, *case) for case in VOLUMES),
        lambda o, x: conv(o, *VOLUMES[0], bias=False, dtype="float64"),
    ],
    "conv3d_backward_input": [
        lambda o, x, case=case: conv_gradient(o, "input", *case) for case in VOLUMES
    ],
    "conv3d_backward_weight": [
        lambda o, x, case=case: conv_gradient(o, "weight", *case) for case in VOLUMES
    ],
    "max_pool3d": [
        *(lambda o, x, c=c, m=m: o.max_pool3d(drawn(o, c[0], 0), *c[1:], (1, 1, 1), m)
          for c in MEANS_3D for m in (False, True)),
        lambda o, x: o.max_pool3d(drawn(o, (1, 5, 6, 5), 0), 2, 1, 0, (2, 1, 3)),
        lambda o, x: halved(o, "max_pool3d", (1, 4, 4, 4), 2, 2, 0, 1),
    ],
    "max_pool3d_backward": [
        lambda o, x, c=c, m=m: max_gradient_3d(o, *c, (1, 1, 1), m)
        for c in MEANS_3D for m in (False, True)
    ],
    "avg_pool3d": [
        *(lambda o, x, c=c, m=m: o.avg_pool3d(drawn(o, c[0], 0), *c[1:], *m)
          for c in MEANS_3D for m in [(), (False, True), (True, True, 5)]),
        lambda o, x: halved(o, "avg_pool3d", (1, 4, 4, 4), 2, 2, 0),
    ],
    "avg_pool3d_backward": [
        lambda o, x, c=c, m=m: mean_gradient_3d(o, *c, *m)
        for c in MEANS_3D for m in [(), (False, True), (True, True, 5)]
    ],
    "max_pool2d": [
        *(lambda o, x, case=case: o.max_pool2d(drawn(o, case[0], 0), *case[1:])
          for case in MORE_MAXIMA),
        lambda o, x: o.max_pool2d(special(o), 2, 2, 0, 1),
        lambda o, x: o.max_pool2d(drawn(o, (1, 2, 5), 0), (3, 2), (2, 2), 0, 1, True),
        lambda o, x: o.max_pool2d(drawn(o, (2, 4, 4), 0, "float64"), 2, 2, 0, 1),
        *(lambda o, x, t=t: o.max_pool2d(place(o, WHOLE_IMAGE, t), 3, 2, 1, 1)
          for t in (cpu.int64, cpu.int32, cpu.uint8)),
    ],
    "max_pool2d_backward": [lambda o, x, case=case: max_gradient(o, *case) for case in MORE_MAXIMA],
    "avg_pool2d": [
        lambda o, x, case=case: o.avg_pool2d(drawn(o, case[0], 0), *case[1:])
        for case in MORE_MEANS
    ],
    "avg_pool2d_backward": [lambda o, x, case=case: mean_gradient(o, *case) for case in MORE_MEANS],
    "adaptive_avg_pool2d": [
        *(lambda o, x, s=s, n=n: o.adaptive_avg_pool2d(drawn(o, s, 0), n) for s, n, _ in RESIZED),
        lambda o, x: o.adaptive_avg_pool2d(drawn(o, (2, 3, 4), 0), (0, 2)),
    ],
    "adaptive_avg_pool2d_backward": [
        lambda o, x, s=s, n=n: back(o, "adaptive_avg_pool2d", s, n) for s, n, _ in RESIZED
    ],
    "adaptive_max_pool2d": [
        *(lambda o, x, s=s, n=n: o.adaptive_max_pool2d(drawn(o, s, 0), n) for s, n, _ in RESIZED),
        lambda o, x: o.adaptive_max_pool2d(special(o), (1, 1)),
    ],
    "upsample_nearest2d": [
        *(lambda o, x, c=c: o.upsample_nearest2d(drawn(o, c[0], 0), *c[1:]) for c in RESIZED),
        lambda o, x: o.upsample_nearest2d(special(o), (4, 3)),
    ],
    "upsample_nearest2d_backward": [
        lambda o, x, c=c: back(o, "upsample_nearest2d", *c) for c in RESIZED
    ],
    "upsample_bilinear2d": [
        *(lambda o, x, s=s, n=n, z=z, a=a: o.upsample_bilinear2d(drawn(o, s, 0), n, a, z)
          for s, n, z in RESIZED for a in (False, True)),
        lambda o, x: halved(o, "upsample_bilinear2d", (1, 3, 3), (4, 5)),
    ],
    "upsample_bilinear2d_backward": [
        lambda o, x, s=s, n=n, z=z, a=a: back(o, "upsample_bilinear2d", s, n, a, z)
        for s, n, z in RESIZED for a in (False, True)
    ],
    "im2col": [lambda o, x, c=c: o.im2col(drawn(o, c[0], 0), *c[1:]) for c in CUT],
    "col2im": [lambda o, x, c=c: added_up(o, *c) for c in CUT],
    "layer_norm": [
        *(lambda o, x, s=s: norm(o, s, True, True) for s in ROWS),
        lambda o, x: norm(o, (4, 7), False, True),
        lambda o, x: norm(o, (4, 7), True, False),
        lambda o, x: norm(o, (4, 7), False, False, dtype="float64"),
    ],
    "layer_norm_backward": [
        lambda o, x, s=s, w=w: norm_gradients(o, s, w) for s in ROWS for w in (True, False)
    ],
}  # fmt: skip
