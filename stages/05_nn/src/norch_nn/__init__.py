"""norch_nn: modules, losses, optimizers, data and vision, under PyTorch's names.

Everything here is written in the tensors of stage 4; no file below this one computes with numbers.
`norch.nn`, `norch.optim`, `norch.utils.data` and `norch.norchvision` re-export it.
"""

from norch_nn import data, functional, init, optim, serialization, vision
from norch_nn.activation import LogSoftmax, ReLU, Sigmoid, Softmax, Tanh
from norch_nn.containers import ModuleList, Sequential
from norch_nn.dropout import Dropout
from norch_nn.linear import Identity, Linear
from norch_nn.loss import CrossEntropyLoss, MSELoss
from norch_nn.module import Module
from norch_nn.parameter import Parameter
from norch_nn.serialization import load, save
from norch_nn.shape import Flatten

__all__ = [
    "CrossEntropyLoss",
    "Dropout",
    "Flatten",
    "Identity",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "Module",
    "ModuleList",
    "Parameter",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "data",
    "functional",
    "init",
    "load",
    "optim",
    "save",
    "serialization",
    "vision",
]
