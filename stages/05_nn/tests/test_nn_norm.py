"""Normalization against NumPy; running statistics as PyTorch keeps them."""

import numpy as np
import pytest
from layer_checks import layer_name

import norch_autograd as norch
import norch_nn as nn
from norch_nn import functional as F

RNG = np.random.default_rng(0)


def tensor(array):
    """A tensor of these numbers that is not contiguous in memory."""
    t = norch.tensor(array.tolist(), dtype=norch.float64)
    return t.transpose(0, -1).contiguous().transpose(0, -1)


def standardized(x, axes, eps=1e-5):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)


def grouped(x, groups):
    return standardized(x.reshape(x.shape[0], groups, -1), 2).reshape(x.shape)


def rms(x, axes, eps):
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + eps)


@pytest.mark.parametrize(
    ("layer", "shape", "formula", "channels"),
    [
        (nn.LayerNorm(4), (2, 3, 4), lambda x: standardized(x, -1), ()),
        (nn.LayerNorm((3, 4), eps=0.1), (2, 3, 4), lambda x: standardized(x, (1, 2), 0.1), ()),
        (nn.RMSNorm(4), (2, 3, 4), lambda x: rms(x, -1, 2.0**-52), ()),
        (nn.RMSNorm((3, 4), eps=0.1), (2, 3, 4), lambda x: rms(x, (1, 2), 0.1), ()),
        (nn.GroupNorm(2, 6), (2, 6, 5), lambda x: grouped(x, 2), (1,)),
        (nn.GroupNorm(3, 6), (4, 6), lambda x: grouped(x, 3), ()),
        (nn.BatchNorm1d(3), (5, 3), lambda x: standardized(x, 0), ()),
        (nn.BatchNorm1d(3), (5, 3, 4), lambda x: standardized(x, (0, 2)), (1,)),
        (nn.BatchNorm2d(3), (2, 3, 4, 5), lambda x: standardized(x, (0, 2, 3)), (1, 1)),
        (nn.BatchNorm3d(2), (2, 2, 3, 2, 2), lambda x: standardized(x, (0, 2, 3, 4)), (1, 1, 1)),
        (
            nn.InstanceNorm1d(3, affine=True),
            (2, 3, 4),
            lambda x: standardized(x, 2),
            (1,),
        ),
        (
            nn.InstanceNorm2d(3, affine=True),
            (2, 3, 4, 5),
            lambda x: standardized(x, (2, 3)),
            (1, 1),
        ),
        (
            nn.InstanceNorm2d(3, affine=True),
            (3, 4, 5),
            lambda x: standardized(x, (1, 2)),
            (1, 1),
        ),
    ],
    ids=layer_name,
)
def test_formula_and_gradient(layer, shape, formula, channels):
    """`channels`: the dimensions of size 1 behind a scale of one number a channel."""
    layer = layer.double()
    x = RNG.normal(size=shape) * 3 + 1
    expected = formula(x)
    for name, parameter in layer.named_parameters():
        values = RNG.normal(size=parameter.shape)
        parameter.data.copy_(norch.tensor(values.tolist(), dtype=norch.float64))
        values = values.reshape(*values.shape, *channels)
        expected = expected * values if name == "weight" else expected + values
    inputs = (tensor(x).requires_grad_(), *layer.parameters())
    assert np.allclose(layer(inputs[0]).tolist(), expected, rtol=1e-10, atol=1e-10)
    names = [name for name, _ in layer.named_parameters()]

    def function(x, *values):
        layer.__dict__.update(zip(names, values, strict=True))
        return layer(x)

    assert norch.gradcheck(function, inputs, atol=1e-4)


@pytest.mark.parametrize("momentum", [0.1, 0.7, None])
def test_biased_variance_where_unbiased_is_due(momentum):
    """Running mean and variance start at 0 and 1, never swapped; `None` averages all batches."""
    layer = nn.BatchNorm2d(3, momentum=momentum).double()
    assert layer.running_mean.tolist() == [0] * 3 and layer.running_var.tolist() == [1] * 3
    mean, var = np.zeros(3), np.ones(3)
    for batch in range(1, 4):
        x = RNG.normal(size=(2, 3, 4, 5)) * 3 + 1
        layer(tensor(x))
        share = 1 / batch if momentum is None else momentum
        mean = (1 - share) * mean + share * x.mean((0, 2, 3))
        var = (1 - share) * var + share * x.var((0, 2, 3), ddof=1)
    assert np.allclose(layer.running_mean.tolist(), mean)
    assert np.allclose(layer.running_var.tolist(), var)
    assert layer.num_batches_tracked.item() == 3
    layer.eval()
    expected = (x - mean.reshape(-1, 1, 1)) / np.sqrt(var.reshape(-1, 1, 1) + 1e-5)
    assert np.allclose(layer(tensor(x)).tolist(), expected)
    assert layer.num_batches_tracked.item() == 3
    assert norch.gradcheck(layer, (tensor(x).requires_grad_(),))
    layer.reset_running_stats()
    assert layer.running_var.tolist() == [1] * 3 and layer.num_batches_tracked.item() == 0


def test_resetting_forgets_all_batches():
    layer = nn.BatchNorm1d(3)
    layer(norch.randn(8, 3) * 5 + 2)
    layer.reset_running_stats()
    assert layer.running_mean.tolist() == [0, 0, 0]
    assert layer.running_var.tolist() == [1, 1, 1]
    assert layer.num_batches_tracked.item() == 0


def test_without_running_statistics_evaluation_uses_the_batch():
    layer = nn.BatchNorm1d(3, track_running_stats=False).double()
    x = RNG.normal(size=(5, 3))
    for mode in (layer, layer.eval()):
        assert np.allclose(mode(tensor(x)).tolist(), standardized(x, 0))
    assert list(layer.state_dict()) == ["weight", "bias"]


def test_instance_norm_follows_the_mean_of_the_samples():
    layer = nn.InstanceNorm2d(3, momentum=0.25, track_running_stats=True).double()
    x = RNG.normal(size=(2, 3, 4, 5))
    layer(tensor(x))
    mean, var = 0.25 * x.mean((0, 2, 3)), 0.75 + 0.25 * x.var((2, 3), ddof=1).mean(0)
    assert np.allclose(layer.running_mean.tolist(), mean)
    assert np.allclose(layer.running_var.tolist(), var)
    expected = (x - mean.reshape(-1, 1, 1)) / np.sqrt(var.reshape(-1, 1, 1) + 1e-5)
    assert np.allclose(layer.eval()(tensor(x)).tolist(), expected)


def test_state_dict_keys_are_pytorchs():
    running = ["running_mean", "running_var", "num_batches_tracked"]
    assert list(nn.BatchNorm2d(3).state_dict()) == ["weight", "bias", *running]
    assert list(nn.BatchNorm2d(3, affine=False).state_dict()) == running
    assert list(nn.BatchNorm2d(3, bias=False).state_dict()) == ["weight", *running]
    assert list(nn.InstanceNorm2d(3).state_dict()) == []
    assert list(nn.LayerNorm(3, bias=False).state_dict()) == ["weight"]
    assert list(nn.RMSNorm(3).state_dict()) == ["weight"]
    assert list(nn.GroupNorm(1, 3).state_dict()) == ["weight", "bias"]


def test_running_statistics_are_saved_and_loaded():
    first, second = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    first(norch.randn(8, 2))
    second.load_state_dict(first.state_dict())
    x = norch.randn(3, 2)
    assert norch.equal(first.eval()(x), second.eval()(x))


def test_repr_is_pytorchs():
    options = "eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True"
    assert repr(nn.BatchNorm2d(3)) == f"BatchNorm2d(3, {options})"
    assert repr(nn.LayerNorm(3)) == "LayerNorm((3,), eps=1e-05, elementwise_affine=True, bias=True)"
    assert repr(nn.GroupNorm(1, 3)) == "GroupNorm(1, 3, eps=1e-05, affine=True, bias=True)"


OF_NOTHING = {
    "batch": (lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), (0, 4, 2, 2), 4),
    "batch without size": (
        lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True), (2, 4, 0), 4,
    ),
    "instance": (lambda x, w, b: F.instance_norm(x, None, None, w, b), (0, 4, 2, 2), 4),
    "group": (lambda x, w, b: F.group_norm(x, 2, w, b), (0, 4, 2, 2), 4),
    "layer": (lambda x, w, b: F.layer_norm(x, (0,), w, b), (3, 0), 0),
    "layer without rows": (lambda x, w, b: F.layer_norm(x, (3,), w, b), (0, 3), 3),
    "rms": (lambda x, w, b: F.rms_norm(x, (0,), w) + b, (3, 0), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_NOTHING)
def test_nothing_gives_nothing_as_in_pytorch(name):
    function, shape, channels = OF_NOTHING[name]
    for call in (function, norch.autograd.composite()(function)):
        inputs = [norch.ones(*s, requires_grad=True) for s in (shape, [channels], [channels])]
        out = call(*inputs)
        out.sum().backward()
        assert out.shape == shape and inputs[0].grad.shape == shape
        assert all(t.grad.tolist() == [0.0] * channels for t in inputs[1:])
    x = norch.ones(2, 4, 0, requires_grad=True)
    composite = norch.autograd.composite()(lambda: F.group_norm(x, 2))
    assert F.group_norm(x, 2).shape == composite().shape == (2, 4, 0)


def test_nothing_does_not_move_the_running_statistics():
    for layer in (nn.BatchNorm2d(3), nn.InstanceNorm2d(3, track_running_stats=True)):
        assert layer(norch.zeros(0, 3, 2, 2)).shape == (0, 3, 2, 2)
        assert layer.running_mean.tolist() == [0.0] * 3
        assert layer.running_var.tolist() == [1.0] * 3


x = norch.zeros(2, 3, 4)


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (lambda: nn.LayerNorm(3)(x), RuntimeError, r"\(3,\) must be the end .* \(2, 3, 4\)"),
        (lambda: nn.RMSNorm((2, 4))(x), RuntimeError, r"\[rms_norm\] normalized_shape \(2, 4\)"),
        (lambda: nn.GroupNorm(2, 3), ValueError, "num_channels 3 must be a multiple of .* 2"),
        (lambda: F.group_norm(x, 2), RuntimeError, "do not make 2 groups"),
        (lambda: nn.BatchNorm1d(3)(x[0, 0]), ValueError, "a 2D or 3D input is expected, not 1D"),
        (lambda: nn.BatchNorm2d(3)(x), ValueError, r"\[BatchNorm2d\] a 4D input is expected"),
        (lambda: nn.BatchNorm1d(4)(x), RuntimeError, "4 channels are expected in dimension 1"),
        (lambda: nn.InstanceNorm2d(4)(x), ValueError, "4 channels are expected in dimension 0"),
        (lambda: nn.BatchNorm1d(3)(norch.zeros(1, 3)), ValueError, "more than 1 value a channel"),
        (lambda: F.batch_norm(x, None, None), RuntimeError, "evaluation needs running_mean"),
        (lambda: F.instance_norm(x[:, :, :1]), ValueError, "more than 1 value a channel"),
        (lambda: F.group_norm(norch.zeros(1, 3), 3), ValueError, "more than 1 value a channel"),
    ],
)
def test_bad_arguments(action, error, message):
    with pytest.raises(error, match=message):
        action()


@pytest.mark.parametrize("dtype", [norch.float16, norch.bfloat16])
@pytest.mark.parametrize("make", [
    lambda **kw: nn.LayerNorm(4, **kw), lambda **kw: nn.RMSNorm(4, eps=0.1, **kw),
    lambda **kw: nn.GroupNorm(3, 3, **kw), lambda **kw: nn.BatchNorm1d(3, **kw),
    lambda **kw: nn.InstanceNorm1d(3, **kw), lambda **kw: nn.BatchNorm1d(3, **kw).eval(),
])  # fmt: skip
def test_halves_are_normalized_in_float32(make, dtype):
    x = norch.tensor(RNG.normal(3.0, 1.0, (2, 3, 4)).tolist()).to(dtype).requires_grad_()
    out = make(dtype=dtype)(x)
    want = make(dtype=norch.float32)(x.detach().float()).to(dtype)
    assert out.dtype is dtype and out.tolist() == want.tolist()
    out.sum().backward()
    assert x.grad.dtype is dtype and np.isfinite(x.grad.float().numpy()).all()


def test_statistics_of_another_dtype_are_followed():
    running = norch.zeros(3, dtype=norch.float64), norch.ones(3, dtype=norch.float64)
    x = norch.tensor(RNG.normal(size=(4, 3)).tolist())
    F.batch_norm(x, *running, training=True, momentum=1.0)
    np.testing.assert_allclose(running[0].numpy(), x.numpy().mean(0), rtol=1e-6)
    np.testing.assert_allclose(running[1].numpy(), x.numpy().var(0, ddof=1), rtol=1e-6)
    assert F.batch_norm(x, *running).dtype is norch.float32


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("shape", [(0,), (0, 2), (3, 2)])
def test_what_is_no_tensor_is_refused_also_where_nothing_is_normalized(place, shape):
    given = [None] * 4
    given[place] = "cpu"
    with pytest.raises(TypeError, match=r"^\[batch_norm\] expected a Tensor, got str"):
        F.batch_norm(norch.ones(shape), *given, training=True)
