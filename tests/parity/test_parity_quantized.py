"""quantize_dynamic beside PyTorch's: what is replaced, and an error that is not larger."""

import numpy as np
import pytest
import torch
import torch.ao.nn.quantized.dynamic as torch_dynamic

import norch
import norch.ao.nn.quantized.dynamic as norch_dynamic

WEIGHTS = {
    "trained alike": lambda rng, out, k: rng.standard_normal((out, k)),
    "rows of many sizes": lambda rng, out, k: (
        rng.standard_normal((out, k)) * np.geomspace(0.01, 1, out)[:, None]
    ),
    "an outlier": lambda rng, out, k: (
        rng.standard_normal((out, k)) + 50 * (np.arange(out * k).reshape(out, k) == 7)
    ),
}
INPUTS = {
    "around 0": lambda rng, n, k: rng.standard_normal((n, k)),
    "behind a ReLU": lambda rng, n, k: np.maximum(rng.standard_normal((n, k)), 0),
    "rows of many sizes": lambda rng, n, k: (
        rng.standard_normal((n, k)) * np.geomspace(0.01, 1, n)[:, None]
    ),
}


def errors(weight, x):
    """How far each library's rounded layer is from the exact product, in the mean square."""
    exact = x.astype("float64") @ weight.T.astype("float64")
    found = []
    for library in (norch, torch):
        layer = library.nn.Linear(weight.shape[1], weight.shape[0], bias=False)
        with library.no_grad():
            layer.weight.copy_(library.from_numpy(weight))
            model = library.nn.Sequential(layer)
            model = library.ao.quantization.quantize_dynamic(
                model, {library.nn.Linear}, dtype=library.qint8
            )
            found.append(np.square(model(library.from_numpy(x)).numpy() - exact).mean())
    return found


@pytest.mark.parametrize("inputs", INPUTS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_error_is_not_larger_than_pytorchs(weights, inputs):
    rng = np.random.default_rng(0)
    weight = WEIGHTS[weights](rng, 64, 200).astype("float32")
    x = INPUTS[inputs](rng, 50, 200).astype("float32")
    ours, theirs = errors(weight, x)
    assert 0 < ours < theirs


def replaced(library, dynamic, spec):
    """The names of the layers that are replaced in a model of several kinds."""
    nn = library.nn
    body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
    parts = {"body": body, "more": nn.TransformerEncoderLayer(8, 2, 16), "head": nn.Linear(8, 2)}
    spec = {nn.Linear if name == "Linear" else name for name in spec} if spec else spec
    quantize_dynamic = library.ao.quantization.quantize_dynamic
    model = quantize_dynamic(nn.ModuleDict(parts), spec, dtype=library.qint8)
    return [name for name, part in model.named_modules() if isinstance(part, dynamic.Linear)]


# A name with an attention in it: PyTorch replaces its out_proj, whose weight the attention reads.
@pytest.mark.parametrize("spec", [None, {"Linear"}, {"head"}, {"body"}, {"body.0", "more.linear1"}])
def test_the_same_layers_are_replaced(spec):
    ours, theirs = replaced(norch, norch_dynamic, spec), replaced(torch, torch_dynamic, spec)
    assert ours == theirs != []


def test_a_layer_alone_and_what_its_hooks_see():
    for library, dynamic in ((norch, norch_dynamic), (torch, torch_dynamic)):
        quantize_dynamic, seen = library.ao.quantization.quantize_dynamic, []
        alone = quantize_dynamic(library.nn.Linear(2, 2), {library.nn.Linear}, library.qint8)
        assert type(alone) is library.nn.Linear  # only what is below the model is replaced
        model = library.nn.Sequential(library.nn.Linear(2, 2))
        model[0].register_forward_hook(lambda layer, *_, seen=seen: seen.append(type(layer)))
        quantize_dynamic(model, {library.nn.Linear})(library.ones(1, 2))
        assert seen == [dynamic.Linear]


@pytest.mark.parametrize("cast", ["half", "double", "bfloat16"])
def test_a_cast_of_the_model_changes_nothing(cast):
    for library in (norch, torch):
        model = library.nn.Sequential(library.nn.Linear(4, 3))
        model = library.ao.quantization.quantize_dynamic(model, {library.nn.Linear}, library.qint8)
        before = model(library.ones(2, 4))
        after = getattr(model, cast)()(library.ones(2, 4))
        assert after.dtype is library.float32 and library.equal(after, before)
