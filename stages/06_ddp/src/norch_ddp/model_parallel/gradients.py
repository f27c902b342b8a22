"""Gradients of models that are spread over ranks: their mean, and their norm.

`average_gradients` is data parallelism in one message, for a model that is also cut in other ways.
`clip_grad_norm_` measures the norm of all parts together, whichever rank has them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from norch_autograd import Tensor, float64, no_grad, tensor
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.groups.process_group import ProcessGroup, collective_check
from norch_ddp.model_parallel.rows import all_reduce_together
from norch_ddp.model_parallel.sharding import ShardedParameter, describe


@no_grad()
def average_gradients(
    parameters: Iterable[Tensor], group: ProcessGroup | None = None, op: str = ReduceOp.MEAN
) -> None:
    """Average (or add) the gradients of a model that is split otherwise, over the ranks of `group`.

    One message of all of them, 2 (N - 1) / N of their bytes. Every rank must have the same ones:
    it is an error on all ranks if some parameter has a gradient on one alone.
    """
    parameters = list(parameters)
    with collective_check("average_gradients", group) as call:
        without = [i for i, p in enumerate(parameters) if p.grad is None]
        shapes = [tuple(p.shape) for p in parameters]
        call.detail = f", parameters without a gradient: {without}, of shapes {shapes}"
    grads = [p.grad.detach() for p in parameters if p.grad is not None]
    if grads:
        all_reduce_together(grads, op, group)


@no_grad()
def clip_grad_norm_(
    parameters: Iterable[Any],
    max_norm: float,
    shards: ProcessGroup | None = None,
    stages: ProcessGroup | None = None,
    counted_elsewhere: Iterable[Tensor] = (),
) -> Tensor:
    """Scale a split model's gradients so that the norm of all parts is at most `max_norm`.

    `shards` are the ranks among which parameters are cut: each part counts, and what is not cut is
    the same on all of them and counts once. `stages` are ranks with parameters of their own, but
    for those that are `counted_elsewhere`: tied ones. Returns the norm before; one number travels.

    >>> w = nn.Parameter(norch.zeros(2)); w.grad = norch.tensor([3., 4.])
    >>> clip_grad_norm_([w], 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    parameters = list(parameters)
    for parameter in parameters:
        if isinstance(parameter, ShardedParameter):
            check_groups(parameter, shards)
    parameters = [p for p in parameters if p.grad is not None]
    skipped = {id(p) for p in counted_elsewhere}
    # ex 6.15 begin
    squares = 0.0
    for parameter in parameters:
        if id(parameter) not in skipped:
            square = parameter.grad.detach().double().square().sum().item()
            copies = 1 if shards is None or isinstance(parameter, ShardedParameter) else shards.size
            squares += square / copies
    total = tensor(squares, dtype=float64)
    for group in (shards, stages):
        if group is not None:
            all_reduce(total, group=group)
    # ex 6.15 end
    norm = total.sqrt()
    scale = max_norm / (norm.item() + 1e-6)
    if scale < 1.0:
        for parameter in parameters:
            parameter.grad.mul_(scale)
    return norm.float()


def check_groups(cut: ShardedParameter, shards: ProcessGroup | None) -> None:
    """Refuse to measure a parameter whose other parts are not on the ranks of `shards`."""
    if shards is None:
        raise ValueError(
            "[clip_grad_norm_] these parameters are cut among ranks, each of which would scale by "
            "its own norm: give the group that has the other parts, shards="
        )
    if any(group.ranks != shards.ranks for group in cut.groups):
        raise ValueError(
            f"[clip_grad_norm_] {describe(cut)}, and shards= are ranks {list(shards.ranks)}: "
            "norch.nn.utils.clip_grad_norm_ asks the ranks that each parameter names"
        )
