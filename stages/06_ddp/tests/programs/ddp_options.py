"""What DDP takes beside a module, on one to four ranks, started by test_ddp_options.py."""

from cases import expect, raises, run_all

import norch_ddp as dist
from norch_autograd import bfloat16, float64, manual_seed, randn, tensor, zeros_like
from norch_ddp import comm_hooks
from norch_nn import BatchNorm1d, BatchNorm2d, Linear, MSELoss, Sequential, Tanh

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


def step_again(model, part, size):
    model.zero_grad()
    model(part).pow(2).mean().backward()
    close(grads(model), expected_gradients(size))


def case_powersgd_loses_nothing_over_time(rank, size):
    """With constant gradients the mean over steps comes near them: the error is fed back."""
    state = comm_hooks.PowerSGDState(None, 2, 0)
    wanted = expected_gradients(size)
    _, once = hooked(rank, size, state, comm_hooks.powerSGD_hook)
    state = comm_hooks.PowerSGDState(None, 2, 0)
    _, often = hooked(rank, size, state, comm_hooks.powerSGD_hook, steps=20)

    def off(found):
        return sum((a - b).norm().item() for a, b in zip(found, wanted, strict=True))

    assert off(often) < 0.2 * off(once) or off(once) < 1e-5, (off(often), off(once))
    close([once[1], once[3]], [wanted[1], wanted[3]])  # biases travel whole
    assert state.errors, "no gradient was sent as two matrices"
    state = comm_hooks.PowerSGDState(None, 2, 3)
    _, whole = hooked(rank, size, state, comm_hooks.powerSGD_hook, steps=3)
    close(whole, wanted)
    assert not state.errors and state.iter == 3


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
