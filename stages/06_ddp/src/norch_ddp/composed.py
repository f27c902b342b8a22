"""Collectives of several tensors on each side: one large one in place of a list, all to all.

The parts of a large tensor are views of it, so results land in place. What ranks send each other in
`all_to_all` may differ in size, so every pair compares its two ends before data moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from norch_autograd import Tensor, no_grad

from .collectives import ReduceOp, all_gather, reduce_scatter, started
from .process_group import ProcessGroup, collective_check, current_group
from .staging import Staged, check_tensor, stage
from .subgroup import is_outside
from .work import Work


def all_gather_into_tensor(
    output_tensor: Tensor,
    input_tensor: Tensor,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write the ranks' `input_tensor` (n, ...) into `output_tensor` (N n, ...) or (N, n, ...)."""
    group = current_group(group)
    if is_outside(group, "all_gather_into_tensor"):
        return None
    with collective_check("all_gather_into_tensor", group):
        rows = parts("all_gather_into_tensor", output_tensor, input_tensor, group.size)
    return all_gather(rows, input_tensor, group, async_op)


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: ReduceOp | str = ReduceOp.SUM,
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Combine the ranks' `input` (N n, ...) or (N, n, ...); rank r's `output` gets part r."""
    group = current_group(group)
    if is_outside(group, "reduce_scatter_tensor"):
        return None
    with collective_check("reduce_scatter_tensor", group):
        rows = parts("reduce_scatter_tensor", input, output, group.size)
    return reduce_scatter(output, rows, op, group, async_op)


def parts(op: str, whole: Tensor, part: Tensor, size: int) -> list[Tensor]:
    """Return `size` views of `whole`, each shaped like `part`."""
    check_tensor(whole)
    check_tensor(part)
    stacked = (size, *part.shape)
    joined = (size * part.shape[0], *part.shape[1:]) if part.ndim else stacked
    if tuple(whole.shape) not in (stacked, joined):
        raise ValueError(
            f"[{op}] shapes {tuple(whole.shape)} and {tuple(part.shape)} do not fit: the large one "
            f"has {size} parts like the small one, {joined} or {stacked}"
        )
    with no_grad():
        whole = whole.detach()
        return list(whole if tuple(whole.shape) == stacked else whole.chunk(size))


def all_to_all(
    output_tensor_list: Sequence[Tensor],
    input_tensor_list: Sequence[Tensor],
    group: ProcessGroup | None = None,
    async_op: bool = False,
) -> Work | None:
    """Write rank s's `input_tensor_list[r]` into rank r's `output_tensor_list[s]`, for all s, r."""
    group = current_group(group)
    if is_outside(group, "all_to_all"):
        return None
    with collective_check("all_to_all", group) as call:
        for tensors in (output_tensor_list, input_tensor_list):
            if len(tensors) != group.size:
                raise ValueError(
                    f"[all_to_all] each list must hold {group.size} tensors, one for each rank, "
                    f"not {len(tensors)}"
                )
        outs = [stage(tensor, group) for tensor in output_tensor_list]
        parts = [stage(tensor, group) for tensor in input_tensor_list]
        transport = outs[0].transport
        if any(staged.transport is not transport for staged in [*outs, *parts]):
            raise ValueError("[all_to_all] the tensors must all be on the GPU, or none")
        call.detail = transport.note
    check_ends(group, outs, parts)
    request = transport.all_to_all([out.array for out in outs], [part.array for part in parts])
    return started(group, "all_to_all", request, Outputs(outs), async_op)


class Outputs:
    """What all the other ranks send to this one."""

    __slots__ = ("_outs",)

    def __init__(self, outs: list[Staged]) -> None:
        self._outs = outs

    def put_back(self) -> None:
        """Write each into its tensor."""
        for staged in self._outs:
            staged.put_back()


def check_ends(group: ProcessGroup, outs: list[Staged], parts: list[Staged]) -> None:
    """Compare, for each pair of ranks, what one sends with what the other makes room for."""
    ends = [f"{staged.tensor.numel()} {staged.tensor.dtype}" for staged in [*outs, *parts]]
    own = b"".join(crc32(end.encode()).to_bytes(4, "big") for end in ends)
    answers = bytearray(len(own) * group.size)
    Work(group.transport.exchange(own, answers), "all_to_all", group).wait()

    def end(rank: int, number: int) -> bytes:
        start = len(own) * rank + 4 * number
        return answers[start : start + 4]

    for sender in range(group.size):
        for receiver in range(group.size):
            if end(sender, group.size + receiver) != end(receiver, sender):
                raise ValueError(
                    f"[all_to_all] what rank {group.ranks[sender]} sends to rank "
                    f"{group.ranks[receiver]} does not fit there: both ends need one number of "
                    "elements and one dtype"
                )
