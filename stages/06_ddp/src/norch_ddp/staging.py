"""Tensors made ready for a transport, and put back afterwards.

A transport wants contiguous CPU memory. `Staged` is one tensor in that form and `Rows` a list of
equal tensors as one block; both share memory where they can, copy where they must, and write
results back in place, so that every view of the tensor sees them and its version counter moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from norch_autograd import Tensor, cat, no_grad
from norch_cpu_ops import float32, ops

from .process_group import ProcessGroup


def check_tensor(tensor: Any) -> str:
    """Return "float32 (2, 3)", the words by which ranks compare their tensors."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"[distributed] expected a Tensor, got {type(tensor).__name__}")
    return f"{tensor.dtype.name} {tuple(tensor.shape)}"


def check_peer(group: ProcessGroup, op: str, rank: int | None, other: bool = False) -> int | None:
    """Return `rank` if the group has it; with `other` it must not be this process."""
    if rank is None:
        return rank
    if isinstance(rank, bool) or not isinstance(rank, int) or rank not in group.ranks:
        whole = group.ranks == tuple(range(group.size))
        there = f"ranks are 0 to {group.size - 1}" if whole else f"the group has {group.ranks}"
        raise ValueError(f"[{op}] rank {rank!r} does not exist: {there}")
    if other and group.group_rank(rank) == group.rank:
        raise ValueError(f"[{op}] rank {rank} is this process: it cannot send to itself")
    return rank


def travels_as(dtype: Any) -> Any:
    """Return the dtype of the message: half types go as float32, exactly; MPI cannot add them."""
    return float32 if dtype.is_floating_point and dtype.itemsize < 4 else dtype


class Staged:
    """One tensor as contiguous CPU memory."""

    __slots__ = ("_divide_by", "_host", "_tensor")

    def __init__(self, tensor: Tensor, divide_by: int = 1) -> None:
        self._tensor = tensor
        self._divide_by = divide_by
        self._host = tensor.detach().to("cpu").to(travels_as(tensor.dtype)).contiguous()

    @property
    def array(self) -> Any:
        """The memory the transport reads and writes."""
        return self._host.array

    def put_back(self) -> None:
        """Write what the transport left in the buffer into the tensor."""
        with no_grad():
            if self._divide_by != 1:
                self._host.div_(self._divide_by)
            self._tensor.detach().copy_(self._host.to(self._tensor.device))


class Rows:
    """A list of `size` tensors, all like `like`, as one block with a row for each rank."""

    __slots__ = ("_tensors", "array")

    def __init__(self, op: str, tensors: Sequence[Tensor], like: Tensor, size: int) -> None:
        wanted = check_tensor(like)
        found = [check_tensor(tensor) for tensor in tensors]
        if found != [wanted] * size:
            raise ValueError(
                f"[{op}] the list must hold {size} tensors, one for each rank, all {wanted}; "
                f"it holds {found}"
            )
        self._tensors = list(tensors)
        self.array = ops.empty((size, *like.shape), travels_as(like.dtype))

    def filled(self) -> Rows:
        """Copy the tensors into the rows."""
        block = Tensor(self.array)
        for rank, tensor in enumerate(self._tensors):
            block[rank].copy_(tensor.detach().to("cpu"))
        return self

    def put_back(self) -> None:
        """Copy the rows into the tensors."""
        block = Tensor(self.array)
        for rank, tensor in enumerate(self._tensors):
            tensor.detach().copy_(block[rank].to(tensor.device))


class Joined:
    """Several tensors that travel as one dtype, side by side in one flat block: one message."""

    __slots__ = ("_block", "_tensors")

    def __init__(self, tensors: list[Tensor], dtype: Any) -> None:
        self._tensors = tensors
        with no_grad():
            self._block = cat([t.detach().to("cpu").to(dtype).reshape(-1) for t in tensors])

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


def join(tensors: Iterable[Tensor]) -> list[Joined]:
    """Return the tensors in as few blocks as there are dtypes of messages."""
    kinds: dict[Any, list[Tensor]] = {}
    for tensor in tensors:
        kinds.setdefault(travels_as(tensor.dtype), []).append(tensor)
    return [Joined(alike, dtype) for dtype, alike in kinds.items()]
