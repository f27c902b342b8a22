"""Whole training steps, and one epoch of a DataLoader.

A step is zero_grad, forward, loss, backward, step on one fixed batch. PyTorch's MNIST example is
taken without its dropouts, whose random numbers differ between libraries, and with Adam. Optimizers
run as each library sets them; one row asks both for `fused=True`, PyTorch's fastest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.workload import (
    Arrays,
    Inputs,
    Work,
    Workload,
    in_both_memories,
    normal_array,
    set_parameters,
)
from benchmarks.workloads.matmul import LARGE


def step(lib: Any, model: Any, optimizer: Any, given: Inputs) -> Work:
    """Return one training step; its value is the loss."""
    loss_of = lib.nn.CrossEntropyLoss()
    x, target = given["x"], given["target"]

    def work() -> Any:
        optimizer.zero_grad()
        loss = loss_of(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    return work


def draw(*shape: int) -> Callable[[np.random.Generator], Arrays]:
    """Return what draws a batch of this shape and its ten classes."""

    def batch(rng: np.random.Generator) -> Arrays:
        return {"x": normal_array(rng, shape), "target": rng.integers(0, 10, shape[0])}

    return batch


def mlp_small(lib: Any, given: Inputs) -> Work:
    """784-30-10 by SGD."""
    nn = lib.nn
    model = set_parameters(lib, nn.Sequential(nn.Linear(784, 30), nn.ReLU(), nn.Linear(30, 10)))
    return step(lib, model, lib.optim.SGD(model.parameters(), lr=0.01), given)


def mlp_big(lib: Any, given: Inputs, **options: Any) -> Work:
    """784-512-256-10 by Adam."""
    nn = lib.nn
    layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)]
    model = set_parameters(lib, nn.Sequential(*layers))
    return step(lib, model, lib.optim.Adam(model.parameters(), lr=1e-3, **options), given)


def mlp_fused(lib: Any, given: Inputs) -> Work:
    """The same, with the one-pass Adam that PyTorch has for those who ask."""
    return mlp_big(lib, given, fused=True)


def cnn(lib: Any, given: Inputs) -> Work:
    """Two convolutions, a pooling, two linear layers: PyTorch's MNIST example."""
    nn = lib.nn
    convolutions = [nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU()]
    head = [nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10)]
    model = set_parameters(lib, nn.Sequential(*convolutions, nn.MaxPool2d(2), *head))
    return step(lib, model, lib.optim.Adam(model.parameters(), lr=1e-3), given)


def draw_images(rng: np.random.Generator) -> Arrays:
    """Draw 20,000 images and their classes."""
    return {"x": normal_array(rng, (20_000, 1, 28, 28)), "target": rng.integers(0, 10, 20_000)}


def walk(loader: Any) -> Work:
    """Walk a loader once; count the samples, add up their classes."""

    def work() -> np.ndarray:
        count = total = 0
        for x, target in loader:
            count += x.shape[0]
            total += int(target.sum().item())
        return np.array([count, total])

    return work


def checked_walk(loader: Any) -> Work:
    """The same, and one number that says whether each image still has its own class."""

    def work() -> np.ndarray:
        totals = np.zeros(3)
        for x, target in loader:
            x, target = np.asarray(x, np.float64), np.asarray(target)
            totals += [len(x), target.sum(), (x.reshape(len(x), -1).sum(1) * target).sum()]
        return totals

    return work


class ArrayBatches:
    """The same epoch by hand, in NumPy: one gather a batch, in a new order each time."""

    def __init__(self, given: Inputs) -> None:
        self.x, self.target, self.rng = given["x"], given["target"], np.random.default_rng(0)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        order = self.rng.permutation(len(self.x))
        for start in range(0, len(order), 64):
            index = order[start : start + 64]
            yield self.x[index], self.target[index]


def samples(lib: Any, given: Inputs) -> Any:
    """Return the usual shuffled loader: it asks for samples and joins them."""
    if lib is np:
        return ArrayBatches(given)
    data = lib.utils.data
    dataset = data.TensorDataset(given["x"], given["target"])
    return data.DataLoader(dataset, batch_size=64, shuffle=True)


def whole_batches(lib: Any, given: Inputs) -> Any:
    """Return a loader that asks for whole batches, as who knows PyTorch well may write it."""
    data = lib.utils.data
    dataset = data.TensorDataset(given["x"], given["target"])
    batches = data.BatchSampler(data.RandomSampler(dataset), 64, False)
    return data.DataLoader(dataset, batch_size=None, sampler=batches)


def epoch(name: str, loader: Callable[[Any, Inputs], Any], **options: Any) -> Workload:
    """Return the row of one epoch."""
    build = lambda lib, given: walk(loader(lib, given))  # noqa: E731 - two alike
    return Workload(
        f"DataLoader epoch, 20,000 images, {name}",
        "training",
        draw_images,
        build,
        check=lambda lib, given: checked_walk(loader(lib, given)),
        numpy=build if loader is samples else None,
        bytes=2 * 20_000 * 784 * 4.0,
        traffic="copy",
        **options,
    )


def row(name: str, batch: Any, build: Any, gate: float, aim: float, flops: float) -> Workload:
    """Return the row of a training step."""
    return Workload(
        name,
        "training",
        batch,
        build,
        gate,
        aim,
        stateful=True,
        tolerance=1e-3,
        flops=flops,
        scaling=1.7 if flops > LARGE else 1.0,
    )


BIG, BIG_FLOPS = draw(128, 784), 128 * (4.0 * 784 * 512 + 6.0 * (512 * 256 + 256 * 10))
SMALL_FLOPS = 32 * (4.0 * 784 * 30 + 6.0 * 30 * 10)
CNN_FLOPS = 64 * (4.0 * 26 * 26 * 32 * 9 + 6.0 * (24 * 24 * 64 * 288 + 9216 * 128 + 1280))

ROWS = (
    row("MLP 784-30-10 step, batch 32, SGD", draw(32, 784), mlp_small, 0.18, 0.15, SMALL_FLOPS),
    row("MLP 784-512-256-10 step, batch 128, Adam", BIG, mlp_big, 0.75, 0.60, BIG_FLOPS),
    row("MLP 784-512-256-10 step, both fused", BIG, mlp_fused, 1.0, 0.80, BIG_FLOPS),
    row("CNN step, batch 64, Adam", draw(64, 1, 28, 28), cnn, 0.38, 0.36, CNN_FLOPS),
    *in_both_memories(epoch("batch 64", samples, gate=0.12, aim=0.07)),
    epoch("whole batches of 64", whole_batches, gate=1.0, aim=0.7),
)
