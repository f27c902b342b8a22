"""A training step of every example, by the example's own text: model, loss, optimizer and loop.

An example runs on PyTorch with its imports changed, so both libraries run the same file; it is read
from `examples/`, never copied. Timed is the example's `train` over a few fixed batches, in the same
order, from the same weights. Where it draws lots (dropouts, noise, shifts), which differ between
libraries, it is timed as it is, and its losses are compared in a run whose lots come from NumPy.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.processes import ROOT
from benchmarks.workload import Arrays, Inputs, Work, Workload, set_parameters
from benchmarks.workloads import data
from benchmarks.workloads.training import step

EXAMPLES = ROOT / "examples"
MODELS = ROOT / "extras/norchvision/src/norchvision/models"
WITHOUT_STEP = {  # they train nothing of their own
    "first_steps": "prints small numbers",
    "gpt2_parallel": "shares gpt2.py's step among processes",
    "ray_ranks": "fits a line in processes that Ray starts",
    "class_activation_map": "draws one forward pass of cifar10.py's net",
}
Start = Callable[[ModuleType, Any, Inputs], Work]


class Fixed:
    """A library whose random numbers come from NumPy and are the same in every library."""

    def __init__(self, lib: Any) -> None:
        self.lib, self.dice = lib, np.random.default_rng(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.lib, name)

    def tensor_of(self, values: np.ndarray) -> Any:
        """Return drawn numbers as a tensor of the library."""
        return self.lib.from_numpy(values)

    def rand(self, *shape: int) -> Any:
        """Draw from 0 to 1."""
        return self.tensor_of(self.dice.random(shape, dtype=np.float32))

    def randn(self, *shape: int) -> Any:
        """Draw normal numbers."""
        return self.tensor_of(self.dice.standard_normal(shape, dtype=np.float32))

    def randint(self, low: int, high: int, shape: tuple[int, ...]) -> Any:
        """Draw whole numbers."""
        return self.tensor_of(self.dice.integers(low, high, shape))

    def randperm(self, count: int) -> Any:
        """Draw an order."""
        return self.tensor_of(self.dice.permutation(count))


def load(lib: Any, name: str) -> ModuleType:
    """Return an example as a module of this library, and with it the examples it imports."""
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    imported = [other for other in re.findall(r"^import (\w+)$", text, re.M) if is_example(other)]
    beside = {other: load(lib, other) for other in imported}
    if lib.__name__ != "norch":
        text = re.sub(r"\bnorch\b", lib.__name__, text)
        # What PyTorch has not: the models are read with other imports, and no step needs the rest.
        beside[f"{lib.__name__}.accelerate"] = SimpleNamespace(Accelerator=None)
        models = rewritten_models(lib) if "models" in text else None
        beside["norchvision"] = SimpleNamespace(datasets=None, transforms=None, models=models)
    module = ModuleType(name)
    with patch.dict(sys.modules, beside):
        exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    if isinstance(lib, Fixed):
        module.__dict__[lib.__name__] = lib
    return module


def rewritten_models(lib: Any) -> SimpleNamespace:
    """Return norchvision's models, the examples', as the same text makes them of this library."""
    found: dict[str, Any] = {}
    make = SimpleNamespace(Weights=None, make_model=lambda name, make, _, options: make(**options))
    for name in ("resnet", "vision_transformer"):
        text = (MODELS / f"{name}.py").read_text(encoding="utf-8")
        text = text.replace("from norchvision.models.weights import", "from weights import")
        text = text.replace("from norch_extras.init import", "from norch_nn.init import")
        text = re.sub(
            r"from norch_(nn|extras\.nn)\.(?!init)\S+ import", "from norch_nn import", text
        )
        text = text.replace("from norch_nn", f"from {lib.__name__}.nn")
        text = text.replace("from norch_autograd import", f"from {lib.__name__} import")
        module = ModuleType(name)
        with patch.dict(sys.modules, {"weights": make}):
            exec(compile(text, f"{name}.py", "exec"), module.__dict__)
        found |= module.__dict__
    return SimpleNamespace(**found)


def is_example(name: str) -> bool:
    """Say whether there is an example of this name."""
    return (EXAMPLES / f"{name}.py").is_file()


class Batches(list):  # type: ignore[type-arg]
    """A loader of fixed batches, in the same order every time; each is a tuple of tensors."""

    def __init__(self, tensors: tuple[Any, ...], size: int) -> None:
        super().__init__(zip(*(tensor.split(size) for tensor in tensors), strict=True))
        self.dataset, self.batch_size = range(len(tensors[0])), size


def dataset(given: Inputs) -> SimpleNamespace:
    """Return images and classes as the examples' datasets have them."""
    return SimpleNamespace(data=given["images"], targets=given["classes"])


def with_weights(lib: Any, model: Any) -> Any:
    """Give a model the same weights in every library, and no dropouts where lots are fixed."""
    set_parameters(lib, model)
    with lib.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:  # norms begin as they do, biases at zero
                parameter.fill_(float(name.endswith("weight")))
    for module in model.modules() if isinstance(lib, Fixed) else ():
        if isinstance(module, lib.nn.Dropout):
            module.p = 0.0
        elif isinstance(getattr(module, "dropout", None), float):
            module.dropout = 0.0
    return model


def mnist(kind: str) -> Start:
    """Return the start of mnist.py with one of its models."""

    def start(example: ModuleType, lib: Any, given: Inputs) -> Work:
        model = with_weights(lib, example.MODELS[kind]())
        optimizer = lib.optim.Adam(model.parameters(), lr=0.002)
        loader = Batches((example.normalized(given["images"]), given["classes"]), 128)
        loss = lib.nn.CrossEntropyLoss()
        return lambda: example.train(model, loader, loss, optimizer, "cpu", "")[:2]

    return start


def mnist_ddp(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """One process alone: what DistributedDataParallel adds where there is nobody to ask."""
    join_alone(lib)
    example.summed = lambda *numbers: numbers
    model = example.DistributedDataParallel(with_weights(lib, example.mnist.MODELS["mlp"]()))
    optimizer = lib.optim.Adam(model.parameters(), lr=0.002)
    loader = Batches((given["images"], given["classes"]), 128)
    loss = lib.nn.CrossEntropyLoss()
    return lambda: example.train(model, loader, loss, optimizer, "cpu")[:2]


def join_alone(lib: Any) -> None:
    """Make this process rank 0 of 1."""
    if not lib.distributed.is_initialized():
        options = {"rank": 0, "world_size": 1}
        if lib.__name__ == "torch":  # which wants to know where to meet, even nobody
            options |= {"backend": "gloo", "store": lib.distributed.HashStore()}
        lib.distributed.init_process_group(**options)


def mnist_accelerate(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """One process: the Accelerator hands through, for PyTorch as for norch."""
    same = SimpleNamespace(backward=lambda loss: loss.backward(), gather_for_metrics=lambda x: x)
    model = with_weights(lib, example.network())
    optimizer = lib.optim.Adam(model.parameters(), lr=1e-3)
    images = given["images"].float() / 255  # as the example's ToTensor makes them
    pairs = list(zip(images, given["classes"].tolist(), strict=True))
    loader = example.DataLoader(pairs, 64, collate_fn=example.collate)
    return lambda: example.train(same, model, loader, optimizer)


def autoencoder(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """mnist_autoencoder.py."""
    model = with_weights(lib, example.Autoencoder())
    optimizer = lib.optim.Adam(model.parameters(), lr=2e-3)
    loader = Batches(example.to_tensors(dataset(given)).tensors, 128)
    return lambda: example.train(model, loader, optimizer)


def cifar10(kind: str) -> Start:
    """Return the start of cifar10.py with one of its models."""

    def start(example: ModuleType, lib: Any, given: Inputs) -> Work:
        model = with_weights(lib, example.MODELS[kind]())
        options = {"lr": 0.1, "momentum": 0.9, "weight_decay": 5e-4, "nesterov": True}
        optimizer = lib.optim.SGD(model.parameters(), **options)
        loader = Batches(example.to_tensors(dataset(given)).tensors, 64)
        loss = lib.nn.CrossEntropyLoss()
        return lambda: example.train(model, loader, loss, optimizer, "cpu", "")

    return start


def gpt2(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """gpt2.py with its default sizes."""
    model = with_weights(lib, example.GPT(65))
    way = example.Alone(model)
    optimizer, schedule = example.make_optimizer(way, 2e-3, 600)
    seen, wanted = given["text"][:, :-1], given["text"][:, 1:]
    return lambda: example.train(way, seen, wanted, optimizer, schedule)


def reverse_sequence(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """reverse_sequence.py."""
    model = with_weights(lib, example.Reverser())
    optimizer = lib.optim.Adam(model.parameters(), lr=3e-3)
    loader = Batches((given["digits"], given["digits"].flip(1)), 128)
    return lambda: example.train(model, loader, optimizer)


def time_series(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """time_series.py on fewer days."""
    model = with_weights(lib, example.Forecaster())
    optimizer = lib.optim.Adam(model.parameters(), lr=5e-3)
    return lambda: example.train(model, given["values"], optimizer, 112)


def unet(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """unet.py on the same fields in every library."""
    model = with_weights(lib, example.UNet())
    optimizer = lib.optim.Adam(model.parameters(), lr=2e-3)
    fields = load(Fixed(lib), "unet").scatter(given["images"].float() / 255)
    return lambda: example.train(model, Batches(fields, 32), optimizer, "")


def dcgan(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """dcgan.py."""
    draw, judge = (with_weights(lib, make()) for make in (example.generator, example.discriminator))
    options = {"lr": 2e-4, "betas": (0.5, 0.999)}
    optimizers = [lib.optim.Adam(model.parameters(), **options) for model in (draw, judge)]
    loader = Batches((given["images"].unsqueeze(1).float() / 127.5 - 1,), 64)
    return lambda: example.train(draw, judge, optimizers, loader, "")


def vit(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """vit.py with its default sizes."""
    model = with_weights(lib, example.small())
    optimizer = lib.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = lib.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, total_steps=1_000_000)
    loader = Batches((example.mnist.normalized(given["images"]), given["classes"]), 128)
    return lambda: example.train(model, loader, optimizer, schedule, "")


def resnet50(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """What resnet50.py does: one image, forward."""
    model = with_weights(lib, example.models.resnet50()).eval()

    def work() -> Any:
        with lib.no_grad():
            return model(given["x"]).softmax(1)

    return work


def resnet18(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """A step of resnet50.py's smaller model, by SGD."""
    model = with_weights(lib, example.models.resnet18(num_classes=10))
    optimizer = lib.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    return step(lib, model, optimizer, given)


def sin2(example: ModuleType, lib: Any, given: Inputs) -> Work:
    """One epoch of sin2.py, which prints its loss: 51 steps of one point."""

    def work() -> np.ndarray:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            example.train(1)
        return np.array(float(printed.getvalue().split()[-1]))

    return work


def draw_photos(dice: np.random.Generator) -> Arrays:
    """Draw eight images of 64 x 64 and their classes."""
    x = dice.standard_normal((8, 3, 64, 64), dtype=np.float32)
    return {"x": x, "target": dice.integers(0, 10, 8)}


def row(name: str, what: str, draw: Callable[..., Arrays], start: Start, **more: Any) -> Workload:
    """Return the row of an example; `lots=True` where its training draws some."""
    build = lambda lib, given: start(load(lib, name), lib, given)  # noqa: E731 - two alike
    fixed = lambda lib, given: start(load(Fixed(lib), name), Fixed(lib), given)  # noqa: E731
    check = fixed if more.pop("lots", False) else None
    options = {"gate": 1.0, "aim": 0.7, "stateful": True, "tolerance": 1e-3} | more
    return Workload(f"{name}.py, {what}", "examples", draw, build, check=check, **options)


def some(draw: Callable[..., Arrays], *sizes: int) -> Callable[[np.random.Generator], Arrays]:
    """Return what draws so many samples."""
    return lambda dice: draw(*sizes, dice)


def draw_digits(dice: np.random.Generator) -> Arrays:
    """Draw 512 rows of sixteen digits."""
    return {"digits": dice.integers(0, 10, (512, 16))}


def draw_image(dice: np.random.Generator) -> Arrays:
    """Draw one image."""
    return {"x": dice.standard_normal((1, 3, 224, 224), dtype=np.float32)}


def on_digits(name: str, what: str, count: int, start: Start, **more: Any) -> Workload:
    """Return the row of an example that reads so many digits."""
    what += f" of {data.kind(data.MNIST)}"
    return row(name, what, some(data.digits, count), start, **more)


def on_photos(name: str, what: str, count: int, start: Start, **more: Any) -> Workload:
    """Return the row of an example that reads so many small photos."""
    what += f" of {data.kind(data.CIFAR10)}"
    return row(name, what, some(data.photos, count), start, lots=True, **more)


TEXT, SERIES = some(data.characters, 32, 65), some(data.series, 170)
ROWS = (
    on_digits("mnist", "mlp, 8 x 128", 1024, mnist("mlp")),
    on_digits("mnist", "cnn, 2 x 128", 256, mnist("cnn"), lots=True),
    on_digits("mnist_ddp", "8 x 128", 1024, mnist_ddp),
    on_digits("mnist_accelerate", "8 x 64", 512, mnist_accelerate, lots=True),
    on_digits("mnist_autoencoder", "2 x 128", 256, autoencoder),
    # A learning rate of 0.1 from these weights multiplies each rounding.
    on_photos("cifar10", "convnet, 1 x 64", 64, cifar10("convnet"), tolerance=1e-2),
    on_photos("cifar10", "resnet, 1 x 64", 64, cifar10("resnet")),
    row("gpt2", f"1 x 32 of {data.kind(data.SHAKESPEARE)}", TEXT, gpt2, lots=True),
    row("reverse_sequence", "4 x 128 of random digits", draw_digits, reverse_sequence),
    row("time_series", f"3 windows of {data.kind(data.NN5)}", SERIES, time_series, lots=True),
    on_digits("unet", "1 x 32", 32, unet),
    on_digits("dcgan", "1 x 64", 64, dcgan, lots=True),
    on_digits("vit", "1 x 128", 128, vit),
    row("resnet50", "one image, forward", draw_image, resnet50, stateful=False),
    row("resnet50", "ResNet-18 step, batch 8 of 64 x 64", draw_photos, resnet18),
    row("sin2", "51 x 1 point", lambda dice: {}, sin2),
)
