"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    InstanceNorm1d as InstanceNorm1d,
    InstanceNorm2d as InstanceNorm2d,
    InstanceNorm3d as InstanceNorm3d,
)
