"""Defects that other teaching frameworks were found to have: each is a test of its own here.

The ones about gradients stand in stage 4, those about training in stage 5; these are of the whole.
"""

import gc
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import norch
import norch.nn.functional as F
from norch import nn

ROOT = Path(__file__).parents[1]


def test_rectangular_convolution_computed_from_the_height_alone():
    x, w = norch.randn(1, 1, 3, 8), norch.randn(1, 1, 2, 5)
    assert F.conv2d(x, w).shape == (1, 1, 2, 4)
    assert F.conv2d(x, w, padding=(0, 2), stride=(1, 2)).shape == (1, 1, 2, 4)


def test_max_pool_padding_with_0():
    assert F.max_pool2d(norch.full((1, 1, 2, 2), -5.0), 3, 1, 1).amax().item() == -5.0


def test_adaptive_pooling_right_only_for_output_1():
    x = norch.arange(10.0).reshape(1, 1, 1, 10)
    assert F.adaptive_avg_pool2d(x, (1, 3)).flatten().tolist() == [1.5, 4.5, 7.5]


LAYERS = [
    nn.Bilinear(2, 3, 4), nn.PReLU(3), nn.RReLU(), nn.GLU(), nn.Softmin(0), nn.Unflatten(1, (2, 2)),
    nn.BatchNorm3d(2), nn.InstanceNorm3d(2), nn.Dropout1d(), nn.Embedding(3, 2, max_norm=1.0),
    nn.CosineSimilarity(), nn.PairwiseDistance(), nn.ModuleDict({"a": nn.ReLU()}), nn.CELU(),
    nn.ParameterDict({"a": nn.Parameter(norch.ones(1))}), nn.GroupNorm(2, 4), nn.RMSNorm(3),
]  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: type(layer).__name__)
def test_train_eval_state_dict_and_save_that_crash(layer, tmp_path):
    assert not layer.eval().training and layer.train().training
    state = layer.state_dict()
    if state:
        norch.save(state, tmp_path / "layer.safetensors")
        layer.load_state_dict(norch.load(tmp_path / "layer.safetensors"))
    assert repr(pickle.loads(pickle.dumps(layer))) == repr(layer)


def test_batch_norm_running_mean_and_variance_swapped_at_start():
    layer = nn.BatchNorm2d(3)
    assert layer.running_mean.tolist() == [0.0] * 3 and layer.running_var.tolist() == [1.0] * 3


def test_integers_above_2_to_the_24_rounded_through_float32():
    assert norch.tensor([2**24 + 1, 2**53 + 1]).tolist() == [2**24 + 1, 2**53 + 1]


def test_equality_meaning_identity_and_tensors_unhashable():
    a, b = norch.ones(2), norch.ones(2)
    assert (a == b).tolist() == [True, True] and len({a, b, a}) == 2


def test_ragged_nested_lists_accepted():
    with pytest.raises(ValueError, match="ragged"):
        norch.tensor([[1, 2], [3]])


@pytest.mark.parametrize("call", [
    lambda x: x.reshape(7, 7), lambda x: x[100], lambda x: norch.zeros(-1), lambda x: x @ x[0, :2],
    lambda x: x.gather(0, norch.tensor([[99]])), lambda x: x.index_select(0, norch.tensor([99])),
    lambda x: F.embedding(norch.tensor([99]), x), lambda x: x.narrow(0, 2, 9),
])  # fmt: skip
def test_a_bad_shape_ends_the_process_and_reading_out_of_bounds_returns_memory(call):
    with pytest.raises((RuntimeError, IndexError), match=r"^\["):
        call(norch.ones(3, 4))


@pytest.mark.skipif(norch.cuda.is_available(), reason="there is a GPU here: cuda is right")
def test_to_cuda_that_silently_stays_on_the_cpu():
    with pytest.raises((RuntimeError, AssertionError), match="cuda"):
        norch.ones(1).to("cuda")


def test_import_that_changes_the_process():
    code = """
import os, sys
before, path = set(os.environ.items()), list(sys.path)
import numpy
import norch
assert sys.modules["numpy"] is numpy and set(os.environ.items()) == before and sys.path == path
assert not {"cupy", "mpi4py", "torch", "matplotlib"} & set(sys.modules)
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_memory_freed_only_by_the_cycle_collector():
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
    optimizer = norch.optim.Adam(model.parameters())
    x = norch.randn(32, 64)

    def step():
        optimizer.zero_grad()
        F.mse_loss(model(x), x).backward()
        optimizer.step()

    step(), gc.collect(), gc.disable()
    try:
        before = norch.memory_stats()["allocated_bytes"]
        for _ in range(50):
            step()
        assert norch.memory_stats()["allocated_bytes"] <= before + 4096
    finally:
        gc.enable()


def test_exit_calls_in_the_library():
    """Only a rank whose neighbours would hang may end its process; whole programs are their own."""
    sources = [path for k in range(1, 6) for path in ROOT.glob(f"stages/0{k}_*/src/**/*.py")]
    sources += ROOT.glob("stages/*/csrc/*/**/*.cpp")
    found = [
        f"{path.name}: {line.strip()}"
        for path in sources
        if not {"tests", "programs"} & set(path.parts)
        for line in path.read_text().splitlines()
        if re.search(r"(?<![\w.])(exit|abort|_exit|quit)\(", line)
    ]
    assert len(sources) > 100 and not found


def test_a_loader_that_takes_milliseconds_per_batch_from_lists():
    data = norch.utils.data.TensorDataset(norch.randn(6400, 20), norch.arange(6400))
    batches = list(norch.utils.data.DataLoader(data, batch_size=64))
    assert len(batches) == 100 and batches[3][1].tolist() == list(range(192, 256))
    assert np.array_equal(batches[0][0].numpy(), data.tensors[0][:64].numpy())
