"""Accelerate's further names on one to four ranks, started by test_accelerate_names.py."""

import random
import tempfile
from pathlib import Path

from cases import expect, raises, run_all

import norch_ddp as dist
from norch_autograd import manual_seed, rand, tensor, zeros
from norch_extras.accelerate import (
    Accelerator,
    DistributedDataParallelKwargs,
    PartialState,
    skip_first_batches,
)
from norch_extras.accelerate.utils import set_seed
from norch_nn import Linear
from norch_nn.data import DataLoader, TensorDataset
from norch_nn.serialization import load


def rows(count):
    return TensorDataset(tensor([[float(i)] for i in range(count)]))


def seen(loader):
    return [batch[0].flatten().tolist() for batch in loader]


def everybody(value):
    found = [None] * dist.get_world_size()
    dist.all_gather_object(found, value)
    return found


def case_seeds(rank, size):
    set_seed(5)
    first = (rand(2).tolist(), random.random())
    assert everybody(first) == [first] * size
    set_seed(5, device_specific=True)
    own = everybody((rand(2).tolist(), random.random()))
    assert own[0] == first and len({str(each) for each in own}) == size


def case_inputs_are_split(rank, size):
    state = PartialState(cpu=True)
    items = list(range(10))
    with state.split_between_processes(items) as mine:
        assert [item for part in everybody(mine) for item in part] == items
    with state.split_between_processes({"a": items, "b": tuple(items)}) as both:
        assert list(both["b"]) == both["a"] == mine
    with state.split_between_processes(tensor(items), apply_padding=True) as padded:
        lengths = {len(each) for each in everybody(padded.tolist())}
        assert lengths == {-(-10 // size)} and padded.tolist()[: len(mine)] == mine
    with Accelerator(cpu=True).split_between_processes(items[:1]) as one:
        assert one == ([0] if rank == 0 else [])


def case_tensors_of_different_lengths_are_padded(rank, size):
    accelerator = Accelerator(cpu=True)
    mine = zeros(2, rank + 1) + rank
    padded = accelerator.pad_across_processes(mine, dim=1, pad_index=-1)
    expect(padded, [[float(rank)] * (rank + 1) + [-1.0] * (size - rank - 1)] * 2)
    first = accelerator.pad_across_processes({"a": mine}, dim=-1, pad_first=True)["a"]
    expect(first, [[0.0] * (size - rank - 1) + [float(rank)] * (rank + 1)] * 2)
    assert accelerator.gather(padded).shape == (2 * size, size)


def case_a_batch_of_all_processes(rank, size):
    """With split_batches the order of samples is one process's, whatever their number."""
    accelerator = Accelerator(cpu=True, split_batches=True)
    loader = accelerator.prepare(DataLoader(rows(11), batch_size=4))
    assert (len(loader), loader.total_batch_size) == (3, 4)
    found = []
    for (batch,) in loader:
        found += accelerator.gather_for_metrics(batch).flatten().tolist()
    assert found == [float(i) for i in range(11)]


def case_first_batches_are_skipped(rank, size):
    accelerator = Accelerator(cpu=True)
    loader = accelerator.prepare(DataLoader(rows(8 * size), batch_size=2))
    whole = seen(loader)
    assert seen(accelerator.skip_first_batches(loader, 3)) == whole[3:]
    assert seen(loader) == whole
    plain = skip_first_batches(DataLoader(rows(6), batch_size=2), 2)
    assert (len(plain), seen(plain)) == (1, [[4.0, 5.0]])


def case_arguments_of_ddp_come_by_a_handler(rank, size):
    handler = DistributedDataParallelKwargs(find_unused_parameters=True)
    assert handler.to_kwargs() == {"find_unused_parameters": True}
    model = Accelerator(cpu=True, kwargs_handlers=[handler]).prepare(Linear(1, 1))
    model(zeros(1, 1)).sum().backward()
    raises(TypeError, "kwargs_handlers", Accelerator, cpu=True, kwargs_handlers=[3])


def case_a_model_is_saved_by_its_own_names(rank, size):
    manual_seed(1)
    accelerator = Accelerator(cpu=True)
    model = accelerator.prepare(Linear(2, 1))
    folder = everybody(tempfile.mkdtemp() if rank == 0 else None)[0]
    accelerator.save_model(model, folder)
    dist.barrier()
    saved = load(Path(folder) / "model.safetensors")
    expect(saved["weight"], accelerator.unwrap_model(model).weight.detach())
    assert accelerator.free_memory(model) is None
    assert accelerator.free_memory(1, 2) == (None, None)


if __name__ == "__main__":
    run_all(globals())
