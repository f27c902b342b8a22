"""Collectives of several tensors on each side, and several messages at once.

The parts of a large tensor are views of it, so results land in place. What ranks send each other in
`all_to_all` may differ in size, so every pair compares its two ends before data moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from norch_autograd import Tensor, no_grad
from norch_ddp.collectives.collectives import ReduceOp, check_op, complete, irecv, isend
from norch_ddp.collectives.message import Message, check_peer, check_tensor, flat_messages
from norch_ddp.groups.process_group import ProcessGroup, collective_check
from norch_ddp.groups.statements import encode_statement, exchange_statements
from norch_ddp.groups.subgroup import member_of
from norch_ddp.transports.work import Work

FITS = "all that comes to this rank fits"
FLAT_BYTES = 1 << 25
"""So many bytes of tensors travel in one message of `broadcast_coalesced`: twice in memory then."""


def broadcast_coalesced(
    tensors: Iterable[Tensor], src: int, group: ProcessGroup | None = None
) -> None:
    """Overwrite every rank's `tensors` with rank `src`'s: one check, and few messages.

    For P bytes in n tensors: about P / 32 MB messages instead of n.
    """
    group = member_of("broadcast_coalesced", group)
    if group is None:
        return
    with collective_check("broadcast_coalesced", group) as call:
        place = group.group_rank(check_peer(group, "broadcast_coalesced", src) or 0)
        messages = flat_messages(tensors, group, FLAT_BYTES)
        call.detail = f"(src={src}) {', '.join(message.words for message in messages)}"
    for message in messages:
        request = message.transport.broadcast(message.pack(), place)
        Work(request, "broadcast_coalesced", group, message.write_back).wait()


def all_gather_into_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write the ranks' `input_tensor` (n, ...) into `output_tensor` (N n, ...) or (N, n, ...)."""
    group = member_of("all_gather_into_tensor", group)
    if group is None:
        return None
    return gather_into("all_gather_into_tensor", output_tensor, input_tensor, group, async_op)


def gather_into(
    op: str, whole: Tensor, part: Tensor, group: ProcessGroup, async_op: bool = False
) -> Work | None:
    """Do `all_gather_into_tensor` under the name of the operation that needs it."""
    with collective_check(op, group) as call:
        message = Message(part, group)
        rows = rows_of(op, whole, message, group)
        call.detail = f" {message.words}"
        call.carry(message.transport, message.array)
    request = call.transport.all_gather(rows, message.array)
    return complete(group, op, request, rows, async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: ReduceOp | str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combine the ranks' `input` (N n, ...) or (N, n, ...); rank r's `output` gets part r."""
    group = member_of("reduce_scatter_tensor", group)
    if group is None:
        return None
    with collective_check("reduce_scatter_tensor", group) as call:
        op = check_op("reduce_scatter_tensor", op, output)
        message = Message(output, group, op)
        whole = rows_of("reduce_scatter_tensor", input, message, group)
        call.detail = f"({op}) {message.words}"
        call.carry(message.transport, whole.array)
    request = call.transport.reduce_scatter(message.array, whole, message.op)
    return complete(group, "reduce_scatter_tensor", request, message, async_op)


all_gather_single = all_gather_into_tensor  # PyTorch's newer names
reduce_scatter_single = reduce_scatter_tensor


def rows_of(op: str, whole: Tensor, like: Message, group: ProcessGroup) -> Message:
    """Return a collective's large tensor as a message with one row for each rank, like `like`."""
    check_tensor(whole)
    part, size = like.tensor, like.transport.size
    stacked = (size, *part.shape)
    joined = (size * part.shape[0], *part.shape[1:]) if part.ndim else stacked
    if tuple(whole.shape) not in (stacked, joined):
        raise ValueError(
            f"[{op}] shapes {tuple(whole.shape)} and {tuple(part.shape)} do not fit: the large one "
            f"has {size} parts like the small one, {joined} or {stacked}"
        )
    if (whole.dtype, whole.device) != (part.dtype, part.device):
        raise ValueError(
            f"[{op}] the large tensor has {whole.dtype} on {whole.device}, the small one "
            f"{part.dtype} on {part.device}: both must be alike"
        )
    return Message(whole, group)


def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write rank s's `input_tensor_list[r]` into rank r's `output_tensor_list[s]`, for all s, r."""
    group = member_of("all_to_all", group)
    if group is None:
        return None
    with collective_check("all_to_all", group) as call:
        for tensors in (output_tensor_list, input_tensor_list):
            if len(tensors) != group.size:
                raise ValueError(
                    f"[all_to_all] each list must hold {group.size} tensors, one for each rank, "
                    f"not {len(tensors)}"
                )
        outs = [Message(tensor, group) for tensor in output_tensor_list]
        parts = [Message(tensor, group) for tensor in input_tensor_list]
        transport = outs[0].transport
        if any(message.transport is not transport for message in [*outs, *parts]):
            raise ValueError("[all_to_all] the tensors must all be on the GPU, or none")
        call.detail = transport.note
    check_ends(group, outs, parts)
    request = transport.all_to_all([out.array for out in outs], [part.array for part in parts])
    return complete(group, "all_to_all", request, Outputs(outs), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Send part r of `input`, cut along its rows, to rank r; rank s's comes to part s of `output`.

    Without sizes the parts are equal.
    """
    group = member_of("all_to_all_single", group)
    if group is None:
        return None
    with collective_check("all_to_all_single", group):
        outs = split_rows("output", output, output_split_sizes, group.size)
        ins = split_rows("input", input, input_split_sizes, group.size)
    return all_to_all(outs, ins, group, async_op)


def split_rows(name: str, tensor: Tensor, sizes: Sequence[int] | None, count: int) -> list[Tensor]:
    """Return the parts for all_to_all_single: views of `tensor`, cut along its rows."""
    check_tensor(tensor)
    rows = tensor.shape[0] if tensor.ndim else 0
    sizes = list(sizes) if sizes else [rows // count] * count
    if not tensor.ndim or len(sizes) != count or sum(sizes) != rows or min(sizes) < 0:
        raise ValueError(
            f"[all_to_all_single] {name} of shape {tuple(tensor.shape)} cannot be cut into parts "
            f"of {sizes} rows: one part for each of {count} ranks, {rows} rows together"
        )
    with no_grad():
        return list(tensor.detach().split(sizes))


class P2POp(NamedTuple):
    """One message for `batch_isend_irecv`: `op` is `isend` or `irecv`, `peer` the other rank."""

    op: Callable[..., Any]
    tensor: Tensor
    peer: int
    group: ProcessGroup | None = None
    tag: int = 0


def batch_isend_irecv(p2p_op_list: Sequence[P2POp]) -> list[Work]:
    """Start all these messages; return one Work for each."""
    for message in p2p_op_list:
        if not isinstance(message, P2POp) or message.op not in (isend, irecv):
            raise ValueError(
                f"[batch_isend_irecv] expected P2POp(isend or irecv, tensor, peer), got {message!r}"
            )
    return [op(tensor, peer, group, tag) for op, tensor, peer, group, tag in p2p_op_list]


class Outputs:
    """The messages of an all_to_all that this rank receives, one from each rank."""

    __slots__ = ("_outs",)

    def __init__(self, outs: list[Message]) -> None:
        self._outs = outs

    def write_back(self) -> None:
        """Write each into its tensor."""
        for message in self._outs:
            message.write_back()


def check_ends(group: ProcessGroup, outs: list[Message], parts: list[Message]) -> None:
    """Compare what each rank sends to this one with what this one makes room for.

    A pair that does not fit is an error on all ranks: everybody states what it has found.
    """
    sent, room = (b"".join(map(form_of, one)) for one in (parts, outs))
    told = bytearray(len(room))
    Work(group.transport.exchange_parts(sent, told), "all_to_all", group).wait()
    misfits = [r for r in range(group.size) if told[4 * r :][:4] != room[4 * r :][:4]]
    text = FITS
    if misfits:
        text = (
            f"what rank {group.ranks[misfits[0]]} sends to rank {group.ranks[group.rank]} does not "
            "fit there: both ends need one number of elements and one dtype"
        )
    answers = [text]
    if group.size > 1:
        answers = exchange_statements(group, "all_to_all", encode_statement(text)) or [text]
    for answer in answers:
        if answer != FITS:
            raise ValueError(f"[all_to_all] {answer}")


def form_of(message: Message) -> bytes:
    """Return four bytes for what both ends of an all_to_all must agree on."""
    form = f"{message.tensor.numel()} {message.tensor.dtype}"
    return crc32(form.encode()).to_bytes(4, "big")
