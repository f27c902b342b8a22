"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_ddp import SyncBatchNorm as SyncBatchNorm
from norch_nn import (
    BatchNorm1d as BatchNorm1d,
    BatchNorm2d as BatchNorm2d,
    BatchNorm3d as BatchNorm3d,
)
from norch_nn.modules.batchnorm import BatchNorm as _BatchNorm  # noqa: F401
