"""norchvision beside torchvision: images, draws, keys and scores of models, datasets' words.

PyTorch's generator draws for both, so that a transform shows whether it draws in the same order.
Skipped where torchvision is not installed.
"""

import random

import numpy as np
import pytest
import torch

import norch
import norchvision
import norchvision.transforms.random as norch_random
import norchvision.transforms.random_crop as norch_crop

torchvision = pytest.importorskip("torchvision", reason="torchvision is not installed")
Image = pytest.importorskip("PIL.Image")

CHAINS = {
    "resize": "T.Resize(24)",
    "resize to less": "T.Resize((13, 29))",
    "bicubic": "T.Resize((13, 29), T.InterpolationMode.BICUBIC)",
    "nearest": "T.Resize((13, 29), T.InterpolationMode.NEAREST)",
    "exact": "T.Resize((13, 29), T.InterpolationMode.NEAREST_EXACT)",
    "max_size": "T.Resize(20, max_size=25)",
    "centre": "T.CenterCrop((50, 7))",
    "crop": "T.RandomCrop(9, padding=4)",
    "crop, mirrored": "T.RandomCrop(9, padding=(1, 2, 3, 4), padding_mode='symmetric')",
    "crop of less": "T.RandomCrop((45, 30), pad_if_needed=True, fill=7)",
    "flips": "T.Compose([T.RandomHorizontalFlip(), T.RandomVerticalFlip(0.3)])",
    "resized crop": "T.RandomResizedCrop(16)",
    "resized crop, narrow": "T.RandomResizedCrop((16, 9), scale=(0.5, 1), ratio=(0.3, 0.4))",
    "brightness": "T.ColorJitter(brightness=0.8)",
    "contrast": "T.ColorJitter(contrast=(0, 3))",
    "saturation": "T.ColorJitter(saturation=(0, 3))",
    "jitter": "T.ColorJitter(0.4, 0.4, 0.4, 0.1)",
    "grey": "T.Compose([T.RandomGrayscale(0.5), T.Grayscale(3)])",
    "pad": "T.Compose([T.Pad((1, 2), fill=9), T.Pad(2, padding_mode='reflect'), T.Pad(-1)])",
    "turn": "T.RandomRotation((10, 80), center=(2, 3), fill=5)",
    "turn, all seen": "T.RandomRotation(180, expand=True)",
    "chances": "T.Compose([T.RandomApply([T.Pad(2)], 0.3), T.RandomChoice([T.Pad(1), T.Pad(3)])])",
    "simclr": (
        "T.Compose([T.RandomResizedCrop(20), T.RandomHorizontalFlip(), "
        "T.RandomApply([T.ColorJitter(0.8, 0.8, 0.8, 0.2)], p=0.8), T.RandomGrayscale(0.2)])"
    ),
}


class Drawn:
    """What `empty` is for: a tensor that PyTorch's generator fills."""

    def __init__(self, *shape):
        self.numbers = torch.empty(*shape)

    def uniform_(self, low, high):
        return norch.tensor(self.numbers.uniform_(low, high).numpy())

    def normal_(self):
        return norch.tensor(self.numbers.normal_().numpy())


@pytest.fixture(autouse=True)
def shared_draws(monkeypatch):
    """Let norch's transforms draw from PyTorch's generator."""
    for module in (norch_random, norch_crop):
        monkeypatch.setattr(module, "empty", Drawn)
    for name in ("rand", "randint", "randperm"):
        draw = getattr(torch, name)
        monkeypatch.setattr(
            norch_random, name, lambda *args, draw=draw: norch.tensor(draw(*args).numpy())
        )


def images(kind):
    """An image of several sizes for both libraries: (norch's, torchvision's)."""
    dice = np.random.default_rng(0)
    for height, width in ((7, 11), (32, 32), (40, 25)):
        pixels = dice.integers(0, 256, (height, width, 3), dtype=np.uint8)
        planes = pixels.transpose(2, 0, 1).copy()
        if kind == "float32":
            planes = planes.astype(np.float32) / 255
        if kind in ("float32", "uint8"):
            yield norch.tensor(planes), torch.tensor(planes)
        else:
            image = Image.fromarray(pixels).convert(kind)
            yield image, image


def transformed(library, chain, image, seed):
    """What a chain of one library makes of an image, and the number that is drawn next."""
    transform = eval(chain, {"T": library.transforms})
    torch.manual_seed(seed)
    random.seed(seed)
    made = transform(image)
    return repr(transform), np.asarray(made), torch.rand(1).item()


@pytest.mark.parametrize("kind", ["RGB", "L", "uint8", "float32"])
@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_a_transform_makes_torchvisions_image(chain, kind):
    """PIL images are equal; of a tensor's bytes some may be rounded the other way."""
    for seed, (ours, theirs) in enumerate(images(kind)):
        words, made, after = transformed(norchvision, chain, ours, seed)
        their_words, wanted, their_after = transformed(torchvision, chain, theirs, seed)
        assert words == their_words and after == their_after
        assert made.shape == wanted.shape and made.dtype == wanted.dtype
        difference = abs(made.astype(float) - wanted.astype(float))
        if kind == "uint8":
            assert difference.max() <= 2 and (difference > 0).mean() < 0.05
        else:
            assert difference.max() <= (4e-6 if kind == "float32" else 0)


@pytest.mark.parametrize("value", [0, (1, 2, 3), "random"])
def test_erasing(value):
    numbers = np.random.default_rng(1).random((3, 20, 30), dtype=np.float32)
    for seed in range(4):
        made = []
        for library, lib in ((norchvision, norch), (torchvision, torch)):
            torch.manual_seed(seed)
            erase = library.transforms.RandomErasing(0.8, value=value)
            made.append(np.asarray(erase(lib.tensor(numbers))))
        np.testing.assert_array_equal(*made)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGB", "RGBA", "CMYK", "I", "F"])
def test_images_to_tensors(mode):
    image = Image.fromarray(np.arange(60, dtype=np.uint8).reshape(5, 12)).convert("L").convert(mode)
    for name in ("to_tensor", "pil_to_tensor"):
        made, wanted = (
            getattr(library.transforms.functional, name)(image)
            for library in (norchvision, torchvision)
        )
        np.testing.assert_array_equal(made.numpy(), wanted.numpy())
        assert str(made.dtype).split(".")[1] == str(wanted.dtype).split(".")[1]


@pytest.mark.parametrize("options", [{}, {"normalize": True}, {"nrow": 2, "pad_value": 0.5}])
def test_grids(options):
    numbers = np.random.default_rng(2).standard_normal((5, 1, 4, 6)).astype(np.float32)
    made = norchvision.utils.make_grid(norch.tensor(numbers), **options)
    wanted = torchvision.utils.make_grid(torch.tensor(numbers), **options)
    np.testing.assert_allclose(made.numpy(), wanted.numpy(), atol=1e-6)


def wider(state):
    """Draw weights with which a net of any depth gives scores of a usual size."""
    dice = np.random.default_rng(3)
    for name, tensor in state.items():
        shape, fan = tuple(tensor.shape), max(np.prod(tensor.shape[1:]), 1)
        if name.endswith("running_var"):
            yield name, dice.uniform(0.5, 1.5, shape).astype(np.float32)
        elif tensor.dtype == torch.float32:
            yield name, (dice.standard_normal(shape) * (2 / fan) ** 0.5).astype(np.float32)
        else:
            yield name, tensor.numpy()


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("resnet18", 64),
        ("resnet50", 64),
        ("vgg11_bn", 64),
        ("mobilenet_v3_large", 64),
        ("mobilenet_v3_small", 64),
        ("vit_b_32", 224),
    ],
)
def test_a_model_is_torchvisions(name, size, tmp_path):
    """Keys in order, shapes, and the scores with weights that torch.save has written."""
    theirs = getattr(torchvision.models, name)().eval()
    weights = {key: torch.tensor(value) for key, value in wider(theirs.state_dict())}
    theirs.load_state_dict(weights)
    torch.save(weights, tmp_path / "weights.pth")
    ours = getattr(norchvision.models, name)(weights=tmp_path / "weights.pth").eval()
    assert [(k, tuple(v.shape)) for k, v in ours.state_dict().items()] == [
        (k, tuple(v.shape)) for k, v in weights.items()
    ]
    assert repr(ours) == repr(theirs) or name.startswith("vit")
    x = np.random.default_rng(4).standard_normal((2, 3, size, size)).astype(np.float32)
    with norch.no_grad(), torch.no_grad():
        made, wanted = ours(norch.tensor(x)).numpy(), theirs(torch.tensor(x)).numpy()
    np.testing.assert_allclose(made, wanted, 1e-3, 1e-4 * abs(wanted).max())


def test_folders_are_read_alike(tmp_path):
    for name in ("b/2.png", "b/1.jpg", "a/x/y.bmp", "a/z.PNG", "c/k.webp"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 3), (1, 2, 3)).save(path)
    (tmp_path / "a" / "notes.txt").write_text("none")
    ours, theirs = (
        library.datasets.ImageFolder(tmp_path, library.transforms.Compose([]))
        for library in (norchvision, torchvision)
    )
    assert ours.samples == theirs.samples and ours.class_to_idx == theirs.class_to_idx
    assert repr(ours) == repr(theirs) and ours[0][0].tobytes() == theirs[0][0].tobytes()
