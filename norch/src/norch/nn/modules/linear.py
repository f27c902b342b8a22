"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    Bilinear as Bilinear,
    Identity as Identity,
    Linear as Linear,
)
