"""Every family on arrays whose values repeat: broadcast operands (stride 0) change no result."""

import numpy as np
import pytest

from norch_cpu_ops import ops

share = ops.share_buffer
WINDOW = ((2, 2), (1, 2), (1, 0), (1, 1))  # kernel or stride, stride, padding, dilation
PLAIN = ((1, 1), (1, 1), (1, 1))  # stride, padding, dilation
MAPS, WEIGHTS, UP = (2, 16, 10, 9), (16, 16, 3, 3), (2, 16, 10, 9)


def places(*shape):
    """Return an index that differs along the first dim and has stride 0 along the others."""
    first = np.array([3, 0, 3, 1])[: shape[0]]
    return share(np.broadcast_to(first.reshape(-1, *[1] * (len(shape) - 1)), shape))


def layer_norm_backward(grad, x, weight):
    _, mean, rstd = ops.layer_norm(x, weight, None, 1e-2)
    return ops.layer_norm_backward(grad, x, mean, rstd, weight)


def rms_norm_backward(grad, x, weight):
    return ops.rms_norm_backward(grad, x, ops.rms_norm(x, weight, 1e-2)[1], weight)


def batch_norm_backward(grad, x, weight):
    _, mean, var, *_ = ops.batch_norm(x, weight, None, 1e-2)
    return ops.batch_norm_backward(grad, x, mean, var, weight, 1e-2)


def group_norm_backward(grad, x, weight):
    _, mean, rstd = ops.group_norm(x, 4, weight, None, 1e-2)
    return ops.group_norm_backward(grad, x, mean, rstd, 4, weight)


def attention_backward(grad, q, k, v):
    out = ops.scaled_dot_product_attention(q, k, v)
    return ops.scaled_dot_product_attention_backward(grad, q, k, v, *out)


def lstm_layer_backward(grad, h, c, *inputs):
    layer = ops.lstm_layer(*inputs)
    return ops.lstm_layer_backward(grad, h, c, *inputs[:5], *layer)


LAYER = ((3, 5, 6), (5, 7), (5, 7), (28, 6), (28, 7), (28,), (28,))
# name: the call and the shapes of its operands
CASES = {
    "matmul": (ops.matmul, (3, 8, 9), (3, 9, 7)),
    "linear": (ops.linear, (4, 5, 9), (7, 9), (7,)),
    "conv2d": (lambda *a: ops.conv2d(*a, *PLAIN, 1), (2, 3, 7, 9), (4, 3, 3, 3), (4,)),
    "conv2d of many channels": (lambda *a: ops.conv2d(*a, *PLAIN, 1), MAPS, WEIGHTS, (16,)),
    "conv2d of every channel": (lambda *a: ops.conv2d(*a, *PLAIN, 16), MAPS, (16, 1, 3, 3), (16,)),
    "conv2d 1x1": (lambda x, w: ops.conv2d(x, w, None, 1, 0, 1, 1), MAPS, (5, 16, 1, 1)),
    "conv2d dx": (lambda g, w: ops.conv2d_backward_input(g, w, MAPS, *PLAIN, 1), UP, WEIGHTS),
    "conv2d dw": (lambda g, x: ops.conv2d_backward_weight(g, x, WEIGHTS, *PLAIN, 1), UP, MAPS),
    "conv3d": (lambda *a: ops.conv3d(*a, 1, 1, 1, 1), (2, 3, 4, 5, 6), (4, 3, 2, 3, 2), (4,)),
    "max_pool2d": (lambda x: ops.max_pool2d(x, *WINDOW), (2, 3, 7, 8)),
    "avg_pool2d": (lambda x: ops.avg_pool2d(x, *WINDOW[:3]), (2, 3, 7, 8)),
    "max_pool3d": (lambda x: ops.max_pool3d(x, 2, 1, 0, 1), (2, 3, 4, 5, 6)),
    "avg_pool3d": (lambda x: ops.avg_pool3d(x, 2, 1, 0), (2, 3, 4, 5, 6)),
    "avg_pool2d back": (lambda g: ops.avg_pool2d_backward(g, (2, 3, 7, 8), 2, 2, 0), (2, 3, 3, 4)),
    "adaptive_max_pool2d": (lambda x: ops.adaptive_max_pool2d(x, (3, 2)), (2, 3, 7, 8)),
    "adaptive_avg_pool2d": (lambda x: ops.adaptive_avg_pool2d(x, (3, 2)), (2, 3, 7, 8)),
    "upsample_bilinear2d": (lambda x: ops.upsample_bilinear2d(x, (9, 11)), (2, 3, 7, 8)),
    "upsample_nearest2d": (lambda x: ops.upsample_nearest2d(x, (9, 11)), (2, 3, 7, 8)),
    "im2col": (lambda x: ops.im2col(x, 3, 1, 1, 1), (2, 3, 5, 6)),
    "col2im": (lambda x: ops.col2im(x, (5, 6), 3, 1, 1, 1), (2, 27, 30)),
    "layer_norm": (lambda *a: ops.layer_norm(*a, 1e-2), (3, 5, 33), (33,), (33,)),
    "layer_norm back": (layer_norm_backward, (3, 5, 33), (3, 5, 33), (33,)),
    "rms_norm": (lambda *a: ops.rms_norm(*a, 1e-2), (3, 5, 33), (33,)),
    "rms_norm back": (rms_norm_backward, (3, 5, 33), (3, 5, 33), (33,)),
    "batch_norm": (lambda *a: ops.batch_norm(*a, 1e-2), (3, 8, 5, 7), (8,), (8,)),
    "batch_norm back": (batch_norm_backward, (3, 8, 5, 7), (3, 8, 5, 7), (8,)),
    "group_norm": (lambda x, *a: ops.group_norm(x, 4, *a, 1e-2), (3, 8, 5, 7), (8,), (8,)),
    "group_norm back": (group_norm_backward, (3, 8, 5, 7), (3, 8, 5, 7), (8,)),
    "softmax": (lambda x: [ops.softmax(x, d) for d in range(3)], (4, 5, 35)),
    "log_softmax": (lambda x: [ops.log_softmax(x, d) for d in range(3)], (4, 5, 35)),
    "softmax back": (lambda g, y: [ops.softmax_backward(g, y, d) for d in range(3)],
                     (4, 5, 35), (4, 5, 35)),
    "logsumexp": (lambda x: [ops.logsumexp(x, d) for d in range(3)], (4, 5, 35)),
    "attention": (ops.scaled_dot_product_attention, (2, 9, 8), (2, 7, 8), (2, 7, 5), (2, 9, 7)),
    "attention back": (attention_backward, (2, 9, 5), (2, 9, 8), (2, 7, 8), (2, 7, 5)),
    "lstm_cell": (ops.lstm_cell, (5, 28), (5, 7)),
    "gru_cell": (ops.gru_cell, (5, 21), (5, 21), (5, 7)),
    "lstm_layer": (ops.lstm_layer, *LAYER),
    "lstm_layer back": (lstm_layer_backward, (3, 5, 7), (5, 7), (5, 7), *LAYER),
    "sort": (lambda x: [p for d in range(3) for p in ops.sort(x, d)], (4, 5, 6)),
    "topk": (lambda x: [p for d in range(3) for p in ops.topk(x, 2, d)], (4, 5, 6)),
    "median": (lambda x: [p for d in range(3) for p in ops.median(x, d)], (4, 5, 6)),
    "unique": (ops.unique, (4, 5, 6)),
    "searchsorted": (lambda x, y: ops.searchsorted(ops.sort(x, -1)[0], y), (40,), (4, 5, 6)),
    "cumsum": (lambda x: [ops.cumsum(x, d) for d in range(3)], (4, 5, 6)),
    "cummax": (lambda x: [p for d in range(3) for p in ops.cummax(x, d)], (4, 5, 6)),
    "index_select": (lambda x: ops.index_select(x, 1, places(4)), (4, 5, 6)),
    "index_add": (lambda x, y: ops.index_add(x, 1, places(4), y), (3, 5, 6), (3, 4, 6)),
    "gather": (lambda x: ops.gather(x, 1, places(3, 4, 6)), (3, 5, 6)),
    "scatter": (lambda x, y: ops.scatter(x, 1, places(3, 1, 6), y), (3, 5, 6), (3, 1, 6)),
    "scatter_add": (lambda x, y: ops.scatter_add(x, 1, places(3, 4, 6), y), (3, 5, 6), (3, 4, 6)),
    "scatter_reduce": (lambda x, y: ops.scatter_reduce(x, 0, places(3, 4, 6), y, "amax"),
                       (4, 5, 6), (3, 4, 6)),
    "embedding back": (lambda g: ops.embedding_backward(g, places(4, 3), 5), (4, 3, 6)),
}  # fmt: skip
REPEATED = {  # along which of n dims
    "first": lambda n: {0},
    "last": lambda n: {n - 1},
    "all but the first": lambda n: {*range(n > 1, n)},
    "all": lambda n: {*range(n)},
}


def numbers(shape, dtype, seed, dims):
    """Draw numbers once and repeat them along dims."""
    drawn = [1 if i in dims else size for i, size in enumerate(shape)]
    return np.broadcast_to(np.random.default_rng(seed).standard_normal(drawn).astype(dtype), shape)


def listed(result):
    arrays = result if isinstance(result, (list, tuple)) else [result]
    return [np.asarray(array) for array in arrays]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("which", REPEATED)
@pytest.mark.parametrize("name", CASES)
def test_repeated_values_on_every_layout(layouts, name, which, dtype):
    call, *shapes = CASES[name]
    inputs = [numbers(s, dtype, k, REPEATED[which](len(s))) for k, s in enumerate(shapes)]
    close = {"rtol": 1e-4, "atol": 1e-4} if dtype == "float32" else {"rtol": 1e-10, "atol": 1e-10}
    row_major, *others = zip(*map(layouts, inputs), strict=True)
    assert all(0 in x.strides for x in others[-1])
    want = listed(call(*map(share, row_major)))
    for variant in [*others, others[-1][:1] + row_major[1:], row_major[:1] + others[-1][1:]]:
        for got, expected in zip(listed(call(*map(share, variant))), want, strict=True):
            np.testing.assert_allclose(got, expected, **close, strict=True)


@pytest.mark.parametrize("name", ["sgd_step", "adam_step", "lion_step"])
def test_gradients_that_repeat_step_every_parameter(layouts, name):
    """The gradient of a sum is one number, expanded: it has stride 0 everywhere."""
    settings = {
        "sgd_step": lambda p, g, m, v: ops.sgd_step(p, g, m, 0.1, 0.9),
        "adam_step": lambda p, g, m, v: ops.adam_step(p, g, m, v, None, [1], 0.1, 0.9, 0.99, 1e-8),
        "lion_step": lambda p, g, m, v: ops.lion_step(p, g, m, 0.1, 0.9, 0.99),
    }
    results = []
    for grad in layouts(np.ones((3, 4, 5), "float32")):
        p, m, v = (np.ones((3, 4, 5), "float32") for _ in range(3))
        settings[name]([share(p)], [share(grad)], [share(m)], [share(v)])
        results.append(p)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])
    assert (results[0] < 1).all()
