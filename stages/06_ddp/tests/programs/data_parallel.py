"""DistributedDataParallel on one to four ranks, started by test_rank_programs.py."""

import gc
import os
import weakref
from dataclasses import dataclass
from itertools import product
from unittest.mock import patch

from cases import expect, raises, run_all

import norch_ddp as dist
from norch_autograd import (
    enable_grad,
    full_like,
    manual_seed,
    no_grad,
    ones,
    tensor,
    zeros,
)
from norch_ddp.data_parallel import buckets
from norch_ddp.transports import work
from norch_ddp.transports.mpi import MpiTransport
from norch_ddp.transports.slots import Slots
from norch_nn import (
    BatchNorm1d,
    CrossEntropyLoss,
    Linear,
    Module,
    MSELoss,
    Parameter,
    ReLU,
    Sequential,
)
from norch_nn.optim import SGD, Adam

DDP = dist.DistributedDataParallel


class Weights(Module):
    """Some vectors of length 2; forward adds the named ones up, times x."""

    def __init__(self, count=2, seed=0.0):
        super().__init__()
        for i in range(count):
            setattr(self, f"w{i}", Parameter(tensor([seed + i, seed + i + 10])))
        self.register_buffer("steps", tensor([seed]))

    def forward(self, x, *names):
        """Sum over the names (all when none is given)."""
        chosen = names or [name for name, _ in self.named_parameters()]
        return sum((getattr(self, name) * x for name in chosen), zeros(2)).sum()


def gradient(parameter):
    """The gradient as a list, None when there is none."""
    return None if parameter.grad is None else parameter.grad.tolist()


def mean_of_ranks(size):
    """The mean of rank + 1 over the ranks: what every test's gradients come to."""
    return (size + 1) / 2


def case_start_equal_to_rank_0(rank, size):
    model = DDP(Weights(seed=float(rank)))
    expect(model.module.w0, [0.0, 10.0])
    expect(model.module.steps, [0.0])


def case_pytorchs_other_arguments_change_nothing(rank, size):
    options = {"gradient_as_bucket_view": True, "static_graph": True}
    model = DDP(Weights(), device_ids=[0], output_device=0, **options)
    model(rank + 1.0).backward()
    expect(model.module.w0.grad, [mean_of_ranks(size)] * 2)


def case_gradients_land_and_are_averaged_once(rank, size):
    model = DDP(Weights())
    model(rank + 1.0).backward()
    for parameter in model.parameters():
        expect(parameter.grad, [mean_of_ranks(size)] * 2)


@dataclass
class Answer:
    """An output with names, as many models return one."""

    loss: object
    others: tuple = ()


class Returns(Module):
    """A module whose output is of some other form."""

    def __init__(self, form):
        super().__init__()
        self.inner, self.form = Weights(1), form

    def forward(self, x):
        return self.form(self.inner(x))


def case_a_wrapper_dropped_before_backward_still_averages(rank, size):
    """Whatever its output is made of."""
    for form, loss in (
        (lambda y: y, lambda output: output),
        (lambda y: (1, [y]), lambda output: output[1][0]),
        (lambda y: {"loss": y}, lambda output: output["loss"]),
        (Answer, lambda output: output.loss),
        (lambda y: Answer(None, (Answer(y),)), lambda output: output.others[0].loss),
    ):
        module = Returns(form)
        loss(DDP(module)(rank + 1.0)).backward()
        expect(module.inner.w0.grad, [mean_of_ranks(size)] * 2)


def case_the_start_costs_as_much_for_many_parameters_as_for_few(rank, size):
    """Messages pay a latency each, which grows with the number of ranks."""
    counts = []
    for parameters in (2, 50):
        with (
            patch.object(MpiTransport, "broadcast", autospec=True) as sent,
            patch.object(Slots, "start", autospec=True, side_effect=Slots.start) as stated,
        ):
            sent.side_effect = lambda *_: work.DONE
            DDP(Weights(parameters))
        counts.append((sent.call_count, stated.call_count))
    assert counts[0] == counts[1], counts
    assert counts[0][0] <= 1 and counts[0][1] <= 4, counts  # no broadcast by MPI between GPUs


def case_a_parameter_used_twice_is_reduced_once(rank, size):
    model = DDP(Weights(1))
    (model(rank + 1.0, "w0", "w0") + model(rank + 1.0)).backward()
    expect(model.module.w0.grad, [3 * mean_of_ranks(size)] * 2)


def case_gradients_accumulate_over_backwards(rank, size):
    model = DDP(Weights())
    for _ in range(3):
        model(rank + 1.0).backward()
    expect(model.module.w1.grad, [3 * mean_of_ranks(size)] * 2)
    model.zero_grad()
    model(2.0).backward()
    expect(model.module.w1.grad, [2.0, 2.0])


def case_no_sync_accumulates_locally_then_averages_the_sum(rank, size):
    model = DDP(Weights())
    with model.no_sync():
        model(rank + 1.0).backward()
        expect(model.module.w0.grad, [rank + 1.0] * 2)
    model(rank + 1.0).backward()
    expect(model.module.w0.grad, [2 * mean_of_ranks(size)] * 2)


def case_the_switch_of_no_sync_can_be_set_by_hand(rank, size):
    model = DDP(Weights())
    for step in range(2):
        model.require_backward_grad_sync = step == 1
        model(rank + 1.0).backward()
    expect(model.module.w0.grad, [2 * mean_of_ranks(size)] * 2)


def case_no_sync_ends_with_an_error_too(rank, size):
    model = DDP(Weights())
    try:
        with model.no_sync():
            raise KeyError
    except KeyError:
        pass
    assert model.require_backward_grad_sync


def case_any_number_of_buckets_gives_the_same(rank, size):
    for cap in (25, 1e-6, 3 * 8 / 2**20):
        model = DDP(Weights(7), bucket_cap_mb=cap)
        model(rank + 1.0).backward()
        for parameter in model.parameters():
            expect(parameter.grad, [mean_of_ranks(size)] * 2)


def case_dtypes_travel_in_buckets_of_their_own(rank, size):
    class Mixed(Module):
        def __init__(self):
            super().__init__()
            self.a = Parameter(ones(3))
            self.b = Parameter(ones(3).double())
            self.c = Parameter(ones(3))

        def forward(self, x):
            return ((self.a + self.c) * x).sum().double() + (self.b * x).sum()

    model = DDP(Mixed())
    model(rank + 1.0).backward()
    for parameter in model.parameters():
        assert parameter.grad.dtype is parameter.dtype
        expect(parameter.grad, [mean_of_ranks(size)] * 3)


def case_buckets_leave_while_backward_still_runs(rank, size):
    model = DDP(Weights(3), bucket_cap_mb=1e-6)
    left = []
    model.module.w1.register_post_accumulate_grad_hook(
        lambda leaf: left.extend(bucket.work is not None for bucket in model._reducer._buckets)
    )
    model(1.0).backward()
    assert left == [True, True, False], "w2 and w1 are on their way before w0 has a gradient"


def case_buckets_are_dealt_out_as_gradients_came_on_rank_0(rank, size):
    """After the first backward, which guesses; also where another rank's came otherwise."""
    if size == 1:
        return
    for cap in (1e-6, 1):
        model = DDP(Weights(3), bucket_cap_mb=cap)
        came = noting(model.module)
        names = ["w1", "w0", "w2"]
        for step in range(3):
            model(rank + 1.0, *(names[::-1] if rank else names)).backward()
            for parameter in model.parameters():
                expect(parameter.grad, [mean_of_ranks(size) * (step + 1)] * 2)
        dealt = [name for bucket in model._reducer._buckets for name, _ in bucket.named]
        if rank == 0:
            assert dealt == came[:3] != ["w2", "w1", "w0"], (dealt, came)
        sent = [None] * size
        dist.all_gather_object(sent, dealt)
        assert sent == [dealt] * size


def noting(module):
    """Return a list that gets the name of each parameter whose gradient comes."""
    came = []
    for name, leaf in module.named_parameters():
        leaf.register_post_accumulate_grad_hook(lambda _, name=name: came.append(name))
    return came


def case_gradients_added_up_before_buckets_are_dealt_out_anew(rank, size):
    """Those of `no_sync` are averaged, though this step gives them nothing more."""
    model = DDP(Weights(3), find_unused_parameters=True, bucket_cap_mb=1e-6)
    model(1.0, "w0", "w1").backward()
    model.zero_grad()
    with model.no_sync():
        model(rank + 1.0, "w2").backward()
    model(1.0, "w0").backward()
    expect(model.module.w2.grad, [mean_of_ranks(size)] * 2)
    assert gradient(model.module.w1) is None


def case_ranks_may_finish_gradients_in_any_order(rank, size):
    model = DDP(Weights(3), bucket_cap_mb=1e-6)
    names = ["w0", "w1", "w2"]
    model(rank + 1.0, *(names if rank % 2 else names[::-1])).backward()
    for parameter in model.parameters():
        expect(parameter.grad, [mean_of_ranks(size)] * 2)


def case_an_unused_parameter_is_named_not_waited_for(rank, size):
    model = DDP(Weights(3))
    text = f"no gradient for w1 (on {size} of {size} ranks): pass find_unused_parameters=True"
    raises(RuntimeError, text, model(1.0, "w0", "w2").backward)
    model.zero_grad()
    model(rank + 1.0).backward()  # and the next step works
    expect(model.module.w1.grad, [mean_of_ranks(size)] * 2)


def case_a_parameter_used_on_one_rank_only_is_named_everywhere(rank, size):
    model = DDP(Weights(2), bucket_cap_mb=1e-6)
    if size > 1:
        names = ("w0", "w1") if rank == 0 else ("w0",)
        text = f"w1 (on {size - 1} of {size} ranks)"
        raises(RuntimeError, text, model(1.0, *names).backward)


def case_find_unused_parameters_averages_what_there_is(rank, size):
    for option, cap in product(("find_unused_parameters", "static_graph"), (25, 1e-6)):
        model = DDP(Weights(3), bucket_cap_mb=cap, **{option: True})
        model(float(size), *(("w0", "w1") if rank == 0 else ("w0",))).backward()
        expect(model.module.w0.grad, [size, size])
        expect(model.module.w1.grad, [1.0, 1.0])
        assert model.module.w2.grad is None


def case_what_no_sync_left_is_averaged_though_the_last_backward_does_not_use_it(rank, size):
    for unused in (True, False):
        model = DDP(Weights(2), find_unused_parameters=unused, bucket_cap_mb=1e-6)
        with model.no_sync():
            model(rank + 1.0, "w0", "w1").backward()
        model(rank + 1.0, "w0").backward()
        expect(model.module.w0.grad, [2 * mean_of_ranks(size)] * 2)
        expect(model.module.w1.grad, [mean_of_ranks(size)] * 2)


def case_what_one_rank_alone_accumulated_is_averaged(rank, size):
    model = DDP(Weights(2), find_unused_parameters=True)
    with model.no_sync():
        model(float(size), *(("w0", "w1") if rank == 0 else ("w0",))).backward()
    model(0.0, "w0").backward()
    expect(model.module.w0.grad, [size, size])
    expect(model.module.w1.grad, [1.0, 1.0])


def case_a_mean_that_only_some_ranks_add_to_is_kept(rank, size):
    model = DDP(Weights(2), find_unused_parameters=True)
    model(3.0).backward()
    model(float(size), *(("w0", "w1") if rank == 0 else ("w0",))).backward()
    expect(model.module.w1.grad, [4.0, 4.0])
    model(1.0, "w0").backward()  # nobody uses w1 now: it keeps what it has
    expect(model.module.w1.grad, [4.0, 4.0])


def case_zero_grad_forgets_what_no_sync_accumulated(rank, size):
    model = DDP(Weights(2), find_unused_parameters=True)
    with model.no_sync():
        model(1.0).backward()
    model.zero_grad()
    model(rank + 1.0, "w0").backward()
    expect(model.module.w0.grad, [mean_of_ranks(size)] * 2)
    assert model.module.w1.grad is None


def case_frozen_parameters_stay_out(rank, size):
    module = Weights(2)
    module.w0.requires_grad_(False)
    model = DDP(module)
    model(rank + 1.0).backward()
    assert model.module.w0.grad is None
    expect(model.module.w1.grad, [mean_of_ranks(size)] * 2)


def case_parameters_that_came_to_train_later_are_refused_by_name(rank, size):
    module = Weights(3)
    module.w1.requires_grad_(False)
    model = DDP(module)
    model(1.0).backward()
    if rank == 0:
        module.w1.requires_grad_(True)
        module.w2 = Parameter(zeros(2))
        raises(RuntimeError, "w1, w2 would not be averaged", model, 1.0)
    elif size > 1:
        raises(RuntimeError, "rank 0: DistributedDataParallel.forward refused", model, 1.0)
    with no_grad():
        model(1.0)  # nothing is averaged, nothing to refuse


def case_buffers_follow_rank_0_in_training_only(rank, size):
    model = DDP(Weights())
    model.module.steps.fill_(rank + 5.0)
    with no_grad():
        model(1.0)
    expect(model.module.steps, [rank + 5.0])
    model(1.0)
    expect(model.module.steps, [5.0])
    apart = DDP(Weights(), broadcast_buffers=False)
    apart.module.steps.fill_(rank + 5.0)
    apart(1.0)
    expect(apart.module.steps, [rank + 5.0])


def case_buffers_of_one_dtype_travel_in_one_message(rank, size):
    module = Sequential(*[BatchNorm1d(3) for _ in range(5)])
    module.register_buffer("empty", zeros(0, 3))
    module.register_buffer("strided", zeros(2, 3).T)
    for layer in module:
        layer.momentum = 0.0  # the model itself moves nothing but the counts
    model = DDP(module)
    for number, buffer in enumerate(module.buffers()):
        buffer.fill_(50.0 * rank + number)
    start, sent = work.Work.__init__, []

    def watched(work, request, what, *rest):
        sent.append(what)
        start(work, request, what, *rest)

    with patch.object(work.Work, "__init__", watched):
        model(zeros(2, 3))
    assert sent.count("broadcast_buffers") == 2, f"float32 and int64, not {sent}"
    for number, buffer in enumerate(module.buffers()):
        expect(buffer, full_like(buffer, number + (buffer.ndim == 0)))


def case_buffers_that_came_to_differ_are_an_error_on_every_rank(rank, size):
    model = DDP(Weights())
    model.module.steps = zeros(3 if rank == size - 1 else 1)
    if size > 1:
        raises(RuntimeError, f"rank {size - 1}: DistributedDataParallel.forward", model, 1.0)
    expect(model.module.steps, [0.0] * (3 if rank == size - 1 else 1))


def case_evaluation_on_one_rank_waits_for_nobody(rank, size):
    model = DDP(Weights())
    if rank == 0:
        with no_grad():
            assert model(1.0).item() == 22.0
        model.eval()
        assert model(1.0).item() == 22.0


def case_state_dict_keys_start_with_module(rank, size):
    model = DDP(Weights())
    assert list(model.state_dict()) == ["module.w0", "module.w1", "module.steps"]
    assert list(model.module.state_dict()) == ["w0", "w1", "steps"]
    model.load_state_dict(model.state_dict())


def case_a_wrapper_is_freed_without_the_cycle_collector(rank, size):
    gc.disable()
    module = Weights()
    model = DDP(module)
    model(1.0).backward()
    wrapper, reducer = weakref.ref(model), weakref.ref(model._reducer)
    del model
    assert wrapper() is None and reducer() is None
    module.zero_grad()
    module(rank + 1.0).backward()
    expect(module.w0.grad, [rank + 1.0] * 2)
    model_gone, parameter_gone = weakref.ref(module), weakref.ref(module.w0)
    del module
    assert model_gone() is None and parameter_gone() is None
    gc.enable()


def case_models_that_differ_are_named(rank, size):
    raises(TypeError, "expected a Module, got int", DDP, 3)
    raises(ValueError, "bucket_cap_mb 0 must be > 0", DDP, Weights(), bucket_cap_mb=0)
    raises(ValueError, "must name one device", DDP, Weights(), device_ids=[0, 1])
    raises(RuntimeError, "nothing to average", DDP, Weights(0))
    if size == 1:
        return
    odd = rank == size - 1
    raises(RuntimeError, "parameters and buffers", DDP, Weights(3 if odd else 2))
    raises(RuntimeError, "weight float32 (1, 2), trained", DDP, Linear(2, 3 if odd else 1))


def case_uneven_batches_are_an_error_not_a_hang(rank, size):
    if size == 1:
        return
    model = DDP(Weights())
    if rank == 0:
        raises(RuntimeError, "rank 1: barrier", model, 1.0)
    else:
        raises(RuntimeError, "rank 0: DistributedDataParallel.forward", dist.barrier)


def case_a_failed_backward_does_not_spoil_the_next(rank, size):
    model = DDP(Weights(3), bucket_cap_mb=1e-6)

    def fail(grad):
        raise KeyError("hook")

    handle = model.module.w0.register_hook(fail)
    raises(KeyError, "hook", model(1.0).backward)
    handle.remove()
    model.zero_grad()
    model(rank + 1.0).backward()
    for parameter in model.parameters():
        expect(parameter.grad, [mean_of_ranks(size)] * 2)


lone_gradients_are_large = patch.object(buckets, "LARGE_BYTES", 1)


@lone_gradients_are_large
def case_a_large_gradient_travels_from_where_it_lies(rank, size):
    if zeros(1).device.type != "cpu":
        return
    model = DDP(Weights(2), bucket_cap_mb=1e-6)
    made = []

    def look(leaf):
        bucket = next(b for b in model._reducer._buckets if b.named[0][1] is leaf)
        made.append(bucket.flat.array.shares_storage(leaf.grad.array))

    for parameter in model.parameters():
        parameter.register_post_accumulate_grad_hook(look)
    for step in range(3):  # the gradient is new, then added to, then new again
        if step != 1:
            model.zero_grad()
        model(rank + 1.0).backward()
        times = 2 if step == 1 else 1
        for parameter in model.parameters():
            expect(parameter.grad, [times * mean_of_ranks(size)] * 2)
    assert made == [True, True, False, False, True, True], made
    kept = model.module.w0.grad
    model.zero_grad()
    model(rank + 3.0).backward()
    expect(kept, [mean_of_ranks(size)] * 2)


@lone_gradients_are_large
def case_a_failed_backward_takes_back_large_gradients(rank, size):
    model = DDP(Weights(3), bucket_cap_mb=1e-6)

    def fail(grad):
        raise KeyError("hook")

    for before in (None, [mean_of_ranks(size)] * 2):
        handle = model.module.w0.register_hook(fail)
        raises(KeyError, "hook", model(5.0).backward)
        handle.remove()
        model(1.0)  # waits for what was under way
        assert [gradient(parameter) for parameter in model.parameters()] == [before] * 3
        model.zero_grad()
        model(rank + 1.0).backward()
    for parameter in model.parameters():
        expect(parameter.grad, [mean_of_ranks(size)] * 2)


@lone_gradients_are_large
def case_a_large_gradient_that_one_rank_lacks(rank, size):
    model = DDP(Weights(2), find_unused_parameters=True, bucket_cap_mb=1e-6)
    names = ["w0"] if rank == 0 else ["w0", "w1"]
    model(1.0, *names).backward()
    expect(model.module.w0.grad, [1.0, 1.0])
    share = None if size == 1 else (tensor([size - 1.0] * 2) / size).tolist()
    assert gradient(model.module.w1) == share
    model(1.0, "w0").backward()  # w1 keeps its gradient: no rank used it
    expect(model.module.w0.grad, [2.0, 2.0])
    assert gradient(model.module.w1) == share


def case_a_gradient_set_twice_in_one_backward_is_refused(rank, size):
    model = DDP(Weights(2), bucket_cap_mb=1e-6)

    def again(leaf):
        with enable_grad():
            (model.module.w1 * 5.0).sum().backward()

    handle = model.module.w0.register_post_accumulate_grad_hook(again)
    text = "the gradient of w1 changed after it had been sent"
    raises(RuntimeError, text, model(1.0).backward)
    handle.remove()
    assert gradient(model.module.w0) is None, "a failed backward leaves .grad as it was"
    model(rank + 1.0).backward()
    expect(model.module.w1.grad, [mean_of_ranks(size)] * 2)


def train(model, optimizer_class, inputs, targets, loss, steps, **options):
    """A few steps on one batch; returns all parameters, one after the other."""
    optimizer = optimizer_class(model.parameters(), **options)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(model(inputs), targets).backward()
        optimizer.step()
    return [value for p in model.parameters() for value in p.detach().reshape(-1).tolist()]


def case_ranks_together_train_like_one_process(rank, size):
    def make():
        manual_seed(3)
        return Sequential(Linear(5, 8), ReLU(), Linear(8, 3))

    manual_seed(4)
    inputs = tensor([[float((7 * i + 3 * j) % 11) - 5 for j in range(5)] for i in range(12)])
    classes = tensor([i % 3 for i in range(12)])
    for loss, targets in ((CrossEntropyLoss(), classes), (MSELoss(), inputs[:, :3])):
        for optimizer, options in ((SGD, {"lr": 0.05, "momentum": 0.9}), (Adam, {"lr": 0.01})):
            whole = train(make(), optimizer, inputs, targets, loss, 5, **options)
            parts = (inputs[rank::size], targets[rank::size])
            shared = train(DDP(make()), optimizer, *parts, loss, 5, **options)
            worst = max(abs(a - b) for a, b in zip(whole, shared, strict=True))
            assert worst < 1e-6, worst


if __name__ == "__main__":
    if os.environ.get("WORLD_SIZE") == "4":  # all cases, with gradients that stay in place
        buckets.LARGE_BYTES = 1
    run_all(globals())
