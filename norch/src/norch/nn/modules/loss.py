"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    BCELoss as BCELoss,
    BCEWithLogitsLoss as BCEWithLogitsLoss,
    CrossEntropyLoss as CrossEntropyLoss,
    KLDivLoss as KLDivLoss,
    L1Loss as L1Loss,
    MSELoss as MSELoss,
    NLLLoss as NLLLoss,
    SmoothL1Loss as SmoothL1Loss,
)
from norch_nn.modules.loss import Loss as _Loss, WeightedLoss as _WeightedLoss  # noqa: F401
