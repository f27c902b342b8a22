"""Optimizers: they change parameters in place, and never replace one."""

from norch_nn.optim import lr_scheduler
from norch_nn.optim.adafactor import Adafactor
from norch_nn.optim.adagrad import (
    Adadelta,
    Adagrad,
)
from norch_nn.optim.adam import Adam, AdamW
from norch_nn.optim.adam_kin import (
    Adamax,
    NAdam,
    RAdam,
)
from norch_nn.optim.averaged import (
    ASGD,
    Rprop,
)
from norch_nn.optim.lbfgs import LBFGS
from norch_nn.optim.lion import (
    Lion,
)
from norch_nn.optim.optimizer import Optimizer
from norch_nn.optim.rmsprop import (
    RMSprop,
)
from norch_nn.optim.sgd import SGD

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lion",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]
