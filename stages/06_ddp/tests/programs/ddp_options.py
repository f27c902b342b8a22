"""What DDP takes beside a module, on one to four ranks, started by test_rank_programs.py."""

from cases import expect, raises, run_all

import norch_ddp as dist
from norch_autograd import (
    bfloat16,
    float64,
    full_like,
    manual_seed,
    ones,
    randn,
    tensor,
    zeros_like,
)
from norch_ddp.data_parallel import comm_hooks
from norch_ddp.transports.traffic import count_traffic
from norch_nn import BatchNorm1d, BatchNorm2d, Linear, Module, MSELoss, Sequential, Tanh
from norch_nn.optim import SGD

DDP = dist.DistributedDataParallel


def network(seed=0):
    manual_seed(seed)
    return Sequential(Linear(6, 20), Tanh(), Linear(20, 3))


def shares(size, rows=2, width=6):
    """One batch for all ranks, the same everywhere; rank r has rows of its own number."""
    manual_seed(5)
    whole = randn(size * rows, width)
    return whole, list(whole.chunk(size))


def grads(model):
    return [p.grad.clone() for p in model.parameters()]


def close(found, expected, tolerance=1e-5):
    for a, b in zip(found, expected, strict=True):
        assert (a - b).abs().max().item() < tolerance, f"{a} instead of {b}"


def case_a_group_of_some_ranks_trains_alone(rank, size):
    """Even and odd ranks: two models, each with the gradients of its own half."""
    if size < 4:
        return
    mine, _ = dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])
    model = DDP(network(seed=rank), process_group=mine)
    first = [zeros_like(p) for _ in range(2) for p in [model.module[0].weight.detach()]]
    dist.all_gather(first, model.module[0].weight.detach(), group=mine)
    close(first[:1], first[1:], 1e-9)
    x = tensor([[float(rank)] * 6])
    model(x).sum().backward()
    alone = network(seed=rank % 2)
    alone(tensor([[float(rank % 2)] * 6, [float(rank % 2 + 2)] * 6])).sum().backward()
    close(grads(model), [grad / 2 for grad in grads(alone)])
    other = dist.new_group([1])
    if rank == 0:
        raises(ValueError, "not in the process_group", DDP, network(), process_group=other)


def hooked(rank, size, state, hook, steps=1):
    _, parts = shares(size)
    model = DDP(network(), bucket_cap_mb=1e-4)
    model.register_comm_hook(state, hook)
    total = None
    for _ in range(steps):
        model.zero_grad()
        model(parts[rank]).pow(2).mean().backward()
        now = grads(model)
        total = now if total is None else [a + b for a, b in zip(total, now, strict=True)]
    return model, [t / steps for t in total]


def expected_gradients(size):
    model = network()
    model(shares(size)[0]).pow(2).mean().backward()
    return grads(model)


def case_a_hook_averages(rank, size):
    model, found = hooked(rank, size, None, comm_hooks.allreduce_hook)
    close(found, expected_gradients(size))
    raises(ValueError, "registered once", model.register_comm_hook, None, print)
    raises(TypeError, "hook(state, bucket)", model.register_comm_hook, None, 3)


def case_hooks_round_to_half_types(rank, size):
    wanted = expected_gradients(size)
    for hook in (comm_hooks.bf16_compress_hook, comm_hooks.fp16_compress_hook):
        _, found = hooked(rank, size, None, hook)
        close(found, wanted, 0.01)
    exact = [grad.to(bfloat16).to(grad.dtype) for grad in wanted]
    if size == 1:
        close(hooked(rank, size, None, comm_hooks.bf16_compress_hook)[1], exact, 1e-9)


def case_half_types_travel_in_two_bytes(rank, size):
    """As many bytes as an all_reduce of two-byte numbers: half of what float32 takes."""
    numbers = sum(p.numel() for p in network().parameters())
    whole = 2 * (size - 1) * 4 * numbers // size
    for hook in (comm_hooks.bf16_compress_hook, comm_hooks.fp16_compress_hook):
        model = DDP(network(), bucket_cap_mb=25)
        model.register_comm_hook(None, hook)
        loss = model(shares(size)[1][rank]).pow(2).mean()
        with count_traffic() as sent:
            loss.backward()
        counts = sent.pop("all_reduce", 0)  # of the gradients' flags: one number a parameter
        padding = 2 * 2 * size
        assert counts <= 2 * 4 * 4, sent
        assert abs(sent.total() - whole / 2) <= padding, (sent, whole)


def case_a_hook_of_the_user(rank, size):
    """PyTorch's idiom, and what a bucket tells."""
    seen = []

    def hook(state, bucket):
        seen.append((bucket.index(), bucket.is_last(), len(bucket.gradients())))
        pairs = zip(bucket.parameters(), bucket.gradients(), strict=True)
        assert all(parameter.shape == grad.shape for parameter, grad in pairs)
        bucket.set_buffer(bucket.buffer() / state)
        tensor = bucket.buffer()
        return dist.all_reduce(tensor, async_op=True).get_future().then(lambda f: f.value()[0])

    _, found = hooked(rank, size, size, hook)
    close(found, expected_gradients(size))
    assert [number for number, _, _ in seen] == list(range(len(seen)))
    assert [last for _, last, _ in seen] == [False] * (len(seen) - 1) + [True]
    assert sum(count for _, _, count in seen) == 4


def case_a_step_that_failed_waits_for_its_buckets(rank, size):
    """Sums of the failed step arrive before its buckets are filled again."""
    failures = [RuntimeError("of the user's hook")]

    def hook(state, bucket):
        if bucket.index() == 1 and failures:
            raise failures.pop()
        return comm_hooks.allreduce_hook(None, bucket)

    _, parts = shares(size)
    model = DDP(network(), bucket_cap_mb=1e-4)
    model.register_comm_hook(None, hook)
    raises(RuntimeError, "user's hook", model(parts[rank]).pow(2).mean().backward)
    step_again(model, parts[rank], size)


def case_a_step_that_waited_too_long_waits_for_its_buckets(rank, size):
    if size == 1:
        return
    _, parts = shares(size)
    model = DDP(network(), bucket_cap_mb=1e-4)
    output = model(parts[rank])
    if rank == 0:
        model._reducer._group.seconds = 0.1
        raises(RuntimeError, "waited", output.pow(2).mean().backward)
        model._reducer._group.seconds = 60.0
        under_way = [bucket for bucket in model._reducer._buckets if bucket.work is not None]
        assert under_way, "forgotten, while MPI may still write there"
    dist.barrier()
    if rank > 0:
        output.pow(2).mean().backward()
    step_again(model, parts[rank], size)


class Watching(Sequential):
    """A network whose buffer counts the batches that it saw, and by which rank."""

    def __init__(self, seed):
        manual_seed(seed)
        super().__init__(Linear(6, 20), Tanh(), Linear(20, 3))
        self.register_buffer("seen", tensor([0.0]))

    def forward(self, x):
        self.seen.add_(1)
        return super().forward(x)


def uneven(rank, size, steps, **options):
    """Rank r trains on batches 0 to steps[r] of its own; return its model, inside DDP and out."""
    manual_seed(11)
    batches = randn(size, max(steps), 2, 6)
    model = DDP(Watching(seed=rank))
    optimizer = SGD(model.parameters(), lr=0.1)
    with model.join(**options):
        for batch in batches[rank][: steps[rank]]:
            optimizer.zero_grad()
            model(batch).pow(2).mean().backward()
            optimizer.step()
    return batches, model


def one_process(batches, steps, divide_by_all):
    """What PyTorch's documents say that `join` computes."""
    model = Watching(seed=0)
    optimizer = SGD(model.parameters(), lr=0.1)
    for step in range(max(steps)):
        active = [rank for rank, count in enumerate(steps) if step < count]
        optimizer.zero_grad()
        for rank in active:
            loss = model(batches[rank][step]).pow(2).mean()
            (loss / (len(steps) if divide_by_all else len(active))).backward()
        optimizer.step()
    return model


def case_ranks_with_fewer_batches_join(rank, size):
    """All numbers of batches, of the first rank too: it ends early, or last, or has none."""
    for steps in ([3, 1, 2, 0], [0, 4, 2, 2], [2, 2, 2, 2]):
        for by_all in (True, False):
            counts = steps[:size]
            batches, model = uneven(rank, size, counts, divide_by_initial_world_size=by_all)
            alone = one_process(batches, counts, by_all)
            close(model.parameters(), alone.parameters(), 1e-5)
            expect(model.module.seen, [float(max(counts))])
            model(batches[rank][0] if max(counts) else tensor([[0.0] * 6])).sum().backward()
            model.zero_grad()


def case_a_rank_without_batches_may_end_all(rank, size):
    if size == 1:
        uneven(rank, size, [1], throw_on_early_termination=True)
        return
    counts = [2] * (size - 1) + [1]
    text = f"rank {size - 1} has no more inputs"
    raises(RuntimeError, text, uneven, rank, size, counts, throw_on_early_termination=True)
    uneven(rank, size, [2] * size, throw_on_early_termination=True)
    uneven(rank, size, [2] * size, enable=False)


def case_ranks_join_between_accumulated_batches(rank, size):
    """A step is a backward that averages: what comes before it under no_sync travels nowhere."""
    manual_seed(11)
    batches = randn(size, 4, 2, 6)
    model = DDP(network(seed=rank))
    with model.join():
        for i in range(4 if rank == 0 else 2):
            if i % 2 == 0:
                with model.no_sync():
                    model(batches[rank][i]).pow(2).mean().backward()
            else:
                model(batches[rank][i]).pow(2).mean().backward()
    if rank == 0:
        close(grads(model), one_rank_further(network(), batches, size))


def one_rank_further(model, batches, size):
    """Means over all after two batches each, to which rank 0 adds two, divided again."""
    for who in range(size):
        for i in range(2):
            (model(batches[who][i]).pow(2).mean() / size).backward()
    for i in (2, 3):
        model(batches[0][i]).pow(2).mean().backward()
    return [p.grad / size for p in model.parameters()]


def case_a_rank_that_joins_knows_of_unused_parameters(rank, size):
    if size == 1:
        return
    model = DDP(TwoHeads(), find_unused_parameters=True)
    with model.join():
        for _ in range(2 if rank == 0 else 1):
            model.zero_grad()
            model(tensor([[1.0] * 6])).sum().backward()
    strict = DDP(TwoHeads())
    with_missing = "other.weight (on 1 of 1 ranks)"

    def train():
        with strict.join():
            for _ in range(1 if rank == 0 else 0):
                strict(tensor([[1.0] * 6])).sum().backward()

    raises(RuntimeError, with_missing, train)


class TwoHeads(Module):
    """One of its layers is never used."""

    def __init__(self):
        super().__init__()
        self.used, self.other = Linear(6, 2), Linear(6, 2)

    def forward(self, x):
        return self.used(x)


def case_a_hook_averages_over_all_who_joined(rank, size):
    """As in PyTorch, its mean is over all ranks, whatever is divided by without it."""
    if size == 1:
        return
    model = DDP(network())
    model.register_comm_hook(None, comm_hooks.allreduce_hook)
    x = shares(size)[1][0]
    with model.join(divide_by_initial_world_size=False):
        for _ in range(1 if rank == 0 else 0):
            model(x).pow(2).mean().backward()
    if rank == 0:
        alone = network()
        alone(x).pow(2).mean().backward()
        close(grads(model), [grad / size for grad in grads(alone)])


def case_a_large_gradient_joins(rank, size):
    """One with a bucket to itself is sent from where it lies; a rank that is done sends zeros."""
    if size == 1:
        return
    manual_seed(0)
    model = DDP(Linear(300, 300))
    with model.join():
        for i in range(1 + (rank == 0)):
            model.zero_grad()
            model(ones(1, 300)).sum().backward()
            part = 1.0 if i == 0 else 1.0 / size
            close([model.module.weight.grad], [full_like(model.module.weight.detach(), part)])


def step_again(model, part, size):
    model.zero_grad()
    model(part).pow(2).mean().backward()
    close(grads(model), expected_gradients(size))


def case_batch_statistics_of_all_ranks(rank, size):
    """Outputs, gradients and running statistics equal to one process on the joined batch."""
    for width, layer, shape in ((4, BatchNorm1d, ()), (4, BatchNorm2d, (3, 2))):
        manual_seed(9)
        whole = randn(2 * size, width, *shape, dtype=float64)
        weights = randn(2 * size, width, *shape, dtype=float64)
        joined = layer(width).double()
        x = whole.clone().requires_grad_()
        (joined(x) * weights).sum().backward()
        synced = dist.SyncBatchNorm.convert_sync_batchnorm(Sequential(layer(width).double()))
        mine = whole.chunk(size)[rank].clone().requires_grad_()
        out = synced(mine)
        (out * weights.chunk(size)[rank]).sum().backward()
        close([mine.grad], [x.grad.chunk(size)[rank]], 1e-9)
        for own, one in zip(synced[0].parameters(), joined.parameters(), strict=True):
            total = own.grad.clone()
            dist.all_reduce(total)
            close([total], [one.grad], 1e-9)
        close(list(synced[0].buffers()), list(joined.buffers()), 1e-9)
        close([synced.eval()(whole)], [joined.eval()(whole)], 1e-9)


def case_sync_batch_norm_trains_in_ddp(rank, size):
    manual_seed(3)
    model = Sequential(Linear(6, 8), BatchNorm1d(8), Tanh(), Linear(8, 2)).double()
    alone = Sequential(Linear(6, 8), BatchNorm1d(8), Tanh(), Linear(8, 2)).double()
    alone.load_state_dict(model.state_dict())
    model = DDP(dist.SyncBatchNorm.convert_sync_batchnorm(model))
    whole, parts = shares(size)
    MSELoss()(model(parts[rank].double()), tensor([[1.0, 0.0]] * 2).double()).backward()
    MSELoss()(alone(whole.double()), tensor([[1.0, 0.0]] * 2 * size).double()).backward()
    close(grads(model), grads(alone), 1e-9)
    assert "module.1.running_mean" in model.state_dict()


def case_a_converted_module_keeps_its_state(rank, size):
    layer = BatchNorm1d(3, eps=0.1, momentum=None)
    layer.weight.detach().fill_(2.0)
    synced = dist.SyncBatchNorm.convert_sync_batchnorm(layer.eval())
    assert (synced.eps, synced.momentum, synced.training) == (0.1, None, False)
    assert synced.weight is layer.weight and synced.running_var is layer.running_var
    expect(synced.weight.detach(), [2.0] * 3)


if __name__ == "__main__":
    run_all(globals())
