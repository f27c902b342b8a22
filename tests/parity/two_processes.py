"""Rows for two processes: each `row_` function runs on both ranks, in norch and in PyTorch.

`python two_processes.py LIBRARY FOLDER` starts the ranks and writes what each row gives on each
rank; test_parity_distributed.py compares. PyTorch's ranks speak by gloo.
"""

import importlib
import json
import os
import sys
import warnings
from datetime import timedelta
from pathlib import Path

RANKS = 2


def numbers(torch, *values):
    return torch.tensor([float(value) for value in values])


# ---- Collectives ---------------------------------------------------------------------------------


def row_all_reduce(torch, dist, rank):
    found = []
    for op in ("SUM", "PRODUCT", "MIN", "MAX"):
        x = numbers(torch, rank + 1, 2 * rank, -rank)
        dist.all_reduce(x, getattr(dist.ReduceOp, op))
        found.append(x.tolist())
    whole = torch.tensor([2**40 + rank, -rank])
    work = dist.all_reduce(whole, async_op=True)
    return [*found, work.wait(), whole.tolist()]


def row_rooted(torch, dist, rank):
    x, y, part = (numbers(torch, rank, 10) for _ in range(3))
    dist.broadcast(x, 1)
    dist.reduce(y, 1)
    rows = [torch.zeros(2) for _ in range(RANKS)] if rank == 1 else None
    dist.gather(part, rows, dst=1)
    dist.scatter(part, [numbers(torch, i, i) for i in range(RANKS)] if rank == 0 else None, src=0)
    gathered = rows and [row.tolist() for row in rows]
    return [x.tolist(), y.tolist() if rank == 1 else None, gathered, part.tolist()]


def row_gathers_and_scatters_of_one_tensor(torch, dist, rank):
    rows = [torch.zeros(2, 2) for _ in range(RANKS)]
    dist.all_gather(rows, torch.full((2, 2), float(rank)))
    joined, part = torch.zeros(4, 2), torch.zeros(1, 2)
    dist.all_gather_into_tensor(joined, torch.full((2, 2), float(rank)))
    dist.reduce_scatter_tensor(part, torch.arange(4.0).reshape(2, 2) * (rank + 1))
    return [[row.tolist() for row in rows], joined.tolist(), part.tolist()]


def row_all_to_all_single(torch, dist, rank):
    even = torch.zeros(4)
    dist.all_to_all_single(even, torch.arange(4.0) + 10 * rank)
    sizes = [[1, 2], [2, 1]]  # rank r sends sizes[r][s] to rank s
    out = torch.zeros(sizes[0][rank] + sizes[1][rank])
    dist.all_to_all_single(
        out, torch.arange(3.0) + 10 * rank, [sizes[0][rank], sizes[1][rank]], sizes[rank]
    )
    return [even.tolist(), out.tolist()]


def row_messages(torch, dist, rank):
    other = 1 - rank
    here, there = torch.zeros(2), torch.zeros(1)
    ops = [
        dist.P2POp(dist.isend, numbers(torch, rank, 5), other),
        dist.P2POp(dist.irecv, here, other),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    if rank == 0:
        dist.send(numbers(torch, 7), 1, tag=3)
        sender = None
    else:
        sender = dist.recv(there, tag=3)
    return [here.tolist(), there.tolist(), sender]


def row_objects(torch, dist, rank):
    everybody, some, one = [None] * RANKS, ["a", rank] if rank == 0 else [None, None], [None]
    dist.all_gather_object(everybody, {"rank": rank})
    dist.broadcast_object_list(some, src=0)
    dist.scatter_object_list(one, [{"for": 0}, {"for": 1}] if rank == 0 else None, src=0)
    gathered = [None] * RANKS if rank == 1 else None
    dist.gather_object(rank * "x", gathered, dst=1)
    return [everybody, some, one, gathered]


def row_groups(torch, dist, rank):
    mine = [dist.new_group([r]) for r in range(RANKS)][rank]
    x = numbers(torch, rank + 1)
    dist.all_reduce(x, group=mine)
    both = dist.new_group([0, 1], timeout=timedelta(seconds=60))
    where = [dist.get_group_rank(both, rank), dist.get_global_rank(mine, 0)]
    cut, every = dist.new_subgroups(1)
    return [
        x.tolist(),
        dist.get_process_group_ranks(mine),
        dist.get_world_size(mine),
        dist.get_rank(mine),
        where,
        dist.get_process_group_ranks(cut),
        len(every),
    ]


# ---- Data parallel training ----------------------------------------------------------------------


def model_of(torch, rank=0):
    nn = torch.nn
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 2)).double()
    with torch.no_grad():
        for i, p in enumerate(model.parameters()):
            p.copy_((torch.arange(p.numel()).double() * 0.1 + 0.1 * i + rank).reshape(p.shape))
    return model


def batch_of(torch, rank, step=0):
    return torch.sin(torch.arange(12.0).double() + 12 * rank + 24 * step).reshape(4, 3)


def state_of(model):
    return [[float(x) for x in value.reshape(-1)] for value in model.state_dict().values()]


def train(torch, model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in batches:
        optimizer.zero_grad()
        model(batch).pow(2).sum().backward()
        optimizer.step()


def row_data_parallel(torch, dist, rank):
    model = torch.nn.parallel.DistributedDataParallel(model_of(torch, rank))
    train(torch, model, [batch_of(torch, rank, step) for step in range(3)])
    return state_of(model)


def row_no_sync(torch, dist, rank):
    model = torch.nn.parallel.DistributedDataParallel(model_of(torch, rank))
    with model.no_sync():
        model(batch_of(torch, rank)).pow(2).sum().backward()
    model(batch_of(torch, rank, 1)).pow(2).sum().backward()
    return [p.grad.reshape(-1).tolist() for p in model.parameters()]


def row_join(torch, dist, rank):
    """Rank 1 has fewer batches, then rank 0."""
    found = []
    for counts in ((3, 1), (0, 2), (2, 2)):
        for by_all in (True, False):
            model = torch.nn.parallel.DistributedDataParallel(model_of(torch, rank))
            with model.join(divide_by_initial_world_size=by_all):
                train(torch, model, [batch_of(torch, rank, i) for i in range(counts[rank])])
            found.append(state_of(model))
    return found


def row_join_that_throws(torch, dist, rank):
    model = torch.nn.parallel.DistributedDataParallel(model_of(torch, rank))
    try:
        with model.join(throw_on_early_termination=True):
            train(torch, model, [batch_of(torch, rank, i) for i in range(2 - rank)])
    except RuntimeError:
        return "RuntimeError"
    return None


def row_hooks(torch, dist, rank):
    hooks = importlib.import_module(
        f"{torch.__name__}.distributed.algorithms.ddp_comm_hooks.default_hooks"
    )
    found = []
    for name in ("allreduce_hook", "fp16_compress_hook"):  # gloo has no bfloat16
        model = torch.nn.parallel.DistributedDataParallel(model_of(torch, rank).float())
        model.register_comm_hook(None, getattr(hooks, name))
        model(batch_of(torch, rank).float()).pow(2).sum().backward()
        found.append([p.grad.reshape(-1).tolist() for p in model.parameters()])
    return found


def row_sampler(torch, dist, rank):
    sampler = torch.utils.data.distributed.DistributedSampler(range(7), shuffle=False)
    short = torch.utils.data.distributed.DistributedSampler(range(7), shuffle=False, drop_last=True)
    return [list(sampler), list(short), len(sampler), len(short)]


# ---- Stores --------------------------------------------------------------------------------------


def row_stores(torch, dist, rank):
    place = Path(os.environ["NORCH_TEST_FOLDER"]) / f"{torch.__name__}-{rank}"
    found = []
    for store in (dist.HashStore(), dist.FileStore(str(place), 1)):
        store.set("word", "one")
        found += [store.get("word").decode(), store.add("n", 2), store.add("n", -3)]
        found += [store.check(["word", "n"]), store.check(["nobody"])]
        found += [store.compare_set("word", "one", "two").decode()]
        found += [store.compare_set("word", "one", "three").decode()]
        found += [store.delete_key("word"), store.check(["word"])]
        part = dist.PrefixStore("part", store)
        part.set("key", "value")
        found += [store.get("part/key").decode()]
        try:
            store.wait(["nobody"], timedelta(milliseconds=20))
        except RuntimeError:
            found += ["RuntimeError"]
    return found


def row_a_store_of_both(torch, dist, rank):
    port = int(os.environ["NORCH_TEST_STORE_PORT"])
    store = dist.TCPStore("127.0.0.1", port, 2, rank == 0, timedelta(seconds=60))
    store.set(f"rank {rank}", str(rank * 10))
    found = [store.get(f"rank {1 - rank}").decode(), store.num_keys()]
    dist.barrier()  # both have counted the keys before there is one more
    store.add("counted", 1)
    dist.barrier()
    found += [store.add("counted", 0)]
    dist.barrier()  # the table stays until both have read it
    return found


# ---- Both ranks ----------------------------------------------------------------------------------


def rank_of(library, folder, rank):
    """Run all rows as one rank."""
    warnings.simplefilter("ignore")
    torch = importlib.import_module(library)
    dist = torch.distributed
    importlib.import_module(f"{library}.utils.data.distributed")
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    found = {}
    for name, row in list(globals().items()):
        if name.startswith("row_"):
            found[name.removeprefix("row_")] = row(torch, dist, rank)
    Path(folder, f"{library}-{rank}.json").write_text(json.dumps(found))
    dist.destroy_process_group()


if __name__ == "__main__":
    from subprocess import Popen

    words, mine = sys.argv[1:3], sys.argv[3:]
    if mine:
        rank_of(*words, int(mine[0]))
    else:
        ranks = [Popen([sys.executable, __file__, *words, str(rank)]) for rank in range(RANKS)]
        raise SystemExit(max(rank.wait() for rank in ranks))
