"""Recurrent layers and cells against numbers computed once with PyTorch 2.13, in float64.

Weights and inputs are sines, so that every number is different and none has to be stored. What is
compared is two digests of each result: its sum, and its sum weighted by another sine.
"""

import pickle

import numpy as np
import pytest
from layer_checks import digest, fill_with_sines, states_of, wave

import norch_autograd as norch
import norch_nn as nn
from norch_nn.core.packed_sequence import PackedSequence

# layer; of a padded batch: output, last states; of a packed one the same; gradients of parameters
LAYERS = {
    "RNN": (
        lambda: nn.RNN(3, 2, num_layers=2, bidirectional=True),
        [2.860797, 0.80412], [[9.490324, 1.167204]],
        [1.619762, 1.153633], [[9.268875, 1.064127]], [-0.620951, 0.054175],
    ),
    "RNN relu": (
        lambda: nn.RNN(3, 2, 1, "relu", bias=False),
        [17.065973, -2.31037], [[5.057033, -0.119561]],
        [7.89295, 2.427891], [[4.987549, -0.179058]], [4.231912, 2.361506],
    ),
    "LSTM": (
        lambda: nn.LSTM(3, 2, num_layers=2, bidirectional=True),
        [-7.919982, 0.174924], [[-4.610362, 0.323635], [-7.333509, 0.750939]],
        [-3.579567, 0.21722], [[-4.311208, 0.296591], [-4.718015, 0.247123]],
        [-0.604765, -0.658846],
    ),
    "LSTM batch_first no bias": (
        lambda: nn.LSTM(3, 2, bias=False, batch_first=True),
        [-1.328568, -0.279873], [[-0.467237, -0.070222], [-0.713138, -0.055126]],
        [-1.099157, -0.180939], [[-0.015545, 0.280576], [-0.124577, 0.41621]],
        [-0.31971, 0.235328],
    ),
    "LSTM proj": (
        lambda: nn.LSTM(3, 4, num_layers=2, proj_size=2, bidirectional=True),
        [6.663263, -0.470474], [[2.956252, -1.129811], [-5.920198, -0.975203]],
        [1.656905, -0.301752], [[1.903699, -0.454588], [-3.684957, 0.139859]],
        [0.399721, 0.577754],
    ),
    "GRU": (
        lambda: nn.GRU(3, 2, num_layers=2, bidirectional=True),
        [-11.28745, 0.609136], [[-3.804507, 0.783566]],
        [-4.414275, 0.265021], [[-2.821533, 0.22202]], [2.0551, -0.585642],
    ),
}  # fmt: skip


def pack(x, lengths):
    """Return x, (T, N, ...), packed: of sequence b its first `lengths[b]` steps."""
    order = sorted(range(len(lengths)), key=lambda b: -lengths[b])
    back = [order.index(b) for b in range(len(lengths))]
    rows = [x[t, b] for t in range(max(lengths)) for b in order if t < lengths[b]]
    sizes = [sum(t < n for n in lengths) for t in range(max(lengths))]
    numbers = [norch.tensor(part) for part in (sizes, order, back)]
    return PackedSequence(norch.stack(rows), *numbers)


@pytest.mark.parametrize("name", LAYERS)
def test_layers_against_pytorch(name):
    make, output, states, packed_output, packed_states, gradient = LAYERS[name]
    layer, x = fill_with_sines(make()), wave(4, 3, 3, k=0.9)
    y, state = layer(x)
    assert digest(y) == pytest.approx(output, abs=2e-6)
    assert [digest(s) for s in states_of(state)] == [pytest.approx(s, abs=2e-6) for s in states]
    (y * wave(*y.shape, k=1.1)).sum().backward()
    found = np.sum([digest(p.grad, 0.3) for p in layer.parameters()], 0)
    assert found == pytest.approx(gradient, abs=5e-6)
    lengths = [2, 3, 1, 3] if layer.batch_first else [2, 3, 1]
    packed = pack(x.transpose(0, 1) if layer.batch_first else x, lengths)
    y, state = layer(packed)
    assert digest(y.data) == pytest.approx(packed_output, abs=2e-6)
    found = [digest(s) for s in states_of(state)]
    assert found == [pytest.approx(s, abs=2e-6) for s in packed_states]


def doubled(state):
    return tuple(2 * s for s in state) if isinstance(state, tuple) else 2 * state


@pytest.mark.parametrize("name", LAYERS)
def test_a_state_carries_the_sequence_on(name):
    """Two halves, the state handed over, are the whole; without a batch the same."""
    make = LAYERS[name][0]
    layer, x = fill_with_sines(make()), wave(4, 1, 3)
    if layer.bidirectional:
        given = doubled(layer(x)[1])
        whole, state = layer(x, given)
        squeezed = tuple(s.squeeze(1) for s in states_of(given))
        alone, ends = layer(x[:, 0], squeezed if isinstance(given, tuple) else squeezed[0])
        assert [s.ndim for s in states_of(ends)] == [2] * len(states_of(ends))
        assert norch.allclose(alone, whole[:, 0]) and alone.ndim == 2
        for a, b in zip(*map(states_of, (ends, state)), strict=True):
            assert norch.allclose(a, b[:, 0])
        return
    x = x.transpose(0, 1) if layer.batch_first else x
    time = 1 if layer.batch_first else 0
    whole, _ = layer(x)
    first, state = layer(x.narrow(time, 0, 2))
    second, _ = layer(x.narrow(time, 2, 2), state)
    assert norch.allclose(norch.cat([first, second], time), whole)


@pytest.mark.parametrize("name", ["RNN", "RNN relu", "LSTM", "GRU"])
def test_gradients_by_differences(name):
    layer, x = fill_with_sines(LAYERS[name][0]()), wave(2, 2, 3).requires_grad_()
    packed = pack(wave(2, 2, 3), [1, 2])

    def run(x):
        y, state = layer(x)
        return (y, *states_of(state))

    assert norch.autograd.gradcheck(run, [x])
    data = packed.data.requires_grad_()
    assert norch.autograd.gradcheck(lambda d: layer(packed._replace(data=d))[0].data, [data])


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        (lambda: nn.LSTM(3, 4, 2, dropout=0.5, bidirectional=True, proj_size=2),
         "LSTM(3, 4, proj_size=2, num_layers=2, dropout=0.5, bidirectional=True)"),
        (lambda: nn.GRU(3, 4, bias=False, batch_first=True),
         "GRU(3, 4, bias=False, batch_first=True)"),
        (lambda: nn.RNN(3, 4, 2, "relu"), "RNN(3, 4, num_layers=2)"),
    ],
)  # fmt: skip
def test_repr_as_pytorch(module, expected):
    assert repr(module()) == expected


def test_dropout_between_layers_only_while_training():
    layer, x = nn.LSTM(3, 50, 2, dropout=0.5), norch.ones(5, 2, 3)
    assert not norch.allclose(layer(x)[0], layer(x)[0])
    layer.eval()
    assert norch.allclose(layer(x)[0], layer(x)[0])
    with pytest.warns(UserWarning, match="acts between layers"):
        nn.GRU(3, 4, dropout=0.5)


def test_a_layer_can_be_pickled_and_loaded():
    layer = nn.LSTM(3, 4)
    other = pickle.loads(pickle.dumps(layer))
    x = norch.ones(2, 1, 3)
    assert norch.allclose(layer(x)[0], other(x)[0])
    fresh = nn.LSTM(3, 4)
    fresh.load_state_dict(layer.state_dict())
    assert norch.allclose(layer(x)[0], fresh(x)[0])


def lstm(x, hx=None, **options):
    return nn.LSTM(3, 4, **options)(x, hx)


X, ZERO = norch.ones(2, 2, 3), norch.zeros(1, 2, 4)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.RNN(3, 4, 2, "sin"), ValueError, "must be 'tanh' or 'relu', not 'sin'"),
        (lambda: nn.LSTM(3, 4.0), TypeError, "hidden_size must be an int, not float"),
        (lambda: nn.LSTM(3, 0), ValueError, "hidden_size must be above 0"),
        (lambda: nn.GRU(3, 4, 0), ValueError, "num_layers must be above 0"),
        (lambda: nn.LSTM(3, 4, dropout=2), ValueError, "a number from 0 to 1, not 2"),
        (lambda: nn.LSTM(3, 4, dropout="a"), ValueError, "a number from 0 to 1, not 'a'"),
        (lambda: nn.LSTM(3, 4, proj_size=4), ValueError, "from 0 to hidden_size - 1 = 3, not 4"),
        (lambda: nn.RNNBase("GRU", 3, 4, proj_size=2), ValueError, "only LSTM has proj_size"),
        (lambda: lstm(norch.ones(3)), ValueError, "an input of 2 or 3 dimensions"),
        (lambda: lstm(norch.ones(2, 2, 4)), RuntimeError, "must be input_size 3"),
        (lambda: lstm(norch.ones(0, 2, 3)), RuntimeError, "at least one time step"),
        (lambda: lstm(norch.ones(2, 0, 3), batch_first=True), RuntimeError, "at least one time"),
        (lambda: lstm(X, ZERO), RuntimeError, r"must be two tensors, \(h, c\)"),
        (lambda: lstm(X, (ZERO, ZERO[..., :3])), RuntimeError,
         r"expected a state of shape \(1, 2, 4\), got \(1, 2, 3\)"),
        (lambda: lstm(X[0], (ZERO, ZERO)), RuntimeError, r"shape \(1, 4\), got \(1, 2, 4\)"),
        (lambda: nn.GRU(3, 4)(X, ZERO[0]), RuntimeError, r"shape \(1, 2, 4\), got \(2, 4\)"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("kind", [nn.RNN, nn.LSTM, nn.GRU])
def test_autocast_as_pytorch_on_the_cpu(kind):
    """LSTM and RNN run in half precision, GRU and the cells in float32."""
    module, x = kind(3, 4), norch.ones(2, 5, 3)
    layer = kind in (nn.RNN, nn.LSTM, nn.GRU)
    with norch.autocast("cpu"):
        out = states_of(module(x if layer else x[0]))[0]
        expected = norch.bfloat16 if kind in (nn.RNN, nn.LSTM) else norch.float32
        assert out.dtype is expected
        if layer:
            packed = pack(norch.ones(2, 2, 3), [2, 1])
            expected = norch.bfloat16 if kind is nn.RNN else norch.float32
            assert module(packed)[0].data.dtype is expected
    out.float().sum().backward()
    assert {p.grad.dtype for p in module.parameters()} == {norch.float32}
