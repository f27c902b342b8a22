"""A script for three ranks that sends every kind of message of stage 6, and says what came.

`test_live_ranks.py` runs it as three processes and as three Pythons of a page.
"""

import norch
import norch.distributed as dist

dist.init_process_group()
rank, size = dist.get_rank(), dist.get_world_size()
DTYPES = (norch.float32, norch.float64, norch.int64, norch.uint8, norch.float16)


def say(*words):
    """Print what the command sorts by rank, in one piece: what ranks say never mixes then."""
    print(" ".join([f"rank {rank}:", *map(str, words)]) + "\n", end="", flush=True)


def full(length, number):
    """Return a tensor of one number."""
    return norch.full((length,), float(number))


def reductions(length):
    """Combine tensors of every kind, in all ranks."""
    for dtype in DTYPES:
        for op in ("sum", "max", "min", "product"):
            tensor = (norch.arange(length) % 7 + rank).to(dtype)
            dist.all_reduce(tensor, op)
            say("all_reduce", op, dtype, tensor.double().sum().item(), tensor[:3].tolist())


def collectives(length):
    """Move tensors from one rank to all, from all to one, from all to all."""
    each = [full(length, 10 * rank + other) for other in range(size)]
    found = full(length, rank)
    dist.broadcast(found, 1)
    say("broadcast", found.sum().item())
    found = full(length, rank + 1)
    dist.reduce(found, 2)
    say("reduce", found.sum().item())
    rows = [norch.zeros(length) for _ in range(size)]
    dist.all_gather(rows, full(length, rank))
    say("all_gather", [row.sum().item() for row in rows])
    dist.gather(full(length, rank + 4), rows if rank == 0 else None, 0)
    say("gather", [row.sum().item() for row in rows])
    dist.scatter(found, each if rank == 1 else None, 1)
    say("scatter", found.sum().item())
    dist.reduce_scatter_tensor(found, norch.arange(float(length * size)))
    say("reduce_scatter", found.sum().item())
    dist.all_to_all(rows, each)
    say("all_to_all", [row.sum().item() for row in rows])


def groups():
    """Gather values, and combine in a group of two ranks in an order of their own."""
    values = [None] * size
    dist.all_gather_object(values, {"rank": rank, "words": "x" * rank})
    say(values)
    pair, tensor = dist.new_group([2, 0]), full(300, rank)
    if rank != 1:
        dist.all_reduce(tensor, group=pair)
        say("a group", tensor.sum().item(), dist.get_rank(pair))


def single_messages():
    """Receive from anybody, give up, take what comes later, refuse what is too long."""
    if rank != 0:
        dist.send(full(1, rank), 0, tag=5)
    if rank == 1:
        dist.recv(norch.zeros(1), 0)
        for tag in (7, 8):
            dist.send(full(2, tag), 0, tag=tag)
    if rank == 0:
        for _ in range(1, size):
            found = norch.zeros(1)
            say("the sender is named:", dist.recv(found, tag=5) == found.item())
        late = norch.zeros(2)
        try:
            dist.irecv(late, 1, tag=6).wait(timeout=0.05)
        except RuntimeError as error:
            say("gave up", str(error).startswith("[recv] waited"))
        dist.send(norch.ones(1), 1)
        dist.recv(late, 1, tag=7)
        say(late.tolist())
        try:
            dist.recv(norch.zeros(1), 1, tag=8)
        except RuntimeError as error:
            say(error)
    dist.barrier()


for length in (3, 1000, 300_000):  # with the statements; by MPI; by MPI or round the ring
    reductions(length)
for length in (2, 500):
    collectives(length)
groups()
single_messages()
if rank == 2:
    raise SystemExit(0)
try:
    dist.barrier()
except RuntimeError as error:
    say(str(error))
