"""ZeRO-1: each of N ranks keeps the optimizer's state of 1/N of the rows, and updates only these.

For P bytes of parameters and Adam, which remembers two numbers for each:

    memory of a rank          parameters P + gradients P + state 2 P / N     (alone: P + P + 2 P)
    wire of a step, per rank  2 (N - 1) / N P: a reduce_scatter and an all_gather, as much as DDP,
                              whose all_reduce is these two at once; with DDP around the model
                              3 (N - 1) / N P: its all_reduce, and the all_gather

Of the mean of all gradients a rank needs only its rows, and its rows of a parameter are a view: an
update of them is one of the parameter itself.
P counts rows in N equal parts: a bias of 10 among 4 ranks is dealt 3, 3, 3, 1 and travels as 12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from norch_autograd import Tensor, tensor
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.collectives.composed import broadcast_coalesced
from norch_ddp.groups.process_group import ProcessGroup, collective_check, current_group
from norch_ddp.model_parallel.rows import (
    all_gather_rows,
    check_rows,
    reduce_scatter_rows,
    rows_within,
)
from norch_ddp.model_parallel.sharding import ShardedParameter
from norch_nn.optim import Optimizer

Pair = tuple[Tensor, ShardedParameter]
"""A parameter, and this rank's rows of it."""


class ZeroRedundancyOptimizer(Optimizer):
    """Give every rank 1/N of the rows of `params`, to be updated by an `optimizer_class`.

    All ranks start from the values of the group's first. With DDP around the model gradients
    arrive averaged; without it `average_gradients=True` averages them in `step`, for half the bytes
    of DDP's all_reduce. The rule of `optimizer_class` must look at one number at a time, as those
    of SGD and Adam do; one that says `elementwise = False` is refused. Schedules set
    `param_groups` as always.

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
        self.optim: Any = None  # an Optimizer, once the first group is there
        self._group = current_group(process_group)
        self._shards: list[list[ShardedParameter]] = []
        super().__init__(params, defaults)
        first, *others = [self._cut(group) for group in self.param_groups]
        self.optim = optimizer_class([first], **defaults)
        for group in others:
            self.optim.add_param_group(group)
        for group, inner in zip(self.param_groups, self.optim.param_groups, strict=True):
            group.update({key: inner[key] for key in inner if key != "params"})
        self.state = self.optim.state  # of this rank's rows

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add one group {"params": tensors, option: value, ...}; every rank calls it."""
        super().add_param_group(param_group)
        if self.optim is not None:
            self.optim.add_param_group(self._cut(self.param_groups[-1]))

    def _cut(self, group: dict[str, Any]) -> dict[str, Any]:
        """A group of this rank's rows: views, so that an update of them is one of the whole."""
        with collective_check("ZeroRedundancyOptimizer", self._group) as call:
            named = [(f"params[{i}]", p) for i, p in enumerate(group["params"])]
            check_rows("ZeroRedundancyOptimizer", named, self._group)
            call.detail = f" of {[tuple(p.shape) for p in group['params']]}"
        broadcast_coalesced(group["params"], self._group.ranks[0], self._group)
        shards = []
        for parameter in group["params"]:
            shard = rows_within(parameter, self._group)
            shards.append(ShardedParameter(shard.take(parameter.detach()), shard))
        self._shards.append(shards)
        return {**group, "params": shards}

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update this rank's rows, then fetch those of the others; every rank calls it.

        As everywhere, a parameter without a gradient is left alone; all ranks must have the same.
        """
        loss = None if closure is None else closure()
        trained = self._pairs_with_grad()
        for group, inner in zip(self.param_groups, self.optim.param_groups, strict=True):
            inner.update({key: group[key] for key in group if key != "params"})
        self._sharded_step(trained)
        return loss

    def _pairs_with_grad(self) -> list[list[Pair]]:
        """Parameters that have a gradient and their rows, by group; those of all ranks agree."""
        with collective_check("ZeroRedundancyOptimizer.step", self._group) as call:
            without = [i for i, (p, _) in enumerate(self.rows()) if p.grad is None]
            call.detail = f", parameters without a gradient: {without}"
        groups = zip(self.param_groups, self._shards, strict=True)
        pairs = [zip(group["params"], shards, strict=True) for group, shards in groups]
        found = [[pair for pair in group if pair[0].grad is not None] for group in pairs]
        return [group for group in found if group]

    def _sharded_step(self, trained: list[list[Any]]) -> None:
        """Update all parameters, each rank its own rows; each list of pairs shares its messages."""
        # ex 6.8 begin
        for pairs in trained:
            grads = [parameter.grad.detach() for parameter, _ in pairs]
            if self.average_gradients:
                parts = reduce_scatter_rows(grads, ReduceOp.MEAN, self._group)
            else:
                parts = [s.shard.take(grad) for (_, s), grad in zip(pairs, grads, strict=True)]
            for (_, shard), part in zip(pairs, parts, strict=True):
                shard.grad = part
        self.optim.step()
        for pairs in trained:
            wholes = all_gather_rows([shard for _, shard in pairs], self._group)
            for (parameter, shard), whole in zip(pairs, wholes, strict=True):
                parameter.detach().copy_(whole)
                shard.grad = None
        # ex 6.8 end

    def found_anywhere(self, found: bool) -> bool:
        """Return whether an overflow was found on any rank: none has averaged gradients yet."""
        number = tensor(float(super().found_anywhere(found)))
        all_reduce(number, ReduceOp.MAX, self._group)
        return bool(number)

    def rows(self) -> Iterator[Pair]:
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
