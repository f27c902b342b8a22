"""Learning rate schedules: re-exported from stage 5, `norch_nn.optim.lr_scheduler`."""

from norch_nn.optim.lr_scheduler import (
    ChainedScheduler as ChainedScheduler,
    ConstantLR as ConstantLR,
    CosineAnnealingLR as CosineAnnealingLR,
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
    CyclicLR as CyclicLR,
    ExponentialLR as ExponentialLR,
    LambdaLR as LambdaLR,
    LinearLR as LinearLR,
    LRScheduler as LRScheduler,
    MultiplicativeLR as MultiplicativeLR,
    MultiStepLR as MultiStepLR,
    OneCycleLR as OneCycleLR,
    PolynomialLR as PolynomialLR,
    ReduceLROnPlateau as ReduceLROnPlateau,
    SequentialLR as SequentialLR,
    StepLR as StepLR,
    _LRScheduler as _LRScheduler,
)
