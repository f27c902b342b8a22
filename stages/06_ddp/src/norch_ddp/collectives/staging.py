"""Tensors as buffers that a transport can send and fill, and written back afterwards.

A transport wants contiguous memory where it can reach it: MPI on the host, NCCL on the GPU.
`Buffer` is one tensor in that form, `RowBuffer` a list of equal ones, `FlatBuffer` any list side by
side. They share memory where they can, copy where they must, and write results back in place, so
that every view of the tensor sees them and its version counter moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

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


class Buffer:
    """A collective's tensor as `array`, contiguous memory that `transport` can send and fill.

    `words` say what the ranks must agree on. `op` is what the transport combines with: one that
    takes no means adds, and `write_back` divides.
    """

    __slots__ = ("_divide_by", "_memory", "op", "tensor", "transport", "words")

    def __init__(self, tensor: Tensor, transport: Transport, op: str = "") -> None:
        self.tensor = tensor
        self.transport = transport
        self.words = check_tensor(tensor) + transport.note
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
        """Write what the transport left in the collective's buffer into the tensor."""
        if self._divide_by != 1:
            self._memory.div_(self._divide_by)
        write(self.tensor, self._memory)


def buffer_of(tensor: Tensor, group: ProcessGroup, op: str = "") -> Buffer:
    """Return a collective's tensor as a buffer for the transport of its device."""
    if not isinstance(tensor, Tensor):
        check_tensor(tensor)
    return Buffer(tensor, group.transport_for(tensor.array.device), op)


class RowBuffer:
    """A collective's list of `size` tensors like another: `rows` to receive, or one `array`."""

    __slots__ = ("_block", "_each", "_like", "_tensors")

    def __init__(self, op: str, tensors: Sequence[Tensor], like: Buffer, size: int) -> None:
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

    def pack(self) -> RowBuffer:
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
    """Return the arrays of a collective's tensors that need no buffer; None: `RowBuffer` judges."""
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


class FlatBuffer:
    """A collective's tensors that travel alike, side by side in one flat block: one message."""

    __slots__ = ("_block", "_tensors", "transport", "words")

    def __init__(self, tensors: list[Tensor], transport: Transport) -> None:
        self._tensors = tensors
        self.transport = transport
        home, dtype = wire_form(tensors[0], transport)
        with no_grad():
            self._block = cat([t.detach().to(home).to(dtype).reshape(-1) for t in tensors])
        self.words = check_tensor(self._block) + transport.note

    @property
    def array(self) -> Any:
        """The memory the transport reads and writes."""
        return self._block.array

    def write_back(self) -> None:
        """Cut the collective's block up and write each part into its tensor."""
        start = 0
        with no_grad():
            for tensor in self._tensors:
                part = self._block[start : start + tensor.numel()].reshape(tensor.shape)
                tensor.detach().copy_(part.to(tensor.device))
                start += tensor.numel()


def flat_buffers(tensors: Iterable[Tensor], group: ProcessGroup) -> list[FlatBuffer]:
    """Return a collective's tensors in a block for each place and dtype they travel from and as."""
    alike: dict[Any, tuple[list[Tensor], Transport]] = {}
    for tensor in tensors:
        transport = group.transport_for(tensor.array.device)
        alike.setdefault(wire_form(tensor, transport), ([], transport))[0].append(tensor)
    return [FlatBuffer(*pair) for pair in alike.values()]


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
