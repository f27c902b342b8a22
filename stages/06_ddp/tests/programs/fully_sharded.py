"""`fully_shard` with other ways of cutting, with recomputation and with policies, by one process.

Started by test_rank_programs.py. Each rank also trains the whole model alone; ten steps of Adam
later all must be equal to 1e-5.
"""

import copy
import gc
from dataclasses import dataclass, field
from unittest.mock import patch

from cases import raises, run_all
from parallel_models import (
    PLAN,
    STEPS,
    Language,
    Recomputing,
    adam,
    alone,
    batch,
    bytes_of,
    close,
    data_parallel,
    letters_loss,
    mse,
    same_parameters,
    text,
)
from sharding import shared_folder

import norch_ddp as dist
from norch_autograd import (
    Tensor,
    allclose,
    bfloat16,
    float32,
    int64,
    manual_seed,
    no_grad,
    ones,
    tensor,
)
from norch_autograd.autograd import checkpoint as recompute
from norch_cpu_ops import memory_stats
from norch_ddp.groups import process_group
from norch_ddp.groups.process_group import current_group
from norch_ddp.groups.statements import state_call
from norch_ddp.model_parallel import (
    ColwiseParallel,
    FSDPModule,
    MixedPrecisionPolicy,
    ShardedGradScaler,
    ShardedParameter,
    ZeroRedundancyOptimizer,
    checkpoint,
    clip_grad_norm_ as clip_split,
    fully_shard,
    parallelize_module,
)
from norch_ddp.transports.traffic import count_traffic
from norch_nn import Linear, Module, Parameter, Sequential, Tanh, functional as F
from norch_nn.amp import GradScaler
from norch_nn.optim import SGD


def grids(size):
    """Meshes of two sides, each side once of one rank alone."""
    return {2: [(1, 2), (2, 1)], 4: [(2, 2), (1, 4), (4, 1)]}.get(size, [(size // 2, 2)])


def cut_twice(mesh):
    """`Language` by PyTorch's recipe: tensor parallel within, dealt out across."""
    model = parallelize_module(Language(), mesh["tp"], LAYERS)
    for part in [*model.blocks, model]:
        fully_shard(part, mesh=mesh["dp"])
    return model


# The table and the head stay whole: all of `letters_loss` is computed on every rank.
LAYERS = {path: style for path, style in PLAN.items() if path.startswith("blocks")}


def train(model, group, steps=range(STEPS), optimizer=None, clip=None):
    """Train on this rank's rows; return the means of the losses."""
    return data_parallel(model, optimizer, text, letters_loss, group, steps=steps, clip=clip)


def case_fsdp_x_tensor_parallel(rank, size):
    reference = Language()
    expected = alone(reference, text, letters_loss, clip=0.5)
    for shape in grids(size):
        mesh = dist.init_device_mesh("cpu", shape, mesh_dim_names=("dp", "tp"))
        model = cut_twice(mesh)
        assert model.head.weight is model.letters.weight
        weight = model.blocks[0].shrink.weight  # cut by columns, then by rows
        assert tuple(weight.shape) == (16 // shape[0], 64 // shape[1]), weight.shape
        close(train(model, mesh["dp"].get_group(), clip=0.5), expected)
        same_parameters(model, reference)


def case_checkpoint_of_a_model_that_is_cut_twice(rank, size):
    folder, reference = shared_folder(rank), Language()
    optimizer = adam(reference.parameters())
    alone_group = dist.init_device_mesh("cpu", (size, 1)).get_group(1)
    train(reference, alone_group, range(5), optimizer)
    mesh = dist.init_device_mesh("cpu", grids(size)[0], mesh_dim_names=("dp", "tp"))
    model = cut_twice(mesh)
    optimizer = adam(model.parameters())
    train(model, mesh["dp"].get_group(), range(3), optimizer)
    checkpoint.save({"model": model, "optimizer": optimizer}, checkpoint_id=folder)
    for shape in [*grids(size), None]:
        group, other = alone_group, Language()
        if shape is not None:
            mesh = dist.init_device_mesh("cpu", shape, mesh_dim_names=("dp", "tp"))
            group, other = mesh["dp"].get_group(), cut_twice(mesh)
        for parameter in other.parameters():
            parameter.detach().zero_()
        its = adam(other.parameters())
        checkpoint.load({"model": other, "optimizer": its}, checkpoint_id=folder)
        train(other, group, range(3, 5), its)
        same_parameters(other, reference)


def case_a_second_cut_needs_ranks_of_its_own(rank, size):
    mesh = dist.init_device_mesh("cpu", (size,))
    plan = {"0": ColwiseParallel()}
    model = parallelize_module(Sequential(Linear(4, 2 * size)), mesh, plan)
    words = f"is cut among ranks {list(range(size))}, and cannot be cut among"
    raises(ValueError, words, fully_shard, model, mesh=mesh)
    raises(ValueError, words, ZeroRedundancyOptimizer, model.parameters(), SGD, lr=1.0)
    dealt = fully_shard(Sequential(Linear(4, 2 * size)))
    raises(ValueError, "parallelize_module comes first", parallelize_module, dealt, mesh, plan)
    raises(ValueError, words, ZeroRedundancyOptimizer, dealt.parameters(), SGD, lr=1.0)
    tied = Sequential(Linear(4, 4), Linear(4, 4))
    fully_shard(tied[0])
    tied[1].weight = tied[0].weight
    raises(ValueError, "that are shared in one call", fully_shard, tied[1])


def case_the_norm_of_split_models_wants_the_ranks_of_the_parts(rank, size):
    mesh = dist.init_device_mesh("cpu", (size, 1), mesh_dim_names=("dp", "tp"))
    model = cut_twice(mesh)
    words = f"is cut among ranks {list(range(size))}, and shards= are ranks [{rank}]"
    whole, tp = fully_shard(Linear(4, 4)), mesh["tp"].get_group()
    raises(ValueError, words, clip_split, whole.parameters(), 1.0, shards=tp)
    dp = mesh["dp"].get_group()
    clip_split(whole.parameters(), 1.0, shards=dp)
    raises(ValueError, "nn.utils.clip_grad_norm_", clip_split, model.parameters(), 1.0, shards=dp)


def case_a_shared_parameter_is_dealt_out_once(rank, size):
    model = Language()
    fully_shard(model.letters)
    raises(ValueError, "weight of a Linear is shared with a module", fully_shard, model)


def case_hybrid_replicas_along_one_side_and_shards_along_the_other(rank, size):
    reference, world = Language(), dist.init_device_mesh("cpu", (size,)).get_group()
    expected = alone(reference, text, letters_loss, clip=0.5)
    for shape in grids(size):
        mesh = dist.init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard"))
        model = Language()
        model.norm.weight.detach().add_(rank)  # all start as rank 0
        for part in [*model.blocks, model]:
            fully_shard(part, mesh=mesh)
        assert bytes_of(model.parameters()) * shape[1] == bytes_of(reference.parameters())
        with count_traffic() as sent:
            close(train(model, world, clip=0.5), expected)
        same_parameters(model, reference)
        rows = bytes_of(model.parameters())
        across = STEPS * 2 * (shape[0] - 1) * rows // shape[0]
        of_norms_and_losses = sent["all_reduce"] - across
        assert 0 <= of_norms_and_losses < across or shape[0] == 1, (sent, across)
    cube = dist.init_device_mesh("cpu", (size, 1, 1))
    raises(ValueError, "a mesh of 3 sides", fully_shard, Linear(2, 2), mesh=cube)


def case_ranks_that_run_different_units_are_told(rank, size):
    """Experts of one shape: their messages would fit, and mix their values."""
    model = Sequential(Linear(4, 4), Linear(4, 4))
    for part in model:
        fully_shard(part, reshard_after_forward=False)
    names = [layer._unit.names[0] for layer in model]
    words = f"fully_shard.gather of {names[0]}"
    assert names[0] != names[1] and "Linear.weight" in names[0]
    raises(RuntimeError, words, model[rank % 2], ones(2, 4))
    raises(RuntimeError, words, model[rank % 2].unshard)
    first, second = model[0](ones(2, 4)).sum(), model[1](ones(2, 4)).sum()
    loss = first if rank % 2 else second
    raises(RuntimeError, f"fully_shard.backward of {names[0]}, unused", loss.backward)


def case_a_refusal_on_one_rank_reaches_the_ranks_of_every_row(rank, size):
    if size < 4:
        return
    mesh = dist.init_device_mesh("cpu", (2, size // 2))
    model = Linear(2, 2)
    if rank == 0:
        model.extra = Parameter(tensor(1.0))
    kind = ValueError if rank == 0 else RuntimeError
    raises(kind, "extra is a single number", fully_shard, model, mesh=mesh)
    row = 2 * rank // size
    raises(RuntimeError, "disagree", fully_shard, Linear(2, 2 + row), mesh=mesh)


HALF = MixedPrecisionPolicy(param_dtype=bfloat16, reduce_dtype=float32, output_dtype=float32)


class Half(Module):
    """What the policy makes of a Linear, by hand."""

    def __init__(self, linear):
        super().__init__()
        self.weight, self.bias = linear.weight, linear.bias

    def forward(self, x):
        return F.linear(x.bfloat16(), self.weight.bfloat16(), self.bias.bfloat16()).float()


def case_mixed_precision(rank, size):
    manual_seed(0)
    layers = [Linear(16, 16), Tanh(), Linear(16, 16)]
    model = copy.deepcopy(Sequential(*layers))
    reference = Sequential(Half(layers[0]), Tanh(), Half(layers[2]))
    for part in [model[0], model[2]]:
        fully_shard(part, mp_policy=HALF)
    x, y = batch(0)
    mse(reference, x, y).backward()
    with count_traffic() as sent:
        mse(model, x[rank::size], y[rank::size]).backward()
    numbers = 2 * (16 * 16 + 16)
    again = numbers // 2  # the first layer's derivative needs no parameters
    each = current_group().transport.travels_as(bfloat16).itemsize
    assert sent["all_gather"] == each * (numbers + again) * (size - 1) // size, sent
    assert sent["reduce_scatter"] == 4 * numbers * (size - 1) // size, sent
    for (name, part), whole in zip(model.named_parameters(), reference.parameters(), strict=True):
        assert part.dtype == part.grad.dtype == float32
        assert allclose(part.grad, part.shard.take(whole.grad), rtol=2e-2, atol=2e-3), name


def case_mixed_precision_casts_what_it_is_told_to(rank, size):
    seen = []

    class Watch(Linear):
        def forward(self, x, *, number):
            seen.append((x.dtype, number.dtype, self.weight.dtype))
            return {"y": super().forward(x.to(self.weight.dtype)), "number": number}

    kept = MixedPrecisionPolicy(param_dtype=bfloat16, cast_forward_inputs=False)
    for policy, dtype, out in ((HALF, bfloat16, float32), (kept, float32, bfloat16)):
        layer = fully_shard(Watch(4, 4), mp_policy=policy)
        found = layer(ones(2, 4), number=tensor(3))
        assert seen.pop() == (dtype, int64, bfloat16)
        assert (found["y"].dtype, found["number"].dtype) == (out, int64)


@dataclass(frozen=True)
class Output:
    """What a model may take and give."""

    y: Tensor
    others: list
    kind: str = "logits"
    count: int = field(default=0, init=False)


def case_mixed_precision_casts_what_dataclasses_hold(rank, size):
    class Model(Linear):
        def forward(self, given):
            seen.append((given.y.dtype, given.others[0].y.dtype))
            return Output(super().forward(given.y), [given.others[0].y], given.kind)

    seen = []
    given = Output(ones(2, 4), [Output(ones(1), [])], "scores")
    found = fully_shard(Model(4, 4), mp_policy=HALF)(given)
    assert seen == [(bfloat16, bfloat16)] and given.y.dtype == float32
    assert (found.y.dtype, found.others[0].dtype, found.kind) == (float32, float32, "scores")


def case_unshard_gathers_ahead_of_one_forward(rank, size):
    model, x = fully_shard(Linear(4, 4)), ones(2, 4)
    expected = model(x)
    model.unshard()
    assert tuple(model.weight.shape) == (4, 4) and not model.weight.requires_grad
    with count_traffic() as sent:
        assert (model(x) == expected).all()
    assert not sent["all_gather"] and isinstance(model.weight, ShardedParameter)
    model.unshard()
    with no_grad():
        for shard in model._unit.shards:
            shard.mul_(2)
    assert allclose(model(x), 2 * expected)
    model.unshard()
    model.reshard()
    assert isinstance(model.weight, ShardedParameter)


def case_a_state_dict_has_the_shards_of_what_is_gathered_ahead(rank, size):
    model = fully_shard(Sequential(Linear(4, 4), Linear(4, 4)))
    shards, x = list(model.parameters()), ones(2, 4)
    expected = model(x)
    model.unshard()
    with count_traffic() as sent:
        for keep_vars in (True, False):
            found = model.state_dict(keep_vars=keep_vars)
            for tensor, shard in zip(found.values(), shards, strict=True):
                assert isinstance(tensor, ShardedParameter) and tensor.shard == shard.shard
        assert found["1.weight"].tolist() == shards[2].tolist()
        assert tuple(model[1].weight.shape) == (4, 4)  # whole as before
        assert (model(x) == expected).all()
    assert not sent["all_gather"]  # the state_dict has left what was gathered
    model.unshard()
    before = found["0.weight"].tolist()
    model.load_state_dict({name: 2 * tensor for name, tensor in found.items()})
    assert shards[0].tolist() == [[2 * number for number in row] for row in before]
    with no_grad():
        for shard in shards:
            shard.mul_(0.5)
    assert (model(x) == expected).all()


def case_first_values_travel_together(rank, size):
    """One check and one message, however many parameters there are."""
    called = []

    def state(group, op, *args):
        called.append(op)
        return state_call(group, op, *args)

    mlp, other = (Sequential(*[Linear(4, 4) for _ in range(4)]) for _ in range(2))
    with patch.object(process_group, "state_call", state):
        fully_shard(mlp)
        ZeroRedundancyOptimizer(other.parameters(), SGD, lr=1.0)
        parallelize_module(other, None, {"0": ColwiseParallel()})
    all_three = "fully_shard", "ZeroRedundancyOptimizer", "parallelize_module"
    assert called == [word for op in all_three for word in (op, "broadcast_coalesced")], called


def recomputing(frozen=()):
    """`Language` of such blocks."""
    model = Language()
    for number, block in enumerate(model.blocks):
        block.__class__ = Recomputing
        block.requires_grad_(number not in frozen)
    return model


def case_recomputation_inside_a_unit(rank, size):
    world = dist.init_device_mesh("cpu", (size,)).get_group()
    for frozen, reshard in (((), True), ((1,), True), ((), False)):
        reference, model = recomputing(frozen), recomputing(frozen)
        expected = alone(reference, text, letters_loss)
        for part in [*model.blocks, model]:
            fully_shard(part, reshard_after_forward=reshard)
        close(train(model, world), expected)
        same_parameters(model, reference)
        assert not any(unit.holds_whole for unit in units(model))


def units(model):
    return [module._unit for module in model.modules() if isinstance(module, FSDPModule)]


def case_recomputation_gathers_no_unit_twice_but_the_outermost(rank, size):
    """The model's own unit is let go when the head is done, and asked for again by a block."""
    sent = []
    for make in (Language, recomputing):
        model = make()
        for part in [*model.blocks, model]:
            fully_shard(part)
        loss = letters_loss(model, *text(0))
        with count_traffic() as traffic:
            loss.backward()
        sent.append(traffic["all_gather"])
    own = bytes_of(model._unit.shards) * (size - 1)
    assert sent[1] == sent[0] + own, (sent, own)


def held(model):
    """Memory that the graph of one forward holds."""
    gc.collect()  # the models of other cases
    before = memory_stats()["allocated_bytes"]
    loss = letters_loss(model, *text(0))
    found = memory_stats()["allocated_bytes"] - before
    loss.backward()
    return found


def case_recomputation_around_a_unit_leaves_out_its_values(rank, size):
    plain, inside, around = Language(), recomputing(), Language()
    for model in (plain, inside, around):
        for part in [*model.blocks, model]:
            fully_shard(part)
    for block in around.blocks:
        block.__class__ = type("Around", (type(block),), {"forward": around_forward})
    most = held(plain)
    assert held(inside) < most / 2, (held(inside), most)
    assert held(around) < most / 2, (held(around), most)
    for name, part in around.named_parameters():
        assert allclose(part.grad, dict(plain.named_parameters())[name].grad, atol=1e-6), name


def around_forward(block, x):
    return recompute(super(type(block), block).forward, x)


class Whole(SGD):
    """A rule that would look at whole matrices."""

    elementwise = False


def case_a_rule_of_whole_parameters_is_refused_for_parts(rank, size):
    words = "[Whole] its step looks at whole parameters"
    raises(ValueError, words, Whole, fully_shard(Linear(4, 4)).parameters(), lr=1.0)
    raises(ValueError, words, ZeroRedundancyOptimizer, Linear(4, 4).parameters(), Whole, lr=1.0)


def case_ranks_leave_out_the_same_steps(rank, size):
    """Where a gradient overflowed on one rank alone."""
    part = fully_shard(Linear(size, size))
    whole = Linear(2, 2)
    zero = ZeroRedundancyOptimizer(whole.parameters(), SGD, average_gradients=True, lr=1.0)
    stage = Linear(2, 2)
    for model, optimizer, kind in (
        (part, SGD(part.parameters(), lr=1.0), GradScaler),
        (whole, zero, GradScaler),
        (stage, SGD(stage.parameters(), lr=1.0), ShardedGradScaler),
    ):
        before, scaler = model.weight.tolist(), kind("cpu", 8.0)
        for parameter in model.parameters():
            parameter.grad = parameter.detach() * (float("inf") if rank == size - 1 else 1.0)
        scaler.step(optimizer)
        scaler.update()
        assert (model.weight.tolist(), scaler.get_scale()) == (before, 4.0)


if __name__ == "__main__":
    run_all(globals())
