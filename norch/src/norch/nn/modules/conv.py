"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    Conv1d as Conv1d,
    Conv2d as Conv2d,
    Conv3d as Conv3d,
    ConvTranspose1d as ConvTranspose1d,
    ConvTranspose2d as ConvTranspose2d,
    ConvTranspose3d as ConvTranspose3d,
)
from norch_nn.modules.conv import Convolution as _ConvNd  # noqa: F401
