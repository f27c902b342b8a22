"""Optimizers and schedules: parameters are changed in place, never replaced."""

# fmt: off
from norch_nn.optim import lr_scheduler as lr_scheduler
from norch_nn.optim.adam import Adam as Adam, AdamW as AdamW
from norch_nn.optim.optimizer import Optimizer as Optimizer
from norch_nn.optim.sgd import SGD as SGD
