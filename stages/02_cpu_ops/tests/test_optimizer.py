"""Optimizer steps against torch.optim's formulas written in NumPy, eight steps long."""

import itertools

import numpy as np
import pytest

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
DTYPES = ("float32", "float64")
STEPS = 8
SHAPES = [(3, 5), (70,), (), (0,), (200, 300)]  # the last one is shared by the threads


def start(dtype, layout, layouts):
    """Return parameters in one layout, all with the same values whatever the layout."""
    rng = np.random.default_rng(0)
    return [layouts(rng.standard_normal(shape).astype(dtype))[layout] for shape in SHAPES]


def gradients(dtype, layout, layouts):
    rng = np.random.default_rng(1)
    for _ in range(STEPS):
        yield [layouts(rng.standard_normal(shape).astype(dtype))[layout] for shape in SHAPES]


def empties(params):
    """Return state that holds garbage: NaN, wherever a step reads what it should not."""
    return [np.full(p.shape, np.nan, p.dtype) for p in params]


def arrays(list_of_numpy):
    return [share(x) for x in list_of_numpy]


def reference_sgd(p, g, buffer, first, lr, momentum, dampening, weight_decay, nesterov):
    """torch.optim.sgd._single_tensor_sgd, in float64."""
    g = g + weight_decay * p
    if momentum:
        buffer = g if first else momentum * buffer + (1 - dampening) * g
        g = g + momentum * buffer if nesterov else buffer
    return p - lr * g, buffer


def reference_adam(p, g, state, step, lr, beta1, beta2, eps, weight_decay, decoupled, amsgrad):
    """torch.optim.adam._single_tensor_adam, in float64."""
    mean, square, most = state
    if decoupled:
        p = p * (1 - lr * weight_decay)
    else:
        g = g + weight_decay * p
    mean = beta1 * mean + (1 - beta1) * g
    square = beta2 * square + (1 - beta2) * g * g
    most = np.maximum(most, square)
    second = most if amsgrad else square
    denominator = np.sqrt(second) / np.sqrt(1 - beta2**step) + eps
    return p - lr / (1 - beta1**step) * mean / denominator, (mean, square, most)


def assert_same(params, expected, dtype):
    tolerance = 2e-6 if dtype == "float32" else 1e-13
    for got, want in zip(params, expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=tolerance * 10, atol=tolerance)


SGD_OPTIONS = [
    {"momentum": m, "dampening": d, "weight_decay": w, "nesterov": n}
    for m, d, w, n in itertools.product((0.0, 0.9), (0.0, 0.3), (0.0, 0.01), (False, True))
    if not (n and (m == 0 or d))
]


@pytest.mark.parametrize("layout", range(5))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", SGD_OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
def test_sgd(layouts, layout, dtype, options):
    params = start(dtype, layout, layouts)
    buffers = empties(params)
    expected = [(p.astype("float64"), None) for p in params]
    for step, grads in enumerate(gradients(dtype, layout, layouts)):
        state = arrays(buffers) if options["momentum"] else None
        ops.sgd_step(arrays(params), arrays(grads), state, lr=0.05, first=step == 0, **options)
        expected = [
            reference_sgd(p, g, buffer, step == 0, 0.05, **options)
            for (p, buffer), g in zip(expected, grads, strict=True)
        ]
    assert_same(params, [p for p, _ in expected], dtype)
    if options["momentum"]:
        assert_same(buffers, [buffer for _, buffer in expected], dtype)


def test_the_first_momentum_buffer_is_a_copy_of_the_gradient():  # pitfall: an alias of it
    p, g, buffer = (np.ones(4, "float32") for _ in range(3))
    ops.sgd_step([share(p)], [share(g)], [share(buffer)], lr=0.1, momentum=0.9, first=True)
    g[:] = 100
    np.testing.assert_array_equal(buffer, np.ones(4))


ADAM_OPTIONS = [
    {"weight_decay": w, "decoupled": d, "amsgrad": a}
    for w, d, a in itertools.product((0.0, 0.1), (False, True), (False, True))
]


@pytest.mark.parametrize("layout", range(5))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", ADAM_OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
def test_adam(layouts, layout, dtype, options):
    params = start(dtype, layout, layouts)
    means, squares, maxima = ([np.zeros_like(p) for p in params] for _ in range(3))
    settings = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99, "eps": 1e-3}
    expected = [(p.astype("float64"), (0.0, 0.0, 0.0)) for p in params]
    for step, grads in enumerate(gradients(dtype, layout, layouts), start=1):
        ops.adam_step(
            arrays(params), arrays(grads), arrays(means), arrays(squares),
            arrays(maxima) if options["amsgrad"] else None, [step] * len(params), **settings,
            weight_decay=options["weight_decay"], decoupled=options["decoupled"],
        )  # fmt: skip
        expected = [
            reference_adam(p, g, state, step, **settings, **options)
            for (p, state), g in zip(expected, grads, strict=True)
        ]
    assert_same(params, [p for p, _ in expected], dtype)
    assert_same(means, [state[0] for _, state in expected], dtype)
    assert_same(squares, [state[1] for _, state in expected], dtype)
    if options["amsgrad"]:
        assert_same(maxima, [state[2] for _, state in expected], dtype)


def reference_rmsprop(p, g, state, lr, alpha, eps, weight_decay, momentum, centered):
    """torch.optim.rmsprop._single_tensor_rmsprop, in float64."""
    square, mean, buffer = state
    g = g + weight_decay * p
    square = alpha * square + (1 - alpha) * g * g
    mean = alpha * mean + (1 - alpha) * g
    quotient = g / (np.sqrt(square - mean * mean if centered else square) + eps)
    buffer = momentum * buffer + quotient
    return p - lr * (buffer if momentum else quotient), (square, mean, buffer)


RMSPROP_OPTIONS = [
    {"weight_decay": w, "momentum": m, "centered": c}
    for w, m, c in itertools.product((0.0, 0.1), (0.0, 0.9), (False, True))
]


@pytest.mark.parametrize("layout", range(5))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("options", RMSPROP_OPTIONS, ids=lambda o: "-".join(map(str, o.values())))
def test_rmsprop(layouts, layout, dtype, options):
    params = start(dtype, layout, layouts)
    squares, means, buffers = ([np.zeros_like(p) for p in params] for _ in range(3))
    settings = {"lr": 0.01, "alpha": 0.9, "eps": 1e-2}
    expected = [(p.astype("float64"), (0.0, 0.0, 0.0)) for p in params]
    for grads in gradients(dtype, layout, layouts):
        ops.rmsprop_step(
            arrays(params), arrays(grads), arrays(squares),
            arrays(means) if options["centered"] else None,
            arrays(buffers) if options["momentum"] else None, **settings,
            weight_decay=options["weight_decay"], momentum=options["momentum"],
        )  # fmt: skip
        expected = [
            reference_rmsprop(p, g, state, **settings, **options)
            for (p, state), g in zip(expected, grads, strict=True)
        ]
    assert_same(params, [p for p, _ in expected], dtype)
    assert_same(squares, [state[0] for _, state in expected], dtype)
    if options["centered"]:
        assert_same(means, [state[1] for _, state in expected], dtype)
    if options["momentum"]:
        assert_same(buffers, [state[2] for _, state in expected], dtype)


def reference_adagrad(p, g, total, step, lr, lr_decay, eps, weight_decay):
    g = g + weight_decay * p
    total = total + g * g
    return p - lr / (1 + (step - 1) * lr_decay) * g / (np.sqrt(total) + eps), total


def reference_adadelta(p, g, state, lr, rho, eps, weight_decay):
    square, moved = state
    g = g + weight_decay * p
    square = rho * square + (1 - rho) * g * g
    delta = np.sqrt(moved + eps) / np.sqrt(square + eps) * g
    return p - lr * delta, (square, rho * moved + (1 - rho) * delta * delta)


def reference_lion(p, g, mean, lr, beta1, beta2, weight_decay):
    p = p * (1 - lr * weight_decay) - lr * np.sign(beta1 * mean + (1 - beta1) * g)
    return p, beta2 * mean + (1 - beta2) * g


@pytest.mark.parametrize("layout", range(5))
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_adagrad_adadelta_and_lion(layouts, layout, dtype, weight_decay):
    ada, delta, lion = (start(dtype, layout, layouts) for _ in range(3))
    sums, squares, moved, means = ([np.zeros_like(p) for p in ada] for _ in range(4))
    wide = [p.astype("float64") for p in ada]
    for_ada = [(p, 0.0) for p in wide]
    for_delta = [(p, (0.0, 0.0)) for p in wide]
    for_lion = [(p, 0.0) for p in wide]
    kwargs = {"weight_decay": weight_decay}
    rates = {"lr": 0.1, "lr_decay": 0.2, "eps": 1e-2}, {"lr": 1.0, "rho": 0.9, "eps": 1e-2}
    betas = {"lr": 0.01, "beta1": 0.9, "beta2": 0.99}
    for step, grads in enumerate(gradients(dtype, layout, layouts), start=1):
        g = arrays(grads)
        ops.adagrad_step(arrays(ada), g, arrays(sums), [step] * len(ada), **rates[0], **kwargs)
        ops.adadelta_step(arrays(delta), g, arrays(squares), arrays(moved), **rates[1], **kwargs)
        ops.lion_step(arrays(lion), g, arrays(means), **betas, **kwargs)
        for_ada = [reference_adagrad(p, g, s, step, **rates[0], **kwargs)
                   for (p, s), g in zip(for_ada, grads, strict=True)]  # fmt: skip
        for_delta = [reference_adadelta(p, g, s, **rates[1], **kwargs)
                     for (p, s), g in zip(for_delta, grads, strict=True)]  # fmt: skip
        for_lion = [reference_lion(p, g, s, **betas, **kwargs)
                    for (p, s), g in zip(for_lion, grads, strict=True)]  # fmt: skip
    assert_same(ada, [p for p, _ in for_ada], dtype)
    assert_same(sums, [s for _, s in for_ada], dtype)
    assert_same(delta, [p for p, _ in for_delta], dtype)
    assert_same(squares, [s[0] for _, s in for_delta], dtype)
    assert_same(moved, [s[1] for _, s in for_delta], dtype)
    assert_same(lion, [p for p, _ in for_lion], dtype)
    assert_same(means, [s for _, s in for_lion], dtype)


def ones(dtype="float32", shape=(3,)):
    return [share(np.ones(shape, dtype))]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.rmsprop_step(ones(), ones(), [], None, None, 0.1), ValueError,
         r"\[rmsprop_step\] 1 parameters but 0 squared averages"),
        (lambda: ops.rmsprop_step(ones(), ones(), ones(), None, None, 0.1, momentum=0.9),
         ValueError, r"momentum 0.9 needs momentum_buffers"),
        (lambda: ops.rmsprop_step(ones(), ones(shape=(2,)), ones(), None, None, 0.1), RuntimeError,
         r"parameter 0 has shape \(3,\) but its gradient has shape \(2,\)"),
        (lambda: ops.adagrad_step(ones(), ones(), ones(), [0], 0.1), ValueError,
         r"\[adagrad_step\] steps count from 1, got 0"),
        (lambda: ops.adagrad_step(ones(), ones(), ones(), [], 0.1), ValueError, "0 step counts"),
        (lambda: ops.adadelta_step(ones(), ones(), ones(), ones("float64")), TypeError,
         r"parameter 0 is float32 but its average of steps is float64"),
        (lambda: ops.lion_step(ones(), ones(), ones(), 0.1, 0.9, 1.0), ValueError,
         r"\[lion_step\] expected betas in \[0, 1\), got 1"),
        (lambda: ops.lion_step(ones("int64"), ones("int64"), ones("int64"), 0.1, 0.9, 0.99),
         TypeError, r"parameter 0 is int64: expected a floating dtype"),
    ],
)  # fmt: skip
def test_the_other_steps_refuse_in_words(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_adam_decays_once():  # pitfall: the decay applied to the gradient and to the parameter
    p, g, mean, square = np.ones(3, "float64"), np.zeros(3), np.zeros(3), np.zeros(3)
    settings = {
        "lr": 0.1,
        "beta1": 0.9,
        "beta2": 0.999,
        "eps": 1e-8,
        "weight_decay": 0.5,
        "decoupled": True,
    }
    ops.adam_step(*([share(x)] for x in (p, g, mean, square)), None, [1], **settings)
    np.testing.assert_allclose(p, 0.95)
    np.testing.assert_array_equal(mean, 0)


def test_parameters_may_be_at_different_steps_and_of_different_dtypes():
    p32, p64 = np.ones(3, "float32"), np.ones(3, "float64")
    state = [[np.zeros_like(p) for p in (p32, p64)] for _ in range(2)]
    settings = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8}
    grads = [np.full(3, 2.0, "float32"), np.full(3, 2.0)]
    ops.adam_step(arrays([p32, p64]), arrays(grads), *map(arrays, state), None, [1, 5], **settings)
    none = {"weight_decay": 0, "decoupled": False, "amsgrad": False}
    for p, step in ((p32, 1), (p64, 5)):
        want, _ = reference_adam(np.ones(3), 2.0, (0, 0, 0), step, **settings, **none)
        np.testing.assert_allclose(p, want, rtol=1e-6)


# (params, grads, three lists of state): every step there is
EVERY_STEP = {
    "sgd": lambda p, g, a, b, c: ops.sgd_step(p, g, None, 0.1, weight_decay=0.01),
    "momentum": lambda p, g, a, b, c: ops.sgd_step(p, g, a, 0.1, 0.9, 0.0, 0.01, True),
    "adam": lambda p, g, a, b, c: ops.adam_step(p, g, a, b, None, [3], 0.1, 0.9, 0.99, 1e-6, 0.01),
    "amsgrad": lambda p, g, a, b, c: ops.adam_step(p, g, a, b, c, [3], 0.1, 0.9, 0.99, 1e-6),
    "rmsprop": lambda p, g, a, b, c: ops.rmsprop_step(p, g, a, None, b, 0.1, momentum=0.9),
    "adagrad": lambda p, g, a, b, c: ops.adagrad_step(p, g, a, [3], 0.1, 0.01),
    "adadelta": lambda p, g, a, b, c: ops.adadelta_step(p, g, a, b, 0.5),
    "lion": lambda p, g, a, b, c: ops.lion_step(p, g, a, 0.1, 0.9, 0.99, 0.01),
}


@pytest.mark.parametrize("shape", [(), (0,), (70, 90), (3, 40, 50)], ids=str)
@pytest.mark.parametrize("dtype", [cpu.float16, cpu.bfloat16], ids=str)
@pytest.mark.parametrize("name", EVERY_STEP)
def test_halves_step_in_float32_and_are_rounded_once(name, dtype, shape):
    x = np.random.default_rng(0).uniform(0.1, 1, (5, *shape)).astype("float32")
    halves = [ops.cast(share(np.asarray(row)), dtype) for row in x]
    wide = [ops.cast(half, cpu.float32) for half in halves]
    for k, half in enumerate(halves):  # each in another order of memory than its neighbours
        if k % 2 and shape:
            strides = np.empty(shape, "int8", order="F").strides
            halves[k] = ops.empty((half.numel,), dtype).view((shape, strides, 0))
            ops.copy_(halves[k], half)
    EVERY_STEP[name](*([a] for a in halves))
    EVERY_STEP[name](*([a] for a in wide))
    for half, want in zip(halves, wide, strict=True):
        assert half.dtype is dtype
        assert half.tolist() == ops.cast(want, dtype).tolist()


def test_the_first_momentum_of_halves_ignores_what_the_buffer_held():
    p, g, buffer = (ops.full((3,), value, cpu.float16) for value in (1.0, 2.0, float("nan")))
    ops.sgd_step([p], [g], [buffer], lr=0.5, momentum=0.9, first=True)
    assert (p.tolist(), buffer.tolist(), g.version) == ([0.0] * 3, [2.0] * 3, 0)


def test_no_parameters_at_all():
    ops.sgd_step([], [], None, lr=0.1)
    ops.adam_step([], [], [], [], None, [], 0.1, 0.9, 0.999, 1e-8)


def test_a_step_counts_as_an_in_place_write():
    p, g, buffer = (ops.ones((3,), cpu.float32) for _ in range(3))
    ops.sgd_step([p], [g], [buffer], lr=0.1, momentum=0.9, first=True)
    assert (p.version, g.version, buffer.version) == (1, 0, 1)
    mean, square = ops.zeros((3,), cpu.float32), ops.zeros((3,), cpu.float32)
    ops.adam_step([p], [g], [mean], [square], None, [1], 0.1, 0.9, 0.999, 1e-8)
    assert (p.version, g.version, mean.version, square.version) == (2, 0, 1, 1)


def test_threads_do_not_change_a_bit(thread_counts):
    results = set()
    for _ in thread_counts:
        rng = np.random.default_rng(0)
        p, g = (rng.standard_normal(200_003).astype("float32") for _ in range(2))
        mean, square = np.zeros_like(p), np.zeros_like(p)
        state = ([share(x)] for x in (p, g, mean, square))
        ops.adam_step(*state, None, [1], 0.1, 0.9, 0.999, 1e-8)
        results.add(p.tobytes())
    assert len(results) == 1


def one(*shape, dtype=cpu.float32):
    return [ops.ones(shape, dtype)]


def sgd(params=None, grads=None, buffers=None, **options):
    return ops.sgd_step(params or one(3), grads or one(3), buffers, 0.1, **options)


def adam(steps=(1,), beta2=0.9, means=None):
    state = (one(3), one(3), means or one(3), one(3))
    return ops.adam_step(*state, None, list(steps), 0.1, 0.9, beta2, 1e-8)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: sgd(grads=one(3) * 2), ValueError, r"\[sgd_step\] 1 parameters but 2 gradients"),
        (lambda: sgd(grads=one(4)), RuntimeError, r"\(3,\) but its gradient has shape \(4,\)"),
        (lambda: sgd(grads=one(3, dtype=cpu.float64)), TypeError, "is float32 but its gradient is"),
        (lambda: sgd(one(3, dtype=cpu.int64)), TypeError, "is int64: expected a floating dtype"),
        (lambda: sgd(momentum=0.9), ValueError, "1 parameters but 0 momentum buffers"),
        (lambda: sgd(nesterov=True), ValueError, "nesterov needs momentum"),
        (lambda: adam(steps=[0]), ValueError, "steps count from 1, got 0"),
        (lambda: adam(steps=[1, 2]), ValueError, "1 parameters but 2 step counts"),
        (lambda: adam(beta2=1.0), ValueError, r"betas in \[0, 1\), got 1"),
        (lambda: adam(means=one(2)), RuntimeError, r"its average has shape \(2,\)"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_nothing_is_written_when_a_later_parameter_is_wrong():
    good, bad = ops.ones((3,), cpu.float32), ops.ones((3,), cpu.float32)
    with pytest.raises(RuntimeError, match="parameter 1"):
        ops.sgd_step([good, bad], one(3) + one(4), None, 0.1)
    assert (good.tolist(), good.version) == ([1.0, 1.0, 1.0], 0)


def test_what_cannot_be_written_leaves_every_version_alone():
    read_only = [ops.share_buffer(memoryview(bytes(12)).cast("f"))]
    good, mean, gradients = ops.ones((3,), cpu.float32), one(3), one(3) + one(3)
    steps = [
        lambda: ops.sgd_step([good, *read_only], gradients, None, 0.1),
        lambda: ops.sgd_step([good], one(3), read_only, 0.1, momentum=0.9, first=True),
        lambda: ops.adam_step([good], one(3), mean, read_only, None, [1], 0.1, 0.9, 0.999, 1e-8),
        lambda: ops.adadelta_step([good], one(3), mean, read_only, 0.1, 0.9, 1e-6, 0.0),
    ]
    for step in steps:
        with pytest.raises(ValueError, match="the destination is read-only memory"):
            step()
    assert (good.tolist(), good.version, mean[0].version) == ([1.0, 1.0, 1.0], 0, 0)
