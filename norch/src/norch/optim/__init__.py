"""Optimizers: re-exported from stage 5, `norch_nn.optim`."""

from norch.optim import (
    lr_scheduler as lr_scheduler,
    optimizer as optimizer,
    swa_utils as swa_utils,
)
from norch_extras.optim import (
    ASGD as ASGD,
    LBFGS as LBFGS,
    Adadelta as Adadelta,
    Adafactor as Adafactor,
    Adagrad as Adagrad,
    Adamax as Adamax,
    Lion as Lion,
    NAdam as NAdam,
    RAdam as RAdam,
    RMSprop as RMSprop,
    Rprop as Rprop,
)
from norch_nn.optim import SGD as SGD, Adam as Adam, AdamW as AdamW, Optimizer as Optimizer
