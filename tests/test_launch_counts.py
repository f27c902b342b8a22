"""How much work a training step gives to a device: launches, and never a wait in between.

A launch takes the host some microseconds and the device more than a small kernel runs; a wait stops
both. The limits are what the steps need today: more is a loss that no other test would see.
"""

import importlib
from pathlib import Path

import pytest
from devices import device  # noqa: F401 - a fixture
from launch_counts import counted

import norch
from norch import nn
from norch.nn import functional as F

EXAMPLES = Path(__file__).parents[1] / "examples"


def perceptron():
    layers = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    return layers, norch.randn(16, 64), norch.randint(0, 10, (16,))


def convolutions():
    layers = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(4, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32, 10),
    )  # fmt: skip
    return layers, norch.randn(4, 1, 14, 14), norch.randint(0, 10, (4,))


def transformer():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        gpt = importlib.import_module("gpt2").GPT
    model = gpt(20, context=16, width=32, layers=2, heads=2, dropout=0.0)
    return model, norch.randint(0, 20, (2, 16)), norch.randint(0, 20, (32,))


def counts_of_a_step(make, optimizer, on):
    """The counts of the second step; the first one makes the optimizer's state."""
    norch.manual_seed(0)
    model, x, y = (part.to(on) for part in make())
    optimizer = optimizer(model.parameters(), lr=0.01)
    for _ in range(2):
        with counted(on) as counts:
            optimizer.zero_grad()
            F.cross_entropy(model(x).flatten(0, -2), y).backward()
            optimizer.step()
    return counts


@pytest.mark.parametrize(
    ("make", "optimizer", "launches", "waits"),
    [
        (perceptron, norch.optim.SGD, 19, 0),
        (convolutions, norch.optim.SGD, 48, 0),
        (transformer, norch.optim.AdamW, 100, 0),
    ],
)
def test_a_training_step(device, make, optimizer, launches, waits):  # noqa: F811
    counts = counts_of_a_step(make, optimizer, device)
    assert counts.num_launches <= launches, counts
    assert counts.waits <= waits, counts


@pytest.mark.parametrize(("capturable", "launches"), [(False, 1), (True, 2)])
def test_a_step_of_adam_and_its_replay(device, capturable, launches):  # noqa: F811
    weights = [norch.nn.Parameter(norch.ones(3, 2, device=device)) for _ in range(29)]
    for weight in weights:
        weight.grad = norch.ones(3, 2, device=device)
    optimizer = norch.optim.Adam(weights, capturable=capturable)
    for _ in range(2):
        with counted(device) as counts:
            optimizer.step()
    assert (counts.num_launches, counts.waits) == (launches, 0)
    if not capturable:
        return
    graph = norch.cuda.CUDAGraph(device=device)
    with norch.cuda.graph(graph):
        optimizer.step()
    with counted(device) as counts:
        graph.replay()
    assert (counts.num_launches, counts.waits) == (0, 0)  # a device is given the graph as a whole
    assert [state["step"].item() for state in optimizer.state.values()] == [3.0] * 29
