"""Linear with weights of int8: what is replaced, how far off it is, saving, errors."""

import copy
import pickle

import numpy as np
import pytest

import norch_autograd as norch
import norch_extras.parametrize.parametrizations
import norch_nn as nn
from norch_extras.parametrize import remove_weight_norm, spectral_norm, weight_norm
from norch_extras.quantization import DynamicQuantizedLinear, qint8, quantize_dynamic


def network(seed=0):
    norch.manual_seed(seed)
    return nn.Sequential(nn.Linear(40, 30), nn.ReLU(), nn.Linear(30, 5, bias=False))


def test_each_linear_is_replaced_in_a_copy():
    model = network().eval()
    quantized = quantize_dynamic(model, {nn.Linear}, dtype=qint8)
    assert [type(layer).__name__ for layer in model] == ["Linear", "ReLU", "Linear"]
    assert [type(layer) for layer in quantized][::2] == [DynamicQuantizedLinear] * 2
    assert list(quantized.parameters()) == [] and not quantized[0].training
    first = "DynamicQuantizedLinear(in_features=40, out_features=30, bias=True, dtype=qint8)"
    assert f"(0): {first}" in repr(quantized) and "bias=False, dtype=qint8" in repr(quantized[2])


def test_in_place_the_model_itself_changes():
    model = network()
    assert quantize_dynamic(model, inplace=True) is model
    assert isinstance(model[0], DynamicQuantizedLinear)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_outputs_are_off_by_less_than_the_bound(scale):
    layer = nn.Linear(50, 20)
    x = norch.tensor(np.random.default_rng(0).standard_normal((8, 50)).astype("float32")) * scale
    weight_step = layer.weight.detach().abs().amax(1) / 127
    x_step = x.abs().amax(1) / 127
    # |x W - (x + e)(W + f)| <= |x| |f| + |e| |W + f|, where e and f are half a step at most.
    ends = x.abs().sum(1)[:, None] * weight_step / 2
    ends += x_step[:, None] / 2 * (layer.weight.detach().abs().sum(1) + 50 * weight_step / 2)
    error = (DynamicQuantizedLinear.from_float(layer)(x) - layer(x).detach()).abs()
    assert (error <= ends * 1.001).all() and error.max() > 0


def test_names_choose_layers_and_parts():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.bodyguard = network(), nn.Linear(3, 3)
            self.head = nn.Linear(5, 2)

    def replaced(spec):
        modules = quantize_dynamic(Model(), spec).named_modules()
        return [name for name, layer in modules if isinstance(layer, DynamicQuantizedLinear)]

    assert replaced({"body"}) == ["body.0", "body.2"]
    assert replaced({"body.2", "head"}) == ["body.2", "head"]
    assert replaced(None) == ["body.0", "body.2", "bodyguard", "head"]
    assert replaced(set()) == []
    with pytest.raises(ValueError, match=r"\[quantize_dynamic\] the model has no part .* 'tail'"):
        replaced({"tail"})


def test_a_shared_layer_stays_shared():
    layer = nn.Linear(4, 4)
    model = nn.Sequential(layer, nn.Sequential(layer), nn.ModuleList([nn.Sequential(layer)]))
    quantized = quantize_dynamic(model)
    assert quantized[0] is quantized[1][0] is quantized[2][0][0]
    assert quantized[0].weight.dtype is norch.int8


def test_what_reads_its_weight_elsewhere_stays_a_linear():
    class Mine(nn.Linear):
        pass

    model = nn.Sequential(Mine(4, 4), nn.MultiheadAttention(4, 2), nn.Linear(4, 4))
    quantized = quantize_dynamic(model)
    assert type(quantized[0]) is Mine and quantized[1].out_proj.weight.dtype is norch.float32
    x = norch.ones(2, 3, 4)
    assert norch.equal(quantized[1](x, x, x)[0], model[1](x, x, x)[0])
    assert type(quantize_dynamic(nn.Linear(2, 2))) is nn.Linear  # as in PyTorch


def test_a_transformer_layer_runs_and_stays_close():
    norch.manual_seed(0)
    model = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval()
    x = norch.randn(2, 5, 16)
    with norch.no_grad():
        expected, found = model(x), quantize_dynamic(model)(x)
    assert 0 < (found - expected).abs().max() < 0.05


def test_hooks_go_on_being_called():
    model, seen = network(), []
    model[0].register_forward_hook(lambda layer, args, out: seen.append(type(layer).__name__))
    quantize_dynamic(model)(norch.ones(40))
    assert seen == ["DynamicQuantizedLinear"]


def test_hooks_are_its_own():
    """What is registered later, or removed, concerns one of the two layers."""
    layer, seen = nn.Linear(4, 4), []
    early = layer.register_forward_hook(lambda *_: seen.append("early"))
    layer.register_forward_pre_hook(lambda *_: seen.append("pre"))
    quantized = DynamicQuantizedLinear.from_float(layer)
    quantized.register_forward_hook(lambda *_: seen.append("int8"))
    quantized.register_forward_pre_hook(lambda *_: seen.append("int8 pre"))
    layer.register_forward_hook(lambda *_: seen.append("float"))
    early.remove()
    layer(norch.ones(4))
    assert seen == ["pre", "float"]
    quantized(norch.ones(4))
    assert seen[2:] == ["pre", "int8 pre", "early", "int8"]


def test_it_is_saved_in_a_quarter_of_the_bytes_and_loaded(tmp_path):
    model, x = nn.Sequential(nn.Linear(512, 512)), norch.randn(3, 512)
    quantized = quantize_dynamic(model)
    sizes = []
    for each in (model, quantized):
        nn.save(each.state_dict(), tmp_path / "model.safetensors")
        sizes.append((tmp_path / "model.safetensors").stat().st_size)
    assert 3.9 < sizes[0] / sizes[1] < 4
    other = quantize_dynamic(nn.Sequential(nn.Linear(512, 512)))
    other.load_state_dict(nn.load(tmp_path / "model.safetensors"))
    for each in (other, copy.deepcopy(quantized), pickle.loads(pickle.dumps(quantized))):
        assert norch.equal(each(x), quantized(x))
    assert sorted(quantized.state_dict()) == ["0.bias", "0.scale", "0.weight"]


def test_a_float_state_dict_is_rounded_when_it_is_loaded():
    model, x = network(), norch.randn(3, 40)
    other = quantize_dynamic(network(1))
    for given in (model.state_dict(), quantize_dynamic(model).state_dict()):
        other.load_state_dict(given)
        assert norch.equal(other(x), quantize_dynamic(model)(x))
    with pytest.raises(RuntimeError, match=r"size mismatch for 0\.weight"):
        other.load_state_dict({"0.weight": norch.zeros(2, 2)}, strict=False)


def test_it_runs_on_the_simulator():
    model, x = quantize_dynamic(network()), norch.randn(3, 40)
    found = model.to("cuda-sim")(x.to("cuda-sim")).cpu()
    np.testing.assert_allclose(found, quantize_dynamic(network())(x), rtol=1e-4, atol=1e-6)


def test_a_gradient_is_refused_and_nothing_is_half_done():
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    quantized = quantize_dynamic(model, {"1"})
    loss = quantized(norch.ones(3, 4)).sum()
    with pytest.raises(RuntimeError, match=r"\[linear_int8\] weights of int8 have no gradient"):
        loss.backward()
    assert quantized[0].weight.grad is None


@pytest.mark.parametrize(
    ("spec", "dtype", "error", "words"),
    [
        ({nn.Linear}, norch.float16, NotImplementedError, "norch.qint8, not norch.float16"),
        ({nn.LSTM, nn.Linear}, qint8, NotImplementedError, "take LSTM out of qconfig_spec"),
        ({nn.Linear: None}, qint8, TypeError, "a set of classes and names of layers, not dict"),
        ("0", qint8, TypeError, "not str"),
    ],
)
def test_what_is_not_there_is_refused(spec, dtype, error, words):
    with pytest.raises(error, match=rf"\[quantize_dynamic\].*{words}"):
        quantize_dynamic(network(), spec, dtype=dtype)


def test_what_has_no_weights_is_refused():
    with pytest.raises(TypeError, match=r"\[quantize_dynamic\] expected a Module, got int"):
        quantize_dynamic(3)
    with pytest.raises(TypeError, match=r"\[from_float\] expected a Linear, got ReLU"):
        DynamicQuantizedLinear.from_float(nn.ReLU())


def test_weights_without_a_scale_are_refused_and_the_model_stays():
    model = network()
    with norch.no_grad():
        model[2].weight[1, 2] = float("nan")
    with pytest.raises(ValueError, match="infinity or NaN"):
        quantize_dynamic(model, inplace=True)
    assert [type(layer).__name__ for layer in model] == ["Linear", "ReLU", "Linear"]


CASTS = {
    "half": lambda model: model.half(),
    "double": lambda model: model.double(),
    "bfloat16": lambda model: model.bfloat16(),
    "to": lambda model: model.to(norch.float64),
    "to device and dtype": lambda model: model.to("cpu", norch.float16),
    "type": lambda model: model.type(norch.float64),
    "alone": lambda model: model[0].half(),
}


@pytest.mark.parametrize("cast", CASTS)
def test_a_cast_leaves_its_buffers(cast):
    model, x = quantize_dynamic(network()), norch.randn(3, 40)
    model.append(nn.Linear(5, 2, bias=False))
    kinds = {name: tensor.dtype for name, tensor in model[:3].state_dict().items()}
    expected = model[:3](x)
    CASTS[cast](model)
    assert {name: tensor.dtype for name, tensor in model[:3].state_dict().items()} == kinds
    assert norch.equal(model[:3](x), expected)
    assert (model[3].weight.dtype is norch.float32) == (cast == "alone")


def test_a_cast_moves_its_buffers():
    model, x = quantize_dynamic(network()), norch.randn(3, 40)
    expected = model(x)
    model.to("cuda-sim", norch.float16)
    assert {tensor.device.type for tensor in model.state_dict().values()} == {"cuda-sim"}
    np.testing.assert_allclose(model(x.to("cuda-sim")).cpu(), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("assign", [False, True])
def test_the_state_of_a_cast_model_becomes_float32(assign):
    model = network()
    given = {name: tensor.half() for name, tensor in model.state_dict().items()}
    quantized = quantize_dynamic(network(1))
    quantized.load_state_dict(given, assign=assign)
    assert quantized[0].bias.dtype is quantized[0].scale.dtype is norch.float32
    assert quantized(norch.ones(2, 40)).dtype is norch.float32
    assert given["0.weight"].dtype is given["0.bias"].dtype is norch.float16


@pytest.mark.parametrize("dtype", [norch.bfloat16, norch.float16])
def test_under_autocast_its_input_is_float32(dtype):
    model = nn.Sequential(nn.Linear(40, 40), *quantize_dynamic(network()))
    x = norch.randn(3, 40)
    with norch.autocast("cpu", dtype=dtype):
        found, middle = model(x), model[0](x)
        assert middle.dtype is dtype and found.dtype is norch.float32
    assert norch.equal(found, model[1:](middle.float()))
    with pytest.raises(TypeError, match=r"\[linear_int8\].*float16"):
        model[1](x.half())  # without autocast nothing is cast, as in PyTorch


COMPUTED = {
    "weight_norm": weight_norm,
    "spectral_norm": spectral_norm,
    "parametrized weight_norm": norch_extras.parametrize.parametrizations.weight_norm,
    "parametrized spectral_norm": norch_extras.parametrize.parametrizations.spectral_norm,
}


@pytest.mark.parametrize("way", COMPUTED)
def test_a_weight_that_is_computed_is_refused(way):
    model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(COMPUTED[way](nn.Linear(4, 4))))
    says = "weight is computed, by a hook or a parametrization: remove that first"
    with pytest.raises(ValueError, match=rf"\[quantize_dynamic\] 1\.0: its {says}"):
        quantize_dynamic(model)
    with pytest.raises(ValueError, match=says):
        quantize_dynamic(model, inplace=True)
    assert type(model[0]) is nn.Linear
    with pytest.raises(ValueError, match=rf"\[from_float\] its {says}"):
        DynamicQuantizedLinear.from_float(model[1][0])
    assert isinstance(quantize_dynamic(model, {"0"}, inplace=True)[0], DynamicQuantizedLinear)


def test_a_weight_that_was_computed_is_rounded():
    layer = remove_weight_norm(weight_norm(nn.Linear(4, 4)))
    quantized = quantize_dynamic(nn.Sequential(layer))
    assert isinstance(quantized[0], DynamicQuantizedLinear)
    assert norch.allclose(quantized(norch.ones(4)), layer(norch.ones(4)).detach(), atol=0.05)


def test_a_row_too_long_for_its_sums_is_refused():
    model = nn.Sequential(nn.Linear(4, 66312), nn.Linear(66312, 2))
    with pytest.raises(ValueError, match=r"\[quantize_dynamic\] 1: its in_features are 66312"):
        quantize_dynamic(model, inplace=True)
    assert [type(layer) for layer in model] == [nn.Linear] * 2
    for make in (
        lambda: DynamicQuantizedLinear.from_float(model[1]),
        lambda: DynamicQuantizedLinear(66312, 2),
    ):
        with pytest.raises(ValueError, match=r"66312.*at most 66311"):
            make()
    layer = nn.Linear(66311, 1)
    nn.init.ones_(layer.weight)
    found = DynamicQuantizedLinear.from_float(layer)(norch.ones(66311))
    assert abs(found.item() / 66311 - 1) < 1e-3  # the longest row that stage 2 takes
