"""Optimizers: re-exported from stage 5, `norch_nn.optim`."""

from norch.optim import (
    lr_scheduler as lr_scheduler,
    optimizer as optimizer,
    swa_utils as swa_utils,
)
from norch_nn.optim import (
    ASGD as ASGD,
    LBFGS as LBFGS,
    SGD as SGD,
    Adadelta as Adadelta,
    Adafactor as Adafactor,
    Adagrad as Adagrad,
    Adam as Adam,
    Adamax as Adamax,
    AdamW as AdamW,
    Lion as Lion,
    NAdam as NAdam,
    Optimizer as Optimizer,
    RAdam as RAdam,
    RMSprop as RMSprop,
    Rprop as Rprop,
)
