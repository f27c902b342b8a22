"""The Accelerator on one to four ranks, started by test_accelerate.py."""

import random
import tempfile
from pathlib import Path

import numpy
from cases import expect, raises, run_all

import norch_ddp as dist
from norch_autograd import Tensor, manual_seed, no_grad, ones, rand, tensor, zeros
from norch_extras.accelerate import Accelerator, GeneralTracker
from norch_nn import Dropout, Linear, MSELoss, ReLU, Sequential
from norch_nn.data import DataLoader, IterableDataset, Subset, TensorDataset
from norch_nn.optim import SGD, Adam
from norch_nn.optim.lr_scheduler import LambdaLR, StepLR


def samples(count):
    """Rows (i, i / 2) with targets i."""
    x = Tensor([[float(i), i / 2] for i in range(count)])
    return TensorDataset(x.T.contiguous().T, Tensor([[float(i)] for i in range(count)]))


def network(seed=0):
    """A small network, the same for each seed."""
    manual_seed(seed)
    return Sequential(Linear(2, 4), ReLU(), Linear(4, 1))


def train(accelerator, model, optimizer, loader, clip=None):
    """One pass; return the losses of all samples' means."""
    losses = []
    for x, y in loader:
        with accelerator.accumulate(model):
            loss = MSELoss()(model(x), y)
            accelerator.backward(loss)
            if clip is not None:
                accelerator.clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
            optimizer.zero_grad()
        losses.append(accelerator.gather_for_metrics(loss).mean().item())
    return losses


def weights(accelerator, model):
    """All parameters in one list."""
    return [v for p in accelerator.unwrap_model(model).parameters() for v in p.flatten().tolist()]


def near(actual, expected, tolerance=1e-5):
    """Compare lists of numbers."""
    assert len(actual) == len(expected), (len(actual), len(expected))
    worst = max((abs(a - b) for a, b in zip(actual, expected, strict=True)), default=0)
    assert worst < tolerance, f"{worst}: {actual} instead of {expected}"


def alone(total, batch, lr, epochs, clip=None):
    """Train as one process does, on whole batches."""
    model = network()
    optimizer = SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(epochs):
        for x, y in DataLoader(samples(total), batch_size=batch):
            optimizer.zero_grad()
            MSELoss()(model(x), y).backward()
            if clip is not None:
                from norch_nn.utils import clip_grad_norm_

                clip_grad_norm_(model.parameters(), clip)
            optimizer.step()
    return [v for p in model.parameters() for v in p.flatten().tolist()]


def case_many_processes_learn_what_one_does(rank, size):
    accelerator = Accelerator(cpu=True)
    model = network(seed=rank)  # only rank 0's counts
    loader = DataLoader(samples(6 * size), batch_size=4)
    model, optimizer, loader = accelerator.prepare(
        model, SGD(model.parameters(), lr=1e-3, momentum=0.9), loader
    )
    for _ in range(2):
        train(accelerator, model, optimizer, loader, clip=5.0)
    # the last step has 2 * size samples: shared out evenly, its mean is exact too
    near(weights(accelerator, model), alone(6 * size, 4 * size, 1e-3, 2, clip=5.0), 1e-4)


def case_accumulating_is_a_larger_batch(rank, size):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = network()
    loader = DataLoader(samples(8 * size), batch_size=2)
    model, optimizer, loader = accelerator.prepare(
        model, SGD(model.parameters(), lr=1e-3, momentum=0.9), loader
    )
    assert len(train(accelerator, model, optimizer, loader, clip=5.0)) == 4
    near(weights(accelerator, model), alone(8 * size, 4 * size, 1e-3, 1, clip=5.0), 1e-4)


def case_gradients_stay_at_home_while_they_are_added_up(rank, size):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = Linear(1, 1, bias=False)
    model, optimizer = accelerator.prepare(model, SGD(model.parameters(), lr=1.0))
    weight = accelerator.unwrap_model(model).weight
    before = weight.item()
    for last in (False, True):
        with accelerator.accumulate(model):
            assert accelerator.sync_gradients() is last
            accelerator.backward(model(ones(1, 1) * (rank + 1)).sum())
            expect(weight.grad, [[(size + 1) / 2 if last else (rank + 1) / 2]])
            norm = accelerator.clip_grad_norm_(model.parameters(), 0.25)
            expect(weight.grad, weight.grad if last else [[(rank + 1) / 2]])
            assert norm.item() > 0
            optimizer.step()
            assert (weight.item() == before) is not last
            optimizer.zero_grad()
            assert (weight.grad is None) is last


def case_every_sample_comes_once(rank, size):
    for count in (1, 5, 8, 13):
        for shuffle in (False, True):
            accelerator = Accelerator(cpu=True)
            data = TensorDataset(tensor(list(range(count))))
            loader = accelerator.prepare(DataLoader(data, batch_size=2, shuffle=shuffle))
            seen, steps = [], 0
            for (numbers,) in loader:
                assert accelerator.gather(numbers).numel() >= 1
                seen += accelerator.gather_for_metrics(numbers).tolist()
                steps += 1
            assert sorted(seen) == list(range(count)), seen
            assert steps == len(loader) == -(-count // (2 * size)), (steps, len(loader))
            assert loader.total_batch_size == 2 * size
            assert shuffle or seen == list(range(count))


def case_all_ranks_shuffle_alike_and_anew_each_epoch(rank, size):
    manual_seed(rank)
    random.seed(rank)
    accelerator = Accelerator(cpu=True)
    data = TensorDataset(tensor(list(range(40))))
    loader = accelerator.prepare(DataLoader(data, batch_size=5, shuffle=True))
    epochs = [
        [i for (numbers,) in loader for i in accelerator.gather_for_metrics(numbers).tolist()]
        for _ in range(2)
    ]
    assert epochs[0] != epochs[1]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(40))
    found = [None] * size
    dist.all_gather_object(found, epochs)
    assert all(one == epochs for one in found)


def case_drop_last_leaves_the_short_step_out(rank, size):
    accelerator = Accelerator(cpu=True)
    data = TensorDataset(tensor(list(range(4 * size + 3))))
    loader = accelerator.prepare(DataLoader(data, batch_size=2, drop_last=True))
    assert [len(numbers) for (numbers,) in loader] == [2] * len(loader)
    assert len(loader) == (4 * size + 3) // 2 // size


def case_worker_processes_load_the_share(rank, size):
    accelerator = Accelerator(cpu=True)
    data = Subset(TensorDataset(tensor(list(range(20)))), list(range(1, 12)))
    loader = DataLoader(data, batch_size=3, num_workers=2, persistent_workers=True)
    loader = accelerator.prepare(loader)
    for _ in range(2):
        seen = [i for (x,) in loader for i in accelerator.gather_for_metrics(x).tolist()]
        assert seen == list(range(1, 12)), seen


def case_nested_loops_know_their_own_last_batch(rank, size):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=100)
    outer, inner = (
        accelerator.prepare(DataLoader(TensorDataset(tensor(list(range(n)))), batch_size=1))
        for n in (3 * size, size)
    )
    ends = []
    for _ in outer:
        for (x,) in inner:
            assert accelerator.gather_for_metrics(x).tolist() == list(range(size))
            break
        with accelerator.accumulate():
            ends.append(bool(accelerator.sync_gradients))
    assert ends == [False, False, True]


def case_metrics_of_trees_and_numbers(rank, size):
    accelerator = Accelerator(cpu=True)
    found = accelerator.gather({"a": tensor(float(rank)), "b": [ones(2, 1) * rank]})
    expect(found["a"], [float(r) for r in range(size)])
    expect(found["b"][0], [[float(r)] for r in range(size) for _ in range(2)])
    expect(accelerator.reduce(tensor([1.0]), "sum"), [size])
    expect(accelerator.reduce(tensor(float(rank)), "mean"), (size - 1) / 2)
    loss = (ones(2, requires_grad=True) * 2).sum()
    assert not accelerator.gather_for_metrics(loss).requires_grad
    raises(TypeError, "[gather] expected tensors, got int", accelerator.gather, [tensor(1), 2])
    raises(ValueError, "reduction 'max' is unknown", accelerator.reduce, tensor(1.0), "max")


def case_a_schedule_waits_for_its_optimizer(rank, size):
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    model = Linear(1, 1)
    optimizer = SGD(model.parameters(), lr=1.0)
    schedule = LambdaLR(optimizer, lambda step: 1 / (1 + step))
    schedule, model, optimizer = accelerator.prepare(schedule, model, optimizer)
    rates = []
    for _ in range(4):
        with accelerator.accumulate(model):
            accelerator.backward(model(ones(1, 1)).sum())
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        rates += schedule.get_last_lr()
    near(rates, [1.0, 0.5, 0.5, 1 / 3])


def case_lower_precision_keeps_float32_outside(rank, size):
    for word in ("bf16", "fp16"):
        accelerator = Accelerator(cpu=True, mixed_precision=word)
        inner = network()
        model, optimizer, loader = accelerator.prepare(
            inner, SGD(inner.parameters(), lr=1e-4), DataLoader(samples(8 * size), batch_size=4)
        )
        assert accelerator.unwrap_model(model) is inner
        with no_grad():
            assert model(ones(1, 2)).dtype is ones(1).dtype
        losses = [train(accelerator, model, optimizer, loader, clip=1.0) for _ in range(20)]
        assert losses[-1][0] < losses[0][0], losses
        assert inner[0].weight.dtype is ones(1).dtype
        with accelerator.autocast():
            assert (ones(2, 2) @ ones(2, 2)).dtype.itemsize == 2


def case_an_overflow_leaves_the_step_out_everywhere(rank, size):
    accelerator = Accelerator(cpu=True, mixed_precision="fp16")
    model = Linear(1, 1)
    optimizer = SGD(model.parameters(), lr=1.0)
    schedule = StepLR(optimizer, 1)
    model, optimizer, schedule = accelerator.prepare(model, optimizer, schedule)
    weight = accelerator.unwrap_model(model).weight
    before, scale = weight.tolist(), accelerator.scaler.get_scale()
    huge = 1e38 if rank == 0 else 1.0
    accelerator.backward(model(ones(1, 1)).sum() * huge)
    accelerator.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    assert accelerator.optimizer_step_was_skipped
    assert weight.tolist() == before and schedule.get_last_lr() == [1.0]
    assert accelerator.scaler.get_scale() == scale / 2
    optimizer.zero_grad()
    accelerator.backward(model(ones(1, 1)).sum())
    optimizer.step()
    assert not accelerator.optimizer_step_was_skipped
    assert weight.tolist() != before


def folder_of_all():
    """One temporary folder for all ranks."""
    names = [tempfile.mkdtemp()]
    dist.broadcast_object_list(names)
    return Path(names[0])


def a_run(rank):
    """An accelerator with everything that has a state, dropout included."""
    accelerator = Accelerator(cpu=True, mixed_precision="fp16", gradient_accumulation_steps=2)
    manual_seed(rank)
    random.seed(rank)
    numpy.random.seed(rank)
    model = Sequential(Linear(2, 8), Dropout(0.5), Linear(8, 1))
    optimizer = Adam(model.parameters(), lr=1e-2)
    loader = DataLoader(samples(30), batch_size=2, shuffle=True)
    return accelerator, accelerator.prepare(
        model, optimizer, loader, StepLR(optimizer, 3, gamma=0.5)
    )


def go_on(accelerator, model, optimizer, loader, schedule, stop=None):
    """Train to the end of a pass, or for some steps; return what shows where all streams stand."""
    shown = []
    for number, (x, y) in enumerate(loader, 1):
        with accelerator.accumulate(model):
            loss = MSELoss()(model(x), y)
            accelerator.backward(loss)
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
        shown += [loss.item(), random.random(), numpy.random.random(), rand(1).item()]
        if number == stop:
            break
    return shown + weights(accelerator, model) + schedule.get_last_lr()


def case_a_loaded_state_goes_on_as_if_never_stopped(rank, size):
    folder = folder_of_all()
    accelerator, prepared = a_run(rank)
    go_on(accelerator, *prepared)
    iterator_broken_after = 3  # in the middle of a pass and of an accumulation
    for number, (x, y) in enumerate(prepared[2], 1):
        with accelerator.accumulate(prepared[0]):
            accelerator.backward(MSELoss()(prepared[0](x), y))
            prepared[1].step()
            prepared[1].zero_grad()
        if number == iterator_broken_after - 1:
            accelerator.save_state(folder)
            break
    accelerator.load_state(folder)
    unbroken = go_on(accelerator, *prepared) + go_on(accelerator, *prepared)
    other, fresh = a_run(rank + 50)
    other.load_state(folder)
    assert go_on(other, *fresh) + go_on(other, *fresh) == unbroken
    assert not list(folder.glob(".*")), "no temporary file is left"


def case_a_state_that_does_not_fit_changes_nothing(rank, size):
    folder = folder_of_all()
    accelerator = Accelerator(cpu=True)
    model = network()
    accelerator.prepare(model, SGD(model.parameters(), lr=0.1))
    accelerator.save_state(folder)
    for net, message in (
        (Linear(2, 4), "0.weight"),
        (Sequential(Linear(2, 4), ReLU(), Linear(4, 2)), "2.weight"),
    ):
        other = Accelerator(cpu=True)
        net = other.prepare(net, SGD(net.parameters(), lr=0.1))[0]
        before = weights(other, net)
        raises(RuntimeError, message, other.load_state, folder)
        assert weights(other, net) == before
    less = Accelerator(cpu=True)
    less.prepare(network())
    raises(ValueError, "1 optimizers, prepared are 0", less.load_state, folder)
    raises(FileNotFoundError, "nowhere", less.load_state, folder / "nowhere")


def case_what_rank_0_cannot_write_is_an_error_everywhere(rank, size):
    folder = folder_of_all()
    (folder / "file").touch()
    accelerator = Accelerator(cpu=True)
    model = accelerator.prepare(network())
    kind = NotADirectoryError if rank == 0 else RuntimeError
    raises(kind, "", accelerator.save_state, folder / "file" / "below")
    expect(accelerator.reduce(tensor(1.0)), float(size))
    assert model is not None


class Counting(GeneralTracker):
    """Keeps what it is told."""

    name = "counting"

    def __init__(self):
        self.lines = []

    def log(self, values, step=None):
        """Keep one line."""
        self.lines.append((step, values))


def case_trackers_hear_of_rank_0_alone(rank, size):
    folder = folder_of_all()
    tracker = Counting()
    accelerator = Accelerator(cpu=True, log_with=["jsonl", tracker], project_dir=folder)
    accelerator.init_trackers("run", {"lr": 0.5})
    accelerator.log({"loss": tensor(1.5)}, step=3)
    accelerator.end_training()
    accelerator.wait_for_everyone()
    assert len(tracker.lines) == (rank == 0)
    lines = (folder / "run.jsonl").read_text().splitlines()
    assert lines == ['{"config": {"lr": 0.5}}', '{"step": 3, "loss": 1.5}']
    assert accelerator.get_tracker("counting") is tracker
    raises(ValueError, "there is no tracker 'wandb'", accelerator.get_tracker, "wandb")


def case_who_is_who(rank, size):
    accelerator = Accelerator(cpu=True)
    assert (accelerator.process_index, accelerator.num_processes) == (rank, size)
    assert accelerator.local_process_index == rank
    assert accelerator.device.type == "cpu"
    for flag, expected in (
        (accelerator.is_main_process, rank == 0),
        (accelerator.is_local_main_process, rank == 0),
        (accelerator.is_last_process, rank == size - 1),
    ):
        assert bool(flag) is flag() is expected
    assert accelerator.on_main_process(lambda: 1)() == (1 if rank == 0 else None)


def case_the_main_process_goes_first(rank, size):
    accelerator = Accelerator(cpu=True)
    folder = folder_of_all()
    with accelerator.main_process_first():
        assert (folder / "there").exists() is (rank > 0)
        (folder / "there").touch()


class Stream(IterableDataset):
    """0.0, 1.0, 2.0."""

    def __iter__(self):
        return iter([0.0, 1.0, 2.0])


def case_what_cannot_be_prepared_is_named(rank, size):
    accelerator = Accelerator(cpu=True)
    raises(TypeError, "schedulers, got NoneType", accelerator.prepare, None)
    sampler = dist.DistributedSampler(range(4))
    dealt = DataLoader(range(4), sampler=sampler)
    raises(ValueError, "give it the loader without one", accelerator.prepare, dealt)
    raises(TypeError, "[backward] expected the loss", accelerator.backward, 1.0)
    raises(ValueError, "needs state_dict()", accelerator.register_for_checkpointing, 3)
    if size > 1:
        raises(ValueError, "a stream has no", accelerator.prepare, DataLoader(Stream()))
        single = DataLoader(range(4), batch_size=None)
        raises(ValueError, "batch_size=None has no", accelerator.prepare, single)
    else:
        loader = accelerator.prepare(DataLoader(Stream(), batch_size=2))
        ends = [(batch.tolist(), loader.is_last) for batch in loader]
        assert ends == [([0.0, 1.0], False), ([2.0], True)], ends


def case_prepared_things_are_prepared_once_and_frozen_models_stay_alone(rank, size):
    accelerator = Accelerator(cpu=True)
    model = network()
    model, optimizer = accelerator.prepare(model, SGD(model.parameters(), lr=0.1))
    assert accelerator.prepare(model) is model and accelerator.prepare(optimizer) is optimizer
    frozen = network().requires_grad_(False)
    assert accelerator.prepare(frozen) is frozen
    assert (accelerator.unwrap_model(model) is model) is (size == 1)
    zeros(1)


if __name__ == "__main__":
    run_all(globals())
