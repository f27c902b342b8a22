"""norchvision's ResNet and vision transformer against the same layers written with PyTorch.

torchvision need not be installed: its two models are written down here, by functions of torch, and
read their weights by torchvision's keys. test_parity_vision.py compares with torchvision itself.
"""

import numpy as np

import norch
from norchvision.models import VisionTransformer
from norchvision.models.resnet import Bottleneck, ResNet


def compare(model, forward, shape):
    """Run both on the same weights and images; the weights are drawn wider than usual."""
    import torch

    norch.manual_seed(0)
    for name, tensor in model.state_dict().items():
        if name.endswith("running_var"):
            tensor.uniform_(0.5, 1.5)
        elif tensor.dtype.is_floating_point:
            tensor.normal_(0, 0.2)
    weights = {name: torch.tensor(value.numpy()) for name, value in model.state_dict().items()}
    x = norch.randn(shape)
    with norch.no_grad(), torch.no_grad():
        ours, theirs = model.eval()(x).numpy(), forward(weights, torch.tensor(x.numpy())).numpy()
    np.testing.assert_allclose(ours, theirs, 1e-4, 1e-5 * abs(theirs).max())


def test_resnet():
    from torch.nn.functional import batch_norm, conv2d, linear, max_pool2d, relu

    blocks = (1, 2, 1, 1)

    def forward(w, x):
        def norm(name, x):
            mean, var = w[f"{name}.running_mean"], w[f"{name}.running_var"]
            return batch_norm(x, mean, var, w[f"{name}.weight"], w[f"{name}.bias"])

        x = relu(norm("bn1", conv2d(x, w["conv1.weight"], stride=2, padding=3)))
        x = max_pool2d(x, 3, 2, 1)
        for layer, count in enumerate(blocks, 1):
            for block in range(count):
                name = f"layer{layer}.{block}"
                stride = 2 if layer > 1 and block == 0 else 1
                y = relu(norm(f"{name}.bn1", conv2d(x, w[f"{name}.conv1.weight"])))
                y = conv2d(y, w[f"{name}.conv2.weight"], stride=stride, padding=1)
                y = relu(norm(f"{name}.bn2", y))
                y = norm(f"{name}.bn3", conv2d(y, w[f"{name}.conv3.weight"]))
                if block == 0:
                    x = conv2d(x, w[f"{name}.downsample.0.weight"], stride=stride)
                    x = norm(f"{name}.downsample.1", x)
                x = relu(y + x)
        return linear(x.mean((2, 3)), w["fc.weight"], w["fc.bias"])

    compare(ResNet(Bottleneck, blocks, num_classes=5), forward, (2, 3, 64, 64))


def test_vision_transformer():
    import torch
    from torch.nn.functional import conv2d, layer_norm, linear

    names = {
        "self_attn.in_proj_": "self_attention.in_proj_",
        "self_attn.out_proj.": "self_attention.out_proj.",
        "linear1.": "mlp.0.",
        "linear2.": "mlp.3.",
        "norm1.": "ln_1.",
        "norm2.": "ln_2.",
    }

    def forward(w, x):
        x = conv2d(x, w["conv_proj.weight"], w["conv_proj.bias"], stride=8).flatten(2)
        x = torch.cat([w["class_token"].expand(len(x), -1, -1), x.transpose(1, 2)], 1)
        x = x + w["encoder.pos_embedding"]
        for i in range(3):
            layer = torch.nn.TransformerEncoderLayer(24, 4, 48, 0, "gelu", 1e-6, True, True)
            place = f"encoder.layers.encoder_layer_{i}."
            state = {
                f"{theirs}{part}": w[f"{place}{ours}{part}"]
                for theirs, ours in names.items()
                for part in ("weight", "bias")
            }
            layer.load_state_dict(state)
            x = layer.eval()(x)
        x = layer_norm(x, (24,), w["encoder.ln.weight"], w["encoder.ln.bias"], 1e-6)
        return linear(x[:, 0], w["heads.head.weight"], w["heads.head.bias"])

    model = VisionTransformer(32, 8, 3, 4, 24, 48, num_classes=7)
    compare(model, forward, (2, 3, 32, 32))
