"""Learning rate schedules, one kind a file; `norch.optim.lr_scheduler` re-exports them."""

from norch_nn.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR
from norch_nn.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from norch_nn.optim.lr_scheduler.cyclic import (
    CyclicLR,
)
from norch_nn.optim.lr_scheduler.factors import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from norch_nn.optim.lr_scheduler.one_cycle import OneCycleLR
from norch_nn.optim.lr_scheduler.plateau import ReduceLROnPlateau
from norch_nn.optim.lr_scheduler.scheduler import LRScheduler

_LRScheduler = LRScheduler  # its old name, from which many a script derives

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
    "_LRScheduler",
]
