"""Layers give the CPU's results and gradients on "cuda-sim", whose kernels are the GPU's."""

import numpy as np
import pytest

import norch_autograd as norch
import norch_nn as nn

LAYERS = {
    "Linear": (lambda: nn.Linear(5, 3), (4, 5)),
    "Conv1d": (lambda: nn.Conv1d(2, 3, 3), (2, 2, 8)),
    "Conv2d": (lambda: nn.Conv2d(2, 4, 3, padding=1, groups=2), (2, 2, 6, 5)),
    "Conv3d": (lambda: nn.Conv3d(2, 3, 2), (1, 2, 4, 4, 4)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(2, 3, 3, stride=2), (1, 2, 4, 3)),
    "MaxPool3d": (lambda: nn.MaxPool3d(2), (1, 2, 4, 4, 4)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(3), (2, 3, 4, 4)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (2, 4, 5)),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(3), (2, 3, 4, 4)),
    "LayerNorm": (lambda: nn.LayerNorm(6), (3, 6)),
    "RMSNorm": (lambda: nn.RMSNorm(6), (3, 6)),
    "GELU": (nn.GELU, (3, 6)),
    "SiLU": (nn.SiLU, (3, 6)),
    "Softmax": (lambda: nn.Softmax(-1), (3, 6)),
    "MaxPool2d": (lambda: nn.MaxPool2d(2), (2, 2, 6, 5)),
    "AvgPool2d": (lambda: nn.AvgPool2d(2), (2, 2, 6, 5)),
    "RNN": (lambda: nn.RNN(4, 5), (3, 2, 4)),
    "LSTM": (lambda: nn.LSTM(4, 5, num_layers=2, bidirectional=True), (3, 2, 4)),
    "GRU": (lambda: nn.GRU(4, 5), (3, 2, 4)),
    "TransformerEncoderLayer": (
        lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (2, 3, 8)
    ),
}  # fmt: skip


def run(make, shape, device):
    """The first result of a layer, the gradient of its input, and those of its parameters."""
    norch.manual_seed(0)
    layer = make().to(device)
    x = norch.randn(*shape).to(device).requires_grad_()
    out = layer(x)
    out = out[0] if isinstance(out, tuple) else out
    (out * out * 0.5).sum().backward()
    return [
        t.detach().to("cpu").numpy() for t in (out, x.grad, *(p.grad for p in layer.parameters()))
    ]


@pytest.mark.parametrize("name", LAYERS)
def test_layer_agrees(name):
    expected, actual = (run(*LAYERS[name], device) for device in ("cpu", "cuda-sim"))
    for e, a in zip(expected, actual, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-4, atol=1e-5)
