"""What one rank of the distributed rows does: `python -m benchmarks.ranks LIBRARY ROUNDS`.

Two ranks run it: norch's under its launcher, where MPI is asked in the same rounds, on the same
memory, with the raw calls of mpi4py; torch's (gloo) started by `distributed.py`. Rank 0
prints one line of JSON: seconds by row and library, one number a round.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.workload import set_parameters

SIZES = {"1 KB": 1 << 10, "64 KB": 1 << 16, "1 MB": 1 << 20, "64 MB": 1 << 26}
COLLECTIVES = ("all_reduce", "broadcast", "all_gather")
Calls = dict[tuple[str, str], tuple[Callable[[], Any], int]]  # (row, library): call, repetitions


def main() -> None:
    """Measure everything, as rank 0 or 1 of 2."""
    name, rounds = sys.argv[1], int(sys.argv[2])
    lib = importlib.import_module(name)
    lib.set_num_threads(1)
    dist = lib.distributed
    dist.init_process_group("gloo")
    found: dict[str, dict[str, list[float]]] = {}
    for size, nbytes in SIZES.items():
        calls = collectives(name, lib, dist, size, nbytes)
        in_turns(calls, dist, rounds, found)
    for model in ("MLP", "CNN", "GPT"):
        in_turns(steps(name, lib, model), dist, rounds, found)
    if dist.get_rank() == 0:
        print(json.dumps(found))
    dist.destroy_process_group()


def in_turns(
    calls: Calls, dist: Any, rounds: int, found: dict[str, dict[str, list[float]]]
) -> None:
    """Time each call once a round, all ranks together; the first round is not counted."""
    for number in range(rounds + 1):
        for (row, library), (call, repeats) in calls.items():
            dist.barrier()
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            seconds = (time.perf_counter() - start) / repeats
            if number:
                found.setdefault(row, {}).setdefault(library, []).append(seconds)


def collectives(name: str, lib: Any, dist: Any, size: str, nbytes: int) -> Calls:
    """The collectives on tensors of one size; beside norch's, MPI's own."""
    repeats = 100 if nbytes <= 1 << 16 else 5 if nbytes <= 1 << 20 else 1
    tensor = lib.zeros(nbytes // 4)
    both = lib.zeros(2, nbytes // 4)
    parts = list(both)
    work = {
        "all_reduce": lambda: dist.all_reduce(tensor),
        "broadcast": lambda: dist.broadcast(tensor, 0),
        "all_gather": lambda: dist.all_gather(parts, tensor),
    }
    calls: Calls = {(f"{op} {size}", name): (call, repeats) for op, call in work.items()}
    if name == "norch":
        raw = raw_calls(tensor.numpy(), both.numpy())
        calls |= {(f"{op} {size}", "mpi4py"): (call, repeats) for op, call in raw.items()}
    return calls


def raw_calls(one: Any, both: Any) -> dict[str, Callable[[], Any]]:
    """The same by mpi4py, which waits inside MPI; on the same memory, for its pages decide too."""
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    return {
        "all_reduce": lambda: comm.Allreduce(MPI.IN_PLACE, one),
        "broadcast": lambda: comm.Bcast(one, 0),
        "all_gather": lambda: comm.Allgather(one, both),
    }


def steps(name: str, lib: Any, model: str) -> Calls:
    """A training step wrapped, and the same without any message."""
    calls: Calls = {}
    for kind in ("DDP", "alone"):
        module, x, y = MODELS[model](lib)
        parameters = list(module.parameters())
        if kind == "DDP":
            module = lib.nn.parallel.DistributedDataParallel(module)
        optimizer = lib.optim.SGD(parameters, lr=0.01)
        key = f"{model} step", name if kind == "DDP" else f"{name} alone"
        calls[key] = (training_step(lib, module, optimizer, x, y), 1)
    return calls


def training_step(lib: Any, module: Any, optimizer: Any, x: Any, y: Any) -> Callable[[], None]:
    """One step of training, over when it is on both ranks."""

    def step() -> None:
        optimizer.zero_grad()
        lib.nn.functional.cross_entropy(module(x), y).backward()
        optimizer.step()
        lib.distributed.barrier()

    return step


def mlp(lib: Any) -> tuple[Any, Any, Any]:
    """2.9 million parameters in four layers, batch 512."""
    nn, widths = lib.nn, (784, 1500, 1000, 256, 10)
    layers: list[Any] = []
    for i, (width, out) in enumerate(pairwise(widths)):
        layers += [nn.Linear(width, out)] + [nn.ReLU()] * (i < 3)
    return inputs(lib, nn.Sequential(*layers), (512, 784))


def cnn(lib: Any) -> tuple[Any, Any, Any]:
    """PyTorch's MNIST example without dropout, batch 64."""
    nn = lib.nn
    convolutions = [nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU()]
    rest = [nn.MaxPool2d(2), nn.Flatten(), nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, 10)]
    return inputs(lib, nn.Sequential(*convolutions, *rest), (64, 1, 28, 28))


def gpt(lib: Any) -> tuple[Any, Any, Any]:
    """Four encoder layers of width 256, 3.2 million parameters, 8 sequences of 128."""
    nn = lib.nn
    block = [
        nn.TransformerEncoderLayer(256, 4, 1024, 0.0, batch_first=True, norm_first=True)
        for _ in range(4)
    ]
    return inputs(lib, nn.Sequential(*block, nn.Flatten(0, 1), nn.Linear(256, 10)), (8, 128, 256))


def inputs(lib: Any, module: Any, shape: tuple[int, ...]) -> tuple[Any, Any, Any]:
    """The module with equal parameters in every library, and its data."""
    rng = np.random.default_rng(0)
    x = lib.from_numpy(rng.standard_normal(shape, dtype=np.float32)).clone()
    count = shape[0] * shape[1] if len(shape) == 3 else shape[0]
    return set_parameters(lib, module), x, lib.from_numpy(rng.integers(0, 10, count))


MODELS = {"MLP": mlp, "CNN": cnn, "GPT": gpt}

if __name__ == "__main__":
    main()
