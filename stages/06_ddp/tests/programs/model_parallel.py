"""Tensor, pipeline and context parallelism against one process; meshes; the counter of bytes.

Started by test_rank_programs.py. Each rank also trains the whole model alone; ten steps of Adam
later all must be equal to 1e-5; what a rank kept and sent must be what the strategy's formula says.
"""

import copy
import pickle

from cases import raises, run_all
from parallel_models import (
    BATCH,
    LETTERS,
    PLAN,
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
    letters_loss,
    mean_of_ranks,
    mlp,
    mlp8,
    mse,
    same_parameters,
    text,
    train,
)

import norch_ddp as dist
from norch_autograd import (
    allclose,
    eye,
    manual_seed,
    no_grad,
    ones,
    randint,
    randn,
    tensor,
    zeros,
)
from norch_autograd.autograd import grad
from norch_ddp.model_parallel import (
    ColwiseParallel,
    PipelineStage,
    RowwiseParallel,
    Schedule1F1B,
    ScheduleGPipe,
    ShardedParameter,
    ShardMetadata,
    average_gradients,
    clip_grad_norm_,
    fully_shard,
    parallelize_module,
    ring_attention,
    vocab_parallel_cross_entropy,
)
from norch_ddp.transports.traffic import count_traffic
from norch_nn import BatchNorm1d, Embedding, Linear, Sequential, Tanh, functional as F
from norch_nn.utils import clip_grad_norm_ as nn_clip_grad_norm_, get_total_norm


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
    with count_traffic() as outer:
        with count_traffic() as inner:
            dist.all_reduce(x)
        dist.all_reduce(x)
    assert outer.total() == 2 * inner.total()
    assert dict(sent) == {op: expected}  # closed: what comes later is not counted


def has(model, path):
    return path in dict(model.named_modules())


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


def case_tensor_parallel_of_sizes_that_do_not_divide_and_refusals(rank, size):
    group = dist.init_device_mesh("cpu", (size,))
    manual_seed(3)
    reference, x = Sequential(Linear(8, 2 * size + 1), Tanh(), Linear(2 * size + 1, 5)), randn(3, 8)
    model = copy.deepcopy(reference)
    few = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    if (2 * size + 1) <= 3 * (size - 1):
        raises(ValueError, "leaves the last one none", parallelize_module, model, group, few)
    else:
        parallelize_module(model, group, few)
        assert allclose(model(x), reference(x), atol=1e-6)
    table = parallelize_module(Sequential(Embedding(size, 2)), group, {"0": RowwiseParallel()})
    raises(IndexError, "not all in a vocabulary", table, tensor([0, size]))
    for module, style in ((Tanh(), ColwiseParallel()), (Tanh(), RowwiseParallel())):
        raises(
            TypeError, "cuts a Linear", parallelize_module, Sequential(module), group, {"0": style}
        )
    padded = Sequential(Embedding(size, 2, padding_idx=0))
    raises(ValueError, "padding_idx", parallelize_module, padded, group, {"0": RowwiseParallel()})
    raises(ValueError, "3 equal", ColwiseParallel(blocks=3).apply, Linear(2, 8), group.get_group())


def case_tensor_parallel_starts_from_the_first_rank_and_all_or_nothing(rank, size):
    reference = Sequential(Linear(4, 2 * size), Tanh(), Linear(2 * size, 2), BatchNorm1d(2)).eval()
    model = copy.deepcopy(reference)
    for parameter in reference.parameters():
        dist.broadcast(parameter, 0)
    for kept in model.state_dict().values():
        kept.add_(rank)
    first = model[0]
    wrong = {"0": ColwiseParallel(), "2": RowwiseParallel(), "1": ColwiseParallel()}
    raises(TypeError, "cuts a Linear", parallelize_module, model, None, wrong)
    raises(TypeError, "must be a dict", parallelize_module, model)
    assert model[0] is first
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    parallelize_module(model, parallelize_plan=plan)
    x = ones(3, 4)
    assert allclose(model(x), reference(x), atol=1e-6)


def case_vocab_parallel_cross_entropy_of_large_scores_and_ignored_targets(rank, size):
    group = dist.init_device_mesh("cpu", (size,)).get_group()
    whole, target = randn(6, 2 * size) * 50, tensor([0, 1, -100, 2, 3, -100])
    dist.broadcast(whole, 0)
    mine = slice(2 * rank, 2 * rank + 2)
    part = whole[:, mine].clone().requires_grad_()
    whole.requires_grad_()
    loss = vocab_parallel_cross_entropy(part, target, 2 * size, group)
    expected = F.cross_entropy(whole, target)
    loss.backward()
    expected.backward()
    assert allclose(loss, expected) and allclose(part.grad, whole.grad[:, mine], atol=1e-6)
    for wrong in (2 * size, -1):
        numbers = tensor([0, 0, 0, 0, 0, wrong])
        raises(IndexError, "", vocab_parallel_cross_entropy, part, numbers, 2 * size, group)
    raises(
        ValueError,
        "this rank's columns",
        vocab_parallel_cross_entropy,
        part,
        target,
        3 * size,
        group,
    )


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
        assert pipe.most_kept == most_kept, pipe.most_kept
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


def train_stage(pipe, x, y):
    """One step: each stage gives what belongs to it."""
    stage = pipe.stage
    return pipe.step(*([x] if stage.is_first else []), target=y if stage.is_last else None)


def case_pipeline_goes_on_after_a_batch_that_one_stage_refused(rank, size):
    pipe = Schedule1F1B(PipelineStage(Linear(3, 3, bias=False), rank, size), 2, F.mse_loss)
    kind, words = (ValueError, "2 equal") if rank == 0 else (RuntimeError, "the ranks disagree")
    raises(kind, words, train_stage, pipe, ones(5, 3), zeros(4, 3))
    x, weight = ones(4, 3), pipe.stage.submodule.weight
    with no_grad():
        weight.copy_(eye(3) * 2)
    out = train_stage(pipe, x, zeros(4, 3))
    assert (out is None) == (rank < size - 1)
    assert out is None or out.tolist() == (x * 2**size).tolist()


def case_pipeline_takes_no_step_after_one_that_failed_in_the_middle(rank, size):
    """The others are told at once: they would wait for minutes."""
    pipe = ScheduleGPipe(PipelineStage(Linear(3, 3), rank, size), 2, failing_loss)
    if pipe.stage.is_last:
        raises(ZeroDivisionError, "by zero", train_stage, pipe, ones(4, 3), zeros(4, 3))
    else:
        text = f"rank {size - 1} failed in the middle of this step: ZeroDivisionError: division by"
        raises(RuntimeError, text, train_stage, pipe, ones(4, 3), zeros(4, 3))
    pipe = ScheduleGPipe(pipe.stage, 2, F.mse_loss)
    raises(RuntimeError, "failed in the middle", train_stage, pipe, ones(4, 3), zeros(4, 3))


class Failing(Linear):
    """Its second forward fails, or its backward."""

    def __init__(self, in_backward):
        super().__init__(3, 3)
        self.in_backward, self.calls = in_backward, 0

    def forward(self, x):
        self.calls += 1
        out = super().forward(x)
        if self.calls == 2 and not self.in_backward:
            raise ValueError("of the first stage, with words beyond ASCII: ü")
        if self.calls == 2:
            out.register_hook(lambda grad: 1 / 0)
        return out


def case_pipeline_says_which_stage_failed(rank, size):
    """The first, in its forward or its backward; a pipeline made afterwards works."""
    if size == 1:
        return
    for schedule in (ScheduleGPipe, Schedule1F1B):
        for in_backward, kind in ((False, ValueError), (True, ZeroDivisionError)):
            layer = Failing(in_backward) if rank == 0 else Linear(3, 3)
            pipe = schedule(PipelineStage(layer, rank, size), 4, F.mse_loss)
            arguments = (train_stage, pipe, ones(4, 3), zeros(4, 3))
            if rank == 0:
                raises(kind, "", *arguments)
            elif in_backward:
                train_or_be_told(*arguments)  # it may have all it waits for
            else:
                raises(RuntimeError, "rank 0 failed in the middle of this step: Value", *arguments)
    pipe = Schedule1F1B(PipelineStage(Linear(3, 3), rank, size), 2, F.mse_loss)
    train_stage(pipe, ones(4, 3), zeros(4, 3))


def train_or_be_told(train, *arguments):
    try:
        train(*arguments)
    except RuntimeError as error:
        assert "rank 0 failed in the middle of this step: ZeroDivisionError" in str(error), error


def case_clip_grad_norm_of_nn_measures_all_parts(rank, size):
    """Of fully_shard and of tensor parallelism, in every norm, beside one process."""
    for norm_type in (2.0, 1.0, 3.0, float("inf"), 0.0):
        manual_seed(4)
        whole = Sequential(Linear(5, 8), Linear(8, 3))
        models = [Sequential(Linear(5, 8), Linear(8, 3)) for _ in range(2)]
        for model in models:
            model.load_state_dict(whole.state_dict())
        for part in [*models[0], models[0]]:
            fully_shard(part)
        plan = {"0": ColwiseParallel(), "1": RowwiseParallel()}
        if 8 % size == 0:
            parallelize_module(models[1], dist.init_device_mesh("cpu", (size,)), plan)
        x = ones(2, 5)
        total = clipped(whole, x, norm_type)
        for model in models:
            found = clipped(model, x, norm_type)
            assert abs(found - total) < 1e-4 * total, (norm_type, found, total)
        rows = models[0][0].weight.grad
        close = whole[0].weight.grad[8 * rank // size :][: len(rows)]
        assert size == 3 or (rows - close).abs().max().item() < 1e-6


def clipped(model, x, norm_type):
    (model(x) ** 2).sum().backward()
    return nn_clip_grad_norm_(model.parameters(), 0.5, norm_type).item()


def failing_loss(y, target):
    return 1 / 0


def case_average_gradients_of_different_parameters(rank, size):
    parameters = [ones(2, requires_grad=True) for _ in range(3)]
    average_gradients(parameters)  # nothing to average
    parameters[0].sum().backward()
    parameters[2 if rank == 0 else 1].sum().backward()
    raises(RuntimeError, "without a gradient: [1]", average_gradients, parameters)
    assert parameters[0].grad.tolist() == [1, 1]


def case_clip_of_cut_parameters_needs_their_group(rank, size):
    cut = ShardedParameter(ones(1, 2), ShardMetadata((size, 2), 0, ((rank, 1),)))
    raises(ValueError, "shards=", clip_grad_norm_, [cut], 1.0)
    cut.grad = ones(1, 2)
    raises(ValueError, "shards=", nn_clip_grad_norm_, [cut], 1.0)
    raises(ValueError, "tensor 1 is this rank's part", get_total_norm, [ones(2), cut.grad])
    raises(ValueError, "tensor 0 is this rank's part", get_total_norm, cut.grad)


def case_a_copy_of_a_part_knows_its_place(rank, size):
    layer = Linear(size, 2 * size)
    fully_shard(layer)
    part = layer.weight
    copied, read = copy.deepcopy(part), pickle.loads(pickle.dumps(part))
    for other, groups in ((copied, part.groups), (read, ())):
        assert type(other) is ShardedParameter and other.requires_grad
        assert (other.shard, other.groups) == (part.shard, groups)
        assert other.tolist() == part.tolist() and other.data_ptr() != part.data_ptr()
    copied.grad = ones(*part.shape)
    total = nn_clip_grad_norm_([copied], 1.0).item()
    assert abs(total - 2**0.5 * size) < 1e-5, total


def case_pipeline_of_numbers_with_a_frozen_first_stage(rank, size):
    layers = Sequential(Embedding(5, 4), Linear(4, 4)) if rank == 0 else Linear(4, 4)
    layers.requires_grad_(rank > 0)
    pipe = Schedule1F1B(PipelineStage(layers, rank, size), 2, F.mse_loss)
    manual_seed(4)
    x, y = randint(0, 5, (4, 3)), randn(4, 3, 4)
    target = y if pipe.stage.is_last else None
    pipe.step(*([x] if rank == 0 else []), target=target)
    assert all((p.grad is None) == (rank == 0) for p in layers.parameters())


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
    mine = slice(rank * TIME // size, (rank + 1) * TIME // size)

    def loss_at(step):
        x, y = text(step)
        scores = model(x[:, mine], past=mine.start)
        return F.cross_entropy(scores.reshape(-1, LETTERS), y[:, mine].reshape(-1))

    close(mean_of_ranks(train(model, loss_at, average=True)), expected)
    same_parameters(model, reference)


def case_device_mesh(rank, size):
    mesh = dist.init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("dp", "tp"))
    assert (mesh.shape, mesh.size(), mesh.size("tp")) == ((size // 2, 2), size, 2)
    assert mesh.get_coordinate() == [rank // 2, rank % 2]
    assert mesh.get_rank() == rank
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
        PipelineStage(mine, stage_index, stages, group=mesh.get_group("pp")),
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


if __name__ == "__main__":
    run_all(globals())
