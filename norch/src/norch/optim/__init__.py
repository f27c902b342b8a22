"""Optimizers: re-exported from stage 5, `norch_nn.optim`."""

from norch.optim import lr_scheduler as lr_scheduler
from norch_nn.optim import (
    SGD as SGD,
    Adadelta as Adadelta,
    Adagrad as Adagrad,
    Adam as Adam,
    AdamW as AdamW,
    Lion as Lion,
    Optimizer as Optimizer,
    RMSprop as RMSprop,
)
