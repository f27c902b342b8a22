"""Whole state_dicts of a model that is cut once or twice, started by test_sharded_state.py."""

import tempfile

from cases import run_all

import norch_ddp as dist
from norch_autograd import allclose, manual_seed, ones, randn
from norch_ddp.model_parallel import (
    ColwiseParallel,
    RowwiseParallel,
    ShardedParameter,
    checkpoint,
    fully_shard,
    parallelize_module,
)
from norch_ddp.model_parallel.layouts import Replicate, Shard
from norch_extras.sharded_state import (
    StateDictOptions,
    distribute_tensor,
    get_model_state_dict,
    get_optimizer_state_dict,
    init_optimizer_state,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from norch_nn import Linear, Sequential, Tanh
from norch_nn.optim import Adam

WHOLE = StateDictOptions(full_state_dict=True)
ON_RANK_0 = StateDictOptions(full_state_dict=True, cpu_offload=True)
FROM_RANK_0 = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)


def network():
    manual_seed(0)
    return Sequential(Linear(8, 12), Tanh(), Linear(12, 5))


def cut(size):
    """Cut once by fully_shard, and twice, with tensor parallelism."""
    for shape in ((size, 1), (size // 2, 2)):
        mesh = dist.init_device_mesh("cpu", shape, mesh_dim_names=("dp", "tp"))
        model = network()
        if shape[1] > 1:
            plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
            parallelize_module(model, mesh["tp"], plan)
        for part in (model[0], model):
            fully_shard(part, mesh=mesh["dp"])
        yield model


def trained(model, steps, optimizer=None):
    """Some steps on the same batches everywhere."""
    optimizer = optimizer or Adam(model.parameters(), lr=0.01)
    for step in steps:
        manual_seed(step)
        optimizer.zero_grad()
        (model(randn(4, 8)) ** 2).mean().backward()
        optimizer.step()
    return optimizer


def same(found, expected, atol=1e-5):
    assert list(found) == list(expected)
    for name, value in expected.items():
        equal = (
            value == found[name]
            if isinstance(value, int)
            else allclose(found[name], value, atol=atol)
        )
        assert equal, name


def case_whole_state_dicts_are_those_of_one_process(rank, size):
    alone = network()
    its = trained(alone, range(3))
    for model in cut(size):
        optimizer = trained(model, range(3))
        same(get_model_state_dict(model, options=WHOLE), alone.state_dict())
        found = get_optimizer_state_dict(model, optimizer, options=WHOLE)
        expected = get_optimizer_state_dict(alone, its)
        assert found["param_groups"] == expected["param_groups"]
        for name, entry in expected["state"].items():
            same(found["state"][name], entry)
        only = get_model_state_dict(model, options=ON_RANK_0)
        assert len(only) == (4 if rank == 0 else 0)


def case_training_goes_on_from_whole_state_dicts_of_rank_0(rank, size):
    alone = network()
    trained(alone, range(5))
    for model, other in zip(cut(size), reversed(list(cut(size))), strict=True):
        optimizer = trained(model, range(3))
        values = get_model_state_dict(model, options=ON_RANK_0)
        state = get_optimizer_state_dict(model, optimizer, options=ON_RANK_0)
        trained(other, [9])
        new = Adam(other.parameters(), lr=7.0)
        set_model_state_dict(other, values, options=FROM_RANK_0)
        set_optimizer_state_dict(other, new, state, options=FROM_RANK_0)
        trained(other, range(3, 5), new)
        same(get_model_state_dict(other, options=WHOLE), alone.state_dict())


def case_parts_are_saved_by_the_sharded_checkpoint(rank, size):
    folder = [tempfile.mkdtemp() if rank == 0 else None]
    dist.broadcast_object_list(folder)
    alone = network()
    trained(alone, range(3))
    for number, model in enumerate(cut(size)):
        trained(model, range(3))
        place = f"{folder[0]}/{number}"
        checkpoint.save({"model": get_model_state_dict(model)}, checkpoint_id=place)
        found = network()
        checkpoint.load({"model": found}, checkpoint_id=place)
        same(found.state_dict(), alone.state_dict())


def case_first_values_are_those_of_one_process(rank, size):
    for model in cut(size):
        alone = network()
        for layers in (alone, model):
            manual_seed(3)
            layers[0].weight.normal_() if layers is model else layers[0].weight.detach().normal_()
        found = get_model_state_dict(model, options=WHOLE)
        assert allclose(found["0.weight"], alone[0].weight)


def case_parts_of_several_ranges_are_joined_in_order(rank, size):
    mesh = dist.init_device_mesh("cpu", (1, size), mesh_dim_names=("dp", "tp"))
    model, alone = Sequential(Linear(8, 3 * size)), Sequential(Linear(8, 3 * size))
    for parameter in alone.parameters():
        dist.broadcast(parameter, 0)
    model.load_state_dict(alone.state_dict())
    parallelize_module(model, mesh["tp"], {"0": ColwiseParallel(blocks=3)})
    fully_shard(model, mesh=mesh["dp"])
    same(get_model_state_dict(model, options=WHOLE), alone.state_dict())


def case_a_tensor_is_distributed_as_a_parameter_is(rank, size):
    model = next(cut(size))
    weight = model[0].weight
    assert weight.placements == (Shard(0),) and isinstance(weight.detach(), ShardedParameter)
    whole = weight.full_tensor()
    part = distribute_tensor(whole + rank, weight.device_mesh, weight.placements)
    assert (part.shard, part.tolist()) == (weight.shard, weight.tolist())
    optimizer = Adam(model.parameters(), lr=0.5)
    init_optimizer_state(optimizer)
    assert optimizer.param_groups[0]["lr"] == 0.5 and weight.grad is None
    entry = optimizer.state_dict()["state"][0]
    assert entry["exp_avg"].full_tensor().shape == whole.shape
    assert weight.tolist() == part.tolist()

    entry["exp_avg"].fill_(3.0)
    init_optimizer_state(optimizer)  # there is one
    assert optimizer.state_dict()["state"][0]["exp_avg"].to_local().eq(3.0).all()


def case_a_state_that_is_made_to_be_loaded_spares_gradients(rank, size):
    model = next(cut(size))
    model(ones(1, 8)).sum().backward()
    before = [p.grad.tolist() for p in model.parameters()]
    optimizer = Adam(model.parameters())
    init_optimizer_state(optimizer)
    assert not optimizer.state
    assert [p.grad.tolist() for p in model.parameters()] == before


def case_a_tensor_is_distributed_among_the_ranks_of_the_mesh(rank, size):
    """Each stage of a pipeline has its own values, and keeps the tensor that it gave."""
    mesh = dist.init_device_mesh("cpu", (size // 2, 2), mesh_dim_names=("pp", "tp"))
    stage, place = mesh.get_coordinate()
    given = ones(4) * (10 * stage + place)
    part = distribute_tensor(given, mesh["tp"], [Shard(0)])
    assert part.to_local().tolist() == [10.0 * stage] * 2
    assert given.tolist() == [10.0 * stage + place] * 4
    both = distribute_tensor(given + 1, mesh, [Replicate(), Shard(0)])
    assert both.to_local().tolist() == [1.0, 1.0]
    whole = distribute_tensor(given, mesh["tp"], [Replicate()])
    assert whole.tolist() == [10.0 * stage] * 4
    assert whole.data_ptr() != given.data_ptr()


if __name__ == "__main__":
    run_all(globals())
