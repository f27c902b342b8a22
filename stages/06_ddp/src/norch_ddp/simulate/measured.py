"""The layers of a model as they are measured here: seconds and bytes of each, by hooks.

`measure` is the entry. It runs steps and sends nothing; the model is put back as it was.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import partial
from statistics import median
from typing import Any, NamedTuple

from norch_autograd import Tensor, stack
from norch_cpu_ops import memory_stats
from norch_ddp.data_parallel.buckets import Reducer
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.simulate.compute import Compute, Layer
from norch_ddp.transports.solo import SoloTransport
from norch_nn import Module
from norch_nn.optim import Optimizer

_BUCKET_BYTES = 1 << 20  # DDP's default


def measure(
    model: Module,
    step: Callable[[], Tensor],
    optimizer: Optimizer,
    samples: int,
    tokens: int = 1,
    state: int = 8,
    sums: Sequence[str] = (),
    repeats: int = 5,
) -> Compute:
    """Measure a model's layers: all modules with parameters of their own, in the order they run.

    `step` computes the loss of `samples` samples. `sums` are endings of the names of layers whose
    outputs tensor parallelism adds up. Call it on every rank of a machine at once: they share its
    memory and its cores, as they will in training. Of `repeats` steps the one in the middle counts,
    and of that each layer's usual share. The model and the optimizer are put back as they were.
    """
    before = deepcopy((model.state_dict(), optimizer.state_dict()))
    own = _parameters_by_layer(model, step)
    modules = dict(model.named_modules())
    layers = [LayerModule(name, modules[name], its) for name, its in own.items()]
    runs = [_time_step(layers, step, optimizer) for _ in range(repeats + 1)][1:]  # one to warm up
    found = []
    usual = {
        name: [median(timings[name][i] for timings, _ in runs) for i in (0, 1)] for name in own
    }
    whole = [math.fsum(sum(times[:2]) for times in timings.values()) for timings, _ in runs]
    stretch = median(whole) / sum(map(sum, usual.values()))  # disturbed now here and now there
    for name, (_, _, output, kept) in runs[0][0].items():
        forward, backward = (stretch * seconds for seconds in usual[name])
        tensors = [parameter.numel() for parameter in own[name]]
        size = sum(tensors)
        sums_here = int(any(name.endswith(end) for end in sums))
        facts = name, size, forward, backward, int(output), int(kept), sums_here
        found.append(Layer(*facts, tensors=tensors))
    model.load_state_dict(before[0])
    optimizer.load_state_dict(before[1])
    parameters = sum(layer.parameters for layer in found)
    itemsize = next(iter(own.values()))[0].dtype.itemsize
    seconds = median(seconds for _, seconds in runs)
    packing = _packing(model, repeats)
    return Compute(
        found, samples, tokens, itemsize, state, seconds / parameters, packing / parameters, whole
    )


class LayerModule(NamedTuple):
    """A module that is a layer: one that runs and has parameters, if need be those of a child that
    never runs, whose parameters it uses itself.
    """

    name: str
    module: Module
    parameters: list[Tensor]


def _parameters_by_layer(model: Module, step: Callable[[], Tensor]) -> dict[str, list[Tensor]]:
    """Return the parameters of each measured layer: those of the innermost module that runs."""
    active = {""}
    names = {module: name for name, module in model.named_modules()}
    hooks = [
        module.register_forward_hook(lambda module, *_: active.add(names[module]))
        for module in names
    ]
    try:
        step()
    finally:
        for hook in hooks:
            hook.remove()
    own: dict[str, list[Tensor]] = {}
    for full, parameter in model.named_parameters():
        owner = full.rpartition(".")[0]
        while owner not in active:
            owner = owner.rpartition(".")[0]
        own.setdefault(owner, []).append(parameter)
    return own


Timings = dict[str, list[float]]  # name: seconds forward, backward, bytes of output, bytes kept


def _time_step(
    layers: Sequence[LayerModule], step: Callable[[], Tensor], optimizer: Optimizer
) -> tuple[Timings, float]:
    """Run one step and return what each layer took, and the optimizer's seconds.

    What happens between the ends of two layers is the later one's.
    """
    timings: Timings = {}
    mark = [time.perf_counter(), _bytes_in_use()]

    def end_forward(name: str, output: object) -> None:
        now, bytes_now = time.perf_counter(), _bytes_in_use()
        mine = timings.setdefault(name, [0.0, 0.0, 0.0, 0.0])
        mine[0] += now - mark[0]
        mine[2] = _nbytes(output)
        mine[3] += max(0, bytes_now - mark[1])
        mark[:] = time.perf_counter(), bytes_now

    def end_backward(name: str, _: Tensor) -> None:
        now = time.perf_counter()
        timings[name][1] += now - mark[0]
        mark[0] = now

    hooks: list[Any] = []
    for layer in layers:
        hooks.append(
            layer.module.register_forward_hook(lambda *a, n=layer.name: end_forward(n, a[2]))
        )
        for parameter in filter(lambda one: one.requires_grad, layer.parameters):
            hook = partial(end_backward, layer.name)
            hooks.append(parameter.register_post_accumulate_grad_hook(hook))
    try:
        loss = step()
        last, first = list(timings)[-1], next(iter(timings))
        timings[last][0] += time.perf_counter() - mark[0]  # the loss
        mark[0] = time.perf_counter()
        loss.backward()
        timings[first][1] += time.perf_counter() - mark[0]
    finally:
        for hook in hooks:
            hook.remove()

    def update() -> None:
        optimizer.step()
        optimizer.zero_grad()

    return timings, _seconds_of(update)


def _nbytes(output: object) -> int:
    """Return the bytes of a layer's output, measured for the simulator."""
    if isinstance(output, Tensor):
        return output.nbytes
    return sum(map(_nbytes, output)) if isinstance(output, tuple | list) else 0


def _bytes_in_use() -> int:
    """Return the bytes that all tensors hold now, measured for the simulator."""
    return memory_stats()["allocated_bytes"]


def _seconds_of(call: Callable[[], object]) -> float:
    """Return how long a call took that is measured to simulate a training step."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _packing(model: Module, repeats: int) -> float:
    """Measure DDP's own work in a step, messages apart: backward with and without a reducer."""

    def leaves() -> list[tuple[str, Tensor]]:
        return [
            (name, parameter.detach().clone().requires_grad_())
            for name, parameter in model.named_parameters()
            if parameter.requires_grad
        ]

    def seconds(named: list[tuple[str, Tensor]]) -> float:
        for _, leaf in named:
            leaf.grad = None
        loss = stack([leaf.sum() for _, leaf in named]).sum()
        return _seconds_of(loss.backward)

    plain, hooked_leaves = leaves(), leaves()
    alone = ProcessGroup(SoloTransport(), math.inf, [0])
    reducer = Reducer(hooked_leaves, alone, _BUCKET_BYTES, allow_unused=False)
    pairs = [(seconds(plain), seconds(hooked_leaves)) for _ in range(repeats + 1)][1:]
    del reducer  # held until here: the hooks of its parameters hold it weakly
    return max(0.0, median(longer - shorter for shorter, longer in pairs))
