"""Whole training runs: that models learn, that steps leak nothing, that importing stays light."""

import gc
import pickle
import subprocess
import sys

import pytest
from layer_checks import train

import norch_autograd as norch
import norch_cpu_ops
import norch_nn as nn
from norch_nn.data import TensorDataset


def xor(optimizer_class, **options):
    norch.manual_seed(1)
    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    optimizer = optimizer_class(model.parameters(), **options)
    x = norch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    y = norch.tensor([[0.0], [1.0], [1.0], [0.0]])
    for _ in range(500):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


@pytest.mark.parametrize(
    ("optimizer", "options"),
    [
        (nn.optim.SGD, {"lr": 0.3, "momentum": 0.9}),
        (nn.optim.Adam, {"lr": 0.05}),
        (nn.optim.AdamW, {"lr": 0.05, "weight_decay": 1e-4}),
    ],
)
def test_xor(optimizer, options):
    assert xor(optimizer, **options) < 1e-3


def test_equal_seeds_give_equal_runs():
    options = {"lr": 0.05}
    assert xor(nn.optim.Adam, **options) == xor(nn.optim.Adam, **options)


def test_leaks_of_megabytes_per_step():
    """With the cycle collector off: only reference counts may free what a step made."""
    model = nn.Sequential(nn.Linear(100, 50), nn.ReLU(), nn.Dropout(0.1), nn.Linear(50, 10))
    optimizer = nn.optim.Adam(model.parameters())
    data = TensorDataset(norch.zeros(640, 100), norch.zeros(640, dtype=norch.int64))
    train(model, data, optimizer, batch_size=32)

    def in_use():
        return norch_cpu_ops.memory_stats()["allocated_bytes"]

    gc.collect()
    gc.disable()
    try:
        before = in_use()
        for _ in range(5):
            train(model, data, optimizer, batch_size=32)
        assert in_use() == before
    finally:
        gc.enable()


def test_a_model_can_be_pickled_for_another_process():
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    copy = pickle.loads(pickle.dumps(model))
    assert norch.equal(copy[0].weight, model[0].weight)
    assert isinstance(copy[0].weight, nn.Parameter) and len(list(copy.parameters())) == 2


def test_importing_needs_no_gpu_no_mpi_no_numpy():
    heavy = ["numpy", "cupy", "mpi4py", "matplotlib", "safetensors", "urllib.request"]
    code = f"import sys, norch_nn; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
