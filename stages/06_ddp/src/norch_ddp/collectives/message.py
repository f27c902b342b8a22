"""Messages: tensors as memory that a transport can send and fill, written back afterwards.

A transport wants contiguous memory where it can reach it: MPI on the host, NCCL on the GPU.
`Message` is one tensor in that form, `RowMessage` a list of equal ones, `FlatMessage` any list side
by side. They share memory where they can, copy where they must, and write results back in place, so
that every view of the tensor sees them and its version counter moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

from norch_autograd import Tensor, cat, empty, no_grad
from norch_ddp.groups.process_group import ProcessGroup
from norch_ddp.transports.transport import Transport


def check_tensor(tensor: Any) -> str:
    """Return "float32 (2, 3)": the words by which a collective's ranks compare their tensors."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"[distributed] expected a Tensor, got {type(tensor).__name__}")
    array = tensor.array
    return _words_for(array.dtype, array.shape)


@lru_cache(maxsize=1024)
def _words_for(dtype: Any, shape: tuple[int, ...]) -> str:
    """Return a collective's words for a tensor of this dtype and shape."""
    return f"{dtype.name} {shape}"


def check_peer(group: ProcessGroup, op: str, rank: int | None, other: bool = False) -> int | None:
    """Return the collective's `rank` if the group has it; with `other` it must be another one."""
    if other and group.size == 1:
        raise ValueError(f"[{op}] a group of one process has nobody to exchange messages with")
    if rank is None:
        return rank
    if isinstance(rank, bool) or not isinstance(rank, int) or rank not in group.ranks:
        whole = group.ranks == tuple(range(group.size))
        there = f"ranks are 0 to {group.size - 1}" if whole else f"the group has {group.ranks}"
        raise ValueError(f"[{op}] rank {rank!r} does not exist: {there}")
    if other and group.group_rank(rank) == group.rank:
        raise ValueError(f"[{op}] rank {rank} is this process: it cannot send to itself")
    return rank


class Message:
    """A collective's tensor as `array`, contiguous memory that `transport` can send and fill.

    Without a `transport` it is the group's for the tensor's device. `words` say what the ranks must
    agree on. `op` is what the transport combines with: one that takes no means adds, and
    `write_back` divides.
    """

    __slots__ = ("_divide_by", "_memory", "op", "tensor", "transport", "words")

    def __init__(
        self, tensor: Tensor, group: ProcessGroup, op: str = "", transport: Transport | None = None
    ) -> None:
        words = check_tensor(tensor)
        transport = transport or group.transport_for(tensor.array.device)
        self.tensor = tensor
        self.transport = transport
        self.words = words + transport.note
        divides = op == "mean" and not transport.takes_means
        self.op = "sum" if divides else op
        self._divide_by = transport.size if divides else 1
        self._memory = to_transport(tensor, transport)

    @property
    def array(self) -> Any:
        """The memory the transport reads and writes."""
        return self._memory.array

    @property
    def rows(self) -> list[Any]:
        """The memory of each rank's part, flat, where the tensor has one equal part for each."""
        return list(self.array.reshape(self.transport.size, -1).unbind(0))

    def key_of_call(self, key: Any) -> Any:
        """Return `key`; None for a tensor that travels as another dtype or from another place.

        A call is remembered by the array that travels: such a one could be taken for another's.
        """
        mine, array = self.tensor.array, self.array
        return key if mine.dtype is array.dtype and mine.device == array.device else None

    def write_back(self) -> None:
        """Write what the transport left in the collective's memory into the tensor."""
        if self._divide_by != 1:
            self._memory.div_(self._divide_by)
        write(self.tensor, self._memory)


class RowMessage:
    """A collective's list of `size` tensors like another: `rows` to receive, or one `array`."""

    __slots__ = ("_block", "_each", "_like", "_tensors")

    def __init__(self, op: str, tensors: Sequence[Tensor], like: Message, size: int) -> None:
        if len(tensors) != size or not all(_has_form_of(tensor, like.tensor) for tensor in tensors):
            raise ValueError(
                f"[{op}] the list must hold {size} tensors, one for each rank, all "
                f"{check_tensor(like.tensor)}; it holds {list(map(check_tensor, tensors))}"
            )
        self._tensors = list(tensors)
        self._like = like
        self._each: list[Tensor] = []
        self._block: Tensor | None = None

    @property
    def rows(self) -> list[Any]:
        """Memory for each tensor: its own where the transport can reach it."""
        self._each = [to_transport(tensor, self._like.transport) for tensor in self._tensors]
        return [memory.array for memory in self._each]

    @property
    def array(self) -> Any:
        """Memory for all, with one row for each rank."""
        if self._block is None:
            shape, like = (len(self._tensors), *self._like.tensor.shape), self._like.array
            self._block = empty(shape, dtype=like.dtype, device=like.device)
        return self._block.array

    def pack(self) -> RowMessage:
        """Copy the tensors into the block, and return this."""
        for row, tensor in zip(self.array.unbind(0), self._tensors, strict=True):
            Tensor(row).copy_(tensor.detach().to(row.device))
        return self

    def write_back(self) -> None:
        """Write what has arrived into the tensors."""
        rows = self._each if self._block is None else self._block.unbind(0)
        for tensor, memory in zip(self._tensors, rows, strict=True):
            write(tensor, memory)


def plain_rows(tensors: Any, like: Any, size: int) -> list[Any] | None:
    """Return the arrays of a collective's tensors that travel as they are; else None."""
    array = plain_array(like)
    if array is None or type(tensors) is not list or len(tensors) != size:
        return None
    rows = [plain_array(tensor) for tensor in tensors]
    return None if any(row is None or not row.alike(array) for row in rows) else rows


def plain_array(tensor: Any) -> Any | None:
    """Return a collective's tensor's array if it lies on the host without gaps, else None."""
    if not isinstance(tensor, Tensor):
        return None
    array = tensor.array
    return array if array.is_contiguous and array.device == "cpu" else None


def _has_form_of(tensor: Any, other: Tensor) -> bool:
    """Return whether one tensor of a collective's list has another's dtype and shape."""
    return (
        isinstance(tensor, Tensor)
        and tensor.dtype is other.dtype
        and tensor.array.shape == other.array.shape
    )


class FlatMessage:
    """A collective's tensors that travel alike, side by side in one flat block: one message.

    `words` say what the ranks must agree on. The block is there from `pack` to `write_back`.
    """

    __slots__ = ("_block", "_tensors", "transport", "words")

    def __init__(self, tensors: list[Tensor], transport: Transport) -> None:
        self._tensors = tensors
        self.transport = transport
        _, dtype = wire_form(tensors[0], transport)
        total = sum(tensor.numel() for tensor in tensors)
        forms = ",".join(map(check_tensor, tensors))
        self.words = f"{_words_for(dtype, (total,))} {crc32(forms.encode()):08x}{transport.note}"

    @no_grad()
    def pack(self) -> Any:
        """Return the block's memory; a tensor alone that can travel from where it lies does."""
        parts = [to_transport(tensor, self.transport).reshape(-1) for tensor in self._tensors]
        self._block = parts[0] if len(parts) == 1 else cat(parts)
        return self._block.array

    @no_grad()
    def write_back(self) -> None:
        """Cut the collective's block up and write each part into its tensor."""
        start = 0
        for tensor in self._tensors:
            part = self._block[start : start + tensor.numel()].reshape(tensor.shape)
            tensor.detach().copy_(part.to(tensor.device))
            start += tensor.numel()
        del self._block  # while other messages travel the model is not twice in memory


def flat_messages(
    tensors: Iterable[Tensor], group: ProcessGroup, cap_bytes: int
) -> list[FlatMessage]:
    """Return a collective's tensors, in order, in few messages: each from one place, of one dtype.

    One holds `cap_bytes` of them, or one tensor that is larger.
    """
    parts: list[tuple[list[Tensor], Transport]] = []
    open_parts: dict[Any, tuple[list[Tensor], int]] = {}  # by place and dtype, with their room
    for tensor in tensors:
        transport = group.transport_for(tensor.array.device)
        form = wire_form(tensor, transport)
        part, room = open_parts.get(form, ([], 0))
        if not part or tensor.nbytes > room:
            part, room = [], cap_bytes
            parts.append((part, transport))
        part.append(tensor)
        open_parts[form] = part, room - tensor.nbytes
    return [FlatMessage(*part) for part in parts]


def wire_form(tensor: Tensor, transport: Transport) -> tuple[str, Any]:
    """Return from which device and as which dtype a collective sends a tensor."""
    return transport.home(tensor.array.device), transport.travels_as(tensor.dtype)


def to_transport(tensor: Tensor, transport: Transport) -> Tensor:
    """Return the tensor staged for its transport: itself, where it can travel as it is."""
    array = tensor.array
    home, dtype = transport.home(array.device), transport.travels_as(array.dtype)
    if array.device == home and array.dtype is dtype and array.is_contiguous:
        return tensor.detach()
    return tensor.detach().to(home).to(dtype).contiguous()


def write(tensor: Tensor, memory: Tensor) -> None:
    """Write what a collective received into its tensor: its version moves in any case."""
    array = tensor.array
    if memory.array.device == array.device:
        array.ops.copy_(array, memory.array)
    else:
        tensor.detach().copy_(memory.to(tensor.device))
