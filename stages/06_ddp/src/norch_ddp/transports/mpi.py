"""The transport of many processes: MPI messages between contiguous CPU arrays.

The only file that touches mpi4py, which it imports on first use. Arrays arrive with the buffer
protocol and are counted in elements of the right MPI type. Nothing here looks at shapes, strides
or tensors. Beside what every `Transport` has, it passes statements and single messages on.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
import time
from collections import deque
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from norch_cpu_ops import float32
from norch_cpu_ops.ops import copy_, maximum, minimum, share_buffer
from norch_ddp.transports.agreement import Agreement
from norch_ddp.transports.inline import InlineTransport
from norch_ddp.transports.mpi_ring import RING_BYTES, FasterWay, RingReduce, Rings
from norch_ddp.transports.slots import ROOM_RANKS, Slots
from norch_ddp.transports.traffic import count
from norch_ddp.transports.work import Limit, Request, Together

VERSION = "0.2.0"
"""norch's version, which all ranks must share: to ask the installed package is slow."""

_TYPE_NAMES = {
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "int64": "INT64_T",
    "int32": "INT32_T",
    "int16": "INT16_T",
    "int8": "INT8_T",
    "uint8": "UINT8_T",
    "bool": "UINT8_T",
}
_RING_TAGS = 64
"""Tags of one ring, for its pieces; those of a channel's rings are the first of `_ours`."""
_RINGS = 128
"""Rings of a channel with tags of their own: the one after them waits for the first to be over."""
_SLOT, _ALL_GATHER, _ALL_TO_ALL, _ALIVE, _YES = range(_RING_TAGS * _RINGS, _RING_TAGS * _RINGS + 5)
"""The others; the last two mark what ranks that waited too long ask each other, and the answer."""

_OP_NAMES = {"sum": "SUM", "product": "PROD", "min": "MIN", "max": "MAX"}
_EXTREMES = {"min": minimum, "max": maximum}
_CODES = {"float32": "f", "float64": "d"}
"""The floats that travel, as memoryview names them."""


def is_mpi_available() -> bool:
    """Return whether mpi4py is installed; does not start MPI."""
    return importlib.util.find_spec("mpi4py") is not None


def in_multiprocessing() -> bool:
    """Return whether this is a process of `multiprocessing`, which has an exit of its own."""
    module = sys.modules.get("multiprocessing")
    return module is not None and module.parent_process() is not None


def load_mpi() -> Any:
    """Import `mpi4py.MPI`, which starts MPI; say how to install it when it is missing."""
    is_ours = "mpi4py.MPI" not in sys.modules and not in_multiprocessing()
    try:
        import mpi4py

        if is_ours:  # mpi4py would end it in a process that a rank forked too, and hang there
            mpi4py.rc.finalize = False
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # RuntimeError: mpi4py without an MPI library
        if is_ours and (found := sys.modules.get("mpi4py")) is not None:
            found.rc.finalize = None  # whoever imports it later ends it as ever
        raise ModuleNotFoundError(
            f"[init_process_group] several processes need mpi4py and mpich ({error}): "
            "pip install mpi4py mpich"
        ) from error
    if is_ours:
        atexit.register(_end_mpi, MPI, os.getpid())
    return MPI


def _end_mpi(mpi: Any, process: int) -> None:
    """End MPI at the exit of the process that started it."""
    if os.getpid() == process and mpi.Is_initialized() and not mpi.Is_finalized():
        mpi.Finalize()


def _hosts_of_one_version(comm: Any, host: str) -> list[str]:
    """Return each rank's host; RuntimeError where not all have the same norch."""
    found = comm.allgather((host, VERSION))
    other = [rank for rank, (_, version) in enumerate(found) if version != found[0][1]]
    if other:
        (here, ours), (there, theirs) = found[0], found[other[0]]
        raise RuntimeError(
            f"[init_process_group] rank {other[0]} on {there} has norch {theirs}, rank 0 on {here} "
            f"has {ours}: install the same version on all hosts"
        )
    return [each for each, _ in found]


class MpiRequest:
    """A message under way; a received one must fill its buffer exactly."""

    __slots__ = ("_end", "_nbytes", "_request", "_status")

    def __init__(self, request: Any, status: Any = None, nbytes: int = 0) -> None:
        self._request = request
        self._status = status
        self._nbytes = nbytes
        self._end: bool | None = None  # of a receive that was given up: whether it had arrived

    def test(self) -> bool:
        """Move the message on and say whether it has arrived."""
        if self._end is False:
            raise RuntimeError("[recv] was given up after a timeout: receive again")
        if self._end:
            return True
        try:
            is_done = self._request.Test(self._status)
        except load_mpi().Exception as error:
            raise RuntimeError(self._explain(error)) from None
        if is_done and self._status is not None:
            self._check_size()
        return bool(is_done)

    def cancel(self) -> bool:
        """Take a receive back, or the next message goes there; False if one has just come."""
        self._request.Cancel()
        self._request.Wait(self._status)
        self._end = not self._status.Is_cancelled()
        if self._end:
            self._check_size()
        return not self._end

    def source(self) -> int:
        """Return the rank that sent the received message."""
        return int(self._status.Get_source())

    def _explain(self, error: Any) -> str:
        """Return what a user is told of an error of MPI's."""
        if error.Get_error_class() != load_mpi().ERR_TRUNCATE:
            return f"[mpi] {error.Get_error_string()}"
        return (
            f"[recv] a rank sent more than the {self._nbytes} bytes this tensor holds: "
            "both ends need the same shape and dtype"
        )

    def _check_size(self) -> None:
        """Refuse a message that did not fill the receiving tensor exactly."""
        nbytes = self._status.Get_count(load_mpi().BYTE)
        if nbytes != self._nbytes:
            raise RuntimeError(
                f"[recv] rank {self.source()} sent {nbytes} bytes, this tensor holds "
                f"{self._nbytes}: both ends need the same shape and dtype"
            )


class MpiTransport:
    """One MPI communicator, and one that only we send on: users may take any tag.

    `seconds` limit the probes of `way`. Channels that come from one another share `way`, and
    `rings`: all that are under way.
    """

    note = ""
    takes_means = False

    def __init__(
        self,
        seconds: float,
        comm: Any = None,
        hosts: Sequence[str] = (),
        way: FasterWay | None = None,
        rings: Rings | None = None,
    ) -> None:
        self._mpi = load_mpi()
        self._comm = self._mpi.COMM_WORLD.Dup() if comm is None else comm
        self.rank = int(self._comm.rank)
        self.size = int(self._comm.size)
        self.hosts = hosts or _hosts_of_one_version(self._comm, self._mpi.Get_processor_name())
        self._ours = self._comm.Dup()
        self.slots: Slots | Agreement
        self.inline: Any = None  # between few ranks, whose slots have room for arrays
        if self.size <= ROOM_RANKS:
            self.slots = Slots(self.rank, self.size, self._connect)
            self.inline = InlineTransport(self.slots, self.rank, self.size)
        else:
            self.slots = Agreement(self.size, self._connect_all, self.exchange)
        self._seconds = seconds
        self._question = 0
        self._signs: list[Any] = []  # what was sent last, so that it is kept
        self._latest: deque[RingReduce] = deque(maxlen=_RINGS)
        self._ring_count = 0
        self.way = way or FasterWay()
        self.rings = rings or Rings()

    def home(self, device: str) -> str:
        """Return "cpu": whatever the device, MPI reads the host's memory."""
        return "cpu"

    def travels_as(self, dtype: Any) -> Any:
        """Return float32 for half types, which MPI cannot add; it holds them exactly."""
        return float32 if dtype.is_floating_point and dtype.itemsize < 4 else dtype

    def duplicate(self) -> MpiTransport:
        """Return a second channel, whose messages never meet those of this one."""
        return MpiTransport(self._seconds, self._comm.Dup(), self.hosts, self.way, self.rings)

    def split(
        self, part: int | None, parts: Sequence[Sequence[int]], seconds: float
    ) -> MpiTransport | None:
        """Return a channel of `parts[part]` alone; every rank calls it, None without a part."""
        comm = self._comm.Split(self._mpi.UNDEFINED if part is None else part, self.rank)
        if part is None:
            return None
        ranks = parts[part]
        way = self.way if len(ranks) == self.size else None  # fewer ranks: another answer
        hosts = [self.hosts[rank] for rank in ranks]
        return MpiTransport(seconds, comm, hosts, way, self.rings)

    def close(self) -> None:
        """Free the communicators."""
        self.slots.close()
        self._ours.Free()
        self._comm.Free()

    def move_on(self) -> None:
        """Move on the rings that are under way."""
        self.rings.move_on()

    def _connect(self, slots: memoryview) -> list[Any]:
        """Return the MPI messages of a round of slots: one from each rank to each."""
        length, comm = len(slots) // self.size, self._ours
        each = [slots[start : start + length] for start in range(0, len(slots), length)]
        own, others = each.pop(self.rank), [r for r in range(self.size) if r != self.rank]
        receives = [comm.Recv_init(*pair, _SLOT) for pair in zip(each, others, strict=True)]
        return [*receives, *(comm.Send_init(own, rank, _SLOT) for rank in others)]

    def _connect_all(self, numbers: bytearray) -> Any:
        """Return the MPI message of an agreement: the largest of each int64 among all ranks."""
        mpi = self._mpi
        try:
            return self._ours.Allreduce_init(mpi.IN_PLACE, [numbers, mpi.INT64_T], mpi.MAX)
        except (AttributeError, NotImplementedError):  # mpi4py 3; mpi4py 4 on an older library
            raise RuntimeError(
                f"[init_process_group] more than {ROOM_RANKS} ranks need an MPI library of version "
                "4, such as mpich 4 or Open MPI 5, and mpi4py 4; MPI here is "
                f"{'.'.join(map(str, mpi.Get_version()))}: pip install --upgrade mpi4py mpich"
            ) from None

    def exchange(self, statement: bytes, answers: bytearray) -> MpiRequest:
        """Write everybody's `statement`, all of one length, into `answers` in rank order."""
        return MpiRequest(self._ours.Iallgather(statement, answers))

    def exchange_parts(self, parts: bytes, answers: bytearray) -> MpiRequest:
        """Write part r of this rank's `parts`, all of one length, into part `rank` of rank r's."""
        return MpiRequest(self._ours.Ialltoall(parts, answers))

    def silent_ranks(self, seconds: float) -> list[int]:
        """Return the ranks that do not wait in here too: each is asked, and those that do answer.

        An answer names its question, so none of an earlier wait is taken for a sign of life.
        """
        self._question += 1
        missing = {rank for rank in range(self.size) if rank != self.rank}
        self._signs = [self._ours.isend(self._question, rank, _ALIVE) for rank in missing]
        until = time.monotonic() + seconds
        while missing and time.monotonic() < until:
            self.move_on()
            for rank, number in self._arrivals(_ALIVE):
                self._signs.append(self._ours.isend(number, rank, _YES))
            missing -= {rank for rank, number in self._arrivals(_YES) if number == self._question}
            time.sleep(0.01)
        return sorted(missing)

    def _arrivals(self, tag: int) -> list[tuple[int, int]]:
        """Return (rank, number) of each message that is here."""
        status, found = self._mpi.Status(), []
        while self._ours.Iprobe(tag=tag, status=status):
            number = self._ours.recv(source=status.source, tag=tag)
            found.append((status.source, number))
        return found

    def has_message(self, tag: int) -> bool:
        """Return whether a message with this tag is here that nobody has received."""
        return bool(self._comm.Iprobe(tag=tag))

    def broadcast(self, array: Any, src: int) -> MpiRequest:
        """Write `src`'s array into everybody's."""
        count("broadcast", array.nbytes, self.size)
        return MpiRequest(self._comm.Ibcast(self._buffer(array), src))

    def all_reduce(self, array: Any, op: str) -> Request:
        """Combine everybody's arrays in place; large ones by the ring, where it is faster."""
        nbytes = array.nbytes
        count("all_reduce", nbytes, self.size)
        limit = Limit(self._seconds, self.move_on)
        if nbytes >= RING_BYTES and self.way.is_ring(nbytes, self.by_mpi, self.by_ring, limit):
            return self.by_ring(array, op)
        return self.by_mpi(array, op)

    def by_mpi(self, array: Any, op: str) -> Request:
        """Combine everybody's arrays in place, by MPI's own all-reduce."""
        buffer = self._buffer(array)
        return MpiRequest(self._comm.Iallreduce(self._mpi.IN_PLACE, buffer, _mpi_op(op, array)))

    def by_ring(self, array: Any, op: str) -> Request:
        """Combine everybody's arrays in place, by our ring."""
        pass_on = partial(self._pass_on, _RING_TAGS * (self._ring_count % _RINGS))
        after = self._latest[0] if len(self._latest) == _RINGS else None
        ring = RingReduce(array, op, self.rank, self.size, pass_on, after)
        self._latest.append(ring)
        self._ring_count += 1  # all ranks count alike: rings that are under way at once do not mix
        return self.rings.start(ring)

    def _pass_on(self, first_tag: int, outgoing: Any, incoming: Any, number: int) -> Together:
        """Start one message of a ring each way: to the right neighbour, from the left one."""
        tag, comm = first_tag + number % _RING_TAGS, self._ours
        receive = comm.Irecv(self._buffer(incoming), (self.rank - 1) % self.size, tag)
        send = comm.Isend(self._buffer(outgoing), (self.rank + 1) % self.size, tag)
        return Together([MpiRequest(receive), MpiRequest(send)])

    def reduce(self, array: Any, op: str, dst: int) -> MpiRequest:
        """Combine everybody's arrays in `dst`'s; the others stay."""
        count("reduce", array.nbytes, self.size)
        buffer = self._buffer(array)
        send, receive = (self._mpi.IN_PLACE, buffer) if self.rank == dst else (buffer, None)
        return MpiRequest(self._comm.Ireduce(send, receive, _mpi_op(op, array), dst))

    def all_gather(self, out: Any, array: Any) -> Together:
        """Write rank r's array into row r of everybody's `out`, wherever that row lies.

        What is sent is this rank's row: just written, it is still in the cache.
        """
        count("all_gather", array.nbytes * self.size, self.size)
        rows = dict(enumerate(out.rows))
        own = rows.pop(self.rank)
        copy_(own.reshape(-1), array.reshape(-1))
        receives = [self._recv(self._ours, row, rank, _ALL_GATHER) for rank, row in rows.items()]
        sends = [self._send(self._ours, own, rank, _ALL_GATHER) for rank in rows]
        return Together([*receives, *sends])

    def gather(self, out: Any, array: Any, dst: int) -> MpiRequest:
        """Write rank r's array into row r of `dst`'s `out` (None on the other ranks)."""
        count("gather", 0 if self.rank == dst else array.nbytes, self.size)
        rows = None if out is None else self._rows(out.array)
        return MpiRequest(self._comm.Igather(self._buffer(array), rows, dst))

    def scatter(self, array: Any, parts: Any, src: int) -> MpiRequest:
        """Write row r of `src`'s `parts` (None on the other ranks) into rank r's array."""
        count("scatter", 0 if parts is None else array.nbytes * self.size, self.size)
        rows = None if parts is None else self._rows(parts.array)
        return MpiRequest(self._comm.Iscatter(rows, self._buffer(array), src))

    def reduce_scatter(self, out: Any, parts: Any, op: str) -> MpiRequest:
        """Combine everybody's `parts` and write row r of the result into rank r's `out`."""
        count("reduce_scatter", out.nbytes * self.size, self.size)
        send, receive = self._rows(parts.array), self._buffer(out)
        return MpiRequest(self._comm.Ireduce_scatter_block(send, receive, _mpi_op(op, out)))

    def all_to_all(self, outs: list[Any], arrays: list[Any]) -> Together:
        """Write rank s's `arrays[r]` into rank r's `outs[s]`, for all s and r."""
        others = [array.nbytes for rank, array in enumerate(arrays) if rank != self.rank]
        count("send", sum(others), self.size)
        receives = [self._recv(self._ours, out, r, _ALL_TO_ALL) for r, out in enumerate(outs)]
        sends = [self._send(self._ours, array, r, _ALL_TO_ALL) for r, array in enumerate(arrays)]
        return Together([*receives, *sends])

    def send(self, array: Any, dst: int, tag: int) -> MpiRequest:
        """Send `array` to `dst`."""
        count("send", 0 if self.rank == dst else array.nbytes, self.size)
        return self._send(self._comm, array, dst, tag)

    def recv(self, array: Any, src: int | None, tag: int) -> MpiRequest:
        """Receive into `array` from `src`, or from any rank when it is None."""
        return self._recv(self._comm, array, self._mpi.ANY_SOURCE if src is None else src, tag)

    def _send(self, comm: Any, array: Any, dst: int, tag: int) -> MpiRequest:
        """Start to send an array over an MPI communicator."""
        return MpiRequest(comm.Isend(self._buffer(array), dst, tag))

    def _recv(self, comm: Any, array: Any, src: int, tag: int) -> MpiRequest:
        """Start to receive an array over an MPI communicator."""
        request = comm.Irecv(self._buffer(array), src, tag)
        return MpiRequest(request, self._mpi.Status(), array.nbytes)

    def _buffer(self, array: Any) -> list[Any]:
        """Return the whole array as MPI sees it: its memory, a count of elements, a type."""
        kind = getattr(self._mpi, _TYPE_NAMES[_dtype_name(array)])
        return [array, array.nbytes // array.itemsize, kind]

    def _rows(self, array: Any) -> list[Any]:
        """Return the array as MPI sees a row for each rank: it counts the elements of one."""
        memory, count, kind = self._buffer(array)
        return [memory, count // self.size, kind]


def _mpi_op(name: str, array: Any) -> Any:
    """Return MPI's operation that combines arrays of this dtype."""
    code = _CODES.get(_dtype_name(array))
    if name in _EXTREMES and code is not None:
        return _extreme(name, code)
    return getattr(load_mpi(), _OP_NAMES[name])


@cache
def _extreme(name: str, code: Any) -> Any:
    """Make MPI's operation that takes the larger or smaller float, and NaN where there is one.

    MPI's own keeps what the order of its comparisons keeps, which differs between the ranks. This
    one combines in the order of ranks, so that all get one of -0.0 and 0.0 too.
    """

    def combine(left: Any, right: Any, _kind: Any) -> None:
        a, b = (share_buffer(memoryview(memory).cast(code)) for memory in (left, right))
        copy_(b, _EXTREMES[name](a, b))

    return load_mpi().Op.Create(combine, commute=False)


def _dtype_name(array: Any) -> str:
    """Return an array's dtype by its name in the tables of MPI's types."""
    return str(array.dtype.name).rstrip("_")
