"""Attention and recurrent steps: value, gradient, second gradient, errors."""

import math

import numpy as np
import pytest
from autograd_checks import draw, permuted

import norch_autograd as norch
from norch_autograd.autograd import composite, gradcheck, gradgradcheck

ops, more = norch.ops, norch.more
attention = ops.scaled_dot_product_attention
SHAPES = [(2, 3, 4), (2, 5, 4), (2, 5, 2)]
SEEN = norch.tensor([[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]) > 0
ADDED = norch.tensor(draw((3, 5), seed=9))

CAUSAL = np.where(np.tri(3, 5), 0, -np.inf)

# what is asked for, and the same in words of NumPy: the mask that is added, and the scale
ATTENTION = [
    ({}, 0, 0.5),
    ({"scale": 0.3}, 0, 0.3),
    ({"is_causal": True}, CAUSAL, 0.5),
    ({"attn_mask": SEEN}, np.where(SEEN.numpy(), 0, -np.inf), 0.5),
    ({"attn_mask": ADDED}, ADDED.numpy(), 0.5),
    ({"attn_mask": SEEN, "is_causal": True}, np.where(SEEN.numpy(), CAUSAL, -np.inf), 0.5),
    ({"attn_mask": ADDED, "is_causal": True}, ADDED.numpy() + CAUSAL, 0.5),
]


def reference(q, k, v, added, scale):
    scores = q @ np.swapaxes(k, -1, -2) * scale + added
    most = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(most), 0, most))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


def agree(function, tensors):
    """Gradients and second gradients of the fused function and of its reference, by differences."""
    for each in (function, composite()(function)):
        assert gradcheck(each, tensors)
        assert gradgradcheck(each, tensors, atol=1e-4)


@pytest.mark.parametrize("case", ATTENTION, ids=lambda case: "-".join(case[0]) or "plain")
def test_attention(case):
    options, added, scale = case
    arrays = [draw(shape, seed=k) for k, shape in enumerate(SHAPES)]
    tensors = [permuted(array) for array in arrays]
    expected = reference(*arrays, added, scale)
    for mode in (attention, composite()(attention)):
        got = mode(*tensors, **options).detach().numpy()
        np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)
    agree(lambda *qkv: attention(*qkv, **options).sin(), tensors)


def test_attention_shares_keys_by_broadcasting_and_by_groups():
    q, k, v = (permuted(draw(s, seed=i)) for i, s in enumerate([(4, 3, 2), (2, 5, 2), (2, 5, 3)]))
    agree(lambda q, k, v: attention(q, k, v, enable_gqa=True), [q, k, v])
    wide = [t.repeat_interleave(2, 0) for t in (k, v)]
    same = attention(q, k, v, enable_gqa=True) - attention(q, *wide)
    assert same.abs().max().item() < 1e-14
    agree(lambda q, k, v: attention(q, k, v), [q, k[:1].detach().requires_grad_(), v[0].detach()])


def test_a_mask_may_learn():
    """The kernel has no gradient of the mask: the reference has."""
    q, k, v = (permuted(draw(shape, seed=i)) for i, shape in enumerate(SHAPES))
    agree(attention, [q, k, v, permuted(draw((3, 5), seed=4))])


def test_one_tensor_as_query_key_and_value():
    """Second gradients must not count the road from one input to another twice."""
    x = permuted(draw((3, 2)))
    agree(lambda x: attention(x, x * 2, x.sin()), [x])


def test_attention_dropout():
    norch.manual_seed(0)
    q, v = norch.zeros(1, 2), norch.ones(1000, 1)
    dropped = attention(q, norch.zeros(1000, 2), v, dropout_p=0.4)
    assert abs(dropped.item() - 1) < 0.1 and dropped.item() != 1
    assert attention(q, q, norch.ones(1, 1), dropout_p=1.0).item() == 0


def test_attention_refuses_an_edited_output():
    q = norch.ones(2, 2, requires_grad=True)
    out = attention(q, q, q)
    with norch.no_grad():
        out.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


N, H, INPUT, STEPS = 2, 2, 1, 2
GATES = [(N, 4 * H), (N, H)]
WEIGHTS = [(3 * H, INPUT), (3 * H, H), (3 * H,), (3 * H,)]
ELMAN = [(H, INPUT), (H, H), (H,), (H,)]
LAYER = [(STEPS, N, INPUT), (N, H), (N, H), (4 * H, INPUT), (4 * H, H), (4 * H,), (4 * H,)]


def tensors_of(shapes):
    return [permuted(draw(shape, -1, 1, seed=k)) for k, shape in enumerate(shapes)]


def stepwise(x, h, c, w_ih, w_hh, b_ih=None, b_hh=None, reverse=False):
    """Return the layer's h of all steps by the formula, in NumPy."""
    outputs = []
    for t in range(len(x))[:: -1 if reverse else 1]:
        sums = x[t] @ w_ih.T + h @ w_hh.T + (0 if b_ih is None else b_ih + b_hh)
        i, f, g, o = np.split(sums, 4, 1)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        outputs.append(h)
    return np.stack(outputs[:: -1 if reverse else 1]), h, c


RECURRENT = [
    ("lstm_gates", more.lstm_gates, GATES),
    ("lstm_gates h alone", lambda g, c: more.lstm_gates(g, c)[0], GATES),
    ("lstm_gates c alone", lambda g, c: more.lstm_gates(g, c)[1], GATES),
    ("gru_gates", more.gru_gates, [(N, 3 * H), (N, 3 * H), (N, H)]),
    ("gru_cell", norch.gru_cell, [(N, INPUT), (N, H), *WEIGHTS]),
    ("gru_cell without bias", norch.gru_cell, [(N, INPUT), (N, H), *WEIGHTS[:2]]),
    ("lstm_layer", more.lstm_layer, LAYER),
    ("lstm_layer reverse", lambda *a: more.lstm_layer(*a, reverse=True), LAYER),
    ("gru_layer", more.gru_layer, [*LAYER[:2], *WEIGHTS]),
    ("gru_layer reverse", lambda *a: more.gru_layer(*a, reverse=True), [*LAYER[:2], *WEIGHTS]),
    ("gru_layer h alone", lambda *a: more.gru_layer(*a)[1], [*LAYER[:2], *WEIGHTS[:2]]),
    ("rnn_layer", more.rnn_layer, [*LAYER[:2], *ELMAN]),
    ("rnn_layer reverse", lambda *a: more.rnn_layer(*a, reverse=True), [*LAYER[:2], *ELMAN]),
    ("rnn_layer y alone", lambda *a: more.rnn_layer(*a)[0], [*LAYER[:2], *ELMAN[:2]]),
    (
        "rnn_layer relu",
        lambda *a: more.rnn_layer(*a, nonlinearity="relu"),
        [*LAYER[:2], *ELMAN],
    ),
    ("lstm_layer y alone", lambda *a: more.lstm_layer(*a)[0], LAYER[:5]),
    ("lstm_layer ends alone", lambda *a: more.lstm_layer(*a)[1:], LAYER),
]


@pytest.mark.parametrize("case", RECURRENT, ids=lambda case: case[0])
def test_recurrent_gradients(case):
    _, function, shapes = case
    agree(function, tensors_of(shapes))


@pytest.mark.parametrize("shapes", [LAYER, LAYER[:5]])
@pytest.mark.parametrize("reverse", [False, True])
def test_lstm_layer_and_its_reference_go_step_by_step(shapes, reverse):
    tensors = tensors_of(shapes)
    expected = stepwise(*(t.detach().numpy() for t in tensors), reverse=reverse)
    for function in (more.lstm_layer, composite()(more.lstm_layer)):
        for got, want in zip(function(*tensors, reverse=reverse), expected, strict=True):
            np.testing.assert_allclose(got.detach().numpy(), want, rtol=1e-10, atol=1e-12)


def test_lstm_cell_is_one_step_of_the_layer():
    x, h, c, *rest = tensors_of([(N, INPUT), *LAYER[1:]])
    cell, layer = norch.lstm_cell(x, (h, c), *rest), more.lstm_layer(x.unsqueeze(0), h, c, *rest)
    for got, want in zip(cell, layer[1:], strict=True):
        assert (got - want).abs().max().item() < 1e-14


STEPWISE = [
    (more.gru_layer, norch.gru_cell, WEIGHTS),
    (more.rnn_layer, norch.rnn_tanh_cell, ELMAN),
    (lambda *a: more.rnn_layer(*a, nonlinearity="relu"), norch.rnn_relu_cell, ELMAN),
]


@pytest.mark.parametrize(("layer", "cell", "weights"), STEPWISE)
@pytest.mark.parametrize("reverse", [False, True])
def test_layers_go_step_by_step(layer, cell, weights, reverse):
    x, h, *rest = tensors_of([(3, N, INPUT), (N, H), *weights])
    y, last = layer(x, h, *rest, reverse)
    for t in range(3)[:: -1 if reverse else 1]:
        h = cell(x[t], h, *rest)
        assert (y[t] - h).abs().max().item() < 1e-14
    assert (last - h).abs().max().item() < 1e-14


def test_the_gradients_of_the_two_biases_do_not_share_memory():
    tensors = tensors_of(LAYER)
    more.lstm_layer(*tensors)[0].sum().backward()
    tensors[5].grad.zero_()
    assert tensors[6].grad.abs().min().item() > 0


def test_elman_cells():
    x, h, w_ih, w_hh, b_ih, b_hh = tensors_of([(N, INPUT), (N, H), (H, INPUT), (H, H), (H,), (H,)])
    sums = x @ w_ih.T + b_ih + h @ w_hh.T + b_hh
    for cell, function in ((norch.rnn_tanh_cell, norch.tanh), (norch.rnn_relu_cell, norch.relu)):
        got = cell(x, h, w_ih, w_hh, b_ih, b_hh)
        assert (got - function(sums)).abs().max().item() < 1e-14
        assert gradcheck(cell, [x, h, w_ih, w_hh, b_ih, b_hh])


def test_gru_cell_against_the_formula():
    x, h, w_ih, w_hh, b_ih, b_hh = (
        t.detach().numpy() for t in tensors_of([(N, INPUT), (N, H), *WEIGHTS])
    )
    (xr, xz, xn), (ur, uz, un) = (np.split(a, 3, 1) for a in (x @ w_ih.T + b_ih, h @ w_hh.T + b_hh))
    r, z = 1 / (1 + np.exp(-xr - ur)), 1 / (1 + np.exp(-xz - uz))
    expected = (1 - z) * np.tanh(xn + r * un) + z * h
    got = norch.gru_cell(*(norch.tensor(a) for a in (x, h, w_ih, w_hh, b_ih, b_hh)))
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-12)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_an_edited_result_is_noticed(number):
    """y is needed for backward, the last h and c are copies of its own."""
    tensors = tensors_of(LAYER)
    out = more.lstm_layer(*tensors)
    with norch.no_grad():
        out[number].mul_(2)
    if number:
        return out[0].sum().backward()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out[1].sum().backward()


X = norch.ones(2, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: attention(X, X, X, dropout_p=1.5), RuntimeError, "between 0 and 1, not 1.5"),
        (lambda: attention(X, norch.ones(2, 4), X), RuntimeError, "do not match"),
        (lambda: attention(3, X, X), TypeError, "expected a Tensor, got int"),
        (lambda: attention(X, X, X, 3), TypeError, "expected a Tensor, got int"),
        (lambda: attention(X, X, X, norch.ones(3)), RuntimeError, r"a mask of shape \(3,\)"),
        (lambda: attention(X, X, X, enable_gqa=True), RuntimeError, "has heads in dimension -3"),
        (lambda: attention(norch.ones(3, 2, 4), *[norch.ones(2, 2, 4)] * 2, enable_gqa=True),
         RuntimeError, "must have a divisor"),
        (lambda: norch.lstm_cell(X, X, X, X), RuntimeError, r"must be two tensors, \(h, c\)"),
        (lambda: more.rnn_layer(X, X, X, X, nonlinearity="sin"), ValueError, "not 'sin'"),
        (lambda: more.lstm_gates(X, X), RuntimeError, r"gates has shape \(2, 3\)"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_infinite_scale_free_attention_of_no_size():
    """E = 0: every score is 0, so the mixture is the mean."""
    v = norch.tensor([[1.0], [3.0]])
    assert attention(norch.ones(1, 0), norch.ones(2, 0), v).item() == 2.0
    assert math.isclose(composite()(attention)(norch.ones(1, 0), norch.ones(2, 0), v).item(), 2.0)
