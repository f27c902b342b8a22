"""Module: registration, walking, modes, moving, hooks, state and printing."""

import copy
import gc
import pickle
import weakref

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn.core.module import ScriptModule


class Net(nn.Module):
    """Two layers, a buffer and a tied name."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(3, 4)
        self.act = nn.ReLU()
        self.fc2 = nn.Linear(4, 2)
        self.register_buffer("scale", norch.ones(1))
        self.register_buffer("scratch", norch.zeros(1), persistent=False)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x))) * self.scale


NAMES = ["fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias"]


def test_names_of_all_parts():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == NAMES
    assert [name for name, _ in net.named_modules()] == ["", "fc1", "act", "fc2"]
    assert [name for name, _ in net.named_children()] == ["fc1", "act", "fc2"]
    assert [name for name, _ in net.named_buffers()] == ["scale", "scratch"]
    assert next(net.modules()) is net and len(list(net.children())) == 3
    assert list(net.parameters(recurse=False)) == []


def test_nested_names():
    outer = nn.Sequential(Net(), nn.Sequential(nn.Linear(2, 2, bias=False)))
    assert [name for name, _ in outer.named_parameters()] == [
        *(f"0.{name}" for name in NAMES),
        "1.0.weight",
    ]
    assert outer.get_submodule("0.fc2") is outer[0].fc2
    with pytest.raises(AttributeError, match=r"\[Net\] has no module 'fc9'"):
        outer.get_submodule("0.fc9")


def test_tied_weights_are_listed_once_and_saved_twice():
    net = Net()
    net.fc3 = net.fc1
    assert len(list(net.parameters())) == 4
    assert "fc3.weight" in net.state_dict()


def test_setattr_moves_a_name_between_kinds():
    net = Net()
    net.fc1 = None
    assert [name for name, _ in net.named_parameters()] == ["fc2.weight", "fc2.bias"]
    net.fc1 = nn.Parameter(norch.zeros(2))
    assert [name for name, _ in net.named_parameters()] == ["fc1", "fc2.weight", "fc2.bias"]
    assert "fc1" not in dict(net.named_children())
    del net.fc1
    assert not hasattr(net, "fc1") and "fc1" not in dict(net.named_parameters())


def replace(name, value):
    def action(net):
        setattr(net, name, value)

    return action


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (replace("fc1", 3), TypeError, r"\[Net\] cannot assign int to 'fc1': a Module or None"),
        (replace("scale", 3), TypeError, r"\[Net\] cannot assign int to 'scale': a Tensor or None"),
        (lambda net: replace("weight", 1.0)(net.fc1), TypeError, "a Parameter or None"),
        (lambda net: replace("weight", norch.ones(1))(net.fc1), TypeError, "assign Tensor to"),
        (lambda net: net.register_parameter("a.b", None), KeyError, "without a dot"),
        (lambda net: net.register_parameter("", None), KeyError, "non-empty"),
        (lambda net: net.register_parameter("train", None), KeyError, "already exists"),
        (lambda net: net.register_parameter("w", norch.ones(1)), TypeError, "must be a Parameter"),
        (lambda net: net.register_buffer("b", 3), TypeError, "must be a Tensor or None, not int"),
        (lambda net: net.add_module("m", 3), TypeError, "must be a Module or None, not int"),
        (lambda net: net.register_buffer(3, None), TypeError, "name must be a str, not int"),
        (lambda net: net.nothing, AttributeError, "'Net' object has no attribute 'nothing'"),
        (lambda net: net.train("yes"), ValueError, r"\[train\] mode must be True or False"),
        (lambda net: nn.Module()(1), NotImplementedError, r"\[Module\] has no forward"),
        (lambda net: net.to(norch.int64), TypeError, "floating-point dtype is expected"),
        (lambda net: net.register_forward_hook(3), TypeError, "must be callable, not int"),
        (lambda net: net.load_state_dict(3), TypeError, "a dict of tensors is expected, not a int"),
    ],
)
def test_bad_use_is_refused_and_changes_nothing(action, error, message):
    net = Net()
    before = list(net.state_dict())
    with pytest.raises(error, match=message):
        action(net)
    assert list(net.state_dict()) == before and net.training


def test_parts_need_super_init():
    class Forgetful(nn.Module):
        def __init__(self):
            self.fc = nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"\[Forgetful\].*super\(\).__init__\(\) first"):
        Forgetful()


def test_eval_that_sets_training_to_true():
    net = nn.Sequential(Net(), nn.Dropout())
    assert net.eval() is net
    assert [module.training for module in net.modules()] == [False] * 6
    assert net.train() is net
    assert all(module.training for module in net.modules())


def test_requires_grad_and_zero_grad():
    net = Net()
    net(norch.ones(1, 3)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert all(p.grad.abs().sum().item() == 0 for p in net.parameters())
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())
    net.requires_grad_(False)
    assert not net(norch.ones(1, 3)).requires_grad


def test_apply_reaches_children_first():
    seen = []
    Net().apply(lambda module: seen.append(type(module).__name__))
    assert seen == ["Linear", "ReLU", "Linear", "Net"]


def test_double_keeps_the_parameter_objects_and_casts_gradients():
    net = Net()
    net.register_buffer("count", norch.tensor([1, 2]))
    before = list(net.parameters())
    net(norch.ones(1, 3)).sum().backward()
    net.double()
    assert all(a is b for a, b in zip(before, net.parameters(), strict=True))
    assert all(p.dtype == p.grad.dtype == norch.float64 for p in net.parameters())
    assert net.scale.dtype == norch.float64 and net.count.dtype == norch.int64
    assert net(norch.ones(1, 3, dtype=norch.float64)).dtype == norch.float64
    assert net.float().fc1.weight.dtype == norch.float32


def test_a_memory_format_is_for_the_parameters_of_its_rank():
    net = nn.Sequential(nn.Conv2d(3, 4, 2), nn.BatchNorm2d(4), nn.Linear(4, 2), nn.Conv1d(2, 3, 2))
    before = [p.detach().clone() for p in net.parameters()]
    assert net.to(memory_format=norch.channels_last) is net
    assert net[0].weight.stride() == (12, 1, 6, 3)
    assert all(p.is_contiguous() for p in [*net[1:].parameters(), net[0].bias])
    assert all(norch.equal(p, old) for p, old in zip(net.parameters(), before, strict=True))


def test_to_a_wrong_device_raises_and_moves_nothing():
    net = Net()
    with pytest.raises(RuntimeError, match="device"):
        net.to("tpu")
    assert str(net.fc1.weight.device) == "cpu"


def test_forward_hooks_see_and_replace():
    net = Net()
    before = net.register_forward_pre_hook(lambda module, args: (args[0] * 0,))
    after = net.register_forward_hook(lambda module, args, output: output + 1)
    zero = net.fc2(net.act(net.fc1(norch.zeros(1, 3))))
    assert norch.allclose(net(norch.ones(1, 3)), zero + 1)
    before.remove()
    after.remove()
    after.remove()
    assert not norch.allclose(net(norch.ones(1, 3)), zero + 1)


def test_module_is_called_with_keywords():
    class Scaled(nn.Module):
        def forward(self, x, *, factor=1):
            return x * factor

    assert Scaled()(norch.ones(1), factor=3).item() == 3


# ---- state_dict ----------------------------------------------------------------------------------


def test_state_dict_has_pytorchs_keys_and_shares_storage():
    net = Net()
    state = net.state_dict()
    assert list(state) == ["scale", *NAMES]
    assert not state["fc1.weight"].requires_grad
    with norch.no_grad():
        net.fc1.weight.fill_(7)
    assert state["fc1.weight"].max().item() == 7
    assert net.state_dict(keep_vars=True)["fc1.bias"] is net.fc1.bias


def test_load_state_dict_copies_into_the_same_parameters():
    net, other = Net(), Net()
    weight = net.fc1.weight
    keys = net.load_state_dict(other.state_dict())
    assert keys == ([], []) and repr(keys) == "<All keys matched successfully>"
    assert net.fc1.weight is weight
    assert norch.equal(net.fc2.weight, other.fc2.weight)
    with norch.no_grad():
        other.fc2.weight.fill_(9)
    assert net.fc2.weight.max().item() < 9


def bad_state(**changes):
    state = {name: tensor.clone() * 0 + 5 for name, tensor in Net().state_dict().items()}
    state.update(changes)
    return {name: tensor for name, tensor in state.items() if tensor is not None}


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (bad_state(**{"fc2.bias": norch.zeros(3)}), r"size mismatch for fc2.bias.*\(3,\).*\(2,\)"),
        (bad_state(**{"fc2.bias": None}), r'Missing key\(s\) in state_dict: "fc2.bias"'),
        (bad_state(extra=norch.zeros(1)), r'Unexpected key\(s\) in state_dict: "extra"'),
        (bad_state(**{"fc2.bias": [1, 2]}), "fc2.bias: expected a Tensor"),
    ],
)
def test_state_dict_loading_that_prints_and_goes_on_after_a_shape_mismatch(state, message):
    net = Net()
    before = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    with pytest.raises(RuntimeError, match=r"\[load_state_dict\] Net") as error:
        net.load_state_dict(state)
    error.match(message)
    assert all(norch.equal(before[name], t) for name, t in net.state_dict().items())


def test_load_state_dict_not_strict_reports_keys_but_not_shapes():
    net = Net()
    keys = net.load_state_dict(bad_state(extra=norch.zeros(1), scale=None), strict=False)
    assert keys.missing_keys == ["scale"] and keys.unexpected_keys == ["extra"]
    assert net.fc1.bias.tolist() == [5, 5, 5, 5]
    with pytest.raises(RuntimeError, match="size mismatch"):
        net.load_state_dict({"scale": norch.zeros(2)}, strict=False)


def test_load_state_dict_assign_takes_the_tensors_over():
    net, state = Net(), bad_state()
    weight = net.fc1.weight
    net.load_state_dict(state, assign=True)
    assert net.fc1.weight is weight
    with norch.no_grad():
        state["fc1.weight"].fill_(3)
    assert net.fc1.weight.max().item() == 3


# ---- the rest ------------------------------------------------------------------------------------


def test_repr_is_pytorchs_tree():
    assert repr(nn.Sequential(Net(), nn.Dropout(0.1))) == (
        "Sequential(\n"
        "  (0): Net(\n"
        "    (fc1): Linear(in_features=3, out_features=4, bias=True)\n"
        "    (act): ReLU()\n"
        "    (fc2): Linear(in_features=4, out_features=2, bias=True)\n"
        "  )\n"
        "  (1): Dropout(p=0.1, inplace=False)\n"
        ")"
    )
    assert repr(nn.Parameter(norch.zeros(1))).startswith("Parameter containing:\ntensor([0.]")


def test_deepcopy_is_apart_from_the_original():
    net = Net()
    copied = copy.deepcopy(net)
    with norch.no_grad():
        copied.fc1.weight.fill_(7)
    assert net.fc1.weight.max().item() < 7
    assert isinstance(copied.fc1.weight, nn.Parameter)
    assert [name for name, _ in copied.named_parameters()] == NAMES


def test_memory_freed_only_by_the_cycle_collector():
    net = nn.Sequential(Net())
    died = weakref.ref(net[0].fc1.weight)
    gc.disable()
    try:
        net(norch.ones(1, 3)).sum().backward()
        del net
        assert died() is None
    finally:
        gc.enable()


# ---- parts as dicts, buffers, extra state --------------------------------------------------------


def test_parts_write_through():
    net = nn.Sequential(nn.Linear(2, 1))
    net._modules["0"] = nn.Linear(2, 3)
    net[0]._parameters["bias"] = nn.Parameter(norch.ones(3))
    assert net(norch.zeros(1, 2)).tolist() == [[1.0, 1.0, 1.0]] and len(net._buffers) == 0
    del net._modules["0"]
    assert len(net) == 0 and repr(net._modules) == "{}"
    with pytest.raises(KeyError, match="nothing"):
        net._modules["nothing"]
    with pytest.raises(KeyError, match="nothing"):
        del net._modules["nothing"]


def test_parts_are_walked_and_copied_as_those_of_a_dict():
    """Libraries that print models go through them backwards, and change the module as they go."""
    net = nn.Sequential(nn.Linear(2, 1), nn.ReLU())
    assert [name for name, _ in reversed(net._modules.items())] == list(reversed(net._modules))
    assert list(reversed(net._modules.values())) == [net[1], net[0]]
    kept = net._modules.copy()
    for name in net._modules.keys():  # noqa: SIM118 - what it gives must not follow the change
        del net._modules[name]
    assert list(kept) == ["0", "1"] and len(net) == 0


def test_a_module_of_torchscript_is_a_module():
    class Net(ScriptModule):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 1)

        def forward(self, x):
            return self.fc(x)

    assert Net()(norch.ones(3, 2)).shape == (3, 1)
    assert not isinstance(nn.Linear(2, 1), ScriptModule)


def test_a_buffer_is_kept_but_not_learned():
    net = nn.Module()
    net.scale, net.cache = nn.Buffer(norch.ones(2)), nn.Buffer([1.0], persistent=False)
    assert [name for name, _ in net.named_buffers()] == ["scale", "cache"]
    assert list(net.state_dict()) == ["scale"] and not list(net.parameters())
    for copied in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        assert list(copied.state_dict()) == ["scale"] and isinstance(copied.cache, nn.Buffer)
    assert nn.Buffer().numel() == 0


def test_a_module_under_two_names():
    net = nn.Module()
    net.a = nn.Linear(1, 1)
    net.b = net.a
    assert [name for name, _ in net.named_children()] == ["a"]
    assert list(net.state_dict()) == ["a.weight", "a.bias", "b.weight", "b.bias"]
    assert [n for n, _ in net.named_modules(remove_duplicate=False)] == ["", "a", "b"]


def test_a_copied_parameter_has_no_gradient_yet():
    layer = nn.Linear(1, 1)
    layer.weight.grad = norch.ones(1, 1)
    assert copy.deepcopy(layer).weight.grad is None and layer.weight.grad is not None


@pytest.mark.parametrize("way", [copy.deepcopy, lambda obj: pickle.loads(pickle.dumps(obj))])
def test_copies_share_what_the_originals_shared(way):
    flat = norch.zeros(6)
    net = nn.Module()
    net.a, net.b = nn.Parameter(flat[:4].view(2, 2)), nn.Parameter(flat[2:])
    net.tied, net.seen = nn.Linear(2, 2, bias=False), nn.Buffer(net.a.detach().T, persistent=False)
    net.tied.weight = net.a
    optimizer = nn.optim.SGD(net.parameters(), lr=1.0, momentum=0.5)
    (net.a.sum() + net.b.sum()).backward()
    optimizer.step()
    copied, stepper = way((net, optimizer))
    assert copied.tied.weight is copied.a and not copied.seen.persistent
    stepped = stepper.param_groups[0]["params"]
    assert stepped[0] is copied.a and stepped[1] is copied.b
    with norch.no_grad():
        copied.a.fill_(7)
    assert copied.b.tolist() == [7, 7, -1, -1] and copied.seen.tolist() == [[7, 7], [7, 7]]
    assert net.b.tolist() == [-2, -2, -1, -1]
    for model, steps in ((net, optimizer), (copied, stepper)):
        model.zero_grad()
        model.b.sum().backward()
        steps.step()
    assert copied.b.tolist() == [x + 9 if i < 2 else x for i, x in enumerate(net.b.tolist())]


def test_zero_grad_fills_the_same_tensor():
    layer = nn.Linear(1, 1)
    grad = layer.weight.grad = norch.ones(1, 1)
    layer.zero_grad(set_to_none=False)
    assert layer.weight.grad is grad and grad.item() == 0


def test_zero_grad_fills_a_gradient_that_is_a_view():
    layer, room = nn.Linear(2, 1), norch.ones(4)
    layer.weight.grad = room[:2].reshape(1, 2)
    layer.zero_grad(set_to_none=False)
    assert room.tolist() == [0, 0, 1, 1]


def test_extra_state_is_saved_and_taken_back():
    class Counter(nn.Module):
        count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    net, other = nn.Sequential(Counter()), nn.Sequential(Counter())
    net[0].count = 5
    assert list(net.state_dict()) == ["0._extra_state"]
    other.load_state_dict(net.state_dict())
    assert other[0].count == 5
    with pytest.raises(RuntimeError, match=r'Missing key.*"0._extra_state"'):
        other.load_state_dict({})
    with pytest.raises(RuntimeError, match="has no get_extra_state"):
        nn.Module().get_extra_state()
    with pytest.raises(RuntimeError, match="has no set_extra_state"):
        nn.Module().set_extra_state({})


def test_set_submodule_replaces_a_part():
    net = nn.Sequential(nn.Linear(1, 1), nn.Sequential(nn.ReLU()))
    net.set_submodule("1.0", nn.Tanh())
    assert isinstance(net[1][0], nn.Tanh)
    for path, module, error in (("", nn.ReLU(), ValueError), ("0.x", 3, ValueError)):
        with pytest.raises(error, match="Sequential"):
            net.set_submodule(path, module)
    with pytest.raises(AttributeError, match=r"no module '1.x' to replace"):
        net.set_submodule("1.x", nn.ReLU(), strict=True)


def test_to_empty_keeps_parameters_and_shapes():
    layer = nn.Linear(2, 3)
    weight = layer.weight
    assert layer.to_empty(device="cpu") is layer and layer.weight is weight
    assert tuple(weight.shape) == (3, 2) and weight.requires_grad


def test_none_children_are_printed():
    net = nn.Module()
    net.layer = nn.ReLU()
    net.layer = None
    assert repr(net) == "Module(\n  (layer): None\n)"


def test_an_older_file_lacks_the_count_of_batches():
    layer, state = nn.BatchNorm1d(2), nn.BatchNorm1d(2).state_dict()
    del state["num_batches_tracked"]
    assert repr(layer.load_state_dict(state)) == "<All keys matched successfully>"
