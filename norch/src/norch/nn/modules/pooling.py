"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    AdaptiveAvgPool2d as AdaptiveAvgPool2d,
    AdaptiveMaxPool2d as AdaptiveMaxPool2d,
    AvgPool2d as AvgPool2d,
    MaxPool2d as MaxPool2d,
)
