"""Optimizers: re-exported from stage 5, `norch_nn.optim`."""

from norch.optim import lr_scheduler as lr_scheduler
from norch_nn.optim import SGD as SGD, Adam as Adam, AdamW as AdamW, Optimizer as Optimizer
