"""Ways to cut beyond those of model_parallel.py, each against one process: sequence parallelism.

Started by test_rank_programs.py. Ten steps of Adam later losses and parameters must be equal to
1e-5, and what was sent must be what the formula says.
"""

import copy
from functools import partial

from cases import raises, run_all
from parallel_models import (
    HEADS,
    LETTERS,
    STEPS,
    TIME,
    WIDTH,
    Language,
    adam,
    alone,
    batch,
    close,
    letters_loss,
    mean_of_ranks,
    mlp8,
    mse,
    same_parameters,
    text,
    train,
)

import norch_ddp as dist
from norch_autograd import allclose, arange, manual_seed, ones, randn, tensor, zeros
from norch_autograd.autograd import grad
from norch_ddp.model_parallel import (
    ColwiseParallel,
    PipelineStage,
    PrepareModuleInput,
    PrepareModuleOutput,
    Replicate,
    RowwiseParallel,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    SequenceParallel,
    fully_shard,
    parallelize_module,
    ring_attention,
    zigzag_part,
)
from norch_ddp.model_parallel.layouts import Shard, redistribute
from norch_ddp.transports.traffic import count_traffic
from norch_nn import (
    GELU,
    LSTM,
    BatchNorm1d,
    Conv1d,
    Dropout,
    Embedding,
    Identity,
    LayerNorm,
    Linear,
    Module,
    ModuleDict,
    ModuleList,
    MultiheadAttention,
    PReLU,
    RMSNorm,
    Sequential,
    Softmax,
    Tanh,
    functional as F,
)


class Attention(Module):
    """Some heads, or all: it counts them by what it is given."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (Linear(WIDTH, WIDTH) for _ in range(4))

    def forward(self, x):
        batch, time, _ = x.shape
        heads = [f(x).view(batch, time, -1, WIDTH // HEADS) for f in (self.q, self.k, self.v)]
        y = F.scaled_dot_product_attention(*(h.transpose(1, 2) for h in heads), is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, time, -1))


class AllHeads(Attention):
    """Attention that counts on all heads, as PyTorch's example does."""

    def forward(self, x):
        batch, time, _ = x.shape
        heads = [f(x).view(batch, time, HEADS, WIDTH // HEADS) for f in (self.q, self.k, self.v)]
        y = F.scaled_dot_product_attention(*(h.transpose(1, 2) for h in heads), is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, time, WIDTH))


class Block(Module):
    def __init__(self, attention):
        super().__init__()
        self.norm1, self.norm2 = LayerNorm(WIDTH), RMSNorm(WIDTH)
        self.attention, self.dropout = attention(), Dropout(0.1)
        self.expand, self.shrink = Linear(WIDTH, 4 * WIDTH), Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.dropout(self.attention(self.norm1(x)))
        return x + self.shrink(F.gelu(self.expand(self.norm2(x))))


class Words(Module):
    """Letters in, scores out; the head is tied to the table."""

    def __init__(self, attention=Attention):
        super().__init__()
        manual_seed(0)
        self.letters, self.positions = Embedding(LETTERS, WIDTH), Embedding(TIME, WIDTH)
        self.blocks = ModuleList([Block(attention) for _ in range(2)])
        self.norm, self.head = LayerNorm(WIDTH), Linear(WIDTH, LETTERS, bias=False)
        self.head.weight = self.letters.weight

    def forward(self, letters):
        x = self.letters(letters) + self.positions(arange(TIME))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def seeded_loss(model, x, y):
    """The loss; every rank draws the same zeros of dropout, as one process does."""
    manual_seed(int(x.sum()))
    return F.cross_entropy(model(x).reshape(-1, LETTERS), y.reshape(-1))


MAIN = {
    "letters": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
    "positions": PrepareModuleOutput(output_layouts=Replicate(), desired_output_layouts=Shard(0)),
    "norm": SequenceParallel(),
    "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
}


def block_plan(use_local_output=True):
    heads = ColwiseParallel(use_local_output=use_local_output)
    return {
        "norm1": SequenceParallel(),
        "attention": PrepareModuleInput(
            input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),)
        ),
        "attention.q": heads,
        "attention.k": heads,
        "attention.v": heads,
        "attention.out": RowwiseParallel(output_layouts=Shard(1)),
        "dropout": SequenceParallel(),
        "norm2": SequenceParallel(),
        "expand": ColwiseParallel(input_layouts=Shard(1)),
        "shrink": RowwiseParallel(output_layouts=Shard(1)),
    }


def check_words(size, attention, plan):
    reference, model = Words(attention), Words(attention)
    expected = alone(reference, text, seeded_loss)
    mesh = dist.init_device_mesh("cpu", (size,))
    parallelize_module(model, mesh, MAIN)
    for block in model.blocks:
        parallelize_module(block, mesh, plan)
    seen = []
    model.blocks[1].norm2.register_forward_pre_hook(lambda _, x: seen.append(x[0].shape[1]))
    found = alone(model, text, seeded_loss)
    close(found, expected)
    same_parameters(model, reference)
    assert list(model.state_dict()) == list(reference.state_dict())
    assert seen == [TIME // size] * STEPS  # a norm has these positions, and no more
    assert model.head.weight is model.letters.weight


def case_sequence_parallel_trains_as_one_process(rank, size):
    check_words(size, Attention, block_plan())


def case_columns_that_are_joined_for_code_that_counts_on_all_heads(rank, size):
    check_words(size, AllHeads, block_plan(use_local_output=False))


def case_gradients_of_weights_that_every_rank_has_are_summed(rank, size):
    """Of a norm, and of a bias behind a reduce_scatter: each rank sees some positions alone."""
    manual_seed(1)
    whole = Sequential(LayerNorm(4), Linear(4, 2 * size), Linear(2 * size, 4), RMSNorm(4))
    model, x = copy.deepcopy(whole), randn(3, 2 * size, 4)
    plan = {
        "0": SequenceParallel(),
        "1": ColwiseParallel(input_layouts=Shard(1)),
        "2": RowwiseParallel(output_layouts=Shard(1)),
        "3": SequenceParallel(),
    }
    group = dist.init_device_mesh("cpu", (size,))
    parallelize_module(model, group, plan)
    mine = slice(2 * rank, 2 * rank + 2)
    part = x[:, mine].clone().requires_grad_()
    x.requires_grad_()
    (whole(x) ** 3).sum().backward()
    with count_traffic() as sent:
        out = model(part)
        (out**3).sum().backward()
    assert allclose(out, whole(x)[:, mine], atol=1e-5)
    assert allclose(part.grad, x.grad[:, mine], atol=1e-4)
    for path in ("0.weight", "0.bias", "2.bias", "3.weight"):
        found, right = model.get_parameter(path).grad, whole.get_parameter(path).grad
        assert allclose(found, right, rtol=1e-4, atol=1e-4), (path, found, right)
    hop = (size - 1) * x.nbytes // size  # as an all_reduce of x each way, in two halves each
    assert (sent["all_gather"], sent["reduce_scatter"]) == (2 * hop, 2 * hop), sent


def case_norms_on_some_positions_whose_weights_are_dealt_out(rank, size):
    """`fully_shard` over the batch, sequence parallelism over the positions."""
    mesh = dist.init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("dp", "tp"))
    manual_seed(2)
    whole = Sequential(LayerNorm(4), Sequential(RMSNorm(4)))
    model, x = copy.deepcopy(whole), randn(size, 6, 4)
    parallelize_module(model, mesh["tp"], {"0": SequenceParallel(), "1.0": SequenceParallel()})
    for unit in (model[1], model):
        fully_shard(unit, mesh=mesh["dp"])
    (whole(x) ** 3).sum().backward()
    dp, tp = mesh.get_coordinate()
    (model(x[2 * dp : 2 * dp + 2, 3 * tp : 3 * tp + 3]) ** 3).sum().backward()
    for name, parameter in model.named_parameters():
        right = parameter.shard.take(whole.get_parameter(name).grad) / (size // 2)
        assert allclose(parameter.grad, right, atol=1e-4), (name, parameter.grad, right)


def check_interleaved(rank, size, chunks, micro):
    """Several stages a rank: as one process, with the activations in flight of the formula."""
    reference, model = mlp8(), mlp8()
    expected = alone(reference, batch, mse)
    count = chunks * size
    layers = [model[i * 8 // count : (i + 1) * 8 // count] for i in range(rank, count, size)]
    stages = [PipelineStage(part, rank + size * c, count) for c, part in enumerate(layers)]
    pipe = ScheduleInterleaved1F1B(stages, micro, F.mse_loss)
    mine = ModuleDict({str(c): part for c, part in enumerate(layers)})
    optimizer, losses = adam(mine.parameters()), []
    for step in range(STEPS):
        x, y = batch(step)
        parts, given = [], [x] if rank == 0 else []
        optimizer.zero_grad()
        target = y if rank == size - 1 else None
        with count_traffic() as sent:
            pipe.step(*given, target=target, losses=parts)
        optimizer.step()
        losses.append(sum(loss.item() for loss in parts) / micro)
        in_round = micro // max(1, micro // size)
        ahead = min(2 * (size - rank - 1) + (chunks - 1) * in_round, chunks * micro)
        assert pipe.most_kept == min(ahead + 1, chunks * micro), pipe.most_kept
    losses = tensor(losses)
    dist.broadcast(losses, size - 1)
    close(losses.tolist(), expected)
    for c, part in enumerate(layers):
        first = (rank + size * c) * 8 // count
        same_parameters(part, reference[first : first + 8 // count])
    borders = 2 * chunks - (rank == 0) - (rank == size - 1)
    assert sent.total() == borders * x.nbytes, sent
    with count_traffic() as sent:
        found = pipe.eval(*given)
    if rank == size - 1:
        assert allclose(found, reference(x), atol=1e-5) and not found.requires_grad
    assert sent.total() == (chunks - (rank == size - 1)) * x.nbytes  # forward alone


def case_interleaved_pipeline(rank, size):
    check_interleaved(rank, size, chunks=2, micro=8)
    check_interleaved(rank, size, chunks=2, micro=2 if size == 2 else 8)
    check_interleaved(rank, size, chunks=8 // size, micro=4)


def case_a_pipeline_evaluates_without_a_record(rank, size):
    for schedule in (ScheduleGPipe, Schedule1F1B):
        stage = PipelineStage(Linear(3, 3), rank, size)
        pipe, losses = schedule(stage, 2, F.mse_loss), []
        given = [ones(4, 3)] if stage.is_first else []
        out = pipe.eval(*given)
        again = pipe.eval(*given, target=zeros(4, 3) if stage.is_last else None, losses=losses)
        assert (out is None) == (again is None) == (not stage.is_last)
        assert out is None or out.tolist() == again.tolist()
        assert len(losses) == 2 * stage.is_last and stage.submodule.weight.grad is None
        assert not stage.kept and pipe.most_kept == 1
        pipe.step(*given, target=zeros(4, 3) if stage.is_last else None)
        assert stage.submodule.weight.grad is not None


def case_interleaved_refusals(rank, size):
    raises(ValueError, "belongs on rank r", PipelineStage, Tanh(), rank + 1, 2 * size)
    stages = [PipelineStage(Tanh(), rank + size * c, 2 * size) for c in range(2)]
    raises(ValueError, "takes several", ScheduleGPipe, stages[0], 2, F.mse_loss)
    backwards = stages[::-1]
    raises(ValueError, "takes several", ScheduleInterleaved1F1B, backwards, 2, F.mse_loss)
    odd = 2 * size + 1
    raises(ValueError, "are not 2 equal rounds", ScheduleInterleaved1F1B, stages, odd, F.mse_loss)


def case_ring_attention_in_zigzag_order_and_of_grouped_queries(rank, size):
    manual_seed(6)
    q, k, v = (randn(2, heads, 4 * size, 8) for heads in (6, 2, 2))
    for causal in (False, True):
        for zigzag in (False, True):
            for keys in (slice(0, 2), slice(0, 1)):  # three heads of queries share one, or all six
                check_ring(q, k[:, keys], v[:, keys], causal, zigzag)
    check_ring(q[:, :2], k, v, True, True, gqa=False)


def check_ring(q, k, v, causal, zigzag, gqa=True):
    """Output, gradients and messages, beside attention in one process."""
    rank, size = dist.get_rank(), dist.get_world_size()

    def own(x):
        return zigzag_part(x, 2) if zigzag else x.chunk(size, 2)[rank]

    whole = [x.clone().requires_grad_() for x in (q, k, v)]
    out = F.scaled_dot_product_attention(*whole, is_causal=causal, enable_gqa=gqa)
    asked = arange(float(out.numel())).reshape(out.shape).cos()
    expected = grad(out, whole, asked)
    parts = [own(x).clone().requires_grad_() for x in (q, k, v)]
    chunk = parts[1].nbytes + parts[2].nbytes
    with count_traffic() as sent:
        part = ring_attention(*parts, is_causal=causal, enable_gqa=gqa, zigzag=zigzag)
    assert allclose(part, own(out), atol=1e-6), (causal, zigzag)
    assert sent.total() == (size - 1) * chunk  # of keys and values alone, however many queries
    for found, right in zip(grad(part, parts, own(asked)), expected, strict=True):
        assert allclose(found, own(right), atol=1e-5), (causal, zigzag)


def case_zigzag_trains_as_one_process(rank, size):
    """A model whose positions are dealt out so: letters, targets and their numbers."""
    reference, model = Language(), Language()
    expected = alone(reference, text, letters_loss)
    for block in model.blocks:
        block.attend = partial(ring_attention, zigzag=True)
    places = zigzag_part(arange(TIME), 0)

    def loss_of(model, x, y):
        h = model.letters(zigzag_part(x)) + model.positions(places)
        for block in model.blocks:
            h = block(h)
        scores = model.head(model.norm(h))
        return F.cross_entropy(scores.reshape(-1, LETTERS), zigzag_part(y).reshape(-1))

    losses = train(model, lambda step: loss_of(model, *text(step)), average=True)
    close(mean_of_ranks(losses), expected)
    same_parameters(model, reference)


def case_ring_attention_refusals(rank, size):
    q, few = ones(1, 4, 2, 8), ones(1, 2, 2, 8)
    raises(ValueError, "one shape", ring_attention, q, few, few)
    raises(ValueError, "one shape", ring_attention, q, few, q, enable_gqa=True)
    raises(ValueError, "which divide", ring_attention, q[:, :3], few, few, enable_gqa=True)
    odd = ones(1, 1, 3, 8)
    raises(ValueError, "must be even", ring_attention, odd, odd, odd, zigzag=True)
    raises(ValueError, "two for each", zigzag_part, ones(1, 2 * size + 1))


def case_layouts_and_their_gradients(rank, size):
    """Every way between layouts: the whole is the same, and its gradient."""
    whole = randn(2, size, 2 * size)
    dist.broadcast(whole, 0)
    weights = arange(float(whole.numel())).reshape(whole.shape)
    parts = {Replicate(): lambda x: x, Shard(1): lambda x: x[:, rank : rank + 1]}
    parts[Shard(-1)] = lambda x: x[..., 2 * rank : 2 * rank + 2]
    for given, part in parts.items():
        for wanted, other in parts.items():
            x = part(whole).clone().requires_grad_()
            y = redistribute(x, given, wanted)
            assert y.tolist() == other(whole).tolist(), (given, wanted)
            (y * other(weights)).sum().backward()
            assert x.grad.tolist() == part(weights).tolist(), (given, wanted)
    numbers = redistribute(arange(size), Replicate(), Shard(0))
    assert numbers.tolist() == [rank]


def case_dropout_draws_for_all_positions(rank, size):
    model = Sequential(Dropout(0.5))
    x = ones(2, 3 * size, 4)
    manual_seed(5)
    expected = model(x)[:, 3 * rank : 3 * rank + 3]
    parallelize_module(model, parallelize_plan={"0": SequenceParallel()})
    manual_seed(5)
    assert model(x[:, :3]).tolist() == expected.tolist()
    assert model.eval()(x[:, :3]).tolist() == x[:, :3].tolist()


class Two(Module):
    """Two inputs, two outputs."""

    def forward(self, x, scale):
        return x * scale, scale


def case_inputs_and_outputs_and_what_stays(rank, size):
    model, x = Sequential(Two()), ones(size, size)
    plan = {
        "0": PrepareModuleInput(
            input_layouts=(Shard(1), None), desired_input_layouts=(Replicate(), None)
        )
    }
    parallelize_module(model, parallelize_plan=plan)
    out = {
        "0": PrepareModuleOutput(
            output_layouts=(Replicate(), None), desired_output_layouts=(Shard(0), None)
        )
    }
    parallelize_module(model, parallelize_plan=out)
    y, scale = model[0](x[:, :1], 2)
    assert scale == 2 and y.tolist() == [[2.0] * size]
    raises(ValueError, "2 tensors, and there are 1", model[0], x)


def case_sequence_parallel_refusals(rank, size):
    def refused(kind, words, module, style):
        model = Sequential(module)
        raises(kind, words, parallelize_module, model, None, {"0": style})
        assert model[0] is module and type(module).__name__[:8] != "Sequence"

    refused(TypeError, "is a BatchNorm1d", BatchNorm1d(4), SequenceParallel())
    whole = Linear(6, 6)
    several = (Conv1d(4, 4, 3, padding=1), LSTM(4, 4), MultiheadAttention(4, 2), Softmax(1))
    for part in (*several, type("Own", (LSTM,), {})(4, 4), Embedding(4, 4)):
        words = f"the module is a {type(part).__name__}: only what treats"
        refused(TypeError, words, part, SequenceParallel())
        refused(TypeError, "1 is a", Sequential(whole, part), SequenceParallel())
    refused(TypeError, "1 is a Dropout", Sequential(LayerNorm(4), Dropout()), SequenceParallel())
    refused(ValueError, "one block", Linear(4, 3 * size), joined(blocks=3))
    refused(ValueError, "multiple of the ranks", Linear(4, 2 * size + 1), joined())
    words = RowwiseParallel(input_layouts=Shard(1))
    refused(TypeError, "is given all words", Embedding(8, 4), words)
    raises(ValueError, "1 layouts come and 2", PrepareModuleInput, input_layouts=Shard(1),
           desired_input_layouts=(Shard(1), Shard(1)))  # fmt: skip
    for style in (ColwiseParallel, RowwiseParallel):
        raises(TypeError, "is no layout", style, input_layouts=(Shard(1),))
    model = Sequential(Linear(4, 4))
    parallelize_module(model, None, {"0": RowwiseParallel(output_layouts=Shard(1))})
    few = ones(2, size + 1, 4 // size) if 4 % size == 0 else ones(2, size + 1, 4)
    raises(ValueError, f"no {size} equal parts along dim 1", model, few)
    tied = Words()
    raises(ValueError, "head shares the weight of letters, which", parallelize_module, tied, None,
           {"letters": RowwiseParallel()})  # fmt: skip
    twice = Sequential(Linear(12, 12), Linear(12, 12))
    twice[1].weight = twice[0].weight
    for style in (RowwiseParallel(), ColwiseParallel(blocks=3)):
        words = "1 shares the weight of 0, and the plan cuts it in two ways"
        plan = {"0": ColwiseParallel(), "1": style}
        raises(ValueError, words, parallelize_module, twice, None, plan)
    again = copy.deepcopy(Sequential(LayerNorm(4)))
    parallelize_module(again, None, {"0": SequenceParallel()})
    raises(TypeError, "is a SequenceLayerNorm", parallelize_module, again, None,
           {"0": SequenceParallel()})  # fmt: skip


def case_what_treats_each_position_by_itself_works_on_some(rank, size):
    """A module of one's own counts as such, by its parts."""

    class Gated(Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.act = RMSNorm(4), Linear(4, 4), PReLU()

        def forward(self, x):
            return x * self.act(self.up(self.norm(x)))

    manual_seed(4)
    whole, x = Sequential(Gated(), GELU(), Identity()), randn(2, 2 * size, 4)
    model = copy.deepcopy(whole)
    parallelize_module(Sequential(model), None, {"0": SequenceParallel()})
    (whole(x) ** 2).sum().backward()
    (model(x[:, 2 * rank : 2 * rank + 2]) ** 2).sum().backward()
    for name, parameter in model.named_parameters():
        assert allclose(parameter.grad, whole.get_parameter(name).grad, rtol=1e-4), name


def joined(blocks=1):
    return ColwiseParallel(output_layouts=Replicate(), blocks=blocks)


if __name__ == "__main__":
    run_all(globals())
