"""Learning rate schedules: re-exported from stage 5, `norch_nn.optim.lr_scheduler`."""

from norch_extras.optim import (
    CyclicLR as CyclicLR,
    OneCycleLR as OneCycleLR,
    ReduceLROnPlateau as ReduceLROnPlateau,
)
from norch_nn.optim.lr_scheduler import (
    ChainedScheduler as ChainedScheduler,
    ConstantLR as ConstantLR,
    CosineAnnealingLR as CosineAnnealingLR,
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
    ExponentialLR as ExponentialLR,
    LambdaLR as LambdaLR,
    LinearLR as LinearLR,
    LRScheduler as LRScheduler,
    MultiplicativeLR as MultiplicativeLR,
    MultiStepLR as MultiStepLR,
    PolynomialLR as PolynomialLR,
    SequentialLR as SequentialLR,
    StepLR as StepLR,
    _LRScheduler as _LRScheduler,
)
