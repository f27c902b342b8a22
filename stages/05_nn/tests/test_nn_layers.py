"""Layers, containers, activations, losses and initial values."""

import math

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F


def transposed(values):
    """A tensor with these values that is not contiguous in memory."""
    t = norch.tensor(values)
    return t if t.ndim < 2 else t.transpose(0, 1).contiguous().transpose(0, 1)


def close(actual, expected):
    assert norch.allclose(actual, norch.tensor(expected), atol=1e-6), actual


X = [[-1.0, 0.5, 2.0], [0.0, -3.0, 1.0]]


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (nn.ReLU(), [[0.0, 0.5, 2.0], [0.0, 0.0, 1.0]]),
        (nn.Sigmoid(), [[1 / (1 + math.exp(-x)) for x in row] for row in X]),
        (nn.Tanh(), [[math.tanh(x) for x in row] for row in X]),
        (nn.Identity(3, anything=1), X),
        (nn.Flatten(0), [-1.0, 0.5, 2.0, 0.0, -3.0, 1.0]),
        (nn.Sequential(), X),
        (nn.Dropout(0.9).eval(), X),
        (nn.Dropout(0.0), X),
        (nn.Dropout(1.0), [[0.0] * 3] * 2),
    ],
)
def test_values(layer, expected):
    close(layer(transposed(X)), expected)


def test_softmax_rows_add_up_to_one():
    close(nn.Softmax(dim=1)(transposed(X)).sum(1), [1.0, 1.0])
    close(nn.LogSoftmax(dim=0)(transposed(X)).exp().sum(0), [1.0, 1.0, 1.0])


def test_linear_by_hand():
    layer = nn.Linear(3, 2)
    layer.load_state_dict(
        {
            "weight": norch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]]),
            "bias": norch.tensor([10.0, 20.0]),
        }
    )
    close(layer(transposed(X)), [[13.0, 20.5], [12.0, 17.0]])
    assert tuple(layer(norch.zeros(5, 4, 3)).shape) == (5, 4, 2)


def test_linear_without_bias_reserves_the_name():
    layer = nn.Linear(3, 2, bias=False)
    assert layer.bias is None and list(layer.state_dict()) == ["weight"]
    assert repr(layer) == "Linear(in_features=3, out_features=2, bias=False)"


def test_linear_wrong_width_raises():
    with pytest.raises(RuntimeError, match=r"\(2, 4\).*\(2, 3\)|\(2, 4\) and"):
        nn.Linear(3, 2)(norch.zeros(2, 4))


def test_linear_starts_between_plus_and_minus_one_over_root_fan_in():
    norch.manual_seed(0)
    layer = nn.Linear(400, 500)
    for parameter in layer.parameters():
        assert parameter.abs().max().item() <= 1 / 20
        assert parameter.abs().max().item() > 0.9 / 20
        assert abs(parameter.mean().item()) < 0.005
    assert layer.weight.var().item() == pytest.approx(1 / 400 / 3, rel=0.02)


def test_same_seed_same_layer():
    norch.manual_seed(3)
    first = nn.Linear(4, 4)
    norch.manual_seed(3)
    assert norch.equal(first.weight, nn.Linear(4, 4).weight)
    assert not norch.equal(first.weight, nn.Linear(4, 4).weight)


def test_dropout_keeps_the_mean_and_draws_anew():
    norch.manual_seed(0)
    drop = nn.Dropout(0.25)
    x = norch.ones(200, 100, requires_grad=True)
    y = drop(x)
    assert sorted({round(v, 4) for v in y.flatten().tolist()}) == [0.0, 1.3333]
    assert y.mean().item() == pytest.approx(1, abs=0.02)
    assert not norch.equal(y, drop(x))
    y.sum().backward()
    assert norch.equal(x.grad, y.detach())


def test_relu_that_modifies_its_input():
    x = norch.tensor([-1.0, 1.0])
    nn.ReLU()(x)
    assert x.tolist() == [-1.0, 1.0]
    assert nn.ReLU(inplace=True)(x) is x and x.tolist() == [0.0, 1.0]
    w = norch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    hidden = w * 2
    assert F.relu(hidden, inplace=True) is hidden
    hidden.sum().backward()
    assert w.grad.tolist() == [0.0, 0.0, 2.0]


# ---- containers ----------------------------------------------------------------------------------


def test_sequential_is_a_list():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert len(net) == 3 and isinstance(net[-1], nn.Linear) and isinstance(net[1:], nn.Sequential)
    assert list(net[1:].state_dict()) == ["2.weight", "2.bias"]
    net.append(nn.Sigmoid()).insert(0, nn.Flatten())
    assert [type(m).__name__ for m in net] == ["Flatten", "Linear", "ReLU", "Linear", "Sigmoid"]
    del net[0], net[-1]
    net[1] = nn.Tanh()
    assert [name for name, _ in net.named_children()] == ["0", "1", "2"]
    assert tuple(net(norch.zeros(4, 2)).shape) == (4, 1)
    with pytest.raises(IndexError, match=r"\[Sequential\] index 3 is out of range for 3"):
        net[3]


def test_sequential_takes_names():
    net = nn.Sequential({"first": nn.Linear(1, 1), "second": nn.ReLU()})
    assert list(net.state_dict()) == ["first.weight", "first.bias"] and net.first is net[0]


def test_module_list_registers_and_has_no_forward():
    layers = nn.ModuleList(nn.Linear(1, 1) for _ in range(2)).extend([nn.Linear(1, 1)])
    assert list(layers.state_dict())[-1] == "2.bias" and len(layers[:2]) == 2
    with pytest.raises(NotImplementedError, match=r"\[ModuleList\]"):
        layers(norch.ones(1, 1))
    with pytest.raises(TypeError, match="must be a Module"):
        nn.ModuleList([3])


# ---- losses --------------------------------------------------------------------------------------

LOGITS = [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0], [2.0, 2.0, 2.0]]
LABELS = [1, 0, 2]
LOSSES = [
    math.log(sum(map(math.exp, row))) - row[label]
    for row, label in zip(LOGITS, LABELS, strict=True)
]


@pytest.mark.parametrize(
    ("options", "labels", "expected"),
    [
        ({}, LABELS, sum(LOSSES) / 3),
        ({"reduction": "sum"}, LABELS, sum(LOSSES)),
        ({"reduction": "none"}, LABELS, LOSSES),
        ({}, [1, 0, -100], sum(LOSSES[:2]) / 2),
        ({"ignore_index": 1}, LABELS, sum(LOSSES[1:]) / 2),
        ({"reduction": "none"}, [1, -100, 2], [LOSSES[0], 0.0, LOSSES[2]]),
    ],
)
def test_cross_entropy(options, labels, expected):
    logits = transposed(LOGITS).requires_grad_()
    close(nn.CrossEntropyLoss(**options)(logits, norch.tensor(labels)), expected)


def test_cross_entropy_of_one_sample():
    close(F.cross_entropy(norch.tensor(LOGITS[0]), norch.tensor(1)), LOSSES[0])


def test_cross_entropy_that_ignores_the_upstream_gradient():
    def gradient(factor):
        logits = norch.tensor(LOGITS, requires_grad=True)
        (factor * F.cross_entropy(logits, norch.tensor(LABELS))).backward()
        return logits.grad

    close(gradient(2.0), (gradient(1.0) * 2).tolist())
    softmax = F.softmax(norch.tensor(LOGITS), 1).tolist()
    by_hand = [
        [(p - (j == label)) / 3 for j, p in enumerate(row)]
        for row, label in zip(softmax, LABELS, strict=True)
    ]
    close(gradient(1.0), by_hand)


def test_cross_entropy_inf_for_logits_0_200():
    logits = norch.tensor([[0.0, 200.0]], requires_grad=True)
    loss = F.cross_entropy(logits, norch.tensor([0]))
    loss.backward()
    assert loss.item() == 200
    close(logits.grad, [[-1.0, 1.0]])


@pytest.mark.parametrize(
    ("logits", "target", "error", "message"),
    [
        (norch.zeros(2, 3), norch.tensor([0, 3]), IndexError, "3"),
        (norch.zeros(2, 3), norch.tensor([0, -1]), IndexError, "-1"),
        (norch.zeros(2, 3), norch.tensor([0]), (RuntimeError, ValueError), "2.*1"),
    ],
)
def test_cross_entropy_bad_targets(logits, target, error, message):
    with pytest.raises(error, match=message):
        F.cross_entropy(logits, target)


def test_mse_mean_over_rows_instead_of_elements():
    a, b = transposed([[1.0, 2.0], [3.0, 4.0]]), transposed([[0.0, 0.0], [0.0, 0.0]])
    close(nn.MSELoss()(a, b), 30 / 4)
    close(nn.MSELoss(reduction="sum")(a, b), 30.0)
    close(nn.MSELoss(reduction="none")(a, b), [[1.0, 4.0], [9.0, 16.0]])


def test_mse_of_unequal_shapes_warns():
    with pytest.warns(UserWarning, match=r"\[mse_loss\] shapes \(2, 1\) and \(2,\) differ"):
        F.mse_loss(norch.zeros(2, 1), norch.zeros(2))
    with pytest.warns(UserWarning, match="differ"), pytest.raises(RuntimeError):
        F.mse_loss(norch.zeros(2), norch.zeros(3))


@pytest.mark.parametrize("make", [nn.MSELoss, nn.CrossEntropyLoss])
def test_unknown_reduction(make):
    with pytest.raises(ValueError, match="reduction must be 'none', 'mean' or 'sum', not 'avg'"):
        make(reduction="avg")


def test_dropout_probability_out_of_range():
    with pytest.raises(ValueError, match=r"between 0 and 1, not 1\.5"):
        nn.Dropout(1.5)


# ---- init ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fill", "std", "bound"),
    [
        (lambda t: nn.init.uniform_(t, -2, 2), 2 / math.sqrt(3), 2),
        (lambda t: nn.init.normal_(t, 0, 0.5), 0.5, None),
        (nn.init.xavier_uniform_, math.sqrt(2 / 700), math.sqrt(6 / 700)),
        (lambda t: nn.init.xavier_normal_(t, gain=2), 2 * math.sqrt(2 / 700), None),
        (nn.init.kaiming_uniform_, math.sqrt(2 / 400), math.sqrt(6 / 400)),
        (lambda t: nn.init.kaiming_normal_(t, mode="fan_out"), math.sqrt(2 / 300), None),
        (
            lambda t: nn.init.kaiming_normal_(t, nonlinearity="relu"),
            math.sqrt(2 / 400),
            None,
        ),
    ],
)
def test_distributions(fill, std, bound):
    norch.manual_seed(0)
    t = norch.zeros(300, 400, requires_grad=True)
    assert fill(t) is t and t.requires_grad and t.is_leaf
    assert t.std().item() == pytest.approx(std, rel=0.02)
    assert abs(t.mean().item()) < std / 50
    if bound is not None:
        assert t.abs().max().item() <= bound


def test_constants_and_generator():
    t = norch.empty(2, 2)
    assert nn.init.zeros_(t).sum().item() == 0 and nn.init.ones_(t).sum().item() == 4
    assert nn.init.constant_(t, 2.5).sum().item() == 10
    a, b = (
        nn.init.uniform_(norch.empty(5), generator=norch.Generator().manual_seed(1))
        for _ in range(2)
    )
    assert norch.equal(a, b)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda: nn.init.xavier_uniform_(norch.zeros(3)), "2 or more dimensions"),
        (lambda: nn.init.kaiming_normal_(norch.zeros(3, 3), mode="fan"), "mode 'fan' is unknown"),
        (lambda: nn.init.calculate_gain("softplus"), "'softplus' is unknown"),
    ],
)
def test_bad_init(action, message):
    with pytest.raises(ValueError, match=message):
        action()


def test_scaled_dot_product_attention_by_its_names():
    query, value = norch.zeros(1, 4), norch.tensor([[1.0], [3.0]])
    seen = norch.tensor([False, True])
    out = F.scaled_dot_product_attention(
        query=query, key=norch.zeros(2, 4), value=value, attn_mask=seen, dropout_p=0.0, scale=1.0
    )
    assert out.tolist() == [[3.0]]
