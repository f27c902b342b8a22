"""What one rank of 1,024 sends: counted on a double, whose other ranks do all that this one does.

Times of so many ranks cannot be had on one machine. How many messages a call makes can, and that
their number does not grow with the ranks, but for the log2 N steps inside of each.
"""

from collections import Counter

import pytest

import norch_ddp as dist
from norch_cpu_ops.ops import copy_
from norch_ddp.groups.process_group import ProcessGroup, groups
from norch_ddp.groups.statements import encode_statement
from norch_ddp.model_parallel import checkpoint
from norch_ddp.transports.agreement import Agreement
from norch_ddp.transports.mpi import MpiTransport
from norch_ddp.transports.work import DONE
from norch_nn import Linear, Sequential

RANKS = 1024


class Message:
    """The persistent message of an agreement: the last rank's numbers are this rank's, or not."""

    def __init__(self, memory, transport):
        self.memory, self.sent, self.transport = memory, transport.sent, transport

    def Start(self):
        self.sent["agreement"] += 1
        self.sent["bytes"] += len(self.memory)
        if self.transport.last is not None:
            self.memory[:] = bytes(16)  # the largest of each: no two belong together

    def Test(self):
        return True


class Transport:
    """Rank 0 of `size`, as collectives see it; `sent` counts what it sends."""

    note, takes_means, rank = "", False, 0

    def __init__(self, size, sent):
        self.size, self.sent = size, sent
        self.last = None  # what the last rank states, where it makes another call
        self.slots = Agreement(size, lambda memory: Message(memory, self), self.exchange)

    def home(self, device):
        return "cpu"

    def travels_as(self, dtype):
        return dtype

    def duplicate(self):
        self.sent["duplicate"] += 1
        return Transport(self.size, self.sent)

    def split(self, part, parts, seconds):
        self.sent["split"] += 1
        return Transport(len(parts[part]), self.sent)

    def exchange(self, statement, answers):
        self.sent["all_gather"] += 1
        answers[:] = statement * (self.size - 1) + (self.last or statement)
        return DONE

    def broadcast(self, array, src):
        self.sent["broadcast"] += 1
        return DONE

    def all_reduce(self, array, op):
        self.sent["all_reduce"] += 1
        return DONE

    def gather(self, out, array, dst):
        self.sent["gather"] += 1
        for row in out.rows:
            copy_(row, array)
        return DONE

    def scatter(self, array, parts, src):
        self.sent["scatter"] += 1
        copy_(array, parts.rows[0])
        return DONE

    def move_on(self):
        pass


@pytest.fixture
def sent():
    """What rank 0 of many sends in everybody's group, by kind."""
    if dist.is_initialized():  # by an example of some docstring
        dist.destroy_process_group()
    counts = Counter()
    groups.append(ProcessGroup(Transport(RANKS, counts), 5.0, range(RANKS)))
    yield counts
    groups.clear()


def test_a_call_is_agreed_on_by_sixteen_bytes(sent):
    """Each to each, as between few ranks, would be a million messages."""
    for _ in range(2):
        dist.barrier()
    assert sent == {"agreement": 2, "bytes": 32}


def test_where_calls_differ_all_statements_are_gathered_once(sent):
    transport = groups[0].transport
    transport.last = encode_statement("broadcast(src=0)")
    with pytest.raises(RuntimeError, match=r"rank 1022: barrier\n  rank 1023: broadcast\(src=0\)"):
        dist.barrier()
    assert sent["all_gather"] == 1
    transport.last = None
    dist.barrier()  # and the next call is one as ever
    assert (sent["agreement"], sent["all_gather"]) == (2, 1)


@pytest.mark.parametrize("layers", [1, 40])
def test_ddp_starts_with_one_batch(sent, layers):
    dist.DistributedDataParallel(Sequential(*(Linear(3, 3) for _ in range(layers))))
    del sent["bytes"]
    assert sent == {"agreement": 3, "broadcast": 1, "duplicate": 1}


def test_a_mesh_splits_once_for_each_side(sent):
    mesh = dist.init_device_mesh("cpu", (16, 8, 8), mesh_dim_names=("dp", "pp", "tp"))
    assert mesh.shape == (16, 8, 8)
    assert mesh["dp"].get_group().ranks == tuple(range(0, RANKS, 64))
    del sent["bytes"]
    assert sent == {"agreement": 4, "split": 3}


def test_a_checkpoint_gathers_nothing_on_every_rank(sent, tmp_path):
    checkpoint.save({"epoch": 3}, checkpoint_id=tmp_path)
    assert (sent["gather"], sent["scatter"], sent["all_gather"]) == (1, 1, 0)
    found = {"epoch": 0}
    checkpoint.load(found, checkpoint_id=tmp_path)
    assert found == {"epoch": 3}


class OldMpi:
    """An MPI library of version 3, its module and a communicator in one."""

    IN_PLACE = INT64_T = MAX = None

    def Get_version(self):
        return 3, 1


class OldMpiUnderMpi4py4(OldMpi):
    def Allreduce_init(self, *_):
        raise NotImplementedError


@pytest.mark.parametrize("library", [OldMpi, OldMpiUnderMpi4py4])
def test_many_ranks_on_an_old_mpi_are_refused(library):
    transport = MpiTransport.__new__(MpiTransport)  # its own start needs an MPI that runs
    transport._mpi = transport._ours = library()
    with pytest.raises(
        RuntimeError, match=r"more than 8 ranks need an MPI library of version 4.*3\.1"
    ):
        transport._connect_all(bytearray(16))
