"""Whole training steps, and one epoch of a DataLoader.

A step is zero_grad, forward, loss, backward, step on one fixed batch. PyTorch's MNIST example is
taken without its dropouts, whose random numbers differ between libraries, and with Adam.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.workload import Inputs, Work, Workload, drawn, set_parameters, tensor


def step(lib: Any, model: Any, optimizer: Any, given: Inputs) -> Work:
    """Return one training step; its value is the loss."""
    loss_of = lib.nn.CrossEntropyLoss()
    x, target = tensor(lib, given["x"]), tensor(lib, given["target"])

    def work() -> Any:
        optimizer.zero_grad()
        loss = loss_of(model(x), target)
        loss.backward()
        optimizer.step()
        return loss

    return work


def draw(*shape: int) -> Any:
    """Return what draws a batch of this shape and its ten classes."""

    def batch(rng: np.random.Generator) -> Inputs:
        return {"x": drawn(rng, shape), "target": rng.integers(0, 10, shape[0])}

    return batch


def mlp_small(lib: Any, given: Inputs) -> Work:
    """784-30-10 by SGD."""
    nn = lib.nn
    model = set_parameters(lib, nn.Sequential(nn.Linear(784, 30), nn.ReLU(), nn.Linear(30, 10)))
    return step(lib, model, lib.optim.SGD(model.parameters(), lr=0.01), given)


def mlp_big(lib: Any, given: Inputs) -> Work:
    """784-512-256-10 by Adam."""
    nn = lib.nn
    layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)]
    model = set_parameters(lib, nn.Sequential(*layers))
    return step(lib, model, lib.optim.Adam(model.parameters(), lr=1e-3), given)


def cnn(lib: Any, given: Inputs) -> Work:
    """Two convolutions, a pooling, two linear layers: PyTorch's MNIST example."""
    nn = lib.nn
    convolutions = [nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU()]
    head = [nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10)]
    model = set_parameters(lib, nn.Sequential(*convolutions, nn.MaxPool2d(2), *head))
    return step(lib, model, lib.optim.Adam(model.parameters(), lr=1e-3), given)


def draw_images(rng: np.random.Generator) -> Inputs:
    """Draw 20,000 images and their classes."""
    return {"x": drawn(rng, (20_000, 1, 28, 28)), "target": rng.integers(0, 10, 20_000)}


def epoch(lib: Any, given: Inputs) -> Work:
    """Walk a shuffled DataLoader once; its value counts the samples and adds up their classes."""
    data = lib.utils.data
    dataset = data.TensorDataset(tensor(lib, given["x"]), tensor(lib, given["target"]))
    loader = data.DataLoader(dataset, batch_size=64, shuffle=True)

    def work() -> np.ndarray:
        count = total = 0
        for x, target in loader:
            count += x.shape[0]
            total += int(target.sum().item())
        return np.array([count, total])

    return work


def numpy_epoch(lib: Any, given: Inputs) -> Work:
    """The same epoch by hand: one gather a batch."""
    x, target = given["x"], given["target"]
    rng = np.random.default_rng(0)

    def work() -> np.ndarray:
        count = total = 0
        order = rng.permutation(len(x))
        for start in range(0, len(x), 64):
            index = order[start : start + 64]
            count += x[index].shape[0]
            total += int(target[index].sum())
        return np.array([count, total])

    return work


CNN_NEEDS = ("nn.Conv2d", "nn.MaxPool2d")
MIB = 2.0**20

ROWS = (
    Workload(
        "MLP 784-30-10 step, batch 32, SGD",
        "training",
        draw(32, 784),
        mlp_small,
        gate=0.25,
        aim=0.12,
        stateful=True,
        tolerance=1e-3,
        flops=32 * (4.0 * 784 * 30 + 6.0 * 30 * 10),
    ),
    Workload(
        "MLP 784-512-256-10 step, batch 128, Adam",
        "training",
        draw(128, 784),
        mlp_big,
        gate=0.75,
        aim=0.60,
        stateful=True,
        tolerance=1e-3,
        flops=128 * (4.0 * 784 * 512 + 6.0 * (512 * 256 + 256 * 10)),
    ),
    Workload(
        "CNN step, batch 64, Adam",
        "training",
        draw(64, 1, 28, 28),
        cnn,
        gate=0.60,
        aim=0.40,
        needs=CNN_NEEDS,
        kernels=("conv2d", "max_pool2d"),
        stateful=True,
        tolerance=1e-3,
        flops=64 * (4.0 * 26 * 26 * 32 * 9 + 6.0 * (24 * 24 * 64 * 288 + 9216 * 128 + 1280)),
    ),
    Workload(
        "DataLoader epoch, 20,000 images, batch 64",
        "training",
        draw_images,
        epoch,
        numpy=numpy_epoch,
        gate=0.15,
        aim=0.07,
        bytes=2 * 20_000 * 784 * 4.0,
    ),
)
