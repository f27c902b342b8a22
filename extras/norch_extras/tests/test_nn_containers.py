"""ParameterList, ParameterDict and Bilinear."""

import math

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_extras.nn import Bilinear, ParameterDict, ParameterList, bilinear


def test_parameter_list_registers_in_order():
    weights = ParameterList([norch.zeros(2), nn.Parameter(norch.ones(3))])
    weights.append(norch.ones(1)).extend([norch.ones(4)])
    weights[0] = norch.ones(5)
    assert [tuple(p.shape) for p in weights] == [(5,), (3,), (1,), (4,)]
    assert all(isinstance(p, nn.Parameter) for p in weights) and len(weights[1:3]) == 2
    assert list(weights.state_dict()) == ["0", "1", "2", "3"] and weights[-1] is weights[3]
    assert repr(weights[1:2]) == (
        "ParameterList(  (0): Parameter containing: [norch.float32 of size 3])"
    )


def test_parameter_dict_registers_by_name():
    weights = ParameterDict({"a": norch.zeros(2, 3)})
    weights["b"] = norch.ones(1)
    weights.update({"c": norch.ones(1)})
    weights.update(ParameterDict([("d", norch.ones(1))]))
    assert list(weights) == list(weights.keys()) == list(weights.state_dict())
    assert len(list(weights.parameters())) == 4 and weights.get("x") is None
    assert weights.pop("a").shape == (2, 3) and "a" not in weights
    del weights["b"]
    assert [k for k, _ in weights.items()] == ["c", "d"] and len(list(weights.values())) == 2
    weights.clear()
    assert len(weights) == 0


def test_bilinear_by_hand():
    layer = Bilinear(2, 3, 4).double()
    x1, x2 = norch.randn(3, 5, 2).double(), norch.randn(5, 3, 3).double().transpose(0, 1)
    expected = norch.stack(
        [((x1 @ w) * x2).sum(-1) + b for w, b in zip(layer.weight, layer.bias, strict=True)], -1
    )
    assert norch.allclose(layer(x1, x2), expected)
    inputs = (x1[0].requires_grad_(), x2[0].clone().requires_grad_(), *layer.parameters())
    assert norch.gradcheck(bilinear, inputs)
    assert layer.weight.abs().max().item() <= 1 / math.sqrt(2)
    assert list(Bilinear(2, 3, 4, bias=False).state_dict()) == ["weight"]


linear = nn.Linear(1, 1)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: ParameterList()[0], IndexError, "index 0 is out of range for 0 parameters"),
        (lambda: ParameterList(norch.ones(2)), TypeError, "a list of tensors is expected"),
        (lambda: ParameterDict({"a": 3}), TypeError, "'a' must be a Parameter or None"),
        (lambda: ParameterDict()["a"], KeyError, "a"),
        (lambda: Bilinear(0, 1, 1), ValueError, "in1_features must be above 0"),
        (
            lambda: Bilinear(2, 3, 1)(norch.ones(4, 2), norch.ones(5, 3)),
            RuntimeError,
            r"\(4, 2\) and \(5, 3\) do not fit weight \(1, 2, 3\)",
        ),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_parameter_dict_is_a_dict():
    weights = ParameterDict({"b": norch.ones(2), "a": norch.zeros(1)})
    assert list(weights) == ["a", "b"] and list(reversed(weights)) == ["b", "a"]
    assert weights.setdefault("c", norch.ones(3)) is weights["c"] is weights.setdefault("c")
    both = weights | ParameterDict({"d": norch.ones(1)})
    both |= weights.fromkeys(["e"], norch.ones(1))
    assert list(both) == ["a", "b", "c", "d", "e"] and both["a"] is weights["a"]
    assert both.popitem()[0] == "e" and list(both.copy()) == ["a", "b", "c", "d"]
