"""The process group: who am I, how many are we, and the channel we speak through.

`init_process_group` is called once by every rank; `collectives` and `data_parallel` ask
`current_group()` and speak through `roll_call`, which makes sure that all ranks mean the same call
*before* data moves: a mismatch is an error on every rank, never a hang or mixed-up memory.
"""

from __future__ import annotations

import atexit
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from .ending import end_all_ranks
from .transport_mpi import MpiTransport, started_by_mpi
from .transport_solo import SoloTransport
from .work import Work

if TYPE_CHECKING:
    from datetime import timedelta

DEFAULT_SECONDS = 1800.0
STATEMENT_BYTES = 160
BACKENDS = ("mpi",)

Transport = MpiTransport | SoloTransport


class ProcessGroup(NamedTuple):
    """The ranks that speak with each other, and how long one waits for another."""

    transport: Transport
    seconds: float

    @property
    def rank(self) -> int:
        """The number of this process, from 0."""
        return self.transport.rank

    @property
    def size(self) -> int:
        """How many processes there are."""
        return self.transport.size


_group: ProcessGroup | None = None
_parted = False  # whether some rank's script is over: it answers nothing any more

FAREWELL = "ended: this rank's script is over"


def init_process_group(
    rank: int | None = None,
    world_size: int | None = None,
    backend: str = "mpi",
    timeout: timedelta | float = DEFAULT_SECONDS,
) -> None:
    """Join the processes that one launcher started; a process started alone is rank 0 of 1.

    `rank` and `world_size` may be left out (or -1): MPI knows them. When given, or when the
    environment has `RANK` and `WORLD_SIZE`, they must agree with MPI's. A `timeout` is in seconds.
    """
    global _group, _parted
    if isinstance(rank, str):  # PyTorch's first argument is the backend
        rank, backend = None, rank
    if _group is not None:
        raise RuntimeError(
            "[init_process_group] the group exists already: call destroy_process_group() first"
        )
    if backend not in BACKENDS:
        raise ValueError(f"[init_process_group] backend {backend!r} is unknown: use 'mpi'")
    seconds = _in_seconds(timeout)
    transport = MpiTransport() if started_by_mpi() else SoloTransport()
    _check_claim(transport, "rank", transport.rank, _claim(rank, "RANK"))
    _check_claim(transport, "world_size", transport.size, _claim(world_size, "WORLD_SIZE"))
    _group = ProcessGroup(transport, seconds)
    _parted = False
    atexit.register(_leave)


def _in_seconds(timeout: timedelta | float) -> float:
    seconds = float(timeout) if isinstance(timeout, (int, float)) else timeout.total_seconds()
    if not seconds > 0:
        raise ValueError(f"[init_process_group] timeout {seconds} s must be positive")
    return seconds


def _claim(given: int | None, name: str) -> int | None:
    """The number the caller or the environment states, or None where both are silent."""
    if given is not None and given != -1:  # -1: PyNorch's `os.getenv(name, -1)` without a launcher
        return int(given)
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None


def _check_claim(transport: Transport, what: str, actual: int, claimed: int | None) -> None:
    if claimed is None or claimed == actual:
        return
    if isinstance(transport, SoloTransport):
        raise RuntimeError(
            f"[init_process_group] {what} {claimed} was given, but this process was started alone: "
            "start the script with python -m norch.distributed.run --nproc_per_node N script.py"
        )
    raise ValueError(
        f"[init_process_group] {what} {claimed} was given, but MPI says {what} {actual}: "
        "leave it out, or read it from the environment of this launcher"
    )


def is_initialized() -> bool:
    """Return whether `init_process_group` has been called."""
    return _group is not None


def current_group() -> ProcessGroup:
    """Return the group; RuntimeError before `init_process_group`."""
    if _group is None:
        raise RuntimeError(
            "[distributed] there is no process group yet: call init_process_group() first"
        )
    return _group


def get_rank() -> int:
    """Return the number of this process, from 0."""
    return current_group().rank


def get_world_size() -> int:
    """Return how many processes there are."""
    return current_group().size


def get_backend() -> str:
    """Return the name of the backend."""
    current_group()
    return "mpi"


def destroy_process_group() -> None:
    """Leave the group together; `init_process_group` may be called again."""
    global _group
    group = current_group()
    with roll_call("destroy_process_group"):
        pass
    atexit.unregister(_leave)
    _group = None
    group.transport.close()


class Statement:
    """What this rank is about to do; `detail` is filled in inside `roll_call`."""

    __slots__ = ("detail", "op")

    def __init__(self, op: str) -> None:
        self.op = op
        self.detail = ""


@contextmanager
def roll_call(op: str) -> Iterator[Statement]:
    """Check the arguments inside; on leaving, every rank states its call, and all must be equal.

    A rank whose check raises says so, and the others raise too instead of waiting for it.
    """
    group = current_group()
    statement = Statement(op)
    try:
        yield statement
    except Exception as error:
        _exchange(group, op, f"{op} refused: {error}")
        raise
    answers = _exchange(group, op, f"{op}{statement.detail}")
    if len(set(answers)) > 1:
        lines = "".join(f"\n  rank {rank}: {answer}" for rank, answer in enumerate(answers))
        raise RuntimeError(
            f"[{op}] the ranks disagree, and no data has moved:{lines}\n"
            "every rank must make the same calls in the same order, with equal shapes and dtypes"
        )


def _exchange(group: ProcessGroup, op: str, text: str) -> list[str]:
    """Every rank's text, in rank order; one small message, a few microseconds."""
    global _parted
    if group.size == 1:
        return [text]
    if _parted:
        raise RuntimeError(
            f"[{op}] another rank's script is over, so nobody would answer: "
            "every rank must make the same calls in the same order"
        )
    answers = bytearray(STATEMENT_BYTES * group.size)
    request = group.transport.exchange(_encode(text), answers)
    Work(request, op, group.seconds).wait()
    rows = (answers[i : i + STATEMENT_BYTES] for i in range(0, len(answers), STATEMENT_BYTES))
    texts = [bytes(row).rstrip(b"\0").decode(errors="replace") for row in rows]
    _parted = FAREWELL in texts
    return texts


def _encode(text: str) -> bytes:
    """Fixed width; a long text keeps its start and a checksum of all of it."""
    raw = text.encode()
    if len(raw) > STATEMENT_BYTES:
        raw = raw[: STATEMENT_BYTES - 12] + b"... %08x" % crc32(raw)
    return raw.ljust(STATEMENT_BYTES, b"\0")


def abort(code: int) -> None:
    """End every rank at once, without the farewell that the others would report as their error."""
    atexit.unregister(_leave)
    end_all_ranks(code)


def _leave() -> None:
    """At exit: tell ranks that still wait for this one that it has gone."""
    group = _group
    if group is None or group.size == 1 or _parted:
        return
    if getattr(sys, "last_type", None) is not None:  # an unhandled error: end the others too
        end_all_ranks(1)
    _exchange(group._replace(seconds=math.inf), "exit", FAREWELL)
