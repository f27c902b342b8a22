"""What stage 6 asks of mpi4py, made of messages between the Pythons of a page.

Every collective is one round: each rank sends what the others need, receives what it needs, and
puts it together in the order of ranks. Stage 6 has checked before that all make the same call.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

import live_ports

from mpi4py.messages import (
    ANY_SOURCE,
    ERR_TRUNCATE,
    Error as Exception,
    Message,
    Receive,
    Status,
    arrived,
    look,
    send,
)
from norch_cpu_ops.ops import add, copy_, maximum, minimum, mul, share_buffer

__all__ = ["ANY_SOURCE", "COMM_WORLD", "ERR_TRUNCATE", "Exception", "Op", "Status"]
IN_PLACE, UNDEFINED = object(), -2
BYTE, UINT8_T, INT8_T, INT16_T, INT32_T, INT64_T, FLOAT, DOUBLE = "BBbhiqfd"  # as memoryview's


class Op(NamedTuple):
    """What combines two arrays of a type, into the second."""

    combine: Callable[[Any, Any, str], object]

    @staticmethod
    def Create(combine: Callable[[Any, Any, str], object], commute: bool = False) -> Op:
        """Make one of a function: all are called in the order of ranks."""
        return Op(combine)

    def fold(self, kind: str, parts: Iterable[bytes]) -> bytes:
        """Combine what all ranks have."""
        total, *others = map(bytearray, parts)
        for other in others:
            self.combine(total, other, kind)
            total = other
        return bytes(total)


def _by(function: Callable[[Any, Any], Any], left: Any, right: Any, kind: str) -> None:
    a, b = (share_buffer(memoryview(memory).cast(kind)) for memory in (left, right))
    copy_(b, function(a, b))


SUM, PROD, MIN, MAX = (Op(partial(_by, function)) for function in (add, mul, minimum, maximum))


def memory_of(buffer: Any) -> memoryview:
    """Return the bytes of a buffer, or of a list [buffer, count, type]."""
    memory = memoryview(buffer[0] if isinstance(buffer, list) else buffer)
    return memory.cast("B") if memory.nbytes else memoryview(b"")


def bytes_of(buffer: Any) -> bytes:
    """Return a copy of them: a buffer may change once it is sent."""
    return bytes(memory_of(buffer))


def into(buffer: Any, op: Op | None = None) -> Callable[[list[bytes]], None]:
    """Return what writes what came, one after the other or combined; nothing where none came."""

    def finish(parts: list[bytes]) -> None:
        if parts:
            memory = memory_of(buffer)
            memory[:] = op.fold(buffer[2], parts) if op else b"".join(parts)

    return finish


class Sent:
    """The request of a send: over at once."""

    def Test(self, status: Status | None = None) -> bool:
        """Return True."""
        return True


class Sending(NamedTuple):
    """A send that is made again and again."""

    start: Callable[[], object]

    def Start(self) -> None:
        """Send what is there now."""
        self.start()

    def Test(self) -> bool:
        """Return True."""
        return True

    def Free(self) -> None:
        """Forget it."""


class Round:
    """The request of a collective: when all that it receives is here, `finish` gets it."""

    def __init__(self, receives: list[Receive], finish: Callable[[list[bytes]], object]) -> None:
        self.receives = receives
        self.finish: Callable[[list[bytes]], object] | None = finish

    def Test(self, status: Status | None = None) -> bool:
        """Return whether the result is in its place."""
        if self.finish is not None and all(receive.Test() for receive in self.receives):
            self.finish([receive.message.data for receive in self.receives])
            self.finish = None
        return self.finish is None


class Comm:
    """A communicator: ranks, and messages that never meet those of another one."""

    def __init__(self, context: str, ranks: list[int]) -> None:
        self.context, self.ranks = context, ranks
        self.rank, self.size = ranks.index(live_ports.rank), len(ranks)
        self.children = self.rounds = 0  # all ranks count alike

    def Free(self) -> None:
        """Forget it."""

    def Dup(self) -> Comm:
        """Return another one of the same ranks."""
        return self.Split(0, self.rank)

    def Split(self, color: int, key: int) -> Comm | None:
        """Return one of the ranks that say the same color, in the order of their keys."""
        self.children += 1
        said = self.allgather((color, key))
        if color == UNDEFINED:
            return None
        found = sorted(
            (key, self.ranks[r]) for r, (other, key) in enumerate(said) if other == color
        )
        return Comm(f"{self.context}.{self.children}:{color}", [rank for _, rank in found])

    # ---- messages of two ranks ----------------------------------------------------------------

    def Isend(self, buffer: Any, dst: int, tag: int) -> Sent:
        """Send a buffer."""
        return self.post(bytes(memory_of(buffer)), dst, tag)

    def Irecv(self, buffer: Any, src: int, tag: int) -> Receive:
        """Receive into a buffer."""
        return self.Recv_init(buffer, src, tag).Start()

    def Send_init(self, buffer: Any, dst: int, tag: int) -> Sending:
        """Return a send for many times."""
        return Sending(partial(self.Isend, buffer, dst, tag))

    def Recv_init(self, buffer: Any, src: int, tag: int) -> Receive:
        """Return a receive for many times."""
        return Receive(self.context, src, tag, memory_of(buffer))

    def isend(self, value: object, dst: int, tag: int) -> Sent:
        """Send a value of Python's."""
        return self.post(pickle.dumps(value), dst, tag)

    def recv(self, source: int, tag: int) -> Any:
        """Receive a value of Python's."""
        receive = Receive(self.context, source, tag).Start()
        receive.Wait()
        return pickle.loads(receive.message.data)

    def Iprobe(self, tag: int, status: Status | None = None) -> bool:
        """Return whether a message of this tag is here that nobody has asked for."""
        look()
        wanted = Receive(self.context, ANY_SOURCE, tag)
        found = next(filter(wanted.takes, arrived), None)
        if found is not None and status is not None:
            status.source = found.source
        return found is not None

    def post(self, data: bytes, dst: int, tag: int | str) -> Sent:
        """Send bytes."""
        send(self.ranks[dst], Message(self.context, self.rank, tag, data))
        return Sent()

    # ---- messages of all ranks ----------------------------------------------------------------

    def round(
        self, data: Mapping[int, bytes], sources: Iterable[int], finish: Callable[..., object]
    ) -> Round:
        """Send each rank its data, and receive from the sources; both may name this rank."""
        self.rounds += 1
        tag = f"round {self.rounds}"
        for rank, part in data.items():
            self.post(part, rank, tag)
        return Round([Receive(self.context, rank, tag).Start() for rank in sources], finish)

    def to_all(self, data: bytes) -> dict[int, bytes]:
        """Return the same data for every rank."""
        return dict.fromkeys(range(self.size), data)

    def rows(self, buffer: Any) -> dict[int, bytes]:
        """Return for each rank its row of a buffer."""
        memory = memory_of(buffer)
        length = len(memory) // self.size
        return {r: bytes(memory[r * length : (r + 1) * length]) for r in range(self.size)}

    def sources(self, root: int) -> range:
        """Return whom this rank receives from, when the root alone receives: from all."""
        return range(self.size if self.rank == root else 0)

    def allgather(self, value: object) -> list[Any]:
        """Return what all ranks give, in their order."""
        found: list[bytes] = []
        request = self.round(self.to_all(pickle.dumps(value)), range(self.size), found.extend)
        while not request.Test():
            pass
        return [pickle.loads(data) for data in found]

    def Iallgather(self, buffer: Any, out: Any) -> Round:
        """Write what all ranks have, one after the other."""
        return self.round(self.to_all(bytes_of(buffer)), range(self.size), into(out))

    def Ialltoall(self, rows: Any, out: Any) -> Round:
        """Write what all ranks have for this one, one after the other."""
        return self.round(self.rows(rows), range(self.size), into(out))

    def Ibcast(self, buffer: Any, root: int) -> Round:
        """Write what the root has into everybody's buffer."""
        data = self.to_all(bytes_of(buffer)) if self.rank == root else {}
        return self.round(data, [root], into(buffer))

    def Iallreduce(self, _in_place: object, buffer: Any, op: Op) -> Round:
        """Combine everybody's buffers in all of them."""
        return self.round(self.to_all(bytes_of(buffer)), range(self.size), into(buffer, op))

    def Ireduce(self, send: Any, receive: Any, op: Op, root: int) -> Round:
        """Combine everybody's buffers in the root's."""
        buffer = receive if send is IN_PLACE else send
        return self.round({root: bytes_of(buffer)}, self.sources(root), into(receive, op))

    def Igather(self, buffer: Any, rows: Any, root: int) -> Round:
        """Write each rank's buffer into its row of the root's."""
        return self.round({root: bytes_of(buffer)}, self.sources(root), into(rows))

    def Iscatter(self, rows: Any, buffer: Any, root: int) -> Round:
        """Write each row of the root's into its rank's buffer."""
        data = self.rows(rows) if self.rank == root else {}
        return self.round(data, [root], into(buffer))

    def Ireduce_scatter_block(self, rows: Any, buffer: Any, op: Op) -> Round:
        """Combine everybody's rows, each in its rank's buffer."""
        return self.round(self.rows(rows), range(self.size), into(buffer, op))


COMM_WORLD = Comm("world", list(range(live_ports.size)))


def Get_processor_name() -> str:
    """Return the machine's name: all ranks are in one page."""
    return "page"


def Is_initialized() -> bool:
    """Return whether MPI has begun: importing this is it."""
    return True


def Is_finalized() -> bool:
    """Return whether MPI has ended: there is nothing to end."""
    return True
