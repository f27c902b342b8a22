"""Lazy layers: what they are before the first batch, and what they become."""

import copy

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_extras.lazy_modules import (
    LazyBatchNorm1d,
    LazyBatchNorm2d,
    LazyBatchNorm3d,
    LazyConv1d,
    LazyConv2d,
    LazyConv3d,
    LazyConvTranspose1d,
    LazyConvTranspose2d,
    LazyConvTranspose3d,
    LazyInstanceNorm1d,
    LazyInstanceNorm2d,
    LazyInstanceNorm3d,
    LazyLinear,
    is_lazy,
)
from norch_nn.optim import SGD

LAYERS = {
    "Linear": (lambda: LazyLinear(4), (2, 3), (4, 3)),
    "Conv1d": (lambda: LazyConv1d(4, 2, groups=3, bias=False), (2, 6, 5), None),
    "Conv2d": (lambda: LazyConv2d(4, 2), (2, 3, 5, 5), (4, 3, 2, 2)),
    "Conv3d": (lambda: LazyConv3d(4, 2), (3, 4, 4, 4), (4, 3, 2, 2, 2)),
    "ConvTranspose1d": (lambda: LazyConvTranspose1d(4, 2), (2, 3, 5), (3, 4, 2)),
    "ConvTranspose2d": (lambda: LazyConvTranspose2d(4, 2), (2, 3, 5, 5), (3, 4, 2, 2)),
    "ConvTranspose3d": (lambda: LazyConvTranspose3d(4, 2), (2, 3, 2, 2, 2), (3, 4, 2, 2, 2)),
    "BatchNorm1d": (lambda: LazyBatchNorm1d(), (4, 3), (3,)),
    "BatchNorm2d": (lambda: LazyBatchNorm2d(), (2, 3, 2, 2), (3,)),
    "BatchNorm3d": (lambda: LazyBatchNorm3d(), (2, 3, 2, 2, 2), (3,)),
    "InstanceNorm1d": (lambda: LazyInstanceNorm1d(), (2, 3, 4), (3,)),
    "InstanceNorm2d": (lambda: LazyInstanceNorm2d(), (2, 3, 4, 4), (3,)),
    "InstanceNorm3d": (lambda: LazyInstanceNorm3d(), (2, 3, 4, 2, 2), (3,)),
}


@pytest.mark.parametrize("name", [name for name in LAYERS if name != "Conv1d"])
def test_the_first_batch_makes_an_ordinary_layer(name):
    make, shape, weight = LAYERS[name]
    layer = make()
    held = layer.weight
    assert is_lazy(held) and repr(held) == "<UninitializedParameter>"
    assert type(layer).__name__ == f"Lazy{name}" and layer.has_uninitialized_params()
    layer(norch.randn(*shape))
    assert type(layer) is getattr(nn, name) and layer.weight is held and not is_lazy(held)
    assert tuple(held.shape) == weight and bool(held.isfinite().all())
    if "Norm" in name:
        assert tuple(layer.running_mean.shape) == weight


def test_the_groups_are_checked_with_the_first_batch():
    make, shape, _ = LAYERS["Conv1d"]
    with pytest.raises(ValueError, match="must be multiples of groups 3"):
        make()(norch.ones(*shape))


def test_an_optimizer_may_hold_the_parameters_from_the_start():
    norch.manual_seed(0)
    net = nn.Sequential(LazyLinear(3), nn.ReLU(), LazyLinear(1))
    optimizer = SGD(net.parameters(), lr=0.1, momentum=0.9)
    x = norch.randn(8, 5)
    for _ in range(2):
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()
    assert repr(net[0]) == "Linear(in_features=5, out_features=3, bias=True)"
    assert all(p.grad is not None for p in net.parameters())


def test_a_lazy_layer_needs_channels():
    with pytest.raises(RuntimeError, match=r"\[LazyBatchNorm1d\] channels are expected"):
        LazyBatchNorm1d()(norch.ones(3))


@pytest.mark.parametrize("name", list(LAYERS))
def test_a_lazy_layer_takes_its_size_from_a_state_dict(name):
    make, shape, _ = LAYERS[name]
    x = norch.randn(*shape) if name != "Conv1d" else norch.randn(2, 6, 5)
    make = make if name != "Conv1d" else lambda: LazyConv1d(6, 2, groups=3, bias=False)
    whole, lazy = make(), make()
    whole(x)
    lazy.load_state_dict(whole.eval().state_dict())
    assert type(lazy).__name__ == f"Lazy{name}" and not lazy.has_uninitialized_params()
    assert bool((lazy.eval()(x) == whole(x)).all()) and type(lazy) is type(whole)


def test_a_state_dict_that_does_not_fit_leaves_a_lazy_layer_with_drawn_values():
    lazy = LazyLinear(4)
    with pytest.raises(RuntimeError, match="size mismatch for weight"):
        lazy.load_state_dict(nn.Linear(3, 5).state_dict())
    assert bool((lazy.weight.abs() <= 3**-0.5).all())


def test_a_lazy_layer_can_be_copied():
    layer = LazyLinear(4, dtype=norch.float64)
    other = copy.deepcopy(layer)
    assert is_lazy(other.weight) and other.weight is not layer.weight
    assert other(norch.ones(2, 3, dtype=norch.float64)).shape == (2, 4) and is_lazy(layer.weight)
