"""Collectives on one to four ranks, started by test_rank_programs.py."""

import functools
import time
import warnings
from datetime import timedelta
from unittest import mock

import numpy as np
from cases import expect, numbers, raises, run_all

import norch_ddp as dist
from norch_autograd import (
    Tensor,
    bfloat16,
    bool as bool_,
    float16,
    float32,
    float64,
    int32,
    int64,
    tensor as make,
    uint8,
    zeros,
)
from norch_ddp import ReduceOp
from norch_ddp.collectives.composed import broadcast_coalesced
from norch_ddp.collectives.message import check_tensor, flat_messages
from norch_ddp.groups.process_group import current_group
from norch_ddp.transports import mpi, mpi_ring
from norch_ddp.transports.traffic import count_traffic
from norch_ddp.transports.work import Together

DTYPES = (float32, float64, float16, bfloat16, int64, int32, uint8)


def case_broadcast_counts_elements_not_bytes(rank, size):
    for dtype in (*DTYPES, bool_):
        tensor = numbers(5, start=rank).to(dtype)
        dist.broadcast(tensor, src=size - 1)
        expect(tensor, numbers(5, start=size - 1).to(dtype))


def case_broadcast_from_every_rank_with_any_strides(rank, size):
    for src in range(size):
        base = numbers(4, 6, start=100 * rank)
        dist.broadcast(base[::2, 1::2].T, src=src)
        sent, kept = numbers(4, 6, start=100 * src), numbers(4, 6, start=100 * rank)
        expect(base[::2, 1::2], sent[::2, 1::2])
        expect(base[1::2], kept[1::2])


def case_broadcast_without_dimensions_or_elements(rank, size):
    for shape in ((), (0,), (3, 0, 2)):
        tensor = numbers(*shape, start=rank) if 0 not in shape else zeros(*shape)
        dist.broadcast(tensor, src=0)
        expect(tensor, numbers(*shape) if 0 not in shape else zeros(*shape))


def case_all_reduce_sums_every_dtype(rank, size):
    for dtype in DTYPES:
        tensor = numbers(2, 3, start=rank).to(dtype).T
        dist.all_reduce(tensor)
        expect(tensor, (numbers(2, 3) * size + sum(range(size))).to(dtype).T)


def case_all_reduce_takes_every_operation(rank, size):
    total = sum(range(1, size + 1))
    for op, expected in (
        (ReduceOp.SUM, total),
        ("sum", total),
        (ReduceOp.MEAN, total / size),
        (ReduceOp.AVG, total / size),
        (ReduceOp.MAX, size),
        (ReduceOp.MIN, 1),
        (ReduceOp.PRODUCT, [1, 1, 2, 6, 24][size]),
    ):
        tensor = make([rank + 1.0, -(rank + 1.0)])[:1]
        dist.all_reduce(tensor, op=op)
        expect(tensor, [expected])


def case_all_reduce_of_bool_is_any_or_all(rank, size):
    for op, expected in ((ReduceOp.MAX, [True, False, True]), ("min", [True, False, size == 1])):
        tensor = make([True, False, rank == 0]).to(bool_)
        dist.all_reduce(tensor, op)
        expect(tensor, expected)


def case_the_largest_of_a_nan_is_nan_on_every_rank(rank, size):
    """Inline and by messages; in `reduce` and `reduce_scatter` too."""
    for op, combine in (("max", np.maximum), ("min", np.minimum)):
        for count, dtype in ((1, float32), (257, float32), (1000, float64), (1000, bfloat16)):
            for odd in range(size):
                each = [np.arange(count) % 7.0 - r for r in range(size)]
                each[odd][::3] = np.nan
                expected = functools.reduce(combine, each)
                mine = make(each[rank].tolist()).to(dtype)
                tensors = [mine.clone() for _ in range(3)]
                dist.all_reduce(tensors[0], op)
                dist.reduce(tensors[1], size - 1, op)
                dist.reduce_scatter(tensors[2], [mine] * size, op)
                for tensor in tensors if rank == size - 1 else (tensors[0], tensors[2]):
                    np.testing.assert_array_equal(tensor.float().tolist(), expected)


def case_all_reduce_keeps_large_integers(rank, size):
    tensor = make([2**60 + rank])
    dist.all_reduce(tensor, "max")
    expect(tensor, [2**60 + size - 1])


def case_all_reduce_changes_a_leaf_and_its_version(rank, size):
    weight = make([1.0 + rank, 2.0], requires_grad=True)
    loss = (weight * weight).sum()
    dist.all_reduce(weight)
    expect(weight, [size + sum(range(size)), 2.0 * size])
    raises(RuntimeError, "modified", loss.backward)


def case_reduce_changes_only_the_destination(rank, size):
    for dst in range(size):
        tensor = numbers(3, 2, start=rank).T
        dist.reduce(tensor, dst=dst)
        total = numbers(3, 2) * size + sum(range(size))
        expect(tensor, total.T if rank == dst else numbers(3, 2, start=rank).T)


def case_all_gather_fills_views(rank, size):
    base = zeros(size, 2, 6)
    dist.all_gather([base[r, :, ::2] for r in range(size)], numbers(2, 3, start=10 * rank))
    for r in range(size):
        expect(base[r, :, ::2], numbers(2, 3, start=10 * r))
        expect(base[r, :, 1::2], zeros(2, 3))


def case_gather_fills_the_list_of_one_rank(rank, size):
    out = [zeros(2) for _ in range(size)] if rank == size - 1 else None
    dist.gather(numbers(4, start=rank)[::2], out, dst=size - 1)
    for r, tensor in enumerate(out or []):
        expect(tensor, [r, r + 2])


def case_scatter_deals_the_list_of_one_rank(rank, size):
    parts = [numbers(3, 2, start=r).T for r in range(size)] if rank == 0 else None
    tensor = zeros(2, 3)
    dist.scatter(tensor, parts, src=0)
    expect(tensor, numbers(3, 2, start=rank).T)


def case_reduce_scatter_gives_each_rank_its_row(rank, size):
    for op, expected in (("sum", sum(range(size)) + rank * size), ("max", rank + size - 1)):
        out = zeros(2)
        dist.reduce_scatter(out, [make([float(r + rank)] * 2) for r in range(size)], op)
        expect(out, [expected] * 2)
    half = zeros(2).to(float16)
    dist.reduce_scatter(half, [make([1.0, 3.0]).to(float16)] * size, ReduceOp.MEAN)
    expect(half, [1.0, 3.0])


def case_async_work_is_done_after_wait(rank, size):
    tensors = [numbers(4, start=rank + i)[::2] for i in range(3)]
    works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
    for i, (tensor, work) in enumerate(zip(tensors, works, strict=True)):
        assert work.wait() is True
        assert work.is_completed()
        expect(tensor, (numbers(4, start=i) * size + sum(range(size)))[::2])


def case_a_wait_has_a_limit_of_its_own(rank, size):
    if size > 1:
        work = dist.irecv(zeros(1), src=(rank + 1) % size, tag=99)
        raises(RuntimeError, "[recv] waited 0 s for another rank", work.wait, 0.01)
        raises(ValueError, "timeout -1.0 s must be positive", work.wait, -1)
        raises(RuntimeError, "[recv] was given up after a timeout", work.wait)
        dist.barrier()
        sent = dist.isend(numbers(1, start=7), dst=(rank - 1) % size, tag=99)
        late = zeros(1)  # what comes later goes here
        assert dist.irecv(late, src=(rank + 1) % size, tag=99).wait(timedelta(seconds=80))
        expect(late, [7.0])
        sent.wait()


def case_an_old_sign_of_life_is_none(rank, size):
    """First all but rank 0 wait for it, then it waits for one that does not."""
    if size == 1:
        return
    group = dist.new_group(timeout=0.3)
    if rank > 0:
        raises(RuntimeError, "no sign of life from rank 0 (", dist.recv, zeros(1), 0, group)
    dist.barrier()
    if rank == 0:
        text = "no sign of life from " + ", ".join(f"rank {other}" for other in range(1, size))
        raises(RuntimeError, text, dist.recv, zeros(1), 1, group)
    dist.barrier()


def case_messages_pass_round(rank, size):
    if size == 1:
        return
    received = zeros(2, 4)[:, ::2]
    work = dist.isend(numbers(2, 2, start=rank).T, dst=(rank + 1) % size, tag=7)
    left = (rank - 1) % size
    assert dist.recv(received, src=left, tag=7) == left
    work.wait()
    expect(received, numbers(2, 2, start=left).T)


def case_no_tag_of_a_message_is_one_of_ours(rank, size):
    """Messages that lie there meanwhile are taken for none of what other calls send."""
    if on_gpu() or size == 1:
        return
    ours = ("_SLOT", "_ALL_GATHER", "_ALL_TO_ALL", "_ALIVE", "_YES")
    tags = [getattr(mpi, name) for name in ours]
    sent = [dist.isend(numbers(4, start=tag), (rank + 1) % size, tag=tag) for tag in tags]
    parts = [numbers(3, start=r) for r in range(size)]
    for whole in (numbers(2), numbers(1000)):
        dist.all_reduce(whole)
        dist.all_gather([whole.clone() for _ in range(size)], whole)
        dist.all_to_all([part.clone() for part in parts], parts)
        expect(whole, numbers(whole.numel()) * size)
    current_group().transport.silent_ranks(0.02)
    dist.barrier()
    for tag, work in zip(tags, sent, strict=True):
        got = zeros(4)
        dist.recv(got, (rank - 1) % size, tag=tag)
        expect(got, numbers(4, start=tag))
        work.wait()


def case_a_message_of_another_size_is_an_error(rank, size):
    if size == 1 or rank > 1:
        return
    for sent, held in ((5, 4), (3, 4)):
        if rank == 0:
            dist.send(zeros(sent), dst=1)
        else:
            raises(RuntimeError, "both ends need the same shape", dist.recv, zeros(held), 0)


def case_a_receiver_may_take_from_anybody(rank, size):
    if rank == 0:
        box = zeros(1)
        senders = sorted((dist.recv(box), box.item()) for _ in range(size - 1))
        assert senders == [(r, float(r)) for r in range(1, size)], senders
    else:
        dist.send(make([float(rank)]), dst=0)


def case_ring_equals_all_reduce_for_any_size(rank, size):
    for count in (0, 1, 2, 3, 4, 5, 7, 8, 103):
        ours = numbers(count, 2, start=rank)[:, 0] if count else zeros(0)
        engines = ours.clone()
        dist.ring_all_reduce(ours)
        dist.all_reduce(engines)
        expect(ours, engines)
    table = numbers(3, 5, start=rank).T
    dist.ring_all_reduce(table)
    expect(table, (numbers(3, 5) * size + sum(range(size))).T)


def case_small_tensors_travel_inline_and_equal_messages(rank, size):
    if on_gpu() or size == 1:
        return
    group = current_group()
    slots, known = group.transport.slots, group.known_statements
    room = slots.room
    found = {}
    for way in ("first", "again", "messages"):  # without room all are messages of their own
        slots.room = 0 if way == "messages" else room
        if way != "again":
            known.clear()
        for dtype in (*DTYPES, bool_):  # among calls of the other dtypes, of the same shapes
            reductions = ("max", "min") if dtype is bool_ else ("sum", "max", "min", "product")
            for shape in ((), (5,), (2, 3)):
                base = numbers(*shape, start=rank + 1).to(dtype)
                like = spread if way == "again" and rank == 0 else Tensor.clone
                results = [like(base) for _ in range(size + 4 + 2 * len(reductions))]
                whole, out, *rest = results
                with count_traffic() as sent:
                    dist.broadcast(whole, src=size - 1)
                    dist.scatter(out, [base] * size if rank == 0 else None, src=0)
                    dist.all_gather(rest[:size], base)
                    rows = rest[1 : size + 1] if rank == size - 1 else None
                    dist.gather(base, rows, dst=size - 1)
                    for op in reductions:
                        dist.all_reduce(rest[-1], op)
                        dist.reduce(rest.pop(), 0, op)
                        dist.reduce_scatter(rest.pop(), [base] * size, op)
                values = [result.tolist() for result in results]
                assert found.setdefault((dtype, shape), (values, sent)) == (values, sent), way
    slots.room = room


def case_groups_of_many_ranks_state_their_calls_by_one_message(rank, size):
    """Nine ranks do; here the limit is lowered."""
    group = many_ranks(size)
    for _ in range(3):
        tensor = make([float(rank)])
        dist.broadcast(tensor, size - 1, group)
        expect(tensor, make([float(size - 1)]))
        dist.barrier(group)
    if size > 1:
        mine = zeros(2 + (rank == 0))
        text = "rank 0: all_reduce(sum) float32 (3,)"
        raises(RuntimeError, text, dist.all_reduce, mine, group=group)


def many_ranks(size, **options):
    """A group whose ranks state their calls as those of a large one do."""
    with mock.patch("norch_ddp.transports.mpi.ROOM_RANKS", 0):
        return dist.new_group(**options)


def case_groups_of_many_ranks_wait_and_end_like_small_ones(rank, size):
    if size == 1:
        return
    group = many_ranks(size, timeout=0.3)
    mine, got = [make([float(rank)]) for _ in range(size)], [zeros(1) for _ in range(size)]
    dist.all_to_all(got, mine, group)
    expect(got[-1], make([size - 1.0]))
    if rank:
        raises(RuntimeError, "no sign of life from rank 0", dist.barrier, group)
    dist.barrier()
    if rank == 0:
        dist.barrier(group)  # the others had made theirs
    text = "rank 0: barrier" if rank else "rank 1: all_reduce"
    call = (dist.all_reduce, zeros(1), "sum", group) if rank else (dist.barrier, group)
    raises(RuntimeError, text, *call)


def case_tensors_of_a_batch_must_be_alike_one_by_one(rank, size):
    """Their sum alone may be equal where two have changed places."""
    tensors = [make([float(rank)] * 2), make([10.0 * rank] * 3)]
    broadcast_coalesced(tensors, size - 1)
    expect(tensors[0], make([size - 1.0] * 2))
    expect(tensors[1], make([10 * (size - 1.0)] * 3))
    if size > 1:
        tensors = tensors[::-1] if rank else tensors
        raises(RuntimeError, "broadcast_coalesced", broadcast_coalesced, tensors, 0)


def case_a_batch_is_not_twice_in_memory(rank, size):
    messages = flat_messages([zeros(2), zeros(2)], current_group(), 8)
    assert len(messages) == 2
    for message in messages:
        message.pack()
        message.write_back()
        assert not hasattr(message, "_block")


def case_a_small_call_is_remembered_by_its_own_dtype(rank, size):
    """Half types and bool travel as another, whose calls they must not be taken for."""
    for dtype, other in ((bfloat16, float32), (float16, float32), (bool_, uint8)):
        for count in (3, 4):
            dist.all_reduce(zeros(count, dtype=dtype), "max")
            dist.broadcast(zeros(count, dtype=dtype), src=0)
            rows = [zeros(count, dtype=dtype) for _ in range(size)]
            dist.all_gather(rows, rows[0].clone())
        mine = zeros(3, dtype=other) if rank == 0 else spread(zeros(3, dtype=other))
        dist.all_reduce(mine, "max")
        dist.broadcast(mine, src=0)
        dist.all_gather([zeros(3, dtype=other) for _ in range(size)], mine)
        if size == 1:
            continue
        mine = zeros(4, dtype=dtype if rank == 0 else other)
        text = f"rank 0: all_reduce(max) {check_tensor(zeros(4, dtype=dtype))}"
        raises(RuntimeError, text, dist.all_reduce, mine, "max")
        raises(RuntimeError, "rank 0: broadcast", dist.broadcast, mine, 0)


def spread(tensor):
    """A copy with gaps: not the array that travels."""
    copy = zeros(*tensor.shape, 2, dtype=tensor.dtype)[..., 0]
    copy.copy_(tensor)
    return copy


def case_a_small_call_made_again_is_checked_like_the_first(rank, size):
    if size == 1:
        return
    odd = rank == size - 1
    calls = {
        "broadcast(src=0)": lambda tensor: dist.broadcast(tensor, 0),
        "all_reduce(sum)": dist.all_reduce,
        "all_gather": lambda tensor: dist.all_gather([tensor.clone() for _ in range(size)], tensor),
    }
    for text, call in calls.items():
        for shape in (2, 3, 2):
            call(zeros(shape))
        mine = zeros(3 if odd else 2)
        raises(RuntimeError, f"rank {size - 1}: {text} float32 (3,)", call, mine)
        raises(RuntimeError, f"rank 0: {text} float32 (2,)", call, mine)
        assert mine.tolist() == [0.0] * len(mine)
        call(zeros(2))
    raises(
        RuntimeError, "rank 0: all_reduce", calls["all_gather" if odd else "all_reduce(sum)"], mine
    )
    for src in (True, [0], 0.0):
        raises(ValueError, f"rank {src!r} does not exist", dist.broadcast, zeros(2), src)
    raises(ValueError, "the list must hold", dist.all_gather, [zeros(2)], zeros(2))
    raises(ValueError, "the list must hold", dist.all_gather, [zeros(3)] * size, zeros(2))


def case_a_small_call_made_again_writes_as_the_first(rank, size):
    """Other strides, half types, means; and versions move, so that autograd notices."""
    for _ in range(3):
        base = numbers(4, 6, start=100 * rank)
        dist.broadcast(base[::2, 1::2].T, src=size - 1)
        expect(base[::2, 1::2], numbers(4, 6, start=100 * (size - 1))[::2, 1::2])
        expect(base[1::2], numbers(4, 6, start=100 * rank)[1::2])
        for dtype in (float32, float16):
            tensor = numbers(3, 2, start=rank).to(dtype)
            version = tensor._version
            dist.all_reduce(tensor, "mean")
            dist.broadcast(tensor, src=0)
            expect(tensor, (numbers(3, 2) + (size - 1) / 2).to(dtype))
            rows = [zeros(3, 2, dtype=dtype).T.contiguous().T for _ in range(size)]
            dist.all_gather(rows, numbers(3, 2, start=rank).to(dtype))
            for other, row in enumerate(rows):
                expect(row, numbers(3, 2, start=other).to(dtype))
            assert size == 1 or tensor._version > version


def case_all_ranks_get_the_same_bits(rank, size):
    for count in (200, 5000):
        tensor = numbers(count, start=rank) / (3.0 + rank)
        dist.all_reduce(tensor)
        everybody = [zeros(count) for _ in range(size)]
        dist.all_gather(everybody, tensor)
        for other in everybody:
            expect(other, tensor)
        signed = numbers(count) * (0.0 if rank % 2 else -0.0)
        dist.all_reduce(signed, "max")
        dist.all_gather(everybody, 1.0 / signed)
        for other in everybody:
            expect(other, everybody[0])


def case_the_ring_in_pieces_equals_the_readable_one(rank, size):
    if on_gpu() or size == 1:
        return
    transport = current_group().transport
    mpi_ring.PIECE_BYTES, usual = 48, mpi_ring.PIECE_BYTES
    for count in (1, 2, 5, 24, 25, 103, 1000):
        readable = numbers(count, start=rank)
        pieces = [readable.clone() for _ in range(3)]  # under way at once
        works = [transport.by_ring(piece.array, "sum") for piece in pieces]
        dist.ring_all_reduce(readable)
        while not Together(works).test():
            pass
        for piece in pieces:
            expect(piece, readable)
    for dtype in DTYPES:
        for op in ("sum", "product", "max", "min"):
            ours = (numbers(50, start=rank) % 5.0).to(dtype)
            ours = ours.float() if dtype in (float16, bfloat16) else ours
            theirs = ours.clone()
            for way, tensor in ((transport.by_ring, ours), (transport.by_mpi, theirs)):
                request = way(tensor.array, op)
                while not request.test():
                    pass
            expect(ours, theirs)
    mpi_ring.PIECE_BYTES = usual


def case_large_tensors_go_by_the_way_that_all_measured(rank, size):
    if on_gpu() or size == 1:
        return
    tensor = numbers(mpi_ring.RING_BYTES // 4 + 3, start=rank) % 7.0
    expected = sum((numbers(tensor.numel(), start=r) % 7.0 for r in range(size)), 0.0)
    dist.all_reduce(tensor)
    expect(tensor, expected)
    ways = [None] * size
    dist.all_gather_object(ways, dict(current_group().transport.way.rings))
    assert ways == [ways[0]] * size, ways
    assert list(ways[0]) == [mpi_ring.RING_BYTES], ways


def case_more_rings_than_tags_do_not_mix(rank, size):
    if on_gpu() or size == 1:
        return
    group = current_group()
    tensors = [numbers(8, start=number) for number in range(300)]
    works = []
    for tensor in tensors:
        works.append(dist.Work(group.transport.by_ring(tensor.array, "sum"), "ring", group))
        for work in works if rank == 1 else ():  # the others look when all have started
            work.look()
    for work in reversed(works):
        work.wait()
    for number, tensor in enumerate(tensors):
        expect(tensor, numbers(8, start=number) * size)


def case_every_wait_moves_rings_on(rank, size):
    if on_gpu() or size == 1:
        return
    group = current_group()
    tensor = numbers(2000, start=rank)
    mpi_ring.PIECE_BYTES, usual = 48, mpi_ring.PIECE_BYTES
    work = dist.Work(group.transport.by_ring(tensor.array, "sum"), "ring", group)
    mpi_ring.PIECE_BYTES = usual
    if rank == 0:
        dist.barrier()
        work.wait()
    else:
        work.wait(timeout=10)
        dist.barrier()
    expect(tensor, numbers(2000) * size + sum(range(size)))


def case_the_error_of_a_ring_stays(rank, size):
    if on_gpu():
        return

    def fails(*message):
        raise RuntimeError("cut off")

    ring = mpi_ring.RingReduce(numbers(8).array, "sum", 0, 2, fails)
    for _ in range(2):
        raises(RuntimeError, "cut off", ring.test)


def case_a_receive_that_timed_out_takes_no_later_message(rank, size):
    if size == 1:
        return
    group = dist.new_group(timeout=0.2)
    if rank == 0:
        raises(RuntimeError, "[recv] waited", dist.recv, zeros(2), 1, group)
    dist.barrier()
    if rank == 1:
        dist.isend(numbers(2), 0, group).wait(60)
    if rank == 0:
        tensor = zeros(2)
        dist.irecv(tensor, 1, group).wait(60)
        expect(tensor, numbers(2))


def case_a_future_is_done_when_its_message_is(rank, size):
    future = dist.all_reduce(numbers(3000), async_op=True).get_future()
    dist.barrier()
    for _ in range(10000):
        if future.done():
            return
        time.sleep(0.001)
    raise AssertionError("never done")


def case_a_call_that_was_given_up_is_answered_before_the_next(rank, size):
    if size == 1:
        return
    group = dist.new_group(timeout=0.05)
    if rank == 0:
        raises(RuntimeError, "[barrier] waited 0 s", dist.barrier, group)
    dist.barrier()
    group.seconds = 80.0
    if rank > 0:
        dist.barrier(group)
    total = make([1.0])
    dist.all_reduce(total, group=group)
    expect(total, [size])


def on_gpu():
    return zeros(1).device.type != "cpu"


def case_a_group_speaks_among_its_members(rank, size):
    odd = list(range(1, size, 2)) or [0]
    group = dist.new_group(odd)
    everybody = dist.new_group()
    if rank in odd:
        tensor = numbers(2, 3, start=rank).T
        dist.all_reduce(tensor, group=group)
        expect(tensor, (numbers(2, 3) * len(odd) + sum(odd)).T)
        expect(make([dist.get_rank(group), dist.get_world_size(group)]), [rank // 2, len(odd)])
        dist.broadcast(tensor, odd[-1], group)
        parts = [numbers(2, start=r) for r in odd] if rank == odd[0] else None
        dist.scatter(tensor[0], parts, src=odd[0], group=group)
        expect(tensor[0], numbers(2, start=rank))
        out = [zeros(2) for _ in odd] if rank == odd[-1] else None
        dist.gather(tensor[0], out, dst=odd[-1], group=group)
        for r, part in zip(odd, out or [], strict=False):
            expect(part, numbers(2, start=r))
        raises(ValueError, "does not exist", dist.broadcast, tensor, size, group)
        dist.barrier(group)
    total = make([1.0])
    dist.all_reduce(total, group=everybody)
    expect(total, [size])
    assert dist.get_process_group_ranks(everybody) == list(range(size))


def case_a_group_passes_messages_by_the_ranks_of_all(rank, size):
    if size < 3:
        return
    last = [size - 2, size - 1]
    group = dist.new_group(last)
    if rank == last[0]:
        dist.send(make([5.0]), last[1], group)
    elif rank == last[1]:
        box = zeros(1)
        assert dist.recv(box, None, group) == last[0]
        expect(box, [5.0])
        assert dist.get_group_rank(group, rank) == 1
        assert dist.get_global_rank(group, 0) == last[0]
        dist.destroy_process_group(group)
    if rank == last[0]:
        dist.destroy_process_group(group)


def case_a_rank_outside_a_group_is_warned_and_keeps_its_tensor(rank, size):
    if size == 1:
        return
    group = dist.new_group([0])
    if rank > 0:
        assert group is dist.GroupMember.NON_GROUP_MEMBER
        assert dist.get_rank(group) == dist.get_world_size(group) == -1
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tensor = numbers(2)
            assert dist.all_reduce(tensor, group=group) is None
            expect(tensor, numbers(2))
        assert f"rank {rank} is not in this group" in str(caught[0].message)


def case_a_mismatch_in_a_group_names_the_ranks_of_all(rank, size):
    if size < 3:
        return
    group = dist.new_group([size - 1, size - 2])
    if rank >= size - 2:
        shape = 2 if rank == size - 1 else 3
        raises(
            RuntimeError, f"rank {size - 1}: all_red", dist.all_reduce, zeros(shape), "sum", group
        )


def case_bad_groups_are_refused_everywhere(rank, size):
    for ranks in ([], [0, 0], [size]):
        raises(ValueError, "must be some of 0 to", dist.new_group, ranks)
    raises(ValueError, "[new_group] backend 'tcp'", dist.new_group, None, None, "tcp")
    raises(ValueError, "[new_group] timeout 0.0 s must be positive", dist.new_group, None, 0)
    if size > 1:
        raises(RuntimeError, "ranks disagree", dist.new_group, [rank])


def case_one_large_tensor_stands_for_a_list(rank, size):
    for whole in (zeros(size, 2, 3), zeros(2 * size, 3), zeros(3, 2 * size).T):
        dist.all_gather_into_tensor(whole, numbers(3, 2, start=10 * rank).T)
        for r in range(size):
            expect(whole.reshape(size, 2, 3)[r], numbers(3, 2, start=10 * r).T)
    scalars = zeros(size)
    dist.all_gather_into_tensor(scalars, make(float(rank)))
    expect(scalars, [float(r) for r in range(size)])
    out = zeros(2)
    dist.reduce_scatter_tensor(out, numbers(2 * size, start=rank))
    expect(out, [size * (2 * rank + i) + sum(range(size)) for i in (0, 1)])
    raises(ValueError, "do not fit", dist.all_gather_into_tensor, zeros(size + 1), zeros(1))
    raises(ValueError, "do not fit", dist.reduce_scatter_tensor, zeros(2), zeros(2 * size + 1))


def case_all_to_all_swaps_lists_of_any_lengths(rank, size):
    sent = [numbers(rank + r, 2, start=100 * rank + 10 * r) for r in range(size)]
    got = [zeros(2, rank + s).T for s in range(size)]
    dist.all_to_all(got, sent)
    for s in range(size):
        expect(got[s], numbers(rank + s, 2, start=100 * s + 10 * rank) if rank + s else zeros(0, 2))
    raises(ValueError, f"hold {size} tensors", dist.all_to_all, [], sent)
    text = "what rank 0 sends to rank 0 does not fit there"
    raises(ValueError, text, dist.all_to_all, [zeros(7)] * size, [zeros(1)] * size)
    raises(ValueError, text, dist.all_to_all, [zeros(1)] * size, [zeros(1).int()] * size)
    if size > 1:  # only rank 1 makes too little room, for what comes from rank 0; all are told
        rooms = [zeros(1 if (rank, r) == (1, 0) else 2) for r in range(size)]
        text = "what rank 0 sends to rank 1 does not fit there"
        raises(ValueError, text, dist.all_to_all, rooms, [zeros(2)] * size)
    work = dist.all_to_all(got, [part + 1.0 for part in sent], async_op=True)
    assert work.wait()
    expect(got[rank], numbers(2 * rank, 2, start=110 * rank + 1) if rank else zeros(0, 2))


def case_objects_travel_whatever_their_length(rank, size):
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank, "text": "x" * 100 * rank})
    assert found == [{"rank": r, "text": "x" * 100 * r} for r in range(size)]
    things = [rank, ("a", None)] if rank == size - 1 else [None, None]
    dist.broadcast_object_list(things, src=size - 1)
    assert things == [size - 1, ("a", None)]
    raises(ValueError, "one for each rank", dist.all_gather_object, [], 1)
    one = [None] * size if rank == 0 else None
    dist.gather_object(("rank", rank), one, dst=0)
    assert one == ([("rank", r) for r in range(size)] if rank == 0 else None)
    raises(ValueError, "belongs to rank 0 alone", dist.gather_object, 1, None if rank == 0 else [])


class Unpicklable:
    def __reduce__(self):
        raise ValueError("this stays here")


def case_an_object_that_cannot_travel_is_refused_everywhere(rank, size):
    thing = Unpicklable() if rank == 0 else 1
    kind, text = (ValueError, "this stays here") if rank == 0 else (RuntimeError, "rank 0: ")
    raises(kind, text, dist.all_gather_object, [None] * size, thing)
    raises(kind, text, dist.broadcast_object_list, [thing])


def case_mismatches_are_named_on_every_rank(rank, size):
    if size == 1:
        return
    odd = rank == size - 1
    shape, dtype = (3 if odd else 2), (float64 if odd else float32)
    disagree = "the ranks disagree"
    raises(RuntimeError, f"{disagree}, and no data has moved", dist.all_reduce, zeros(shape))
    raises(RuntimeError, "float64 (2,)", dist.all_reduce, zeros(2).to(dtype))
    raises(RuntimeError, "all_reduce(max)", dist.all_reduce, zeros(2), "max" if odd else "sum")
    raises(RuntimeError, disagree, dist.broadcast, zeros(shape), 0)
    raises(RuntimeError, f"src={size - 1}", dist.broadcast, zeros(2), rank if odd else 0)
    raises(RuntimeError, disagree, dist.reduce, zeros(shape), 0)
    raises(RuntimeError, disagree, dist.all_gather, [zeros(shape)] * size, zeros(shape))
    if odd:
        raises(RuntimeError, "rank 0: broadcast", dist.barrier)
    else:
        raises(RuntimeError, f"rank {size - 1}: barrier", dist.broadcast, zeros(2), 0)
    tensor = make([1.0])
    dist.all_reduce(tensor)
    expect(tensor, [size])


def case_a_refusal_on_one_rank_reaches_the_others(rank, size):
    if size == 1:
        return
    if rank == 0:
        raises(ValueError, f"must hold {size} tensors", dist.scatter, zeros(2), [zeros(2)])
    else:
        raises(RuntimeError, "rank 0: scatter refused", dist.scatter, zeros(2))


def case_bad_arguments_are_refused(rank, size):
    raises(ValueError, f"ranks are 0 to {size - 1}", dist.broadcast, zeros(1), size)
    raises(ValueError, "rank -1 does not exist", dist.reduce, zeros(1), -1)
    raises(ValueError, "is this process" if size > 1 else "has nobody", dist.send, zeros(1), rank)
    raises(ValueError, "is this process" if size > 1 else "has nobody", dist.recv, zeros(1), rank)
    raises(TypeError, "expected a Tensor, got list", dist.all_reduce, [1.0])
    raises(TypeError, "expected a Tensor, got int", dist.send, 3, size - 1)
    raises(TypeError, "group must come from new_group()", dist.broadcast, zeros(1), 0, True)
    raises(ValueError, "reduction 'median' is unknown", dist.all_reduce, zeros(1), "median")
    raises(TypeError, "a bool tensor has no sum", dist.all_reduce, zeros(1).to(bool_))
    raises(TypeError, "cast to float first", dist.all_reduce, zeros(1).to(int64), "mean")
    raises(ValueError, "must hold", dist.all_gather, [zeros(2)] * (size + 1), zeros(2))
    raises(ValueError, "must hold", dist.reduce_scatter, zeros(2), [zeros(3)] * size)


if __name__ == "__main__":
    run_all(globals())
