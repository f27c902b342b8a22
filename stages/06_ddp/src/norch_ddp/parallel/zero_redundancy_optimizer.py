"""ZeRO-1: each of N ranks keeps the optimizer's state of 1/N of the rows, and updates only these.

For P bytes of parameters and Adam, which remembers two numbers for each:

    memory of a rank          parameters P + gradients P + state 2 P / N     (alone: P + P + 2 P)
    wire of a step, per rank  2 (N - 1) / N P: a reduce_scatter and an all_gather, as much as DDP,
                              whose all_reduce is these two at once

A step in words: backward leaves gradients of this rank's batch. The reduce_scatter adds them up and
gives rank r the means of its rows alone: nobody else needs them. Rank r updates its rows, which are
views of the parameters themselves. The all_gather gives everybody all rows: equal models again.
P counts rows in N equal parts: a bias of 10 among 4 ranks is dealt 3, 3, 3, 1 and travels as 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from norch_autograd import Tensor, empty, no_grad, zeros_like
from norch_nn.optim import Optimizer

from ..collectives import ReduceOp
from ..composed import all_gather_into_tensor, reduce_scatter_tensor
from ..process_group import ProcessGroup, collective_check, current_group
from .sharding import (
    ShardedParameter,
    check_rows,
    pack,
    pack_shard,
    rows_of,
    unpack,
    unpack_shard,
)


class ZeroRedundancyOptimizer(Optimizer):
    """Give every rank 1/N of the rows of `params`, to be updated by an `optimizer_class`.

    Parameters must be equal on all ranks, as DDP makes them. With DDP around the model gradients
    arrive averaged; without it `average_gradients=True` averages them in `step`, for half the bytes
    of DDP's all_reduce. The rule of `optimizer_class` must look at one number at a time, as those
    of SGD and Adam do. Schedules set `param_groups` as always.

    >>> dist.init_process_group()
    >>> w = nn.Parameter(norch.ones(2))
    >>> optimizer = ZeroRedundancyOptimizer([w], nn.optim.SGD, average_gradients=True, lr=0.5)
    >>> w.sum().backward(); optimizer.step(); w.tolist()
    [0.5, 0.5]
    """

    def __init__(
        self,
        params: Iterable[Any],
        optimizer_class: type[Optimizer],
        process_group: ProcessGroup | None = None,
        *,
        average_gradients: bool = False,
        **defaults: Any,
    ) -> None:
        self.average_gradients = average_gradients
        self._group = current_group(process_group)
        super().__init__(params, defaults)
        with collective_check("ZeroRedundancyOptimizer", self._group) as call:
            for group in self.param_groups:
                named = [(f"params[{i}]", p) for i, p in enumerate(group["params"])]
                check_rows("ZeroRedundancyOptimizer", named)
            shapes = [[tuple(p.shape) for p in group["params"]] for group in self.param_groups]
            call.detail = f" of {shapes}"
        self._shards = [self._cut(group["params"]) for group in self.param_groups]
        groups = [
            {**group, "params": shards}
            for group, shards in zip(self.param_groups, self._shards, strict=True)
        ]
        self.optim = optimizer_class(groups, **defaults)
        for group, inner in zip(self.param_groups, self.optim.param_groups, strict=True):
            group.update({key: inner[key] for key in inner if key != "params"})
        self.state = self.optim.state  # of this rank's rows

    def _cut(self, params: list[Tensor]) -> list[ShardedParameter]:
        """This rank's rows: views, so that an update of them is one of the parameters."""
        shards = []
        for parameter in params:
            shard = rows_of(parameter.shape, self._group.rank, self._group.size)
            shards.append(ShardedParameter(shard.take(parameter.detach()), shard))
        return shards

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update this rank's rows, then fetch those of the others; every rank calls it."""
        loss = None if closure is None else closure()
        pairs = zip(self.param_groups, self._shards, self.optim.param_groups, strict=True)
        for group, shards, inner in pairs:
            inner.update({key: group[key] for key in group if key != "params"})
            self._give_gradients(group["params"], shards)
        self.optim.step()
        with no_grad():
            for group, shards in zip(self.param_groups, self._shards, strict=True):
                self._fetch(group["params"], shards)
        return loss

    def _give_gradients(self, params: list[Tensor], shards: list[ShardedParameter]) -> None:
        """Each shard's gradient: a view of the averaged one, or what a reduce_scatter brings."""
        if not self.average_gradients:
            for parameter, shard in zip(params, shards, strict=True):
                grad = parameter.grad
                shard.grad = None if grad is None else shard.shard.take(grad.detach())
            return
        size = self._group.size
        grads = [zeros_like(p) if p.grad is None else p.grad for p in params]
        block = pack(grads, size)
        row = empty(block.shape[1], dtype=block.dtype, device=block.device)
        reduce_scatter_tensor(row, block, ReduceOp.MEAN, self._group)
        for shard, grad in zip(shards, unpack_shard(row, shards, size), strict=True):
            shard.grad = grad

    def _fetch(self, params: list[Tensor], shards: list[ShardedParameter]) -> None:
        """Write everybody's rows into the parameters."""
        size = self._group.size
        row = pack_shard(shards, size)
        block = empty(size, row.shape[0], dtype=row.dtype, device=row.device)
        all_gather_into_tensor(block, row, self._group)
        shapes = [tuple(p.shape) for p in params]
        for parameter, shard, whole in zip(params, shards, unpack(block, shapes), strict=True):
            parameter.detach().copy_(whole)
            shard.grad = None

    def rows(self) -> Iterator[tuple[Tensor, ShardedParameter]]:
        """Yield every parameter and this rank's rows of it, to which `state` belongs."""
        for group, shards in zip(self.param_groups, self._shards, strict=True):
            yield from zip(group["params"], shards, strict=True)

    def state_dict(self) -> NoReturn:
        """Refuse: no rank has all of the state."""
        raise RuntimeError(
            "[ZeroRedundancyOptimizer] each rank has its own part of the state: save it with "
            "norch.distributed.checkpoint, for any number of ranks"
        )

    def load_state_dict(self, state_dict: dict[str, Any]) -> NoReturn:
        """Refuse, as `state_dict` does."""
        self.state_dict()
