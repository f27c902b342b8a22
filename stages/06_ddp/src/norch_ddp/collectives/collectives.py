"""PyTorch's collectives and point-to-point messages: tensors between ranks.

Each function checks its arguments inside a `collective_check`, makes a message of its tensor
(contiguous, where and in a type that its transport can send), starts one message on that transport
and writes the answer back, whatever the tensor's strides or device. With `async_op=True` it returns
a `Work` to wait for. Single messages go by MPI from any device: NCCL has no tags and no "from
anybody".
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from norch_autograd import Tensor, bool as bool_
from norch_ddp.collectives.message import (
    Message,
    RowMessage,
    check_peer,
    check_tensor,
    plain_rows,
)
from norch_ddp.groups.process_group import ProcessGroup, collective_check
from norch_ddp.groups.statements import disagreement, exchange_statements
from norch_ddp.groups.subgroup import member_of
from norch_ddp.transports.mpi import MpiRequest
from norch_ddp.transports.work import DONE, Request, Work, in_seconds

if TYPE_CHECKING:
    from datetime import timedelta


class ReduceOp(StrEnum):
    """How values of different ranks are combined; `AVG` is `MEAN`, as in PyTorch."""

    SUM = "sum"
    MEAN = "mean"
    AVG = "mean"
    PRODUCT = "product"
    MIN = "min"
    MAX = "max"


_REDUCE_OPS = {op.value: op for op in ReduceOp}  # a member equals its value
_KEYS = (int, str, ReduceOp)  # of small calls that are known; True equals 1, and is no rank


def barrier(
    group: ProcessGroup | None = None,
    async_op: bool = False,
    device_ids: Sequence[int] | None = None,
) -> Work | None:
    """Return when every rank has called `barrier`; `device_ids` are NCCL's, and change nothing."""
    group = member_of("barrier", group)
    if group is None:
        return None
    with collective_check("barrier", group):
        pass
    return Work(DONE, "barrier", group) if async_op else None


def monitored_barrier(
    group: ProcessGroup | None = None,
    timeout: timedelta | float | None = None,
    wait_all_ranks: bool = False,
) -> None:
    """Do `barrier` with a time limit of its own, in seconds.

    The error after it names all ranks that did not come, with and without `wait_all_ranks`.
    """
    group = member_of("monitored_barrier", group)
    if group is None:
        return
    seconds = group.seconds if timeout is None else in_seconds("monitored_barrier", timeout)
    limited = ProcessGroup(group.transport, seconds, group.ranks, group.backend)
    limited.has_ended_rank = group.has_ended_rank
    try:
        with collective_check("monitored_barrier", limited):
            pass
    finally:
        group.has_ended_rank = limited.has_ended_rank


def broadcast(
    tensor: Tensor, src: int, group: ProcessGroup | None = None, async_op: bool = False
) -> Work | None:
    """Overwrite every rank's `tensor` with rank `src`'s."""
    group = member_of("broadcast", group)
    if group is None:
        return None
    if not async_op and (array := _repeat_call(group, "broadcast", src, tensor)) is not None:
        group.transport.inline.broadcast(array, group.ranks.index(src))
        return None
    with collective_check("broadcast", group) as call:
        message = Message(tensor, group)
        call.detail = f"(src={check_peer(group, 'broadcast', src)}) {message.words}"
        call.carry(message.transport, message.array, key=message.key_of_call(src))
    request = call.transport.broadcast(message.array, group.group_rank(src))
    return complete(group, "broadcast", request, message, async_op)


def all_reduce(
    tensor: Tensor,
    op: ReduceOp | str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Overwrite every rank's `tensor` with the sum (mean, product, min, max) over all ranks."""
    group = member_of("all_reduce", group)
    if group is None:
        return None
    if not async_op and (array := _repeat_call(group, "all_reduce", op, tensor)) is not None:
        group.transport.inline.all_reduce(array, op)
        return None
    with collective_check("all_reduce", group) as call:
        op = check_op("all_reduce", op, tensor)
        message = Message(tensor, group, op)
        call.detail = "(" + op + ") " + message.words
        key = None if op is ReduceOp.MEAN else message.key_of_call(op)
        call.carry(message.transport, message.array, key=key)
    request = call.transport.all_reduce(message.array, message.op)
    return complete(group, "all_reduce", request, message, async_op)


def reduce(
    tensor: Tensor,
    dst: int,
    op: ReduceOp | str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Overwrite rank `dst`'s `tensor` with the combination over all ranks; others keep theirs."""
    group = member_of("reduce", group)
    if group is None:
        return None
    with collective_check("reduce", group) as call:
        op = check_op("reduce", op, tensor)
        message = Message(tensor, group, op)
        call.detail = f"({op}, dst={check_peer(group, 'reduce', dst)}) {message.words}"
        call.carry(message.transport, message.array)
    request = call.transport.reduce(message.array, message.op, group.group_rank(dst))
    result = message if group.rank == group.group_rank(dst) else None
    return complete(group, "reduce", request, result, async_op)


def all_gather(
    tensor_list: Sequence[Tensor],
    tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write rank r's `tensor` into `tensor_list[r]` on every rank."""
    group = member_of("all_gather", group)
    if group is None:
        return None
    if not async_op and (plain := plain_rows(tensor_list, tensor, group.size)) is not None:
        array = _repeat_call(group, "all_gather", "", tensor)
        if array is not None:
            group.transport.inline.all_gather_rows(plain, array)
            return None
    with collective_check("all_gather", group) as call:
        message = Message(tensor, group)
        call.detail = f" {message.words}"
        rows = RowMessage("all_gather", tensor_list, message, group.size)
        call.carry(message.transport, message.array, key=message.key_of_call(""))
    request = call.transport.all_gather(rows, message.array)
    return complete(group, "all_gather", request, rows, async_op)


def gather(
    tensor: Tensor,
    gather_list: Sequence[Tensor] | None = None,
    dst: int = 0,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write rank r's `tensor` into `gather_list[r]` on rank `dst`; the others give no list."""
    group = member_of("gather", group)
    if group is None:
        return None
    with collective_check("gather", group) as call:
        message = Message(tensor, group)
        call.detail = f"(dst={check_peer(group, 'gather', dst)}) {message.words}"
        rows = _rows_of_one_rank("gather", "gather_list", gather_list, message, group, dst)
        call.carry(message.transport, message.array)
    request = call.transport.gather(rows, message.array, group.group_rank(dst))
    return complete(group, "gather", request, rows, async_op)


def scatter(
    tensor: Tensor,
    scatter_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write `scatter_list[r]` of rank `src` into rank r's `tensor`; the others give no list."""
    group = member_of("scatter", group)
    if group is None:
        return None
    with collective_check("scatter", group) as call:
        message = Message(tensor, group)
        call.detail = f"(src={check_peer(group, 'scatter', src)}) {message.words}"
        rows = _rows_of_one_rank("scatter", "scatter_list", scatter_list, message, group, src)
        parts = None if rows is None else rows.pack()
        array = None if parts is None else parts.array
        call.carry(message.transport, array, message.array.nbytes * group.size)
    request = call.transport.scatter(message.array, parts, group.group_rank(src))
    return complete(group, "scatter", request, message, async_op)


def reduce_scatter(
    output: Tensor,
    input_list: Sequence[Tensor],
    op: ReduceOp | str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combine every rank's `input_list[r]` and write the result into rank r's `output`."""
    group = member_of("reduce_scatter", group)
    if group is None:
        return None
    with collective_check("reduce_scatter", group) as call:
        op = check_op("reduce_scatter", op, output)
        message = Message(output, group, op)
        call.detail = f"({op}) {message.words}"
        parts = RowMessage("reduce_scatter", input_list, message, group.size).pack()
        call.carry(message.transport, parts.array)
    request = call.transport.reduce_scatter(message.array, parts, message.op)
    return complete(group, "reduce_scatter", request, message, async_op)


def isend(tensor: Tensor, dst: int, group: ProcessGroup | None = None, tag: int = 0) -> Work | None:
    """Start to send `tensor` to rank `dst`; leave it unchanged until the Work is done."""
    group = member_of("isend", group)
    if group is None:
        return None
    check_tensor(tensor)
    check_peer(group, "send", dst, other=True)
    message = Message(tensor, group, transport=group.transport)  # the request holds its memory
    request = group.transport.send(message.array, group.group_rank(dst), tag)
    return Work(request, "send", group)


def irecv(
    tensor: Tensor, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0
) -> Work | None:
    """Start to receive into `tensor` from rank `src`; read it only when the Work is done.

    A `wait` that takes too long takes it back: what is sent later goes to the next receive.
    """
    group = member_of("irecv", group)
    return None if group is None else _receive(tensor, src, group, tag)[1]


def send(tensor: Tensor, dst: int, group: ProcessGroup | None = None, tag: int = 0) -> None:
    """Send `tensor` to rank `dst`."""
    group = member_of("send", group)
    work = None if group is None else isend(tensor, dst, group, tag)
    if work is not None:
        work.wait()


def recv(
    tensor: Tensor, src: int | None = None, group: ProcessGroup | None = None, tag: int = 0
) -> int:
    """Receive into `tensor` from rank `src` (None: from anybody) and return the sender."""
    group = member_of("recv", group)
    if group is None:
        return -1
    request, work = _receive(tensor, src, group, tag)
    work.wait()
    return group.ranks[request.source()]


def _receive(
    tensor: Tensor, src: int | None, group: ProcessGroup, tag: int
) -> tuple[MpiRequest, Work]:
    """Start a receive; return its MPI request and the Work that waits for it."""
    check_tensor(tensor)
    check_peer(group, "recv", src, other=True)
    message = Message(tensor, group, transport=group.transport)
    source = None if src is None else group.group_rank(src)
    request = group.transport.recv(message.array, source, tag)
    return request, Work(request, "recv", group, message.write_back, give_up=request.cancel)


def _repeat_call(group: ProcessGroup, op: str, key: Any, tensor: Any) -> Any | None:
    """State a small call that went well before; return the tensor's array, which has travelled.

    None, and nothing done, where it is another call than any before: that has to be checked. The
    other ranks see no difference, and whoever makes another call is found as ever. A tensor may
    have gaps: it is copied into its slot and out of it.
    """
    if not isinstance(tensor, Tensor) or type(key) not in _KEYS:
        return None
    array = tensor.array
    if array.device != "cpu":
        return None
    statement = group.known_statements.get((op, key, array.dtype, array.shape))
    if statement is None:
        return None
    answers = exchange_statements(group, op, statement, array)
    if answers is not None:
        raise disagreement(group, op, answers)
    return array


def complete(
    group: ProcessGroup, op: str, request: Request, result: Any, async_op: bool
) -> Work | None:
    """Return a collective's message as a Work, or wait for it; its end is `result.write_back`."""
    if request is DONE and not async_op:  # small tensors: a Work would cost a tenth of the call
        if result is not None:
            result.write_back()
        return None
    finish = None if result is None else result.write_back
    tensor = result.tensor if isinstance(result, Message) else None
    work = Work(request, op, group, finish, tensor)
    if async_op:
        return work
    work.wait()
    return None


def _rows_of_one_rank(
    op: str,
    name: str,
    tensors: Sequence[Tensor] | None,
    like: Message,
    group: ProcessGroup,
    owner: int,
) -> RowMessage | None:
    """Return the message of the list that rank `owner` alone gives to a collective."""
    if (tensors is not None) != (group.rank == group.group_rank(owner)):
        raise ValueError(
            f"[{op}] {name} belongs to rank {owner} alone: give it there and None on other ranks"
        )
    return None if tensors is None else RowMessage(op, tensors, like, group.size)


def check_op(name: str, op: ReduceOp | str, tensor: Tensor) -> ReduceOp:
    """Return the reduction of a collective; it must be known, and fit the dtype."""
    try:
        op = _REDUCE_OPS[op]
    except (KeyError, TypeError):
        names = ", ".join(member.value for member in ReduceOp)
        raise ValueError(f"[{name}] reduction {op!r} is unknown: use one of {names}") from None
    if not isinstance(tensor, Tensor):
        check_tensor(tensor)
    if tensor.dtype is bool_ and op not in (ReduceOp.MIN, ReduceOp.MAX):
        raise TypeError(f"[{name}] a bool tensor has no {op}: use max (any), min (all), or cast it")
    if op is ReduceOp.MEAN and not tensor.dtype.is_floating_point:
        raise TypeError(f"[{name}] the mean of {tensor.dtype} is no integer: cast to float first")
    return op
