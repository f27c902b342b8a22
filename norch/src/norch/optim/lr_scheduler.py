"""Learning rate schedules: re-exported from stage 5, `norch_nn.optim.lr_scheduler`."""

from norch_nn.optim.lr_scheduler import (
    CosineAnnealingLR as CosineAnnealingLR,
    ExponentialLR as ExponentialLR,
    LambdaLR as LambdaLR,
    LinearLR as LinearLR,
    LRScheduler as LRScheduler,
    MultiStepLR as MultiStepLR,
    StepLR as StepLR,
)
