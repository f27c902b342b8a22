"""ZeRO 1 to 3 against one process, and checkpoints of everything that is cut.

Started by test_rank_programs.py. Each rank also trains the whole model alone; ten steps of Adam
later all must be equal to 1e-5; what a rank kept and sent must be what the strategy's formula says.
"""

import copy
import gc
import json
import math
import tempfile
from pathlib import Path

from cases import raises, run_all
from parallel_models import (
    PLAN,
    STEPS,
    Deep,
    Language,
    adam,
    alone,
    batch,
    bytes_of,
    close,
    data_parallel,
    kept,
    letters_loss,
    mlp,
    mse,
    same_parameters,
    text,
)

import norch_ddp as dist
from norch_autograd import allclose, arange, manual_seed, no_grad, ones, randn, tensor, zeros
from norch_cpu_ops import memory_stats
from norch_ddp.groups.process_group import current_group
from norch_ddp.model_parallel import (
    ShardedParameter,
    ZeroRedundancyOptimizer,
    checkpoint,
    fully_shard,
    parallelize_module,
)
from norch_ddp.transports.traffic import count_traffic
from norch_nn import BatchNorm1d, Linear, Module, Parameter, Sequential, Tanh
from norch_nn.optim import SGD, Adam, AdamW
from norch_nn.optim.lr_scheduler import StepLR


def case_zero_1(rank, size):
    reference, model = mlp(), mlp()
    expected = alone(reference, batch, mse)
    optimizer = ZeroRedundancyOptimizer(
        model.parameters(), Adam, average_gradients=True, lr=0.01, eps=1e-4
    )
    with count_traffic() as sent:
        losses = data_parallel(model, optimizer, batch, mse)
    close(losses, expected)
    same_parameters(model, reference)
    whole = bytes_of(model.parameters())
    assert kept(optimizer) == 2 * whole // size
    of_losses = 2 * (size - 1) * 4 * STEPS // size
    assert sent.total() - of_losses == STEPS * 2 * (size - 1) * whole // size, sent


def case_zero_1_under_ddp_in_groups_of_parameters(rank, size):
    reference, inner = mlp(), mlp()
    expected = alone(reference, batch, mse)
    model = dist.DistributedDataParallel(inner)
    matrices = [p for p in inner.parameters() if p.ndim > 1]
    vectors = [{"params": [p for p in inner.parameters() if p.ndim == 1], "lr": 0.01}]
    optimizer = ZeroRedundancyOptimizer([{"params": matrices}, *vectors], Adam, lr=1.0, eps=1e-4)
    optimizer.param_groups[0]["lr"] = 0.01  # as a schedule does
    close(data_parallel(model, optimizer, batch, mse), expected)
    same_parameters(inner, reference)
    assert kept(optimizer) == 2 * bytes_of(inner.parameters()) // size


def case_zero_1_with_rows_that_do_not_divide(rank, size):
    model = Parameter(arange(5.0) + rank)  # which starts as rank 0's
    optimizer = ZeroRedundancyOptimizer([model], SGD, average_gradients=True, lr=1.0)
    (model * (rank + 1.0)).sum().backward()
    optimizer.step()
    assert allclose(model.detach(), arange(5.0) - (size + 1) / 2)
    raises(RuntimeError, "norch.distributed.checkpoint", optimizer.state_dict)
    scalar = Parameter(tensor(1.0))
    raises(ValueError, "single number", ZeroRedundancyOptimizer, [scalar], SGD, lr=1.0)


def case_zero_1_leaves_alone_what_has_no_gradient(rank, size):
    reference, model = mlp(), mlp()
    for net in (reference, model):
        net[2].weight.requires_grad_(False)
    decay = {"lr": 0.1, "weight_decay": 0.5}
    alone_step = AdamW(reference.parameters(), **decay)
    step = ZeroRedundancyOptimizer(model[:2].parameters(), AdamW, average_gradients=True, **decay)
    step.add_param_group({"params": list(model[2:].parameters())})
    x, y = batch(0)
    mse(reference, x, y).backward()
    mse(model, x[rank::size], y[rank::size]).backward()
    alone_step.step()
    with count_traffic() as sent:
        step.step()
    same_parameters(model, reference)
    trained = bytes_of(p for p in model.parameters() if p.requires_grad)
    assert sent.total() == 2 * (size - 1) * trained // size, sent
    if rank == 0:
        model[0].weight.grad = None
    raises(RuntimeError, "the ranks disagree", step.step)


def sharded(model, parts, **options):
    for part in [*parts, model]:
        fully_shard(part, **options)
    return model


def check_fully_shard(size, gathers, **options):
    reference, whole = mlp(), mlp()
    expected = alone(reference, batch, mse)
    of_all, of_first = bytes_of(whole.parameters()), bytes_of(whole[0].parameters())
    model = sharded(whole, whole, **options)
    optimizer = adam(model.parameters())
    with count_traffic() as sent:
        losses = data_parallel(model, optimizer, batch, mse)
    close(losses, expected)
    same_parameters(model, reference)
    assert bytes_of(model.parameters()) == of_all // size
    assert bytes_of(p.grad for p in model.parameters()) == of_all // size
    assert kept(optimizer) == 2 * of_all // size
    # The first unit's input wants no gradient: its derivative needs no parameters.
    again = (of_all - of_first) * (gathers - 1)
    assert sent["all_gather"] == STEPS * (of_all + again) * (size - 1) // size, sent
    assert sent["reduce_scatter"] == STEPS * of_all * (size - 1) // size, sent


def case_zero_3(rank, size):
    check_fully_shard(size, gathers=2)


def case_zero_2(rank, size):
    check_fully_shard(size, gathers=1, reshard_after_forward=False)


def graph_bytes(reshard):
    """Memory that the graph of one forward holds."""
    model = mlp()
    sharded(model, model, reshard_after_forward=reshard)
    x, _ = batch(0)
    gc.collect()  # the models of other cases
    before = memory_stats()["allocated_bytes"]
    loss = model(x).sum()
    held = memory_stats()["allocated_bytes"] - before
    loss.backward()
    return held


def case_zero_3_drops_what_zero_2_keeps(rank, size):
    weights = 2 * 16 * 16 * 4  # of the last two layers: the first one's derivative needs none
    assert graph_bytes(False) - graph_bytes(True) >= weights


def case_fully_shard_ties_and_uneven_rows(rank, size):
    def loss_of(model, x, y):
        return letters_loss(model, x % 7, y % 7)

    reference, model = Language(), Language()
    expected = alone(reference, text, loss_of)
    sharded(model, model.blocks)
    assert model.head.weight is model.letters.weight
    assert all(isinstance(p, ShardedParameter) for p in model.parameters())
    close(data_parallel(model, adam(model.parameters()), text, loss_of), expected)
    same_parameters(model, reference)
    model.eval()
    with no_grad():
        assert allclose(model(text(0)[0]), reference(text(0)[0]), atol=1e-4)


class Odd(Module):
    """A layer that is used twice, one that is frozen, one that nobody uses."""

    def __init__(self):
        super().__init__()
        manual_seed(0)
        self.twice, self.frozen, self.unused = Linear(16, 16), Linear(16, 16), Linear(16, 16)
        self.last = Linear(16, 16)
        self.frozen.requires_grad_(False)

    def forward(self, x):
        return self.last(self.frozen(self.twice(self.twice(x).tanh())))


def case_fully_shard_of_layers_used_twice_frozen_and_unused(rank, size):
    for parts in (["twice", "frozen"], []):
        reference, model = Odd(), Odd()
        sharded(model, [getattr(model, name) for name in parts])
        for step in range(2):  # gradients add up
            x, y = batch(step)
            mse(reference, x, y).backward()
            mse(model, x[rank::size], y[rank::size]).backward()
        for (name, part), whole in zip(
            model.named_parameters(), reference.parameters(), strict=True
        ):
            assert (part.grad is None) == (whole.grad is None), name
            if whole.grad is not None:
                assert allclose(part.grad, part.shard.take(whole.grad), atol=1e-6), name
        held = [module._unit.holds_whole for module in model.modules() if hasattr(module, "_unit")]
        assert not any(held), held


def case_fully_shard_refuses_a_step_between_forward_and_backward(rank, size):
    model = mlp()
    sharded(model, model)
    x, y = batch(0)
    optimizer = SGD(model.parameters(), lr=0.1)
    mse(model, x, y).backward()
    loss = mse(model, x, y)
    optimizer.step()
    raises(RuntimeError, "call backward before optimizer.step()", loss.backward)
    raises(ValueError, "dealt out already", fully_shard, model)
    mse(model, x, y).backward()


def shared_folder(rank):
    """A folder that all ranks know."""
    folder = [tempfile.mkdtemp() if rank == 0 else None]
    dist.broadcast_object_list(folder)
    return Path(folder[0])


def steps(model, optimizer, numbers, group=None):
    """Train on some batches, by rows among a group's ranks."""
    rank, size = (0, 1) if group is None else (group.rank, group.size)
    for step in numbers:
        x, y = text(step)
        optimizer.zero_grad()
        letters_loss(model, x[rank::size], y[rank::size]).backward()
        optimizer.step()


def case_checkpoint_of_zero_3_goes_on_at_other_world_sizes(rank, size):
    folder, reference = shared_folder(rank), Language()
    optimizer = adam(reference.parameters())
    steps(reference, optimizer, range(5))
    model = sharded_language(None)
    optimizer = adam(model.parameters())
    schedule = StepLR(optimizer, 1)
    steps(model, optimizer, range(3), current_group())
    schedule.step()
    state = {"model": model, "optimizer": optimizer, "schedule": schedule, "epoch": 3}
    checkpoint.save(state, checkpoint_id=folder)
    saved = json.loads((folder / "metadata.json").read_text())["tensors"]
    for name, kept_tensor in saved.items():  # each number once
        numbers = sum(math.prod(piece["box"][1]) for piece in kept_tensor["pieces"])
        assert numbers == math.prod(kept_tensor["shape"]), (name, kept_tensor)

    halves = dist.init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("two", "half"))["half"]
    plain, half, zero = Language(), sharded_language(halves), Language()
    for parameter in zero.parameters():
        parameter.detach().zero_()
    rows = ZeroRedundancyOptimizer(zero.parameters(), Adam, average_gradients=True, eps=1e-4)
    for other, its, group in (
        (plain, adam(plain.parameters()), None),
        (half, adam(half.parameters()), halves.get_group()),
        (zero, rows, current_group()),
    ):
        its.param_groups[0]["lr"] = 7.0
        found = {"model": other, "optimizer": its, "schedule": StepLR(its, 1), "epoch": 0}
        checkpoint.load(found, checkpoint_id=folder)
        assert (found["epoch"], found["schedule"].last_epoch) == (3, 1)
        assert its.param_groups[0]["lr"] == 0.001  # 0.01, after one step of the schedule
        its.param_groups[0]["lr"] = 0.01
        steps(other, its, range(3, 5), group)
        same_parameters(other, reference)


def sharded_language(mesh):
    model = Language()
    return sharded(model, model.blocks, mesh=mesh)


def case_checkpoint_of_cut_matrices_and_stages(rank, size):
    manual_seed(9)
    reference = Deep()
    reference.apply(redraw)
    tensor_parallel, stage = copy.deepcopy(reference), copy.deepcopy(reference)
    parallelize_module(tensor_parallel, dist.init_device_mesh("cpu", (size,)), PLAN)
    stage.stage(min(rank, 1), 2)  # every rank but the first has the second stage
    for model in (tensor_parallel, stage):
        folder, found = shared_folder(rank), Deep()
        checkpoint.save({"model": model}, checkpoint_id=folder)
        checkpoint.load({"model": found}, checkpoint_id=folder)
        same_parameters(found, reference)
        part = Deep().stage(rank % 2, 2)
        checkpoint.load({"model": part}, checkpoint_id=folder)
        same_parameters(part, reference)


def redraw(module):
    """Other values than those of the seed, so that what is not loaded shows."""
    for parameter in module.parameters(recurse=False):
        parameter.detach().copy_(randn(parameter.shape))


def case_checkpoint_from_before_the_first_step(rank, size):
    folder, model = shared_folder(rank), mlp()
    optimizer = adam(model.parameters())
    state = {"model": model, "optimizer": optimizer}
    checkpoint.save(state, checkpoint_id=folder)
    mse(model, *batch(0)).backward()
    optimizer.step()
    checkpoint.load(state, checkpoint_id=folder)
    assert not optimizer.state, "momentum of a step that is undone"


def case_checkpoint_of_state_dicts_tuples_and_numbered_keys(rank, size):
    folder, model, other = shared_folder(rank), mlp(), mlp()
    model.apply(redraw)
    for parameter in model.parameters():
        dist.broadcast(parameter, 0)
    plain = {1: (2, 3), "tuple": [0.5, None], (1, 2): {"tuple": ()}}
    saved = {"model": model.state_dict(), "plain": plain, "inner": {"epoch": 3, "x": ones(2)}}
    checkpoint.save(saved, checkpoint_id=folder)
    found = {"model": other, "plain": 0, "inner": {"epoch": 0, "x": zeros(2)}}
    checkpoint.load(found, checkpoint_id=folder)
    same_parameters(other, model)
    assert found["plain"] == plain, found
    assert (found["inner"]["epoch"], found["inner"]["x"].tolist()) == (3, [1, 1])
    wrong = {"model": mlp()} if rank else {"gone": mlp()}
    kind, words = (KeyError, "has no gone") if rank == 0 else (RuntimeError, "the ranks disagree")
    both = {"checkpoint_id": folder, "process_group": current_group()}
    raises(kind, words, checkpoint.load, wrong, **both)
    twice = {"model": model, "model.0.weight": ones(1)}
    raises(ValueError, "several parts are called", checkpoint.save, twice, checkpoint_id=folder)


def case_checkpoint_refuses_one_name_for_different_things(rank, size):
    folder = shared_folder(rank)
    layer = Linear(2, 2)
    layer.weight.detach().fill_(float(rank))
    for different in (ones(2 + rank), ones(2) * rank, rank, layer, layer.state_dict()):
        state = {"x": different}
        raises(ValueError, "one name is one thing", checkpoint.save, state, checkpoint_id=folder)
    statistics = BatchNorm1d(2)
    statistics.running_mean.fill_(float(rank))
    checkpoint.save({"x": statistics}, checkpoint_id=folder)
    checkpoint.load({"x": statistics}, checkpoint_id=folder)
    assert statistics.running_mean.tolist() == [0, 0]


def case_checkpoint_refusals(rank, size):
    folder, model = shared_folder(rank), mlp()
    raises(FileNotFoundError, "no whole checkpoint", checkpoint.load, {}, checkpoint_id=folder)
    raises(
        TypeError, "thing is a object", checkpoint.save, {"thing": object()}, checkpoint_id=folder
    )
    checkpoint.save({"model": model}, checkpoint_id=folder)
    wrong = {"model": Linear(16, 3)}
    raises(KeyError, "has no model.weight", checkpoint.load, wrong, checkpoint_id=folder)
    wrong = {"model": Sequential(Linear(16, 3), Tanh())}
    raises(ValueError, "was saved as [16, 16]", checkpoint.load, wrong, checkpoint_id=folder)
    wrong = {"model": mlp(), "epoch": 0}
    raises(KeyError, "has no epoch", checkpoint.load, wrong, checkpoint_id=folder)
    alone = dist.init_device_mesh("cpu", (size, 1))
    sharded(model, [])
    words = "the ranks have"
    part = {"checkpoint_id": folder / str(rank), "process_group": alone.get_group(1)}
    raises(ValueError, words, checkpoint.save, {"model": model}, **part)


if __name__ == "__main__":
    run_all(globals())
