"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    Module as Module,
)
