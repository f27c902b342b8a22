"""PyTorch's further names on one to four ranks, started by test_rank_programs.py."""

import os
import warnings

from cases import expect, numbers, raises, run_all

import norch_ddp as dist
from norch_autograd import zeros
from norch_ddp.launch.abort import record


def case_all_to_all_single_swaps_rows(rank, size):
    out = zeros(size, 3)
    dist.all_to_all_single(out, numbers(size, 3, start=100 * rank))
    expect(out, [[100.0 * other + 3 * rank + i for i in range(3)] for other in range(size)])


def case_all_to_all_single_with_sizes_of_any_strides(rank, size):
    """Rank s sends r + 1 rows to rank r; an empty part too."""
    rows = [other + 1 for other in range(size)]
    rows[0] = 0
    whole = numbers(2, sum(rows), start=1000 * rank).T
    mine = rows[rank]
    out = zeros(mine * size, 2)
    work = dist.all_to_all_single(out, whole, [mine] * size, rows, async_op=True)
    work.wait()
    start = sum(rows[:rank])
    columns = sum(rows)
    expected = [
        [1000.0 * other + start + i, 1000.0 * other + columns + start + i]
        for other in range(size)
        for i in range(mine)
    ]
    expect(out, expected)
    raises(ValueError, "cannot be cut into parts", dist.all_to_all_single, out, whole, [7] * size)


def case_several_messages_start_at_once(rank, size):
    if size == 1:
        return
    right, left = (rank + 1) % size, (rank - 1) % size
    here = zeros(2)
    ops = [
        dist.P2POp(dist.isend, numbers(2, start=rank), right),
        dist.P2POp(dist.irecv, here, left),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    expect(here, numbers(2, start=left))
    raises(ValueError, "expected P2POp", dist.batch_isend_irecv, [(dist.isend, here, 0)])


def case_a_barrier_with_a_limit_of_its_own(rank, size):
    dist.monitored_barrier(timeout=60, wait_all_ranks=True)
    assert dist.barrier(async_op=True, device_ids=[0]).wait()
    raises(ValueError, "timeout", dist.monitored_barrier, timeout=-1)


def case_objects_one_for_each(rank, size):
    place = [None]
    given = [{"rank": other, "words": "x" * other} for other in range(size)]
    dist.scatter_object_list(place, given if rank == size - 1 else None, src=size - 1)
    assert place == [{"rank": rank, "words": "x" * rank}]
    if size > 1 and rank < 2:
        if rank == 0:
            dist.send_object_list(["a", {2: 3}], dst=1)
        else:
            found = []
            assert dist.recv_object_list(found) == 0 and found == ["a", {2: 3}]


def case_neighbours_form_groups(rank, size):
    if size % 2:
        raises(ValueError, "cannot be cut into groups of 2", dist.new_subgroups, 2)
        return
    mine, all_of_them = dist.new_subgroups(2)
    assert len(all_of_them) == size // 2
    assert dist.get_process_group_ranks(mine) == [rank - rank % 2, rank - rank % 2 + 1]
    total = numbers(1, start=rank)
    dist.all_reduce(total, group=mine)
    expect(total, [2.0 * (rank - rank % 2) + 1])
    there = [[0], list(range(1, size))]
    mine, _ = dist.new_subgroups_by_enumeration(there)
    assert dist.get_process_group_ranks(mine) == there[rank > 0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dist.barrier(mine)
    raises(ValueError, "in two", dist.new_subgroups_by_enumeration, [[0], [0]])


def case_questions_without_messages(rank, size):
    assert dist.Backend("NCCL") == dist.Backend.NCCL == "nccl"
    raises(ValueError, "is unknown", dist.Backend, "ucc")
    assert dist.is_backend_available("gloo") and not dist.is_backend_available("ucc")
    assert dist.group.WORLD is dist.GroupMember.WORLD
    assert dist.get_world_size(dist.group.WORLD) == size
    assert dist.get_node_local_rank() == rank == int(os.environ["LOCAL_RANK"])
    assert dist.is_torchelastic_launched()


def case_pytorchs_newer_names(rank, size):
    assert dist.get_default_backend_for_device("cuda:0") == "nccl"
    assert dist.get_default_backend_for_device(zeros(1).device) == "gloo"
    raises(ValueError, "there is none for xpu", dist.get_default_backend_for_device, "xpu")
    assert not dist.is_ucc_available() and not dist.is_xccl_available()
    whole = zeros(size * 2)
    dist.all_gather_single(whole, numbers(2, start=10 * rank))
    expect(whole, [10.0 * other + i for other in range(size) for i in range(2)])
    part = zeros(2)
    dist.reduce_scatter_single(part, whole)
    expect(part, [size * (10.0 * rank + i) for i in range(2)])
    assert record(expect) is expect


def case_a_future_goes_on_from_a_message(rank, size):
    total = numbers(2, start=rank)
    future = dist.all_reduce(total, async_op=True).get_future()
    half = future.then(lambda done: done.value()[0] / 2)
    expect(half.wait(), [(sum(range(size)) + i * size) / 2 for i in range(2)])
    assert future.done() and half.done()


if __name__ == "__main__":
    run_all(globals())
