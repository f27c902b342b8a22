"""Modules and losses: re-exported from stage 5, `norch_nn`."""

from norch.nn import functional as functional, init as init, parallel as parallel
from norch_nn import (
    CrossEntropyLoss as CrossEntropyLoss,
    Dropout as Dropout,
    Flatten as Flatten,
    Identity as Identity,
    Linear as Linear,
    LogSoftmax as LogSoftmax,
    Module as Module,
    ModuleList as ModuleList,
    MSELoss as MSELoss,
    Parameter as Parameter,
    ReLU as ReLU,
    Sequential as Sequential,
    Sigmoid as Sigmoid,
    Softmax as Softmax,
    Tanh as Tanh,
)
