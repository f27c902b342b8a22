"""The recurrent cells and the LSTM layer, forward and backward, against float64.

The gradients of the formulas below are found by central differences, not by a second derivation.
"""

import numpy as np
import pytest
from small_arrays import ones

import norch_cpu_ops as cpu
from norch_cpu_ops import ops

share = ops.share_buffer
TOLERANCE = {"float32": 3e-5, "float64": 1e-11}


def numbers(shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_cell(gates, c):
    i, f, g, o = np.split(gates, 4, -1)
    i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
    c_next = f * c + i * g
    return o * np.tanh(c_next), c_next, np.concatenate([i, f, g, o], -1)


def gru_cell(x, u, h):
    (xr, xz, xn), (ur, uz, un) = np.split(x, 3, -1), np.split(u, 3, -1)
    r, z = sigmoid(xr + ur), sigmoid(xz + uz)
    n = np.tanh(xn + r * un)
    return (1 - z) * n + z * h, np.concatenate([r, z, n, un], -1)


def lstm_layer(x, h, c, w_ih, w_hh, b_ih, b_hh, reverse=False):
    outputs = []
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        h, c, activated = lstm_cell(x[t] @ w_ih.T + b_ih + h @ w_hh.T + b_hh, c)
        outputs.append((h, c, activated))
    y, cs, gates = (np.stack(part) for part in zip(*outputs, strict=True))
    return (y[::-1], cs[::-1], gates[::-1]) if reverse else (y, cs, gates)


def differences(function, arrays, step=1e-6):
    """Return d function / d array for each array, by central differences."""
    arrays = [np.array(a, "float64") for a in arrays]
    gradients = []
    for a in arrays:
        gradient = np.zeros_like(a)
        for place in np.ndindex(a.shape):
            kept = a[place]
            a[place] = kept + step
            above = function(*arrays)
            a[place] = kept - step
            gradient[place] = (above - function(*arrays)) / (2 * step)
            a[place] = kept
        gradients.append(gradient)
    return gradients


def assert_all_close(got, expected, dtype, atol=None):
    atol = TOLERANCE[dtype] if atol is None else atol
    for array, want in zip(got, expected, strict=True):
        array = np.asarray(array)
        assert array.dtype == dtype and array.shape == want.shape
        np.testing.assert_allclose(array, want, rtol=TOLERANCE[dtype], atol=atol)


CELL_SIZES = [(1, 1), (3, 5), (2, 16), (40, 33), (0, 4), (3, 0)]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", CELL_SIZES)
def test_lstm_cell_on_every_layout(layouts, dtype, size):
    rows, n = size
    gates, c = numbers((rows, 4 * n), dtype), numbers((rows, n), dtype, 1)
    expected = lstm_cell(gates.astype("float64"), c.astype("float64"))
    for gates_, c_ in zip(layouts(gates), layouts(c)[::-1], strict=True):
        assert_all_close(ops.lstm_cell(share(gates_), share(c_)), expected, dtype)
        np.testing.assert_array_equal(gates_, gates)  # the input is not what is activated


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", CELL_SIZES)
def test_gru_cell_on_every_layout(layouts, dtype, size):
    rows, n = size
    arrays = [numbers((rows, k * n), dtype, k) for k in (3, 3, 1)]
    arrays[1] = arrays[1] + 1
    expected = gru_cell(*(a.astype("float64") for a in arrays))
    for given in zip(*map(layouts, arrays), strict=True):
        assert_all_close(ops.gru_cell(*map(share, given)), expected, dtype)


@pytest.mark.parametrize("zero", ["", "h", "c"])
def test_lstm_cell_backward(layouts, zero):
    gates, c = numbers((3, 20), "float64"), numbers((3, 5), "float64", 1)
    grads = {k: numbers((3, 5), "float64", i + 2) for i, k in enumerate("hc")}

    def loss(gates, c):
        h, c_next, _ = lstm_cell(gates, c)
        return sum((grads[k] * a).sum() for k, a in (("h", h), ("c", c_next)) if k != zero)

    expected = differences(loss, [gates, c])
    for dh, dc, gates_, c_ in zip(*map(layouts, (*grads.values(), gates, c)), strict=True):
        _, c_next, activated = ops.lstm_cell(share(gates_), share(c_))
        upstream = [None if k == zero else share(a) for k, a in (("h", dh), ("c", dc))]
        got = ops.lstm_cell_backward(*upstream, activated, share(c_), c_next)
        assert_all_close(got, expected, "float64", atol=1e-8)


def test_gru_cell_backward(layouts):
    arrays = [numbers((3, 5 * k), "float64", k + i) for i, k in enumerate((3, 3, 1))]
    grad = numbers((3, 5), "float64", 9)
    expected = differences(lambda *a: (grad * gru_cell(*a)[0]).sum(), arrays)
    for grad_, x, u, h in zip(*map(layouts, (grad, *arrays)), strict=True):
        _, saved = ops.gru_cell(*map(share, (x, u, h)))
        got = ops.gru_cell_backward(share(grad_), saved, share(h))
        assert_all_close(got, expected, "float64", atol=1e-8)


def draw_layer(steps, rows, size, n, dtype):
    shapes = [(steps, rows, size), (rows, n), (rows, n), (4 * n, size), (4 * n, n), (4 * n,)]
    arrays = [numbers(shape, dtype, i) for i, shape in enumerate([*shapes, (4 * n,)])]
    for i in (3, 4):
        arrays[i] = arrays[i] / dtype_of(dtype)(max(1, arrays[i].shape[1]) ** 0.5)
    return arrays


def dtype_of(name):
    return np.dtype(name).type


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("sizes", [(1, 1, 1, 1), (4, 3, 5, 6), (3, 29, 7, 40), (2, 0, 3, 4)])
@pytest.mark.parametrize("reverse", [False, True])
def test_lstm_layer_on_every_layout(layouts, dtype, sizes, reverse):
    arrays = draw_layer(*sizes, dtype)
    expected = lstm_layer(*(a.astype("float64") for a in arrays), reverse)
    for given in zip(*map(layouts, arrays), strict=True):
        got = ops.lstm_layer(*map(share, given), reverse)
        assert_all_close(got, expected, dtype)


@pytest.mark.parametrize("biases", ["", "i", "h"])
def test_lstm_layer_without_a_bias(biases):
    x, h, c, w_ih, w_hh, b_ih, b_hh = draw_layer(3, 2, 4, 5, "float64")
    given = [share(b_ih) if "i" in biases else None, share(b_hh) if "h" in biases else None]
    plain = [b_ih if "i" in biases else 0, b_hh if "h" in biases else 0]
    got = ops.lstm_layer(*map(share, (x, h, c, w_ih, w_hh)), *given)
    assert_all_close(got, lstm_layer(x, h, c, w_ih, w_hh, *plain), "float64")


@pytest.mark.parametrize("zero", ["", "y", "h", "c"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("steps", [1, 3])
def test_lstm_layer_backward(layouts, zero, reverse, steps):
    arrays = draw_layer(steps, 2, 3, 4, "float64")
    shapes = {"y": (steps, 2, 4), "h": (2, 4), "c": (2, 4)}
    grads = {k: numbers(shape, "float64", 20 + i) for i, (k, shape) in enumerate(shapes.items())}
    last = 0 if reverse else -1

    def loss(*a):
        y, c, _ = lstm_layer(*a, reverse)
        found = {"y": y, "h": y[last], "c": c[last]}
        return sum((grads[k] * found[k]).sum() for k in "yhc" if k != zero)

    *expected, dbias, other = differences(loss, arrays)
    np.testing.assert_allclose(dbias, other, atol=1e-8)
    given = [share(layouts(a)[i % 5]) for i, a in enumerate(arrays)]
    layer = ops.lstm_layer(*given, reverse)
    upstream = [None if k == zero else share(layouts(grads[k])[1]) for k in "yhc"]
    got = ops.lstm_layer_backward(*upstream, *given[:5], *layer, reverse)
    assert_all_close(got, [*expected, dbias], "float64", atol=1e-8)


def test_saturated_gates_are_exact_and_nan_stays_in_its_row():
    gates = np.zeros((3, 4), "float32")
    gates[0], gates[1], gates[2, 1] = 1e4, -1e4, np.nan
    h, c, _ = (np.asarray(a) for a in ops.lstm_cell(share(gates), share(np.ones((3, 1), "f4"))))
    np.testing.assert_allclose(h[:2, 0], [np.tanh(2), 0], rtol=1e-6)
    np.testing.assert_array_equal(c[:2, 0], [2, 0])
    assert np.isnan(c[2, 0])


def test_halves_are_computed_in_float32():
    arrays = [ops.cast(share(a), cpu.float16) for a in draw_layer(3, 2, 4, 5, "float32")]
    layer = ops.lstm_layer(*arrays)
    back = ops.lstm_layer_backward(layer[0], None, None, *arrays[:5], *layer)
    assert {a.dtype for a in (*layer, *back)} == {cpu.float16}
    wide = [np.asarray(ops.cast(a, cpu.float32)) for a in arrays]
    np.testing.assert_allclose(
        np.asarray(ops.cast(layer[0], cpu.float32)), lstm_layer(*wide)[0], atol=5e-3
    )


@pytest.mark.parametrize("blas", [True, False])
def test_threads_do_not_change_a_bit(thread_counts, blas, request):
    """Of our own kernels; OpenBLAS's may round differently for slices of other sizes."""
    arrays = [share(a) for a in draw_layer(3, 70, 40, 130, "float32")]
    found, results, chosen = cpu.blas(), [], cpu.instruction_set()
    try:
        if blas:
            cpu.set_instruction_set(request.getfixturevalue("openblas_instruction_set"))
        cpu.set_blas_enabled(blas)
        for _ in thread_counts:
            results.append([np.asarray(a).copy() for a in ops.lstm_layer(*arrays)])
    finally:
        cpu.set_instruction_set(chosen)
        cpu.set_blas_enabled(found != "norch")
    for result in results[1:]:
        for one, other in zip(results[0], result, strict=True):
            if blas:
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
            else:
                assert one.tobytes() == other.tobytes()


def layer(**other):
    given = {"x": ones(3, 2, 4), "h0": ones(2, 5), "c0": ones(2, 5), "w_ih": ones(20, 4),
             "w_hh": ones(20, 5)}  # fmt: skip
    return ops.lstm_layer(**(given | other))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.lstm_cell(ones(2, 11), ones(2, 3)), RuntimeError,
         r"\[lstm_cell\] gates has shape \(2, 11\), expected \(2, 12\)"),
        (lambda: ops.lstm_cell(ones(12), ones(3)), RuntimeError, "expected 2 dimensions"),
        (lambda: ops.lstm_cell(ones(2, 12, dtype=cpu.float64), ones(2, 3)), TypeError,
         "gates is float64, expected float32 as the rest"),
        (lambda: ops.lstm_cell(ones(2, 12), ones(2, 3, dtype=cpu.int64)), TypeError, "got int64"),
        (lambda: ops.lstm_cell(3, ones(2, 3)), TypeError, "expected an Array, got int"),
        (lambda: ops.lstm_cell_backward(ones(2), None, ones(2, 12), *[ones(2, 3)] * 2),
         RuntimeError, r"\[lstm_cell_backward\] grad_h has shape \(2,\), expected \(2, 3\)"),
        (lambda: ops.gru_cell(ones(2, 9), ones(2, 8), ones(2, 3)), RuntimeError,
         r"\[gru_cell\] gates_hidden has shape \(2, 8\), expected \(2, 9\)"),
        (lambda: ops.gru_cell_backward(ones(2, 3), ones(2, 9), ones(2, 3)), RuntimeError,
         r"saved has shape \(2, 9\), expected \(2, 12\)"),
        (lambda: layer(x=ones(2, 4)), RuntimeError, r"x has shape \(2, 4\), expected 3 dimensions"),
        (lambda: layer(x=ones(0, 2, 4)), RuntimeError, "x has no time steps"),
        (lambda: layer(h0=ones(3, 5)), RuntimeError, r"h0 has shape \(3, 5\), expected \(2, 5\)"),
        (lambda: layer(w_ih=ones(20, 3)), RuntimeError, r"w_ih .* expected \(20, 4\)"),
        (lambda: layer(w_hh=ones(21, 5)), RuntimeError, r"w_hh .* expected \(20, 5\)"),
        (lambda: layer(b_hh=ones(5)), RuntimeError, r"b_hh .* expected \(20,\)"),
        (lambda: layer(c0=ones(2, 5, dtype=cpu.float64)), TypeError, "c0 is float64"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()
