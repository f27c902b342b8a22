"""Models of images: torchvision's keys, shapes and numbers of parameters; weights from files.

Keys are compared with rules that say what they are; tests/parity compares with torchvision itself.
"""

import pickle
from functools import partial

import pytest

import norch_autograd as norch
import norch_nn as nn
from norch_nn.serialization import save
from norchvision import models
from norchvision.models import mobilenetv3, resnet


def norm(name, width):
    """The entries of a batch norm."""
    numbers = ("weight", "bias", "running_mean", "running_var")
    return {f"{name}.{key}": (width,) for key in numbers} | {f"{name}.num_batches_tracked": ()}


def layer(name, shape):
    """The entries of a layer with a bias."""
    return {f"{name}.weight": shape, f"{name}.bias": shape[:1]}


def resnet_shapes(counts, sizes_of):
    """The keys and shapes of torchvision's ResNets, by their rule."""
    shapes = {"conv1.weight": (64, 3, 7, 7)} | norm("bn1", 64)
    inputs = 64
    for stage, blocks in enumerate(counts):
        for block in range(blocks):
            name = f"layer{stage + 1}.{block}"
            sizes = sizes_of(inputs, 64 << stage)
            outputs = sizes[-1][0]
            for number, size in enumerate(sizes, 1):
                shapes |= {f"{name}.conv{number}.weight": size}
                shapes |= norm(f"{name}.bn{number}", size[0])
            if block == 0 and (stage or inputs != outputs):
                shapes[f"{name}.downsample.0.weight"] = (outputs, inputs, 1, 1)
                shapes |= norm(f"{name}.downsample.1", outputs)
            inputs = outputs
    return shapes | layer("fc", (1000, inputs))


def basic(inputs, width):
    """Two 3 x 3 convolutions a block."""
    return (width, inputs, 3, 3), (width, width, 3, 3)


def bottleneck(inputs, width):
    """1 x 1 to the width, 3 x 3, 1 x 1 to four times as much."""
    return (width, inputs, 1, 1), (width, width, 3, 3), (4 * width, width, 1, 1)


def vgg_shapes(depths, batch_norm):
    """A convolution, perhaps its norm, a ReLU; after each stage a pooling."""
    shapes, place, inputs = {}, 0, 3
    for width, depth in zip((64, 128, 256, 512, 512), depths, strict=True):
        for _ in range(depth):
            shapes |= layer(f"features.{place}", (width, inputs, 3, 3))
            shapes |= norm(f"features.{place + 1}", width) if batch_norm else {}
            place, inputs = place + 2 + batch_norm, width
        place += 1
    ends = {0: (4096, 25088), 3: (4096, 4096), 6: (1000, 4096)}
    for number, shape in ends.items():
        shapes |= layer(f"classifier.{number}", shape)
    return shapes


def vit_shapes(layers, width, hidden, length, patch):
    """The keys and shapes of torchvision's vision transformers, by their rule."""
    shapes = {"class_token": (1, 1, width), "encoder.pos_embedding": (1, length, width)}
    shapes |= layer("conv_proj", (width, 3, patch, patch)) | layer("encoder.ln", (width,))
    shapes |= layer("heads.head", (1000, width))
    for number in range(layers):
        name = f"encoder.layers.encoder_layer_{number}"
        attention = f"{name}.self_attention"
        shapes |= {f"{attention}.in_proj_weight": (3 * width, width)}
        shapes |= {f"{attention}.in_proj_bias": (3 * width,)}
        shapes |= layer(f"{attention}.out_proj", (width, width))
        shapes |= layer(f"{name}.ln_1", (width,)) | layer(f"{name}.ln_2", (width,))
        shapes |= layer(f"{name}.mlp.0", (hidden, width)) | layer(f"{name}.mlp.3", (width, hidden))
    return shapes


@pytest.mark.parametrize(
    ("name", "shapes", "count"),
    [
        ("resnet18", resnet_shapes((2, 2, 2, 2), basic), 11_689_512),
        ("resnet34", resnet_shapes((3, 4, 6, 3), basic), 21_797_672),
        ("resnet50", resnet_shapes((3, 4, 6, 3), bottleneck), 25_557_032),
        ("resnet101", resnet_shapes((3, 4, 23, 3), bottleneck), 44_549_160),
        ("resnet152", resnet_shapes((3, 8, 36, 3), bottleneck), 60_192_808),
        ("vgg11_bn", vgg_shapes((1, 1, 2, 2, 2), True), 132_868_840),
        ("vgg16", vgg_shapes((2, 2, 3, 3, 3), False), 138_357_544),
        ("vit_b_16", vit_shapes(12, 768, 3072, 197, 16), 86_567_656),
    ],
)
def test_a_model_has_the_weights_of_torchvisions(name, shapes, count):
    model = getattr(models, name)()
    assert {key: tuple(value.shape) for key, value in model.state_dict().items()} == shapes
    assert sum(p.numel() for p in model.parameters()) == count


@pytest.mark.parametrize(
    ("size", "parameters", "entries"), [("large", 5_483_032, 312), ("small", 2_542_856, 244)]
)
def test_mobilenets_have_the_weights_of_torchvisions(size, parameters, entries):
    """Their keys do not follow one rule: some are named, and all counted."""
    model = getattr(models, f"mobilenet_v3_{size}")()
    assert sum(p.numel() for p in model.parameters()) == parameters
    found = {key: tuple(value.shape) for key, value in model.state_dict().items()}
    last = len(model.features) - 1
    some = {
        "large": {
            "features.1.block.0.0.weight": (16, 1, 3, 3),  # as wide as it came: depthwise first
            "features.4.block.2.fc1.weight": (24, 72, 1, 1),
            "features.4.block.2.fc2.bias": (72,),
            "features.4.block.3.1.running_var": (40,),
        },
        "small": {
            "features.1.block.1.fc1.weight": (8, 16, 1, 1),
            "features.4.block.1.0.weight": (96, 1, 5, 5),
            "features.4.block.2.fc1.weight": (24, 96, 1, 1),
        },
    }[size]
    assert some.items() <= found.items() and len(found) == entries
    assert f"features.{last}.0.weight" in found and "classifier.3.bias" in found


@pytest.mark.parametrize(
    "build",
    [
        models.resnet18,
        partial(models.mobilenet_v3_small, dropout=0.1),
        partial(models.VisionTransformer, 64, 32, 2, 4, 64, 128, 0.1, 0.1),
    ],
    ids=["resnet18", "mobilenet_v3_small", "vision_transformer"],
)
def test_a_model_learns_and_is_pickled(build):
    norch.manual_seed(0)
    model = build(num_classes=3)
    x, y = norch.randn(4, 3, 64, 64), norch.tensor([0, 1, 2, 0])
    optimizer = nn.optim.SGD(model.parameters(), lr=0.02)
    losses = []
    for _ in range(4):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0] and all(p.grad is not None for p in model.parameters())
    again = pickle.loads(pickle.dumps(model.eval()))
    with norch.no_grad():
        assert norch.equal(again(x), model(x))


def test_first_weights():
    """Kaiming's deviations in convolutions, 0.01 in linear layers, heads that say nothing yet."""
    norch.manual_seed(0)
    model = models.mobilenet_v3_small()
    stem = model.features[0][0].weight  # fan_out 16 * 9
    assert stem.std().item() == pytest.approx((2 / 144) ** 0.5, rel=0.1)
    assert model.classifier[3].weight.std().item() == pytest.approx(0.01, rel=0.02)
    assert model.classifier[3].bias.abs().max().item() == 0
    quiet = resnet.ResNet(resnet.Bottleneck, [1, 1, 1, 1], zero_init_residual=True)
    assert quiet.layer3[0].bn3.weight.abs().max().item() == 0
    assert quiet.layer3[0].bn2.weight.min().item() == 1
    vit = models.VisionTransformer(8, 4, 1, 2, 8, 16, representation_size=6, num_classes=3)
    assert vit(norch.randn(2, 3, 8, 8)).abs().max().item() == 0
    assert {"heads.pre_logits.weight", "heads.head.weight"} <= set(vit.state_dict())


def test_other_norms_and_other_heads():
    groups = models.resnet18(norm_layer=lambda width: nn.GroupNorm(8, width), num_classes=2)
    assert not any(isinstance(m, nn.BatchNorm2d) for m in groups.modules())
    groups.fc = nn.Linear(groups.fc.in_features, 7)
    assert groups(norch.zeros(1, 3, 32, 32)).shape == (1, 7)
    body = nn.Sequential(*list(models.resnet18().children())[:-2])
    assert body(norch.zeros(1, 3, 64, 64)).shape == (1, 512, 2, 2)
    settings = mobilenetv3.LARGE[:4]
    assert mobilenetv3.MobileNetV3(settings, 8, 2).eval()(norch.zeros(1, 3, 32, 32)).shape == (1, 2)


# ---- weights -------------------------------------------------------------------------------------


def test_weights_come_from_a_file(tmp_path):
    norch.manual_seed(0)
    model = models.mobilenet_v3_small(num_classes=4)
    path = tmp_path / "weights.safetensors"
    save(model.state_dict(), path)
    for given in (path, str(path)):
        again = models.mobilenet_v3_small(weights=given, num_classes=4).state_dict()
        assert all(norch.equal(value, again[key]) for key, value in model.state_dict().items())
    with pytest.raises(RuntimeError, match=r"classifier\.3\.weight"):
        models.mobilenet_v3_small(weights=path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        models.mobilenet_v3_small(weights=tmp_path / "nowhere.pth")


@pytest.mark.parametrize(
    "ask",
    [
        {"weights": "DEFAULT"},
        {"weights": "IMAGENET1K_V1"},
        {"weights": models.ResNet18_Weights.DEFAULT},
        {"weights": models.ResNet18_Weights.IMAGENET1K_V1},
        {"weights": True},
        {"pretrained": True},
    ],
)
def test_nothing_is_downloaded(ask):
    message = r"\[resnet18\] norch never downloads .* resnet18\(weights='resnet18"
    with pytest.raises(ValueError, match=message):
        models.resnet18(**ask)
    with pytest.raises(ValueError, match=r"\[vgg11_bn\] norch never downloads"):
        models.vgg11_bn(**ask)


@pytest.mark.parametrize("ask", [{}, {"weights": None}, {"pretrained": False}, {"progress": True}])
def test_no_weights_are_new_ones(ask):
    assert models.mobilenet_v3_small(**ask).training


def test_images_and_patches_of_a_wrong_size():
    with pytest.raises(ValueError, match=r"224 x 224 are expected, not \(1, 3, 32, 32\)"):
        models.vit_b_32()(norch.zeros(1, 3, 32, 32))
    with pytest.raises(ValueError, match="10 is no multiple of the patch's size 4"):
        models.VisionTransformer(10, 4, 1, 2, 8, 16)
    with pytest.raises(TypeError, match="classes"):
        models.resnet18(classes=10)
