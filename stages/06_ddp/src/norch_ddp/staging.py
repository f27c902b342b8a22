"""Tensors made ready for a transport, and put back afterwards.

A transport wants contiguous memory where it can reach it: MPI on the host, NCCL on the GPU.
`Staged` is one tensor in that form, `Rows` a list of equal ones as one block, `Joined` any list as
one line. They share memory where they can, copy where they must, and write results back in place,
so that every view of the tensor sees them and its version counter moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from norch_autograd import Tensor, cat, empty, no_grad

from .process_group import ProcessGroup
from .transport import Transport


def check_tensor(tensor: Any) -> str:
    """Return "float32 (2, 3)", the words by which ranks compare their tensors."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"[distributed] expected a Tensor, got {type(tensor).__name__}")
    return f"{tensor.dtype.name} {tuple(tensor.shape)}"


def check_peer(group: ProcessGroup, op: str, rank: int | None, other: bool = False) -> int | None:
    """Return `rank` if the group has it; with `other` it must not be this process."""
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


class Staged:
    """One tensor as `array`, contiguous memory that its `transport` can send and fill.

    `words` say what the ranks must agree on. `op` is what the transport combines with: one that
    takes no means adds, and `put_back` divides.
    """

    __slots__ = ("_divide_by", "_memory", "op", "tensor", "transport", "words")

    def __init__(self, tensor: Tensor, transport: Transport, op: str = "") -> None:
        self.tensor = tensor
        self.transport = transport
        self.words = check_tensor(tensor) + transport.note
        divides = op == "mean" and not transport.takes_means
        self.op = "sum" if divides else op
        self._divide_by = transport.size if divides else 1
        home, dtype = travel(tensor, transport)
        self._memory = tensor.detach().to(home).to(dtype).contiguous()

    @property
    def array(self) -> Any:
        """The memory the transport reads and writes."""
        return self._memory.array

    def put_back(self) -> None:
        """Write what the transport left in the buffer into the tensor."""
        with no_grad():
            if self._divide_by != 1:
                self._memory.div_(self._divide_by)
            self.tensor.detach().copy_(self._memory.to(self.tensor.device))


def stage(tensor: Tensor, group: ProcessGroup, op: str = "") -> Staged:
    """Return a tensor made ready for the transport of its device."""
    check_tensor(tensor)
    return Staged(tensor, group.transport_for(tensor.array.device), op)


class Rows:
    """A list of `size` tensors, all like a staged one, as one block with a row for each rank."""

    __slots__ = ("_block", "_tensors")

    def __init__(self, op: str, tensors: Sequence[Tensor], like: Staged, size: int) -> None:
        wanted = check_tensor(like.tensor)
        found = [check_tensor(tensor) for tensor in tensors]
        if found != [wanted] * size:
            raise ValueError(
                f"[{op}] the list must hold {size} tensors, one for each rank, all {wanted}; "
                f"it holds {found}"
            )
        self._tensors = list(tensors)
        shape, array = (size, *like.tensor.shape), like.array
        self._block = empty(shape, dtype=array.dtype, device=array.device)

    @property
    def array(self) -> Any:
        """The memory the transport reads and writes."""
        return self._block.array

    def filled(self) -> Rows:
        """Copy the tensors into the rows."""
        for row, tensor in zip(self._block, self._tensors, strict=True):
            row.copy_(tensor.detach().to(row.device))
        return self

    def put_back(self) -> None:
        """Copy the rows into the tensors."""
        for row, tensor in zip(self._block, self._tensors, strict=True):
            tensor.detach().copy_(row.to(tensor.device))


class Joined:
    """Several tensors that travel alike, side by side in one flat block: one message."""

    __slots__ = ("_block", "_tensors", "transport", "words")

    def __init__(self, tensors: list[Tensor], transport: Transport) -> None:
        self._tensors = tensors
        self.transport = transport
        home, dtype = travel(tensors[0], transport)
        with no_grad():
            self._block = cat([t.detach().to(home).to(dtype).reshape(-1) for t in tensors])
        self.words = check_tensor(self._block) + transport.note

    @property
    def array(self) -> Any:
        """The memory the transport reads and writes."""
        return self._block.array

    def put_back(self) -> None:
        """Cut the block up and write each part into its tensor."""
        start = 0
        with no_grad():
            for tensor in self._tensors:
                part = self._block[start : start + tensor.numel()].reshape(tensor.shape)
                tensor.detach().copy_(part.to(tensor.device))
                start += tensor.numel()


def join(tensors: Iterable[Tensor], group: ProcessGroup) -> list[Joined]:
    """Return the tensors in as few blocks as there are places and dtypes to travel from and as."""
    alike: dict[Any, tuple[list[Tensor], Transport]] = {}
    for tensor in tensors:
        transport = group.transport_for(tensor.array.device)
        alike.setdefault(travel(tensor, transport), ([], transport))[0].append(tensor)
    return [Joined(*pair) for pair in alike.values()]


def travel(tensor: Tensor, transport: Transport) -> tuple[str, Any]:
    """Return from where and as which dtype a tensor travels."""
    return transport.home(tensor.array.device), transport.travels_as(tensor.dtype)
