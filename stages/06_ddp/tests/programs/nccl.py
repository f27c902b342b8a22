"""What is special about NCCL, on a stand-in for it; started by test_nccl.py."""

import time
from unittest.mock import patch

import nccl_double
from cases import expect, numbers, raises, run_all
from launch_counts import counted

import norch_ddp as dist
from norch_autograd import bfloat16, bool as bool_, float16, ones, tensor, zeros
from norch_ddp.groups import process_group
from norch_ddp.groups.process_group import current_group
from norch_nn import BatchNorm1d, Linear, Sequential
from norch_nn.optim import SGD


def named_calls(function, *args, **kwargs):
    """What NCCL was asked for during a call."""
    nccl_double.calls.clear()
    function(*args, **kwargs)
    return list(nccl_double.calls)


def case_each_collective_is_one_call(rank, size):
    x, rows = numbers(3), [zeros(3) for _ in range(size)]
    mine = rows if rank == 0 else None
    for name, call, *args in [
        ("broadcast", dist.broadcast, x, 0),
        ("allReduce", dist.all_reduce, x),
        ("reduce", dist.reduce, x, 0),
        ("allGather", dist.all_gather, rows, x),
        ("allGather", dist.all_gather_into_tensor, zeros(3 * size), x),
        ("reduceScatter", dist.reduce_scatter, x, rows),
        ("reduceScatter", dist.reduce_scatter_tensor, x, zeros(3 * size)),
    ]:
        assert named_calls(call, *args) == [name], name
    sends, receives = ["send"], ["recv"]
    got = named_calls(dist.gather, x, mine, 0)
    assert got == sends + (receives * size if rank == 0 else []), got
    got = named_calls(dist.scatter, x, mine, 0)
    assert got == (sends * size if rank == 0 else []) + receives, got
    got = named_calls(dist.all_to_all, rows, [x] * size)
    assert got == (sends + receives) * size or got == sends * size + receives * size, got
    assert named_calls(dist.barrier) == []


def case_no_collective_and_no_step_waits_for_the_device(rank, size):
    x, rows = numbers(64, start=rank), [zeros(64) for _ in range(size)]
    mine = rows if rank == 0 else None
    model = dist.DistributedDataParallel(Sequential(Linear(64, 8), BatchNorm1d(8)))
    optimizer, inputs = SGD(model.parameters(), lr=0.1), numbers(4, 64)
    with counted("cuda-sim") as counts:
        dist.broadcast(x, 0)
        dist.all_reduce(x)
        dist.reduce(x, 0)
        dist.all_gather(rows, x)
        dist.gather(x, mine, 0)
        dist.scatter(x, mine, 0)
        dist.reduce_scatter(x, rows)
        dist.all_to_all(rows, [x] * size)
    assert counts.waits == counts.downloads == 0, counts
    with counted("cuda-sim") as counts:
        model(inputs).sum().backward()
        optimizer.step()
    assert counts.waits == 0, "neither gradients nor the counts of those who have one are read"
    assert model._reducer._buckets[0].flat.device.type == "cuda-sim"


def case_single_messages_go_through_the_host(rank, size):
    if size == 1:
        return
    x = numbers(3, start=rank)
    if rank == 0:
        assert named_calls(dist.send, x, 1, tag=3) == []
    elif rank == 1:
        assert named_calls(dist.recv, x, None, tag=3) == []
        expect(x, numbers(3))


def case_half_types_travel_as_they_are_and_means_do_not_overflow(rank, size):
    for dtype in (float16, bfloat16):
        x = (ones(4) * 40000.0).to(dtype)
        dist.all_reduce(x, "mean")
        if size != 3:  # a third is not exact
            expect(x, (ones(4) * 40000.0).to(dtype))
    layer = Linear(4, 1, bias=False).half()
    model = dist.DistributedDataParallel(layer)
    model(ones(1, 4).half() * 40000.0).sum().backward()
    expect(layer.weight.grad, (ones(1, 4) * 40000.0).half())


def case_bool_travels_as_bytes(rank, size):
    x = tensor([True, rank == 0, False]).to(bool_)
    dist.all_reduce(x, "max")
    expect(x, [True, True, False])
    rows = [zeros(3).to(bool_) for _ in range(size)]
    dist.all_gather(rows, x)
    expect(rows[-1], [True, True, False])


def case_tensors_on_the_host_go_by_mpi_beside(rank, size):
    on_host, on_gpu = zeros(2, device="cpu") + 1.0, ones(2)
    assert named_calls(dist.all_reduce, on_host) == []
    works = [dist.all_reduce(x, async_op=True) for x in (on_host, on_gpu)]
    for work in works:
        work.wait()
    expect(on_host, [float(size * size)] * 2)
    expect(on_gpu, [float(size)] * 2)
    rows = [zeros(2, device="cpu") for _ in range(size)]
    dist.all_gather(rows, on_gpu)  # what arrives may be kept elsewhere
    expect(rows[-1], on_gpu)


def case_ranks_on_different_devices_are_told(rank, size):
    if size > 1:
        x = ones(2, device="cpu" if rank == 0 else "cuda-sim")
        text = f"rank {size - 1}: all_reduce(sum) float32 (2,) between GPUs"
        raises(RuntimeError, text, dist.all_reduce, x)
        expect(x, [1.0, 1.0])
    mixed = [ones(1), *[ones(1, device="cpu")] * (size - 1)]
    if size > 1:
        raises(ValueError, "all be on the GPU, or none", dist.all_to_all, mixed, mixed)


def case_a_rank_has_one_gpu_in_a_group(rank, size):
    find = process_group.find_gpu
    dist.all_reduce(ones(1))
    with patch.object(
        process_group,
        "find_gpu",
        lambda device, required: find(device, required)._replace(name="cuda:7"),
    ):
        group = dist.new_group()
        text = "speaks from cuda:7, and the tensor is on cuda-sim"
        raises(ValueError, text, dist.all_reduce, ones(1), group=group)


def case_the_backend_chooses_for_gpus(rank, size):
    for backend, calls in [
        ("nccl", ["allReduce"]),
        ("NCCL", ["allReduce"]),
        ("cpu:gloo,cuda:nccl", ["allReduce"]),
        (None, ["allReduce"]),
        ("gloo", []),
        ("mpi", []),
    ]:
        group = dist.new_group(backend=backend)
        x = ones(2)
        assert named_calls(dist.all_reduce, x, group=group) == calls, backend
        expect(x, [float(size)] * 2)
        assert dist.get_backend(group) == (backend or "mpi").lower()


def case_each_group_has_a_communicator_that_is_freed_with_it(rank, size):
    before = len(nccl_double.alive)
    group, pair = dist.new_group(), dist.new_group([0, size - 1] if size > 1 else [0])
    dist.all_reduce(ones(2), group=group)
    assert len(nccl_double.alive) == before + 1
    if rank in (0, size - 1):
        x = ones(2) * (rank + 1)
        dist.all_reduce(x, group=pair)
        expect(x, [float(1 + size if size > 1 else 1)] * 2)
        assert len(nccl_double.alive) == before + 2
        assert named_calls(dist.destroy_process_group, pair) == ["destroy"]
    dist.barrier()
    assert named_calls(dist.destroy_process_group, group) == ["destroy"]
    assert len(nccl_double.alive) == before
    silent = dist.new_group()
    assert named_calls(dist.destroy_process_group, silent) == [], "none was made"


def case_a_message_nobody_answers_ends_in_an_error(rank, size):
    group = dist.new_group()
    dist.all_reduce(ones(1), group=group)
    transport = group.transport_for("cuda-sim")
    if size > 1:
        if rank == 0:  # a collective that the others do not make, past the check
            request = transport.all_reduce(ones(1).array, "sum")
            work = dist.Work(request, "all_reduce", group)
            raises(RuntimeError, "[all_reduce] waited 0 s for another rank", work.wait, 0.3)
            assert named_calls(transport.close) == ["abort"], "it does not wait for ever either"
        time.sleep(0.3)


def case_the_host_leaves_the_wait_to_the_device(rank, size):
    x, waits = ones(2), nccl_double.waits
    waits.clear()
    work = dist.all_reduce(x, async_op=True)
    assert not waits
    work.wait()
    dist.all_reduce(x)
    assert len(waits) == 2
    dist.all_reduce(x, async_op=True).wait(60)
    assert len(waits) == 2, "with a time limit the host asks"
    expect(x, [float(size**3)] * 2)


def case_errors_are_ours(rank, size):
    group = dist.new_group()
    dist.all_reduce(ones(1), group=group)
    for key, status, text in [
        ("allReduce", 5, "two ranks use one GPU"),
        ("allReduce", 2, "shared memory or the network"),
        ("MainThread", 6, "another rank ended"),
        ("MainThread", 99, "NCCL_DEBUG=INFO says more"),
        ("event", None, "cudaErrorIllegalAddress on cuda-sim"),
    ]:
        nccl_double.failing[key] = status
        try:
            raises(RuntimeError, text, dist.all_reduce, ones(1), group=group)
        finally:
            nccl_double.failing.clear()
    transport = group.transport_for("cuda-sim")
    transport.all_reduce(ones(1).array, "sum")
    nccl_double.failing["MainThread"] = 6
    assert named_calls(transport.close) == ["abort"], "what is broken is not waited for"
    nccl_double.failing.clear()
    other = dist.new_group()
    nccl_double.failing["NcclCommunicator"] = 1
    try:
        text = "[nccl] NCCL_ERROR: status 1 on cuda-sim: a CUDA call failed"
        raises(RuntimeError, text, dist.all_reduce, ones(1), group=other)
    finally:
        nccl_double.failing.clear()


def case_work_that_nobody_waits_for_keeps_its_memory(rank, size):
    transport = current_group().transport_for("cuda-sim")
    dist.all_reduce(ones(1000), async_op=True)
    request = transport._under_way[-1]
    assert [array.numel for array in request._arrays] == [1000]
    for _ in range(2):  # the first arrives behind it, the second sees that it has arrived
        dist.all_reduce(ones(1))
    assert not request._arrays, "and gives it back"


if __name__ == "__main__":
    run_all(globals())
