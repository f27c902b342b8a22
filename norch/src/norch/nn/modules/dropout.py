"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    AlphaDropout as AlphaDropout,
    Dropout as Dropout,
    Dropout1d as Dropout1d,
    Dropout2d as Dropout2d,
    Dropout3d as Dropout3d,
)
