"""Optimizers: they change parameters in place, and never replace one."""

from norch_nn.optim import lr_scheduler
from norch_nn.optim.adagrad import (
    Adadelta,
    Adagrad,
)
from norch_nn.optim.adam import Adam, AdamW
from norch_nn.optim.lion import (
    Lion,
)
from norch_nn.optim.optimizer import Optimizer
from norch_nn.optim.rmsprop import (
    RMSprop,
)
from norch_nn.optim.sgd import SGD

__all__ = [
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Lion",
    "Optimizer",
    "RMSprop",
    "SGD",
    "lr_scheduler",
]
