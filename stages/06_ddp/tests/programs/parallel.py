"""Every strategy against one process: losses, parameters, bytes kept and bytes sent.

Started by test_parallel.py. Each rank also trains the whole model alone; ten steps of Adam later
all must be equal to 1e-5, and what a rank kept and sent must be what the strategy's formula says.
"""

import copy
import json
import math
import tempfile
from pathlib import Path

from cases import raises, run_all
from parallel_models import (
    BATCH,
    LETTERS,
    STEPS,
    TIME,
    WIDTH,
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
    mlp8,
    mse,
    same_parameters,
    text,
)

import norch_ddp as dist
from norch_autograd import allclose, arange, manual_seed, no_grad, ones, randn, tensor
from norch_autograd.autograd import grad
from norch_cpu_ops import memory_stats
from norch_ddp.parallel import (
    ColwiseParallel,
    PipelineStage,
    RowwiseParallel,
    Schedule1F1B,
    ScheduleGPipe,
    ShardedParameter,
    ZeroRedundancyOptimizer,
    average_gradients,
    checkpoint,
    clip_grad_norm_,
    fully_shard,
    parallelize_module,
    ring_attention,
    vocab_parallel_cross_entropy,
)
from norch_ddp.process_group import current_group
from norch_ddp.traffic import count_traffic
from norch_nn import Linear, Parameter, Sequential, Tanh, functional as F
from norch_nn.optim import SGD, Adam
from norch_nn.optim.lr_scheduler import StepLR


def case_traffic_counts_every_kind_of_call(rank, size):
    x, rows = ones(size), [ones(size) for _ in range(size)]
    b, others = 4 * size, size - 1
    is_root = rank == 1
    calls = {
        "all_reduce": (lambda: dist.all_reduce(x), 2 * others * 4),
        "broadcast": (lambda: dist.broadcast(x, 1), others * 4),
        "reduce": (lambda: dist.reduce(x, 1), others * 4),
        "all_gather": (lambda: dist.all_gather(rows, x), others * b),
        "reduce_scatter": (lambda: dist.reduce_scatter(x, rows), others * b),
        "gather": (lambda: dist.gather(x, rows if is_root else None, 1), 0 if is_root else b),
        "scatter": (lambda: dist.scatter(x, rows if is_root else None, 1), is_root * others * b),
        "send": (lambda: dist.all_to_all(rows, [ones(size) for _ in rows]), others * b),
    }
    for op, (call, expected) in calls.items():
        with count_traffic() as outer, count_traffic() as sent:
            call()
        assert dict(sent) == dict(outer) == {op: expected}, (op, sent, expected)
    dist.all_reduce(x)
    assert dict(sent) == {op: expected}  # closed: what comes later is not counted


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
    model = Parameter(arange(5.0))
    optimizer = ZeroRedundancyOptimizer([model], SGD, average_gradients=True, lr=1.0)
    (model * (rank + 1.0)).sum().backward()
    optimizer.step()
    assert allclose(model.detach(), arange(5.0) - (size + 1) / 2)
    raises(RuntimeError, "norch.distributed.checkpoint", optimizer.state_dict)
    scalar = Parameter(tensor(1.0))
    raises(ValueError, "single number", ZeroRedundancyOptimizer, [scalar], SGD, lr=1.0)


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


def has(model, path):
    return path in dict(model.named_modules())


PLAN = {"letters": RowwiseParallel(), "head": ColwiseParallel()} | {
    f"blocks.{i}.{name}": style
    for i in range(2)
    for name, style in {
        "qkv": ColwiseParallel(blocks=3),
        "out": RowwiseParallel(),
        "expand": ColwiseParallel(),
        "shrink": RowwiseParallel(),
    }.items()
}


def case_tensor_parallel(rank, size):
    reference, model = Language(), Language()
    expected = alone(reference, text, letters_loss, clip=0.5)
    mesh = dist.init_device_mesh("cpu", (size,))
    parallelize_module(model, mesh, PLAN)
    group, losses, optimizer = mesh.get_group(), [], adam(model.parameters())
    with count_traffic() as sent:
        for step in range(STEPS):
            x, y = text(step)
            scores = model(x).reshape(BATCH * TIME, -1)
            loss = vocab_parallel_cross_entropy(scores, y.reshape(-1), LETTERS, group)
            optimizer.zero_grad()
            loss.backward()
            clip_grad_norm_(model.parameters(), 0.5, shards=group)
            optimizer.step()
            losses.append(loss.item())
    close(losses, expected)
    same_parameters(model, reference)
    assert model.head.weight is model.letters.weight
    cut = [p for p in model.parameters() if isinstance(p, ShardedParameter)]
    wholes = (p for name, p in reference.named_parameters() if is_cut(name))
    assert bytes_of(cut) == bytes_of(wholes) // size
    x_bytes, n_bytes = BATCH * TIME * WIDTH * 4, BATCH * TIME * 4
    # two pairs of column and row in each block, the table forward, the head backward
    reduced = (2 * 2 * 2 + 2) * x_bytes + 3 * n_bytes + 8  # 8: the norm of all gradients
    assert sent.total() == STEPS * 2 * (size - 1) * reduced // size, (sent, reduced)


def is_cut(name):
    """What is cut of `Language`: not the positions, the norms and the biases behind a sum."""
    whole = ("positions.weight", "out.bias", "shrink.bias")
    return not name.endswith(whole) and "norm" not in name


def check_pipeline(rank, size, schedule, most_kept):
    reference, model = mlp8(), mlp8()
    expected = alone(reference, batch, mse)
    each, micro = len(model) // size, 8  # micro-batches
    mine = slice(rank * each, (rank + 1) * each)
    layers = model[mine]
    pipe = schedule(PipelineStage(layers, rank, size), micro, F.mse_loss)
    optimizer, losses = adam(layers.parameters()), []
    for step in range(STEPS):
        x, y = batch(step)
        parts, target = [], y if pipe.stage.is_last else None
        optimizer.zero_grad()
        with count_traffic() as sent:
            out = pipe.step(*([x] if rank == 0 else []), target=target, losses=parts)
        optimizer.step()
        losses.append(sum(loss.item() for loss in parts) / micro)
        assert pipe.stage.most_kept == most_kept, pipe.stage.most_kept
    assert (out is not None) == (rank == size - 1)
    losses = tensor(losses)
    dist.broadcast(losses, size - 1)
    close(losses.tolist(), expected)
    same_parameters(layers, reference[mine])
    borders = (rank > 0) + (rank < size - 1)
    assert sent.total() == borders * x.nbytes, sent  # all micro-batches, each way there is


def case_pipeline_gpipe(rank, size):
    check_pipeline(rank, size, ScheduleGPipe, most_kept=8)


def case_pipeline_1f1b(rank, size):
    check_pipeline(rank, size, Schedule1F1B, most_kept=min(8, size - rank))


def case_pipeline_refusals(rank, size):
    raises(ValueError, "belongs on rank r", PipelineStage, mlp(), 0, size + 1)
    stage = PipelineStage(mlp(), rank, size)
    pipe = ScheduleGPipe(stage, 3, F.mse_loss)
    if stage.is_first:
        raises(ValueError, "not 3 equal micro-batches", pipe.step, batch(0)[0])
    else:
        raises(ValueError, "belongs to one stage", pipe.step, batch(0)[0])


def case_ring_attention_and_its_gradients(rank, size):
    manual_seed(1)
    whole = [randn(2, 3, 2 * size, 4, requires_grad=True) for _ in range(3)]
    asked = randn(2, 3, 2 * size, 4)
    mine = slice(2 * rank, 2 * rank + 2)
    for causal in (False, True):
        out = F.scaled_dot_product_attention(*whole, is_causal=causal)
        expected = grad(out, whole, asked)
        parts = [t.detach()[:, :, mine].requires_grad_() for t in whole]
        chunk = parts[1].nbytes + parts[2].nbytes
        with count_traffic() as sent:
            part = ring_attention(*parts, is_causal=causal)
        assert allclose(part, out[:, :, mine], atol=1e-6)
        assert sent.total() == (size - 1) * chunk, sent
        with count_traffic() as sent:
            found = grad(part, parts, asked[:, :, mine])
        assert sent.total() == (2 * size - 1) * chunk, sent
        for part, t in zip(found, expected, strict=True):
            assert allclose(part, t[:, :, mine], atol=1e-6)
    raises(ValueError, "one shape", ring_attention, parts[0], parts[1][:, :1], parts[2])


def case_context_parallel(rank, size):
    reference, model = Language(), Language()
    expected = alone(reference, text, letters_loss)
    for block in model.blocks:
        block.attend = ring_attention
    optimizer, losses = adam(model.parameters()), []
    mine = slice(rank * TIME // size, (rank + 1) * TIME // size)
    for step in range(STEPS):
        x, y = text(step)
        scores = model(x[:, mine], past=mine.start)
        loss = F.cross_entropy(scores.reshape(-1, LETTERS), y[:, mine].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        average_gradients(model.parameters())
        optimizer.step()
        losses.append(loss.item())
    losses = tensor(losses)
    dist.all_reduce(losses, "mean")
    close(losses.tolist(), expected)
    same_parameters(model, reference)


def case_device_mesh(rank, size):
    mesh = dist.init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("dp", "tp"))
    assert (mesh.shape, mesh.size(), mesh.size("tp")) == ((size // 2, 2), size, 2)
    assert mesh.get_coordinate() == [rank // 2, rank % 2]
    assert dist.get_process_group_ranks(mesh["tp"].get_group()) == [rank - rank % 2, rank | 1]
    assert mesh["dp"].get_local_rank() == rank // 2
    assert dist.get_process_group_ranks(mesh.get_group("dp")) == list(range(rank % 2, size, 2))
    raises(RuntimeError, "name one of", mesh.get_group)
    raises(KeyError, "no side 'pp'", mesh.get_group, "pp")
    raises(ValueError, "every rank needs one place", dist.init_device_mesh, "cpu", (size + 1,))
    raises(ValueError, "different names", dist.init_device_mesh, "cpu", (size,), mesh_dim_names="")


def case_data_x_tensor_x_pipeline(rank, size):
    reference = Deep()
    expected = alone(reference, text, letters_loss, clip=0.5)
    shapes = {2: [(2, 1, 1), (1, 2, 1), (1, 1, 2)], 4: [(1, 2, 2), (2, 1, 2), (2, 2, 1)]}
    for shape in shapes.get(size, [(size // 4, 2, 2)]):
        close(three_ways(shape, reference), expected)


def three_ways(shape, reference):
    """Train `Deep` on a mesh; return the losses, after a look at the parameters."""
    mesh = dist.init_device_mesh("cpu", shape, mesh_dim_names=("dp", "pp", "tp"))
    stages, stage_index = mesh.size("pp"), mesh.get_local_rank("pp")
    copies, copy = mesh.size("dp"), mesh.get_local_rank("dp")
    mine = Deep().stage(stage_index, stages)
    parallelize_module(mine, mesh["tp"], {p: s for p, s in PLAN.items() if has(mine, p)})
    pipe = Schedule1F1B(
        PipelineStage(mine, stage_index, stages, mesh.get_group("pp")),
        2,
        lambda scores, y: vocab_parallel_cross_entropy(
            scores.reshape(-1, scores.shape[-1]), y.reshape(-1), LETTERS, mesh.get_group("tp")
        ),
    )
    optimizer, losses = adam(mine.parameters()), []
    for step in range(STEPS):
        x, y = (t[copy::copies] for t in text(step))
        found, is_last = [], pipe.stage.is_last
        optimizer.zero_grad()
        pipe.step(
            *([x] if pipe.stage.is_first else []),
            target=y if is_last else None,
            losses=found,
        )
        average_gradients(mine.parameters(), mesh.get_group("dp"))
        groups = {"shards": mesh.get_group("tp"), "stages": mesh.get_group("pp")}
        clip_grad_norm_(mine.parameters(), 0.5, **groups)
        optimizer.step()
        losses.append(sum(loss.item() for loss in found) / 2)
    same_parameters(mine, reference)
    losses = tensor(losses)  # zeros but on the last stages, which all ranks of their tp share
    dist.all_reduce(losses)
    return (losses / (mesh.size("tp") * copies)).tolist()


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
