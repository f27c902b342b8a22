"""The process group: this process's rank, the number of ranks, and the transports between them.

`init_process_group` is called once by every rank. `collectives` and `data_parallel` ask for
`current_group()` and open every call with `collective_check`, which makes sure that all ranks make
the same call *before* data moves: a mismatch is an error on every rank, never a hang.
"""

from __future__ import annotations

import atexit
import math
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from norch_ddp.groups.statements import (
    encode_statement,
    exchange_exit_notices,
    exchange_statements,
    state_call,
)
from norch_ddp.launch import rendezvous
from norch_ddp.launch.abort import abort_all_ranks
from norch_ddp.launch.environment import find_start, has_launcher, started_by_mpi
from norch_ddp.launch.rendezvous import Place
from norch_ddp.launch.store import FileStore, Store
from norch_ddp.transports.backend import check_backend
from norch_ddp.transports.inline import InlineTransport
from norch_ddp.transports.mpi import MpiTransport, in_multiprocessing, load_mpi
from norch_ddp.transports.nccl import NcclTransport, find_gpu
from norch_ddp.transports.solo import SoloTransport
from norch_ddp.transports.transport import Transport
from norch_ddp.transports.work import in_seconds

if TYPE_CHECKING:
    from datetime import timedelta

DEFAULT_SECONDS = 300.0
"""How long a rank waits for another in a call."""

SIGN_SECONDS = 10.0
"""After that, how long all that wait too have to give a sign of life."""

PARTING_SECONDS = 2.0
"""How long a process of `multiprocessing` that failed tells the others so."""


class ProcessGroup:
    """The ranks that exchange messages, and how long one waits for another.

    `ranks` are their numbers among all processes; inside the group they count from 0 again.
    `transport` is the host's: it knows the ranks, and carries statements, messages and tensors.
    `known_statements` are what small calls stated that went well, by what they were made of.
    """

    __slots__ = (
        "_between_gpus",
        "backend",
        "has_ended_rank",
        "known_statements",
        "ranks",
        "seconds",
        "transport",
    )

    def __init__(
        self,
        transport: MpiTransport | SoloTransport,
        seconds: float,
        ranks: Sequence[int],
        backend: str | None = None,
    ) -> None:
        self.transport = transport
        self.seconds = seconds
        self.ranks = tuple(ranks)
        self.backend = backend
        self.has_ended_rank = False  # a rank whose script is over answers nothing any more
        self.known_statements: dict[Any, bytes] = {}
        self._between_gpus: NcclTransport | None = None

    @property
    def rank(self) -> int:
        """The number of this process in the group, from 0."""
        return self.transport.rank

    @property
    def size(self) -> int:
        """How many processes the group has."""
        return self.transport.size

    def group_rank(self, rank: int) -> int:
        """Return the number in the group of the process that is `rank` among all."""
        return self.ranks.index(rank)

    def silence(self) -> str:
        """Say which ranks, and on which hosts, give no sign of life, after a wait of `seconds`."""
        silent = self.transport.silent_ranks(min(self.seconds, SIGN_SECONDS))
        if not silent:
            return "all wait at the same time, so their sends and receives do not fit"
        hosts = self.transport.hosts
        several = len(set(hosts)) > 1
        names = [f"rank {self.ranks[r]}{f' on {hosts[r]}' if several else ''}" for r in silent]
        all_names = ", ".join(names)
        return f"no sign of life from {all_names} (did not answer, or waits elsewhere)"

    def move_on(self) -> None:
        """Move on what is under way on the host: another rank may wait for that first."""
        self.transport.move_on()

    def transport_for(self, device: str) -> Transport:
        """Return what carries tensors on `device`: NCCL between GPUs, else the host's transport."""
        if device == "cpu" or isinstance(self.transport, SoloTransport):
            return self.transport
        if "nccl" not in (self.backend or "nccl"):
            return self.transport
        gpu = find_gpu(device, required=self.backend is not None)
        if gpu is None:
            return self.transport
        if self._between_gpus is None:
            self._between_gpus = NcclTransport(self.transport, gpu, self.seconds, _end_all)
        if self._between_gpus.gpu.name != device:
            raise ValueError(
                f"[nccl] this rank speaks from {self._between_gpus.gpu.name}, and the tensor is on "
                f"{device}: a rank has one GPU in a group; move the tensor, or make a new_group()"
            )
        return self._between_gpus

    def duplicate(self) -> ProcessGroup:
        """Return a group whose messages on the host never meet those of this one.

        GPUs keep one transport: two that are at work at once may wait for each other for ever.
        """
        group = ProcessGroup(self.transport.duplicate(), self.seconds, self.ranks, self.backend)
        group._between_gpus = self._between_gpus
        return group

    def close(self) -> None:
        """Free the group's transports; every rank calls it."""
        if self._between_gpus is not None:
            self._between_gpus.close()
        self.transport.close()


def _end_all(reason: str) -> None:
    """Say why, and end all ranks: from a thread no error would reach the script."""
    sys.stderr.write(f"RuntimeError: {reason}\n")
    abort_all_ranks(1)


groups: list[ProcessGroup] = []
"""All groups of this process: everybody's first, then those of `new_group`."""


def init_process_group(
    backend: str | int | None = None,
    init_method: str | int | None = None,
    timeout: timedelta | float | None = None,
    world_size: int | None = None,
    rank: int | None = None,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Make the process group of what one launcher started; a process alone is rank 0 of 1.

    `rank` and `world_size` may be left out (or -1): MPI knows them. When given, or when the
    environment has `RANK` and `WORLD_SIZE`, they must agree with MPI's. Processes that no launcher
    started meet at rank 0's address: MASTER_ADDR and MASTER_PORT of the environment (None and
    `"env://"`), or `init_method="tcp://host:port"`; or they find it in a `store`, or in a new file,
    `"file:///path"`. There rank and world size are needed; torchrun and SLURM's srun set them.
    MPI carries tensors on the host, whichever `backend` of PyTorch's is named. Those on GPUs: with
    "nccl", NCCL; with "gloo" and "mpi", MPI through the host; with none, NCCL where CuPy finds it,
    else MPI. A `timeout` is in seconds. `init_process_group(rank, world_size)` is understood too.
    The other arguments may be given and change nothing: a GPU joins when its first tensor travels.
    """
    if isinstance(backend, int) or isinstance(init_method, int):
        backend, rank, init_method, world_size = None, backend, None, init_method
    if groups:
        raise RuntimeError(
            "[init_process_group] the group exists already: call destroy_process_group() first"
        )
    backend = check_backend("init_process_group", backend)
    place = _meeting_place(init_method, store)
    seconds = DEFAULT_SECONDS if timeout is None else in_seconds("init_process_group", timeout)
    rank, world_size = _claim(rank, "RANK"), _claim(world_size, "WORLD_SIZE")
    if not started_by_mpi():
        rank, world_size = _place_in_world(place, rank, world_size)
    if not started_by_mpi() and place is not None and rank is not None and (world_size or 0) > 1:
        _meet(place, rank, world_size or 0, seconds)
        if rank == 0 and store is None and isinstance(place, FileStore):
            os.unlink(place.path)  # nobody looks there any more
    transport = MpiTransport(seconds) if started_by_mpi() else SoloTransport()
    _check_claim(transport, "rank", transport.rank, rank)
    _check_claim(transport, "world_size", transport.size, world_size)
    _check_start(transport.size)
    groups.append(ProcessGroup(transport, seconds, range(transport.size), backend))
    _leave_groups_at_exit()


def _meeting_place(init_method: str | None, store: Store | None) -> Place | Store | None:
    """Return where a process group's ranks meet, if its caller or the environment says so."""
    if store is None:
        place = rendezvous.meeting_place(init_method)
        return FileStore(place) if isinstance(place, str) else place
    if init_method is not None or not isinstance(store, Store):
        raise ValueError(
            "[init_process_group] ranks meet by init_method or by a store such as TCPStore(...), "
            f"one of them: {init_method!r} and {store!r} were given"
        )
    return store


def _meet(place: Place | Store, rank: int, size: int, seconds: float) -> None:
    """Start MPI for a process group that no launcher started, where its caller said to meet."""
    if isinstance(place, Store):
        rendezvous.join_by_store(place, rank, size, seconds)
    else:
        rendezvous.join(rank, size, *place, seconds)


def _claim(value: int | None, name: str) -> int | None:
    """Return the process group's rank or size that caller or environment states, else None."""
    if value is not None and value != -1:  # -1: PyNorch's `os.getenv(name, -1)` without a launcher
        return int(value)
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None


def _place_in_world(
    place: Place | Store | None, rank: int | None, size: int | None
) -> tuple[int | None, int | None]:
    """Return a process group's rank and size, of its launcher where nobody else states them.

    Refuses where there are others, and nobody says which of them this process is.
    """
    start = find_start()
    if start is not None and start.rank is not None and rank is None and size is None:
        return start.rank, start.size
    if size is None and start is not None and start.size > 1:
        raise RuntimeError(
            f"[init_process_group] {start.launcher.size}={start.size} says that there are more "
            "processes than this one, but nothing says which of them it is: start the script with "
            f"{start.launcher.name}, or set RANK and WORLD_SIZE in every process (for this one "
            "alone: WORLD_SIZE=1)"
        )
    if place is not None and (rank is None or size is None) and size != 1:
        missing = [name for name, value in (("RANK", rank), ("WORLD_SIZE", size)) if value is None]
        raise RuntimeError(
            "[init_process_group] there is a place to meet others at (MASTER_ADDR, init_method or "
            f"store), but no {' and no '.join(missing)}: give rank and world_size, set RANK "
            "and WORLD_SIZE in every process (for this one alone: WORLD_SIZE=1), or start the "
            "script with python -m norch.distributed.run --nproc_per_node N script.py"
        )
    return rank, size


def _check_start(size: int) -> None:
    """Refuse a process group of one where a launcher has started several for MPI."""
    start = find_start()
    if start is not None and start.launcher.starts_mpi and size == 1 < start.size:
        raise RuntimeError(
            f"[init_process_group] {start.launcher.size}={start.size}, but MPI says that this "
            f"process is alone: {start.launcher.name} and the MPI library of mpi4py are strangers; "
            "start the script with python -m norch.distributed.run --nproc_per_node N script.py, "
            "or with the mpiexec of that library"
        )


def _check_claim(
    transport: MpiTransport | SoloTransport, what: str, actual: int, claim: int | None
) -> None:
    """Refuse a process group's rank or world size that is not the one MPI knows."""
    if claim is None or claim == actual:
        return
    if isinstance(transport, SoloTransport):
        raise RuntimeError(
            f"[init_process_group] {what} {claim} was given, but this process was started alone: "
            "start the script with python -m norch.distributed.run --nproc_per_node N script.py, "
            "or say in every process where rank 0 is: MASTER_ADDR=host MASTER_PORT=29500"
        )
    raise ValueError(
        f"[init_process_group] {what} {claim} was given, but MPI says {what} {actual}: "
        "leave it out, or read it from the environment of this launcher"
    )


def is_initialized() -> bool:
    """Return whether `init_process_group` has been called."""
    return bool(groups)


def current_group(group: ProcessGroup | None = None) -> ProcessGroup:
    """Return `group`, or everybody's; RuntimeError before `init_process_group`, TypeError for what
    is no group: `async_op` given by its place, for instance.
    """
    if not groups:
        raise RuntimeError(
            "[distributed] there is no process group yet: call init_process_group() first"
        )
    if group is not None and not hasattr(group, "ranks"):
        raise TypeError(
            f"[distributed] group must come from new_group(), or be None, not {group!r}: async_op "
            "and tag stand after it, or by name"
        )
    return groups[0] if group is None else group


def get_rank(group: ProcessGroup | None = None) -> int:
    """Return the number of this process, from 0; -1 in a group that it is not in."""
    return current_group(group).rank


def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return how many processes there are; -1 for a group that this one is not in."""
    return current_group(group).size


def get_backend(group: ProcessGroup | None = None) -> str:
    """Return the backend that was asked for; "mpi", which all rest on, if none was."""
    return current_group(group).backend or "mpi"


def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Leave the process group `group` together, or all groups; then one may be made again."""
    group = current_group(group)
    if group.size < 0:
        return
    with collective_check("destroy_process_group", group):
        pass
    leaving = list(groups) if group is groups[0] else [group]
    for each in leaving:
        groups.remove(each)
        each.close()


class collective_check:
    """Check the arguments inside; on leaving, every rank states its call, and all must be equal.

    A rank whose check raises says so, and the others raise too instead of waiting for it. `detail`
    is what the call adds to its name. An array given to `carry` travels with the statement if it is
    small: `transport` has it already, and needs no message more.
    """

    __slots__ = ("_array", "_group", "_key", "_op", "detail", "transport")

    def __init__(self, op: str, group: ProcessGroup | None = None) -> None:
        self._op = op
        self._group = current_group(group)
        self._array: Any = None
        self._key: Any = None
        self.detail = ""
        self.transport: Transport | InlineTransport = self._group.transport

    def carry(
        self, transport: Transport, array: Any, nbytes: int | None = None, key: Any = None
    ) -> None:
        """Name what the call will send, and by what. `nbytes`: where not all ranks have an array.

        It goes along if all ranks see that it fits: they have agreed on `nbytes` when it is read.
        By `key`, and the array's dtype and shape, such a call is known when it is made again.
        """
        host = self._group.transport
        nbytes = array.nbytes if nbytes is None else nbytes
        self.transport = transport
        if transport is not host or isinstance(host, SoloTransport) or host.size == 1:
            return
        if 0 < nbytes <= host.slots.room:
            self._array = array
            self._key = key
            self.transport = host.inline

    def __enter__(self) -> collective_check:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._group.size == 1:
            return
        if error is None:
            statement = encode_statement(f"{self._op}{self.detail}")
            state_call(self._group, self._op, statement, self._array)
            if self._key is not None:
                call = self._op, self._key, self._array.dtype, self._array.shape
                self._group.known_statements[call] = statement
        elif isinstance(error, Exception):
            exchange_statements(
                self._group, self._op, encode_statement(f"{self._op} refused: {error}")
            )


def _leave_groups_at_exit() -> None:
    """Have process groups left at exit; a process of `multiprocessing` has an exit of its own."""
    if not in_multiprocessing():
        atexit.unregister(_leave_groups)  # once, and before MPI ends
        atexit.register(_leave_groups)
        return
    from multiprocessing.util import Finalize

    Finalize(None, _leave_groups_in_child, exitpriority=1)


def _leave_groups_in_child() -> None:
    """Leave the process groups in a forked child, whose exit is not Python's, and end MPI.

    After an error the notice has a little time: nobody may be waiting for it.
    """
    has_failed = sys.exc_info()[0] is not None
    _leave_groups(PARTING_SECONDS if has_failed else math.inf)
    if started_by_mpi() and not has_failed:
        load_mpi().Finalize()


def _leave_groups(seconds: float = math.inf) -> None:
    """At exit, leave the process groups: tell ranks that still wait that this one has gone."""
    waiting = [group for group in groups if group.size > 1 and not group.has_ended_rank]
    if not waiting:
        return
    if has_launcher() and getattr(sys, "last_type", None) is not None:
        abort_all_ranks(1)  # an unhandled error: end the others too
    with suppress(RuntimeError):  # nobody listened in time
        exchange_exit_notices(waiting, seconds)
