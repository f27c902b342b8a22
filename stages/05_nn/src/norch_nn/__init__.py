"""norch_nn: modules, losses, optimizers, data and vision, under PyTorch's names.

Everything here is written in the tensors of stage 4; no file below this one computes with numbers.
`norch.nn`, `norch.optim`, `norch.utils.data` and `norch.norchvision` re-export it.
"""

from norch_nn import data, functional, init, optim, serialization, vision
from norch_nn.activation import (
    GLU,
    LogSigmoid,
    LogSoftmax,
    ReLU,
    Sigmoid,
    Softmax,
    Softmin,
    Tanh,
)
from norch_nn.containers import ModuleList, Sequential
from norch_nn.distance import (
    CosineEmbeddingLoss,
    CosineSimilarity,
    PairwiseDistance,
    TripletMarginLoss,
)
from norch_nn.dropout import Dropout
from norch_nn.linear import Identity, Linear
from norch_nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from norch_nn.module import Module
from norch_nn.parameter import Parameter
from norch_nn.piecewise import (
    Hardsigmoid,
    Hardswish,
    Hardtanh,
    LeakyReLU,
    PReLU,
    ReLU6,
    RReLU,
    Softshrink,
    Threshold,
)
from norch_nn.serialization import load, save
from norch_nn.shape import Flatten
from norch_nn.smooth import CELU, ELU, GELU, SELU, Mish, SiLU, Softplus, Softsign, Tanhshrink

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CELU",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "ELU",
    "Flatten",
    "GELU",
    "GLU",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "Mish",
    "Module",
    "ModuleList",
    "NLLLoss",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "TripletMarginLoss",
    "data",
    "functional",
    "init",
    "load",
    "optim",
    "save",
    "serialization",
    "vision",
]
