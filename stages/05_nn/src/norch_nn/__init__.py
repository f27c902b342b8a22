"""norch_nn: modules, losses, optimizers, data and vision, under PyTorch's names.

Everything here is written in the tensors of stage 4; no file below this one computes with numbers.
`norch.nn`, `norch.optim`, `norch.utils.data` and `norch.norchvision` re-export it.
"""

from norch_nn import data, functional, init, optim, serialization, utils, vision
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
from norch_nn.batchnorm import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    InstanceNorm1d,
    InstanceNorm2d,
    InstanceNorm3d,
)
from norch_nn.containers import ModuleList, Sequential
from norch_nn.conv import Conv1d, Conv2d
from norch_nn.dictionaries import (
    ModuleDict,
)
from norch_nn.distance import (
    CosineEmbeddingLoss,
    CosineSimilarity,
    PairwiseDistance,
    TripletMarginLoss,
)
from norch_nn.dropout import (
    Dropout,
    Dropout1d,
    Dropout2d,
)
from norch_nn.embedding import (
    Embedding,
)
from norch_nn.layernorm import (
    GroupNorm,
    LayerNorm,
    RMSNorm,
)
from norch_nn.linear import (
    Bilinear,
    Identity,
    Linear,
)
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
from norch_nn.parameter_containers import (
    ParameterDict,
    ParameterList,
)
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
from norch_nn.pool import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
from norch_nn.serialization import load, save
from norch_nn.shape import (
    Flatten,
    Unflatten,
)
from norch_nn.smooth import CELU, ELU, GELU, SELU, Mish, SiLU, Softplus, Softsign, Tanhshrink

__all__ = [
    "AdaptiveAvgPool2d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Bilinear",
    "CELU",
    "Conv1d",
    "Conv2d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "ELU",
    "Embedding",
    "Flatten",
    "GELU",
    "GLU",
    "GroupNorm",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MaxPool2d",
    "MSELoss",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "RMSNorm",
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
    "Unflatten",
    "data",
    "functional",
    "init",
    "load",
    "optim",
    "save",
    "serialization",
    "utils",
    "vision",
]
