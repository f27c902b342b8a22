"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    GroupNorm as GroupNorm,
    LayerNorm as LayerNorm,
    LocalResponseNorm as LocalResponseNorm,
    RMSNorm as RMSNorm,
)
