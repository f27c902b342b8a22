"""Python objects between ranks: pickled, and sent as tensors of bytes.

For small things such as settings, orders and scores; they travel from the host. Unpickling runs
code: it is for the processes of one launch, which run the same script anyway, never for files.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, tensor, uint8, zeros, zeros_like
from norch_ddp.collectives.collectives import (
    ReduceOp,
    all_gather,
    all_reduce,
    broadcast,
    gather,
    recv,
    scatter,
    send,
)
from norch_ddp.collectives.message import check_peer
from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group
from norch_ddp.groups.subgroup import member_of

LENGTH_BYTES = 8


def all_gather_object(object_list: list[Any], obj: Any, group: ProcessGroup | None = None) -> None:
    """Write rank r's `obj` into `object_list[r]` on every rank."""
    group = member_of("all_gather_object", group)
    if group is None:
        return
    with collective_check("all_gather_object", group):
        if len(object_list) != group.size:
            raise ValueError(
                f"[all_gather_object] object_list must have {group.size} places, one for each "
                f"rank, not {len(object_list)}"
            )
        content = pickle_object(obj)  # what cannot be pickled here raises everywhere
    row = row_of(content, longest(content.numel(), group))
    rows = [zeros_like(row) for _ in range(group.size)]
    all_gather(rows, row, group)
    object_list[:] = [object_in(row) for row in rows]


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int = 0,
    group: ProcessGroup | None = None,
) -> None:
    """Write rank r's `obj` into `object_gather_list[r]` of rank `dst`; the others give no list."""
    group = member_of("gather_object", group)
    if group is None:
        return
    with collective_check("gather_object", group):
        check_peer(group, "gather_object", dst)
        receives = group.rank == group.group_rank(dst)
        if (object_gather_list is not None) != receives:
            raise ValueError(
                f"[gather_object] object_gather_list belongs to rank {dst} alone: give it there "
                "and None on other ranks"
            )
        content = pickle_object(obj)
    row = row_of(content, longest(content.numel(), group))
    rows = [zeros_like(row) for _ in range(group.size)] if receives else None
    gather(row, rows, dst, group)
    if object_gather_list is not None:
        object_gather_list[:] = map(object_in, rows or [])


def broadcast_object_list(
    object_list: list[Any], src: int = 0, group: ProcessGroup | None = None
) -> None:
    """Overwrite every rank's `object_list` with rank `src`'s."""
    group = member_of("broadcast_object_list", group)
    if group is None:
        return
    with collective_check("broadcast_object_list", group):
        check_peer(group, "broadcast_object_list", src)
        sends = current_group().rank == src
        content = pickle_object(object_list) if sends else zeros(0, dtype=uint8, device="cpu")
    size = tensor([content.numel()], device="cpu")
    broadcast(size, src, group)
    message = content if sends else zeros(int(size.item()), dtype=uint8, device="cpu")
    broadcast(message, src, group)
    object_list[:] = unpickle_object(message)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int = 0,
    group: ProcessGroup | None = None,
) -> None:
    """Put object r of rank `src`'s input list into the first place of rank r's output list."""
    group = member_of("scatter_object_list", group)
    if group is None:
        return
    sends = current_group().rank == src
    with collective_check("scatter_object_list", group):
        check_peer(group, "scatter_object_list", src)
        if not scatter_object_output_list:
            raise ValueError("[scatter_object_list] the output list needs a place for one object")
        if sends and len(scatter_object_input_list or []) != group.size:
            raise ValueError(
                f"[scatter_object_list] the input list of rank {src} must hold {group.size} "
                "objects, one for each rank"
            )
        contents = [pickle_object(one) for one in scatter_object_input_list or [] if sends]
    length = longest(max((content.numel() for content in contents), default=0), group)
    row = row_of(zeros(0, dtype=uint8, device="cpu"), length)
    scatter(row, [row_of(content, length) for content in contents] if sends else None, src, group)
    scatter_object_output_list[0] = object_in(row)


def send_object_list(object_list: list[Any], dst: int, group: ProcessGroup | None = None) -> None:
    """Send the objects to rank `dst`, which calls `recv_object_list`."""
    content = pickle_object(object_list)
    send(tensor([content.numel()], device="cpu"), dst, group)
    send(content, dst, group)


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: ProcessGroup | None = None
) -> int:
    """Overwrite `object_list` with what rank `src` (None: any) sends; return the sender."""
    size = tensor([0], device="cpu")
    sender = recv(size, src, group)
    if sender >= 0:
        content = zeros(int(size.item()), dtype=uint8, device="cpu")
        recv(content, sender, group)
        object_list[:] = unpickle_object(content)
    return sender


def longest(length: int, group: ProcessGroup) -> int:
    """Return the length of the longest pickled object of the group's ranks."""
    most = tensor([length], device="cpu")
    all_reduce(most, ReduceOp.MAX, group)
    return int(most.item())


def row_of(content: Tensor, length: int) -> Tensor:
    """Return a pickled object behind its length: all rows of a message are as long."""
    row = zeros(LENGTH_BYTES + length, dtype=uint8, device="cpu")
    head = content.numel().to_bytes(LENGTH_BYTES, "big")
    row[:LENGTH_BYTES].copy_(tensor(bytearray(head), dtype=uint8, device="cpu"))
    row[LENGTH_BYTES : LENGTH_BYTES + content.numel()].copy_(content)
    return row


def object_in(row: Tensor) -> Any:
    """Return the Python object of a row that a rank has sent."""
    length = int.from_bytes(bytes(row[:LENGTH_BYTES].tolist()), "big")
    return unpickle_object(row[LENGTH_BYTES : LENGTH_BYTES + length])


def pickle_object(obj: Any) -> Tensor:
    """Return a Python object pickled, as a tensor of bytes to send."""
    import pickle  # here and below: slow to import

    return tensor(bytearray(pickle.dumps(obj)), dtype=uint8, device="cpu")


def unpickle_object(content: Tensor) -> Any:
    """Return the Python object whose bytes a rank has sent."""
    import pickle

    return pickle.loads(bytes(memoryview(content.contiguous().array)))
