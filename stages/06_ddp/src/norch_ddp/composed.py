"""Collectives made of those in `collectives`: one large tensor in place of a list, all to all.

Nothing new travels here. The parts of a large tensor are views of it, so results land in place.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd import Tensor, no_grad

from .collectives import ReduceOp, all_gather, irecv, isend, reduce_scatter
from .process_group import ProcessGroup, collective_check, current_group
from .staging import check_tensor
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
) -> None:
    """Write rank s's `input_tensor_list[r]` into rank r's `output_tensor_list[s]`, for all s, r."""
    group = current_group(group)
    if is_outside(group, "all_to_all"):
        return
    with collective_check("all_to_all", group):
        for tensors in (output_tensor_list, input_tensor_list):
            if len(tensors) != group.size:
                raise ValueError(
                    f"[all_to_all] each list must hold {group.size} tensors, one for each rank, "
                    f"not {len(tensors)}"
                )
        check_same(output_tensor_list[group.rank], input_tensor_list[group.rank])
    with no_grad():
        output_tensor_list[group.rank].detach().copy_(input_tensor_list[group.rank].detach())
    others = [(i, rank) for i, rank in enumerate(group.ranks) if i != group.rank]
    works = [irecv(output_tensor_list[i], rank, group, tag=TAG) for i, rank in others]
    works += [isend(input_tensor_list[i], rank, group, tag=TAG) for i, rank in others]
    for work in works:
        work.wait()


TAG = 0x2A11
"""Marks the messages of `all_to_all`, which must not be taken for the user's own."""


def check_same(own_output: Tensor, own_input: Tensor) -> None:
    """Refuse a part for this rank itself that does not fit."""
    if check_tensor(own_output) != check_tensor(own_input):
        raise ValueError(
            f"[all_to_all] this rank's own part is {check_tensor(own_input)}, and its place is "
            f"{check_tensor(own_output)}: both need one shape and dtype"
        )
