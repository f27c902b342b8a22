"""ModuleDict, ModuleList, Sequential, DataParallel and Unflatten."""

import pytest

import norch_autograd as norch
import norch_nn as nn


def test_module_dict_is_a_dict_that_registers():
    net = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ReLU()})
    assert list(net.state_dict()) == ["a.weight", "a.bias"]
    net["c"] = nn.Tanh()
    net["b"] = nn.Sigmoid()
    assert list(net) == list(net.keys()) == ["a", "b", "c"] and len(net) == 3 and "b" in net
    assert [type(m).__name__ for m in net.values()] == ["Linear", "Sigmoid", "Tanh"]
    assert isinstance(net.pop("c"), nn.Tanh) and dict(net.items()) == {"a": net.a, "b": net.b}
    net.update([("d", nn.ReLU())])
    net.update(nn.ModuleDict({"e": nn.ReLU()}))
    del net["a"]
    assert list(net) == ["b", "d", "e"] and list(net.state_dict()) == []
    net.clear()
    assert len(net) == 0
    with pytest.raises(NotImplementedError, match=r"\[ModuleDict\]"):
        net(1)


def test_unflatten():
    x = norch.zeros(12, 2).t()
    assert nn.Unflatten(1, (3, -1))(x).shape == (2, 3, 4)
    assert nn.Unflatten(-1, [2, 6])(x).shape == (2, 2, 6)


linear = nn.Linear(1, 1)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: nn.ModuleDict({"keys": linear}), KeyError, "the attribute 'keys' already exists"),
        (lambda: nn.ModuleDict({"a.b": linear}), KeyError, "without a dot"),
        (lambda: nn.ModuleDict({1: linear}), TypeError, "name must be a str, not int"),
        (lambda: nn.ModuleDict({"a": 3}), TypeError, "'a' must be a Module or None, not int"),
        (lambda: nn.ModuleDict()["a"], KeyError, "a"),
        (lambda: nn.ModuleDict().pop("a"), KeyError, "a"),
        (lambda: nn.Unflatten(1, (2.0, 3)), TypeError, "must be a tuple of ints"),
        (lambda: nn.Unflatten(1, 3), TypeError, "must be a tuple of ints, not 3"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


def test_neighbours_that_look_the_same_share_a_line():
    row = nn.ModuleList([nn.ReLU(), nn.Tanh(), nn.Tanh(), nn.ReLU()])
    assert repr(row) == "ModuleList(\n  (0): ReLU()\n  (1-2): 2 x Tanh()\n  (3): ReLU()\n)"
    assert repr(nn.ModuleList()) == "ModuleList()"


def test_sequential_is_put_together_and_repeated():
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    assert repr(net.pop(0)) == "ReLU()" and list(net._modules) == ["0"]
    longer = net + nn.Sequential(nn.ELU())
    assert [type(m).__name__ for m in longer * 2] == ["Tanh", "ELU"] * 2
    longer += nn.Sequential(nn.ReLU())
    longer *= 2
    assert len(longer) == 6 and longer[3] is longer[0] and len(2 * net) == 2
    layers = nn.ModuleList([nn.ReLU()]).__add__([nn.Tanh()])
    layers += [nn.ELU()]
    assert [type(m).__name__ for m in layers] == ["ReLU", "Tanh", "ELU"]
    assert repr(layers.pop(-1)) == "ELU(alpha=1.0)" and len(layers) == 2


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda net: net * 0, ValueError, "1 or more times, not 0"),
        (lambda net: net * "a", TypeError, "an int of times, not str"),
        (lambda net: net + 3, ValueError, "only modules can be added, not a int"),
        (lambda net: net.insert(9, nn.ReLU()), IndexError, "index 9 is out of range"),
        (lambda net: nn.ModuleList([]) + 3, TypeError, "modules are expected, not a int"),
    ],
)
def test_sequential_refuses(act, error, message):
    with pytest.raises(error, match=message):
        act(nn.Sequential(nn.ReLU()))


def test_data_parallel_calls_the_model():
    model = nn.Linear(2, 1)
    wrapped = nn.DataParallel(model, device_ids=[0])
    assert wrapped(norch.ones(1, 2)).tolist() == model(norch.ones(1, 2)).tolist()
    with pytest.raises(RuntimeError, match="one process drives one device"):
        nn.DataParallel(model, device_ids=[0, 1])
