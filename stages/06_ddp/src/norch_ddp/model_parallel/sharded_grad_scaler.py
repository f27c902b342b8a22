"""ShardedGradScaler: ranks with parameters of their own leave out the same steps.

A part of a parameter is asked for by every `GradScaler`: its ranks have one answer. The stages of a
pipeline have nothing in common that could be asked; they agree here, through a group.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import tensor
from norch_ddp.collectives.collectives import ReduceOp, all_reduce
from norch_ddp.groups.process_group import ProcessGroup
from norch_nn.amp import GradScaler
from norch_nn.optim import Optimizer


class ShardedGradScaler(GradScaler):
    """A `GradScaler` whose steps are taken by all ranks of `process_group`, or by none.

    >>> dist.init_process_group()
    >>> scaler = ShardedGradScaler("cpu", init_scale=4.0)
    >>> scaler.scale(norch.ones(1))
    tensor([4.])
    """

    def __init__(
        self, device: str = "cuda", *args: Any, process_group: ProcessGroup | None = None, **kw: Any
    ) -> None:
        """Take the arguments of a `GradScaler`, and the group; None: all ranks."""
        super().__init__(device, *args, **kw)
        self._group = process_group

    def found_anywhere(self, optimizer: Optimizer, found: bool) -> bool:
        """Return whether an overflow was found on any rank of the group."""
        number = tensor(float(super().found_anywhere(optimizer, found)))
        all_reduce(number, ReduceOp.MAX, self._group)
        return bool(number)
