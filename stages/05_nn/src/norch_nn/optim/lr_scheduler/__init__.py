"""Learning rate schedules, one kind a file; `norch.optim.lr_scheduler` re-exports them."""

# fmt: off
# ruff: noqa: I001
from norch_nn.optim.lr_scheduler.cosine import (
    CosineAnnealingLR as CosineAnnealingLR,
    CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts,
)
from norch_nn.optim.lr_scheduler.factors import (
    ConstantLR as ConstantLR, ExponentialLR as ExponentialLR, LambdaLR as LambdaLR,
    LinearLR as LinearLR, MultiStepLR as MultiStepLR, StepLR as StepLR,
)
from norch_nn.optim.lr_scheduler.scheduler import LRScheduler as LRScheduler

_LRScheduler = LRScheduler  # its old name, from which many a script derives
