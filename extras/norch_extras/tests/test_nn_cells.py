"""Recurrent cells against numbers computed once with PyTorch 2.13, in float64."""

import pytest
from layer_checks import fill_with_sines, states_of, wave

import norch_autograd as norch
import norch_nn as nn
from norch_extras.nn import GRUCell, LSTMCell, RNNCell


@pytest.mark.parametrize("kind", [RNNCell, LSTMCell, GRUCell])
@pytest.mark.parametrize("bias", [True, False])
def test_cells_are_one_step_of_their_layer(kind, bias):
    cell = fill_with_sines(kind(3, 2, bias=bias))
    layers = {RNNCell: nn.RNN, LSTMCell: nn.LSTM, GRUCell: nn.GRU}
    layer = fill_with_sines(layers[kind](3, 2, bias=bias))
    x, h = wave(4, 3), wave(1, 4, 2, k=0.5)
    given = (h, h * 2) if kind is LSTMCell else h
    _, expected = layer(x.unsqueeze(0), given)
    got = cell(x, tuple(s[0] for s in given) if isinstance(given, tuple) else h[0])
    for a, b in zip(states_of(got), states_of(expected), strict=True):
        assert norch.allclose(a, b[0])
    rows = [states_of(cell(row))[0] for row in x]
    assert norch.allclose(norch.stack(rows), states_of(cell(x))[0])


def test_names_shapes_and_first_values():
    layer = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    first = ["weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"]
    expected = [f"{name}_l{k}{end}" for k in (0, 1) for end in ("", "_reverse") for name in first]
    assert [name for name, _ in layer.named_parameters()] == expected
    assert tuple(layer.weight_ih_l1.shape) == (16, 4) and tuple(layer.weight_hr_l0.shape) == (2, 4)
    assert list(nn.GRU(3, 4, bias=False).state_dict()) == ["weight_ih_l0", "weight_hh_l0"]
    values = norch.cat([p.reshape(-1) for p in nn.GRU(50, 100).parameters()])
    assert 0.099 < values.abs().max().item() <= 0.1 and abs(values.mean().item()) < 0.002
    values = norch.cat([p.reshape(-1) for p in LSTMCell(50, 100).parameters()])
    assert 0.099 < values.abs().max().item() <= 0.1


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        (lambda: RNNCell(2, 3, False, "relu"), "RNNCell(2, 3, bias=False, nonlinearity=relu)"),
        (lambda: LSTMCell(2, 3), "LSTMCell(2, 3)"),
    ],
)  # fmt: skip
def test_repr_as_pytorch(module, expected):
    assert repr(module()) == expected


X = norch.ones(2, 2, 3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: RNNCell(3, 4, nonlinearity="sin")(X[0]), RuntimeError, "'tanh' or 'relu'"),
        (lambda: LSTMCell(3, 4)(X), ValueError, "an input of 1 or 2 dimensions"),
        (lambda: LSTMCell(3, 4)(X[0, :, :2]), RuntimeError, "an input must have 3 elements"),
        (lambda: GRUCell(3, 4)(X[0], norch.ones(3, 4)), RuntimeError, "2 rows of input need"),
    ],
)  # fmt: skip
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("kind", [RNNCell, LSTMCell, GRUCell])
def test_autocast_as_pytorch_on_the_cpu(kind):
    """Cells run in float32, though layers of LSTM and RNN run in half precision."""
    module = kind(3, 4)
    with norch.autocast("cpu"):
        out = states_of(module(norch.ones(5, 3)))[0]
        assert out.dtype is norch.float32
    out.sum().backward()
    assert {p.grad.dtype for p in module.parameters()} == {norch.float32}
