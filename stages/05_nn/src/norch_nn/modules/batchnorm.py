"""BatchNorm and InstanceNorm: normalization of channels, with running statistics for evaluation.

`functional` computes; the layers hold scale and shift, and buffers that follow the data.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, int64, ones, tensor, zeros
from norch_autograd.graph.operands import in_own_name
from norch_nn import functional as F
from norch_nn.modules.normalization import Scaled


class ChannelNorm(Scaled):
    """What they share: scale and shift a channel, running mean and variance, and the checks.

    `running_mean` starts at 0, `running_var` at 1; `num_batches_tracked` counts the batches seen.
    """

    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None
    dims: tuple[int, ...] = ()  # of an input that is accepted

    @in_own_name
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        """Make the parameters and the statistics of `num_features` channels."""
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        options = {"device": device, "dtype": dtype}
        self._make("weight", affine, (num_features,), **options)
        self._make("bias", affine and bias, (num_features,), **options)
        tracked = track_running_stats
        count = tensor(0, dtype=int64, device=device) if tracked else None
        self.register_buffer("running_mean", zeros(num_features, **options) if tracked else None)
        self.register_buffer("running_var", ones(num_features, **options) if tracked else None)
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget all batches."""
        if self.running_mean is not None and self.running_var is not None:
            self.running_mean.zero_()
            self.running_var.fill_(1)
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.zero_()

    def _check(self, input: Tensor) -> None:
        """Raise ValueError for a batch of other dimensions."""
        shape = input.array.shape
        if len(shape) not in self.dims:
            wanted = " or ".join(f"{dim}D" for dim in self.dims)
            raise ValueError(
                f"[{type(self).__name__}] a {wanted} input is expected, not {len(shape)}D {shape}"
            )

    def _check_channels(self, input: Tensor, dim: int, error: type[Exception]) -> None:
        """Raise an error for a batch of another number of channels."""
        if input.array.shape[dim] != self.num_features:
            raise error(
                f"[{type(self).__name__}] {self.num_features} channels are expected in dimension "
                f"{dim}, not an input {input.array.shape}"
            )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm(ChannelNorm):
    """Each channel normalized over the batch; in evaluation with the running statistics.

    `momentum` None makes the running statistics the mean over all batches.
    """

    def forward(self, input: Tensor) -> Tensor:
        self._check(input)
        self._check_channels(input, 1, RuntimeError)
        following = self.training and self.track_running_stats
        used = following or not self.training
        running = (self.running_mean, self.running_var) if used else (None, None)
        by_batch = self.training or self.running_mean is None
        share = self._share() if following else 0.0
        output = F.batch_norm(input, *running, self.weight, self.bias, by_batch, share, self.eps)
        if following and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)  # a refused batch does not count
        return output

    def _share(self) -> float:
        """Return how much this batch counts in the running statistics."""
        if self.momentum is None and self.num_batches_tracked is not None:
            return 1.0 / (float(self.num_batches_tracked.item()) + 1.0)
        return 0.0 if self.momentum is None else self.momentum


class BatchNorm1d(BatchNorm):
    """Each channel of (N, C) or (N, C, L) normalized over the batch (Ioffe and Szegedy, 2015).

    >>> BatchNorm1d(1, eps=3.0)(norch.tensor([[1.0], [3.0]])).tolist()
    [[-0.5], [0.5]]
    """

    dims = (2, 3)


class BatchNorm2d(BatchNorm):
    """Each channel of (N, C, H, W) normalized over the batch.

    >>> list(BatchNorm2d(3).state_dict())
    ['weight', 'bias', 'running_mean', 'running_var', 'num_batches_tracked']
    """

    dims = (4,)


class BatchNorm3d(BatchNorm):
    """Each channel of (N, C, D, H, W) normalized over the batch.

    >>> tuple(BatchNorm3d(3)(norch.zeros(1, 3, 2, 2, 2)).shape)
    (1, 3, 2, 2, 2)
    """

    dims = (5,)


class InstanceNorm(ChannelNorm):
    """Each channel of each sample normalized by itself (Ulyanov et al., 2016)."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        """Choose what is learned and followed: nothing, unless told."""
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """Normalize a batch, or one sample without the batch dimension."""
        self._check(input)
        single = input.ndim == self.dims[0]
        self._check_channels(input, 0 if single else 1, ValueError)
        x = input.unsqueeze(0) if single else input
        parts = (self.running_mean, self.running_var, self.weight, self.bias)
        by_sample = self.training or not self.track_running_stats
        output = F.instance_norm(x, *parts, by_sample, self.momentum or 0.0, self.eps)
        return output.squeeze(0) if single else output


class InstanceNorm1d(InstanceNorm):
    """Each channel of each (C, L) normalized by itself, in a batch or alone.

    >>> InstanceNorm1d(1, eps=0.0)(norch.tensor([[1.0, 3.0]])).tolist()
    [[-1.0, 1.0]]
    """

    dims = (2, 3)


class InstanceNorm2d(InstanceNorm):
    """Each channel of each image (C, H, W) normalized by itself, in a batch or alone.

    >>> InstanceNorm2d(1, eps=0.0)(norch.tensor([[[1.0, 3.0]]])).tolist()
    [[[-1.0, 1.0]]]
    """

    dims = (3, 4)


class InstanceNorm3d(InstanceNorm):
    """Each channel of each (C, D, H, W) normalized by itself, in a batch or alone.

    >>> tuple(InstanceNorm3d(3)(norch.zeros(1, 3, 2, 2, 2)).shape)
    (1, 3, 2, 2, 2)
    """

    dims = (4, 5)
