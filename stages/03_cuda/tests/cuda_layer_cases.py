"""Cases of what layers are made of: activations, their gradients, norms, cells, attention."""

import numpy as np
from cuda_cases import BF16, BOOL, F16, F32, F64, unary
from cuda_comparison import place
from cuda_image_cases import drawn


def inverse(name):
    """Cases of an inverse function: inside its range, at its ends, beyond it."""
    ends = np.float32([-1, -0.999999, -0.5, 0, 0.7, 0.99, 1, 1.5])
    return [*unary(name, ("positive", "i32")), lambda o, x: getattr(o, name)(o.from_buffer(ends))]


def gradient(name, *more, result=None):
    """Cases of the gradient of an activation, which reads its input or its `result`."""

    def kept(o, array):
        return getattr(o, result)(array) if result else array

    def case(a, b):
        return lambda o, x: getattr(o, name)(getattr(x, a), kept(o, getattr(x, b)), *more)

    pairs = [("f", "g"), ("d", "e"), ("special_turned", "special"), ("half", "half"),
             ("empty", "empty"), ("point", "point")]  # fmt: skip
    return [case(a, b) for a, b in pairs]


def score_gradient(name):
    result = name.replace("_backward", "")

    def case(array, dim):
        def run(o, x):
            a = getattr(x, array)
            return getattr(o, name)(o.cast(o.mul(a, a), a.dtype), getattr(o, result)(a, dim), dim)

        return run

    return [case("f", 1), case("cube", 0), case("cube", -2), case("long", 1), case("d", 0),
            case("half", 1), case("empty", 1)]  # fmt: skip


IMAGES = [(2, 4, 3, 5), (3, 6), (1, 2, 7), (2, 2, 2, 3, 2), (5, 4, 70)]
NOTHING = [(0, 4, 2, 2), (2, 4, 0), (2, 0, 3)]


def scales(o, channels, given, dtype="float32"):
    return drawn(o, (channels,), 1, dtype) if given else None


def batch_norm(o, shape, weight=True, bias=True, dtype="float32"):
    shifts = drawn(o, shape[1:2], 2, dtype) if bias else None
    return o.batch_norm(drawn(o, shape, 0, dtype), scales(o, shape[1], weight, dtype), shifts, 1e-2)


def batch_norm_eval(o, shape, weight=True):
    mean, scale, bias = (drawn(o, shape[1:2], seed) for seed in (1, 2, 3))
    var = o.square(drawn(o, shape[1:2], 4))
    given = (scale, bias) if weight else (None, None)
    return o.batch_norm_eval(drawn(o, shape, 0), mean, var, *given, 1e-2)


def batch_norm_gradients(o, shape, weight=True):
    x, grad, scale = drawn(o, shape, 0), drawn(o, shape, 3), scales(o, shape[1], weight)
    _, mean, var = o.batch_norm(x, scale, None, 1e-2)
    return o.batch_norm_backward(grad, x, mean, var, scale, 1e-2)


def group_norm(o, shape, groups, weight=True, bias=True, dtype="float32"):
    x, scale = drawn(o, shape, 0, dtype), scales(o, shape[1], weight, dtype)
    shifts = drawn(o, shape[1:2], 2, dtype) if bias else None
    return o.group_norm(x, groups, scale, shifts, 1e-2)


def group_norm_gradients(o, shape, groups, weight=True):
    x, grad, scale = drawn(o, shape, 0), drawn(o, shape, 3), scales(o, shape[1], weight)
    _, mean, rstd = o.group_norm(x, groups, scale, None, 1e-2)
    return o.group_norm_backward(grad, x, mean, rstd, groups, scale)


def rms_norm(o, shape, weight=True, dtype="float32"):
    return o.rms_norm(drawn(o, shape, 0, dtype), scales(o, shape[-1], weight, dtype), 1e-2)


def rms_norm_gradients(o, shape, weight=True):
    x, grad, scale = drawn(o, shape, 0), drawn(o, shape, 3), scales(o, shape[-1], weight)
    _, rstd = o.rms_norm(x, scale, 1e-2)
    return o.rms_norm_backward(grad, x, rstd, scale)


def trained(o, x, name, state, *options, steps=False, dtype=F32):
    """A parameter and its state after three steps; None in `state` is a list that is not given."""
    param, grad = o.cast(o.clone(x.f), dtype), o.cast(x.g, dtype)
    kept = [None if s is None else [o.full(param.shape, s, dtype)] for s in state]
    for step in (1, 2, 3):
        counted = [[step]] if steps else []
        getattr(o, name)([param], [o.mul(grad, 1.0 / step)], *kept, *counted, *options)
    return (param, *(lists[0] for lists in kept if lists))


def lstm(o, n, size, dtype="float32"):
    gates, c = drawn(o, (n, 4 * size), 0, dtype), drawn(o, (n, size), 1, dtype)
    return (c, *o.lstm_cell(gates, c))


def lstm_gradients(o, n, size):
    c, h, c_next, activated = lstm(o, n, size)
    return o.lstm_cell_backward(drawn(o, h.shape, 2), drawn(o, h.shape, 3), activated, c, c_next)


def gru(o, n, size, dtype="float32"):
    x, y, h = (drawn(o, (n, k * size), k + i, dtype) for i, k in enumerate((3, 3, 1)))
    return (h, *o.gru_cell(x, y, h))


def gru_gradients(o, n, size):
    h, _, saved = gru(o, n, size)
    return o.gru_cell_backward(drawn(o, h.shape, 9), saved, h)


def lstm_layer(o, shape, size, reverse=False, biases=2, dtype="float32"):
    """The arguments and results of a layer over x (T, N, I)."""
    _, n, inputs = shape
    sizes = [shape, (n, size), (n, size), (4 * size, inputs), (4 * size, size)]
    given = [drawn(o, s, i, dtype) for i, s in enumerate(sizes)]
    more = [drawn(o, (4 * size,), 7 + i, dtype) if i < biases else None for i in range(2)]
    return given, o.lstm_layer(*given, *more, reverse)


def lstm_layer_gradients(o, shape, size, reverse=False, without=()):
    given, results = lstm_layer(o, shape, size, reverse)
    state = (shape[1], size)
    sizes = [(shape[0], *state), state, state]
    grads = [None if i in without else drawn(o, s, 9 + i) for i, s in enumerate(sizes)]
    return o.lstm_layer_backward(*grads, *given, *results, reverse)


def causal_or_masked(o, mask, shape):
    """A mask of bools in which every query sees a key, or of numbers."""
    if mask == "bool":
        seen = np.random.default_rng(5).random(shape) < 0.6
        seen[..., 0] = True
        return place(o, seen)
    return drawn(o, shape, 5) if mask else None


def attention(o, q, k, v, mask=None, mask_shape=(), dtype="float32", **options):
    given = [drawn(o, shape, i, dtype) for i, shape in enumerate((q, k, v))]
    mask = causal_or_masked(o, mask, mask_shape)
    return given, mask, o.scaled_dot_product_attention(*given, mask, **options)


def attention_gradients(o, *case, **options):
    given, mask, (out, logsumexp) = attention(o, *case, **options)
    grad = drawn(o, out.shape, 9)
    return o.scaled_dot_product_attention_backward(grad, *given, out, logsumexp, mask, **options)


# q, k, v, kind and shape of the mask; options. Lengths around the tile of 16.
LOOKS = [
    (((3, 4), (5, 4), (5, 3)), {}),
    (((2, 17, 5), (2, 33, 5), (2, 33, 18)), {}),
    (((2, 20, 3), (2, 20, 3), (2, 20, 4)), {"is_causal": True}),
    (((1, 2, 5, 4), (1, 2, 18, 4), (1, 2, 18, 4), "bool", (5, 18)), {"scale": 0.3}),
    (((2, 2, 4, 3), (2, 2, 6, 3), (2, 2, 6, 3), "real", (2, 1, 4, 6)), {"is_causal": True}),
    (((2, 3, 20), (2, 4, 20), (2, 4, 140)), {}),
]


CASES = {
    **{name: inverse(name) for name in ("asin", "acos", "acosh", "atanh", "erfinv")},
    "gelu": [*unary("gelu", ("half",)), lambda o, x: o.gelu(x.f, "tanh"),
             lambda o, x: o.gelu(x.d, approximate="tanh")],
    "silu": unary("silu", ("bfloat16",)),
    "gelu_backward": [*gradient("gelu_backward"), *gradient("gelu_backward", "tanh")],
    "silu_backward": gradient("silu_backward"),
    "relu_backward": gradient("relu_backward", result="relu"),
    "tanh_backward": gradient("tanh_backward", result="tanh"),
    "sigmoid_backward": gradient("sigmoid_backward", result="sigmoid"),
    "softmax_backward": score_gradient("softmax_backward"),
    "log_softmax_backward": score_gradient("log_softmax_backward"),
    # norms
    "batch_norm": [
        *(lambda o, x, s=s: batch_norm(o, s) for s in [*IMAGES, *NOTHING]),
        lambda o, x: batch_norm(o, IMAGES[0], False, False, "float64"),
    ],
    "batch_norm_eval": [
        *(lambda o, x, s=s: batch_norm_eval(o, s) for s in [*IMAGES, (0, 4, 3)]),
        lambda o, x: batch_norm_eval(o, IMAGES[0], False),
    ],
    "batch_norm_backward": [
        lambda o, x, s=s, w=w: batch_norm_gradients(o, s, w)
        for s in [*IMAGES, *NOTHING] for w in (True, False)
    ],
    "group_norm": [
        *(lambda o, x, s=s: group_norm(o, s, 2) for s in [*IMAGES, *NOTHING]),
        lambda o, x: group_norm(o, IMAGES[0], 4, False, False, "float64"),
        lambda o, x: group_norm(o, (3, 6, 4), 1, bias=False),
    ],
    "group_norm_backward": [
        lambda o, x, s=s, w=w: group_norm_gradients(o, s, 2, w)
        for s in [*IMAGES, (2, 6, 4), *NOTHING] for w in (True, False)
    ],
    "rms_norm": [
        *(lambda o, x, s=s: rms_norm(o, s) for s in [(3, 1), (4, 7), (0, 4), (3, 0), (3, 300)]),
        lambda o, x: rms_norm(o, (4, 7), False, "float64"),
    ],
    "rms_norm_backward": [
        lambda o, x, s=s, w=w: rms_norm_gradients(o, s, w)
        for s in [(3, 1), (4, 7), (0, 4), (3, 0), (3, 300)] for w in (True, False)
    ],
    # optimizers: state, then options
    "rmsprop_step": [
        lambda o, x: trained(o, x, "rmsprop_step", (0, None, None), 0.01, 0.9, 1e-8, 0.0, 0.0),
        lambda o, x: trained(o, x, "rmsprop_step", (0, 0, 0), 0.01, 0.9, 1e-3, 0.1, 0.9),
        lambda o, x: trained(o, x, "rmsprop_step", (0, None, 0), 0.01, 0.9, 1e-3, 0.1, 0.9,
                             dtype=BF16),
        lambda o, x: trained(o, x, "rmsprop_step", (0, None, 0), 0.01, 0.9, 1e-8, 0.1, 0.9,
                             dtype=F64),
    ],
    "adagrad_step": [
        lambda o, x: trained(o, x, "adagrad_step", (0.1,), 0.1, 0.0, 1e-10, 0.0, steps=True),
        lambda o, x: trained(o, x, "adagrad_step", (0,), 0.1, 0.5, 1e-8, 0.1, steps=True,
                             dtype=F64),
    ],
    "adadelta_step": [
        lambda o, x: trained(o, x, "adadelta_step", (0, 0), 1.0, 0.9, 1e-6, 0.0),
        lambda o, x: trained(o, x, "adadelta_step", (0, 0), 0.5, 0.8, 1e-3, 0.1, dtype=F64),
    ],
    "lion_step": [
        lambda o, x: trained(o, x, "lion_step", (0,), 1e-2, 0.9, 0.99, 0.0),
        lambda o, x: trained(o, x, "lion_step", (0,), 1e-2, 0.8, 0.9, 0.1, dtype=F64),
        lambda o, x: trained(o, x, "lion_step", (0,), 1e-2, 0.8, 0.9, 0.1, dtype=F16),
    ],
    # cells
    "lstm_cell": [lambda o, x: lstm(o, 3, 5), lambda o, x: lstm(o, 2, 40, "float64"),
                  lambda o, x: lstm(o, 0, 4)],
    "lstm_cell_backward": [lambda o, x: lstm_gradients(o, 3, 5),
                           lambda o, x: lstm_gradients(o, 2, 40)],
    "gru_cell": [lambda o, x: gru(o, 3, 5), lambda o, x: gru(o, 2, 40, "float64"),
                 lambda o, x: gru(o, 0, 4)],
    "gru_cell_backward": [lambda o, x: gru_gradients(o, 3, 5),
                          lambda o, x: gru_gradients(o, 2, 40)],
    "lstm_layer": [
        lambda o, x: lstm_layer(o, (4, 3, 5), 6)[1],
        lambda o, x: lstm_layer(o, (3, 2, 4), 5, reverse=True, biases=1)[1],
        lambda o, x: lstm_layer(o, (1, 2, 4), 5, biases=0, dtype="float64")[1],
    ],
    "lstm_layer_backward": [
        lambda o, x: lstm_layer_gradients(o, (4, 3, 5), 6),
        lambda o, x: lstm_layer_gradients(o, (3, 2, 4), 5, reverse=True, without=(1,)),
        lambda o, x: lstm_layer_gradients(o, (1, 2, 4), 5, without=(0, 2)),
    ],
    # attention
    "scaled_dot_product_attention": [
        *(lambda o, x, case=case: attention(o, *case[0], **case[1])[2] for case in LOOKS),
        lambda o, x: attention(o, (2, 3, 4), (1, 5, 4), (5, 4))[2],
        lambda o, x: attention(o, (3, 4), (5, 4), (5, 3), dtype="float64")[2],
        lambda o, x: attention(o, (3, 4), (0, 4), (0, 3))[2],
        lambda o, x: attention(o, (0, 4), (2, 4), (2, 3))[2],
        lambda o, x: o.scaled_dot_product_attention(x.f, x.g, x.f, o.zeros((3, 3), BOOL)),
        lambda o, x: o.scaled_dot_product_attention(o.mul(x.f, 200.0), x.f, x.g)[0],
        lambda o, x: o.scaled_dot_product_attention(x.half, x.half, x.half),
    ],
    "scaled_dot_product_attention_backward": [
        *(lambda o, x, case=case: attention_gradients(o, *case[0], **case[1]) for case in LOOKS),
    ],
}  # fmt: skip
