"""Optimizers: they change parameters in place, one call into stage 2 or 3 for a whole group."""

from norch_nn.optim import lr_scheduler
from norch_nn.optim.adam import Adam, AdamW
from norch_nn.optim.optimizer import Optimizer
from norch_nn.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
