"""Eight real programs, a training step and an inference of each: time here, memory in memory.py.

A program is written once, with the names that norch and PyTorch share; models that an example or
norchvision has are read from there. Every library gets the same weights and the same batch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.workload import Arrays, Inputs, Work, Workload
from benchmarks.workloads.examples import load, rewritten_models, with_weights

GROUP = "programs"
GATE, AIM = 0.9, 0.7  # of PyTorch's time
MEMORY = 0.7  # of its memory, at most
LETTERS = 65
Dice = np.random.Generator


@dataclass(frozen=True, slots=True)
class Program:
    """A model, a batch for it, what it learns and how."""

    name: str
    make: Callable[[Any], Any]  # the library to its model
    draw: Callable[[Dice, int], Arrays]  # so many samples: x, and what is wanted
    batch: int
    loss: Callable[[Any, Any, Inputs], Any]  # the library, the model's output, the inputs
    optimizer: Callable[[Any, Any], Any]


def mlp(lib: Any) -> Any:
    """784-512-256-10."""
    nn = lib.nn
    layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)]
    return nn.Sequential(*layers)


def lenet(lib: Any) -> Any:
    """LeNet-5 (LeCun et al., 1998) with rectifiers and the largest of four pixels."""
    nn = lib.nn
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2),  # (N, 6, 28, 28)
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5),  # (N, 16, 10, 10)
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, 10),
    )


def resnet18(lib: Any) -> Any:
    """norchvision's ResNet-18."""
    return rewritten_models(lib).resnet18(num_classes=10)


def vit(lib: Any) -> Any:
    """norchvision's vision transformer: patches of 4 x 4 of images of 32 x 32, six layers."""
    return rewritten_models(lib).VisionTransformer(32, 4, 6, 6, 192, 384, num_classes=10)


def gpt(lib: Any) -> Any:
    """gpt2.py's GPT, six layers of 384."""
    return load(lib, "gpt2").GPT(LETTERS, context=128, width=384, layers=6, heads=6, dropout=0.0)


def lstm(lib: Any) -> Any:
    """A language model of two LSTM layers."""

    class LanguageModel(lib.nn.Module):
        """Characters (batch, time) to scores of the next ones (batch, time, letters)."""

        def __init__(self) -> None:
            super().__init__()
            self.characters = lib.nn.Embedding(LETTERS, 128)
            self.lstm = lib.nn.LSTM(128, 256, 2, batch_first=True)
            self.head = lib.nn.Linear(256, LETTERS)

        def forward(self, tokens: Any) -> Any:
            """Read all characters at once."""
            return self.head(self.lstm(self.characters(tokens))[0])

    return LanguageModel()


def unet(lib: Any) -> Any:
    """unet.py's U-Net."""
    return load(lib, "unet").UNet()


def dcgan(lib: Any) -> Any:
    """dcgan.py's two networks."""
    example = load(lib, "dcgan")
    return lib.nn.ModuleList([example.generator(), example.discriminator()])


def classes(*shape: int) -> Callable[[Dice, int], Arrays]:
    """Return what draws samples of this shape and their classes."""

    def draw(dice: Dice, count: int) -> Arrays:
        x = dice.standard_normal((count, *shape), dtype=np.float32)
        return {"x": x, "target": dice.integers(0, 10, count)}

    return draw


def text(length: int) -> Callable[[Dice, int], Arrays]:
    """Return what draws characters and the next ones."""

    def draw(dice: Dice, count: int) -> Arrays:
        letters = dice.integers(0, LETTERS, (count, length + 1))
        return {"x": letters[:, :-1].copy(), "target": letters[:, 1:].copy()}

    return draw


def fields(dice: Dice, count: int) -> Arrays:
    """Draw noisy fields and what is to be found in them."""
    x = dice.standard_normal((count, 1, 48, 48), dtype=np.float32)
    return {"x": x, "target": (x > 1).astype(np.float32)}


def noises(dice: Dice, count: int) -> Arrays:
    """Draw noises and real images."""
    images = dice.random((count, 1, 28, 28), dtype=np.float32) * 2 - 1
    return {"x": dice.standard_normal((count, 64, 1, 1), dtype=np.float32), "target": images}


def cross_entropy(lib: Any, scores: Any, given: Inputs) -> Any:
    """The mean over all that is classified: samples, or characters."""
    scores = scores.reshape(-1, scores.shape[-1])
    return lib.nn.functional.cross_entropy(scores, given["target"].reshape(-1))


def overlap(lib: Any, scores: Any, given: Inputs) -> Any:
    """The mean over the pixels."""
    return lib.nn.functional.binary_cross_entropy_with_logits(scores, given["target"])


def sgd(lib: Any, parameters: Any) -> Any:
    """SGD with momentum."""
    return lib.optim.SGD(parameters, lr=0.01, momentum=0.9)


def adam(lib: Any, parameters: Any) -> Any:
    """Adam."""
    return lib.optim.Adam(parameters, lr=1e-3)


def adamw(lib: Any, parameters: Any) -> Any:
    """AdamW."""
    return lib.optim.AdamW(parameters, lr=3e-4)


def training(program: Program, lib: Any, given: Inputs) -> Work:
    """One step on one fixed batch."""
    model = with_weights(lib, program.make(lib)).train()
    optimizer = program.optimizer(lib, model.parameters())

    def work() -> Any:
        optimizer.zero_grad()
        loss = program.loss(lib, model(given["x"]), given)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return work


def playing(program: Program, lib: Any, given: Inputs) -> Work:
    """One step of both networks, by the example's own words, on noises that are given."""
    draw, judge = with_weights(lib, program.make(lib)).train()
    optimizers = [program.optimizer(lib, model.parameters()) for model in (draw, judge)]
    example = load(lib, "dcgan")

    def work() -> Any:
        fake = draw(given["x"])
        real = example.against(judge(given["target"]), 1.0)
        of_judge = real + example.against(judge(fake.detach()), 0.0)
        example.step(optimizers[1], of_judge)
        of_draw = example.against(judge(fake), 1.0)
        example.step(optimizers[0], of_draw)
        return of_judge.detach(), of_draw.detach()

    return work


def inference(program: Program, lib: Any, given: Inputs) -> Work:
    """The output for one sample, without a graph; of two networks the first's."""
    model = with_weights(lib, program.make(lib)).eval()
    model = model[0] if program.name == "DCGAN" else model
    x = given["x"]

    def work() -> Any:
        with lib.no_grad():
            return model(x)

    return work


def rows_of(program: Program) -> list[Workload]:
    """Return a program's two rows."""
    step = playing if program.name == "DCGAN" else training
    options = {"gate": GATE, "aim": AIM, "tolerance": 1e-3}
    return [
        Workload(
            f"{program.name}, training, batch {program.batch}",
            GROUP,
            lambda dice: program.draw(dice, program.batch),
            lambda lib, given: step(program, lib, given),
            stateful=True,
            **options,
        ),
        Workload(
            f"{program.name}, inference of one",
            GROUP,
            lambda dice: program.draw(dice, 1),
            lambda lib, given: inference(program, lib, given),
            **options,
        ),
    ]


PROGRAMS = (
    Program("MLP", mlp, classes(784), 128, cross_entropy, adam),
    Program("LeNet", lenet, classes(1, 28, 28), 64, cross_entropy, sgd),
    Program("ResNet-18", resnet18, classes(3, 64, 64), 8, cross_entropy, sgd),
    Program("ViT", vit, classes(3, 32, 32), 16, cross_entropy, adamw),
    Program("GPT", gpt, text(128), 4, cross_entropy, adamw),
    Program("LSTM language model", lstm, text(64), 16, cross_entropy, adam),
    Program("UNet", unet, fields, 8, overlap, adam),
    Program("DCGAN", dcgan, noises, 64, overlap, adam),
)

ROWS = tuple(row for program in PROGRAMS for row in rows_of(program))
