"""What every rank found, brought together: for metrics, not for gradients.

`gather` puts the ranks' rows below each other, `drop_repeats` takes away those that were added so
that the last step could be shared out evenly. Results carry no gradient.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, cat, int64, no_grad, zeros, zeros_like
from norch_autograd.types.trees import tree_map_only
from norch_ddp.collectives.collectives import ReduceOp, all_gather, all_reduce
from norch_ddp.groups.process_group import get_world_size


def gather(tensor: Any) -> Any:
    """Return all ranks' rows: (n, ...) becomes (N n, ...), a number a row of N.

    Tuples, lists and dicts of tensors are gathered part by part.
    """
    with no_grad():
        return tree_map_only(Tensor, gather_one, check_tensors("gather", tensor))


def gather_one(tensor: Tensor) -> Tensor:
    """Gather one tensor, of one shape on all ranks."""
    rows = tensor.detach().reshape(1) if tensor.ndim == 0 else tensor.detach()
    if get_world_size() == 1:
        return rows.clone()
    parts = [zeros_like(rows) for _ in range(get_world_size())]
    all_gather(parts, rows)
    return cat(parts, 0)


def pad_across_processes(
    tensor: Any, dim: int = 0, pad_index: float = 0, pad_first: bool = False
) -> Any:
    """Make tensors as long in `dim` as the longest rank's, so that they can be gathered."""

    def pad_one(part: Tensor) -> Tensor:
        if not -part.ndim <= dim < part.ndim:
            return part
        length = zeros(1, dtype=int64) + part.shape[dim]
        all_reduce(length, ReduceOp.MAX)
        shape = list(part.shape)
        shape[dim] = int(length.item()) - part.shape[dim]
        rest = part.new_full(shape, pad_index)
        return cat([rest, part.detach()] if pad_first else [part.detach(), rest], dim)

    with no_grad():
        return tree_map_only(Tensor, pad_one, check_tensors("pad_across_processes", tensor))


def drop_repeats(tree: Any, samples: int | None) -> Any:
    """Cut gathered rows down to `samples`, where they are the samples of one padded step."""
    if samples is None:
        return tree
    part = -(-samples // get_world_size())
    padded = part * get_world_size()
    return tree_map_only(Tensor, lambda rows: rows[:samples] if len(rows) == padded else rows, tree)


def reduce(tensor: Any, reduction: str = "sum") -> Any:
    """Return the "sum" or "mean" over the ranks, on every rank."""
    if reduction not in ("sum", "mean", "none"):
        raise ValueError(f"[reduce] reduction {reduction!r} is unknown: use sum, mean or none")

    def reduce_one(part: Tensor) -> Tensor:
        result = part.detach().clone()
        if reduction != "none":
            all_reduce(result, ReduceOp(reduction))
        return result

    with no_grad():
        return tree_map_only(Tensor, reduce_one, check_tensors("reduce", tensor))


def check_tensors(op: str, tree: Any) -> Any:
    """Return what is to be gathered over the ranks, if it holds tensors only."""
    strangers: list[Any] = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            part = list(part.values())
        if isinstance(part, list | tuple):
            for item in part:
                look(item)
        elif not isinstance(part, Tensor):
            strangers.append(part)

    look(tree)
    if strangers:
        raise TypeError(
            f"[{op}] expected tensors, got {type(strangers[0]).__name__}: "
            "norch.distributed.all_gather_object gathers other things"
        )
    return tree
