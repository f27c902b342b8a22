"""SyncBatchNorm: batch normalization over the joined batch of all ranks.

Two sums travel in each forward, and their gradients in each backward, so that N ranks compute what
one process computes on the joined batch. For models whose share of the batch is small.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, cat, float32, no_grad
from norch_autograd.autograd import Function
from norch_ddp.collectives.collectives import all_reduce
from norch_ddp.groups.process_group import ProcessGroup, get_world_size, is_initialized
from norch_nn import Module
from norch_nn.modules.batchnorm import BatchNorm


class SumOverRanks(Function):
    """SyncBatchNorm's sum: y = sum over the ranks of x; dx = sum over the ranks of dy."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, group: ProcessGroup | None) -> Tensor:
        """Add up every rank's statistics."""
        ctx.group = group
        total = x.clone()
        all_reduce(total, group=group)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """Add up too: every rank's x is in every rank's y, as all normalize one joined batch."""
        total = grad.clone()
        all_reduce(total, group=ctx.group)
        return total, None


def along_channels(x: Tensor) -> list[int]:
    """Return the shape in which SyncBatchNorm's (C,) statistics meet x (N, C, ...)."""
    return [-1 if dim == 1 else 1 for dim in range(x.ndim)]


def moments(x: Tensor, group: ProcessGroup | None) -> tuple[Tensor, Tensor, Tensor]:
    """Return mean and variance (C,) of all ranks' x (N, C, ...), and of how many numbers."""
    others = [dim for dim in range(x.ndim) if dim != 1]
    # ex 6.16 begin
    count = x.new_full((1,), x.numel() // x.shape[1])
    sums = SumOverRanks.apply(cat([x.sum(others), count]), group)
    total = sums[-1].detach()
    mean = sums[:-1] / total
    centred = x - mean.reshape(along_channels(x))
    squares = SumOverRanks.apply((centred * centred).sum(others), group)
    return mean, squares / total, total
    # ex 6.16 end


class SyncBatchNorm(BatchNorm):
    """Each channel of (N, C, ...) normalized over the batches of all ranks together.

    In evaluation, and in a process alone, it is `BatchNorm`. Source: `torch.nn.SyncBatchNorm`.

    >>> from norch_nn import BatchNorm2d, Sequential
    >>> type(SyncBatchNorm.convert_sync_batchnorm(Sequential(BatchNorm2d(3)))[0]).__name__
    'SyncBatchNorm'
    """

    dims = (2, 3, 4, 5)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: ProcessGroup | None = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        """Take what BatchNorm takes, and the ranks to join (None: all)."""
        options = (eps, momentum, affine, track_running_stats, device, dtype)
        super().__init__(num_features, *options, bias=bias)
        self.process_group = process_group

    def forward(self, input: Tensor) -> Tensor:
        """Normalize with the statistics of all ranks."""
        measures = self.training or self.running_mean is None
        if not (measures and is_initialized() and get_world_size(self.process_group) > 1):
            return super().forward(input)
        self._check(input)
        self._check_channels(input, 1, RuntimeError)
        x = input.to(float32) if input.dtype.itemsize < 4 else input
        along = along_channels(x)
        mean, variance, total = moments(x, self.process_group)
        if self.training and self.track_running_stats:
            self._follow(mean.detach(), variance.detach(), total)
        y = (x - mean.reshape(along)) * (variance + self.eps).rsqrt().reshape(along)
        if self.weight is not None:
            y = y * self.weight.reshape(along)
        if self.bias is not None:
            y = y + self.bias.reshape(along)
        return y.to(input.dtype)

    def _follow(self, mean: Tensor, variance: Tensor, total: Tensor) -> None:
        """Move the running statistics towards this batch's, as BatchNorm does."""
        share = self._share()
        unbiased = variance * (total / (total - 1))
        with no_grad():
            for running, now in ((self.running_mean, mean), (self.running_var, unbiased)):
                if running is not None:
                    running.lerp_(now.to(running.dtype), share)
            if self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)

    @classmethod
    def convert_sync_batchnorm(
        cls, module: Module, process_group: ProcessGroup | None = None
    ) -> Module:
        """Return `module` with each BatchNorm in it replaced by one over all ranks."""
        if isinstance(module, BatchNorm) and not isinstance(module, cls):
            layer = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
            )
            layer.weight, layer.bias = module.weight, module.bias
            layer.running_mean, layer.running_var = module.running_mean, module.running_var
            layer.num_batches_tracked = module.num_batches_tracked
            return layer.train(module.training)
        for name, child in module.named_children():
            setattr(module, name, cls.convert_sync_batchnorm(child, process_group))
        return module
