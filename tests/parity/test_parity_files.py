"""PyTorch's safetensors files load into the same architectures, and give the same outputs."""

import numpy as np
import pytest

import norch

MODELS = {
    "mlp": ("nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 3))", (5, 4)),
    "cnn": (
        "nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), "
        "nn.Flatten(), nn.Linear(16, 2))",
        (2, 3, 6, 6),
    ),
    "lstm": ("nn.LSTM(4, 5, num_layers=2, bidirectional=True, batch_first=True)", (2, 6, 4)),
    "gru": ("nn.GRU(4, 5)", (6, 2, 4)),
    "encoder": (
        "nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, "
        "enable_nested_tensor=False)",
        (2, 5, 8),
    ),
    "embedding": ("nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 2))", None),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_file_of_pytorch_loads(name, tmp_path):
    import torch
    from safetensors.torch import save_file

    text, shape = MODELS[name]
    theirs, ours = eval(text, {"nn": torch.nn}).eval(), eval(text, {"nn": norch.nn}).eval()
    save_file(theirs.state_dict(), tmp_path / "model.safetensors")
    ours.load_state_dict(norch.load(tmp_path / "model.safetensors"))
    rng = np.random.default_rng(0)
    x = rng.integers(0, 10, (2, 3)) if shape is None else rng.standard_normal(shape, np.float32)
    with torch.no_grad(), norch.no_grad():
        a, b = ours(norch.from_numpy(x)), theirs(torch.from_numpy(x))
    a, b = (value[0] if isinstance(value, tuple) else value for value in (a, b))
    np.testing.assert_allclose(a.numpy(), b.numpy(), 1e-4, 1e-5)


@pytest.mark.parametrize("name", MODELS)
def test_a_file_of_norch_loads_into_pytorch(name, tmp_path):
    import torch
    from safetensors.torch import load_file

    text, _ = MODELS[name]
    ours, theirs = eval(text, {"nn": norch.nn}), eval(text, {"nn": torch.nn})
    norch.save(ours.state_dict(), tmp_path / "model.safetensors")
    theirs.load_state_dict(load_file(tmp_path / "model.safetensors"))
    for key, value in theirs.state_dict().items():
        np.testing.assert_array_equal(ours.state_dict()[key].numpy(), value.numpy())
