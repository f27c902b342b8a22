"""Modules, losses, optimizers and data, under PyTorch's names.

Everything here is written in the tensors of stage 4; no file below this one computes with numbers.
`norch.nn`, `norch.optim` and `norch.utils.data` re-export it.
"""

# fmt: off
# ruff: noqa: I001
from norch_nn import (
    amp as amp, data as data, functional as functional, init as init, optim as optim,
    serialization as serialization, utils as utils,
)
from norch_nn.core.module import Module as Module
from norch_nn.core.parameter import Buffer as Buffer, Parameter as Parameter
from norch_nn.modules.activation import (
    ELU as ELU, GELU as GELU, LeakyReLU as LeakyReLU, LogSigmoid as LogSigmoid,
    LogSoftmax as LogSoftmax, PReLU as PReLU, ReLU as ReLU, SELU as SELU, Sigmoid as Sigmoid,
    SiLU as SiLU, Softmax as Softmax, Softplus as Softplus, Tanh as Tanh,
)
from norch_nn.modules.attention import MultiheadAttention as MultiheadAttention
from norch_nn.modules.batchnorm import (
    BatchNorm1d as BatchNorm1d, BatchNorm2d as BatchNorm2d, BatchNorm3d as BatchNorm3d,
    InstanceNorm1d as InstanceNorm1d, InstanceNorm2d as InstanceNorm2d,
    InstanceNorm3d as InstanceNorm3d,
)
from norch_nn.modules.container import (
    DataParallel as DataParallel, ModuleDict as ModuleDict, ModuleList as ModuleList,
    Sequential as Sequential,
)
from norch_nn.modules.conv import (
    Conv1d as Conv1d, Conv2d as Conv2d, Conv3d as Conv3d, ConvTranspose1d as ConvTranspose1d,
    ConvTranspose2d as ConvTranspose2d, ConvTranspose3d as ConvTranspose3d,
)
from norch_nn.modules.dropout import Dropout as Dropout
from norch_nn.modules.embedding import Embedding as Embedding
from norch_nn.modules.flatten import Flatten as Flatten, Unflatten as Unflatten
from norch_nn.modules.linear import Identity as Identity, Linear as Linear
from norch_nn.modules.loss import (
    BCELoss as BCELoss, BCEWithLogitsLoss as BCEWithLogitsLoss,
    CrossEntropyLoss as CrossEntropyLoss, HuberLoss as HuberLoss, L1Loss as L1Loss,
    MSELoss as MSELoss, NLLLoss as NLLLoss, SmoothL1Loss as SmoothL1Loss,
)
from norch_nn.modules.normalization import (
    GroupNorm as GroupNorm, LayerNorm as LayerNorm, RMSNorm as RMSNorm,
)
from norch_nn.modules.pooling import (
    AvgPool1d as AvgPool1d, AvgPool2d as AvgPool2d, AvgPool3d as AvgPool3d, MaxPool1d as MaxPool1d,
    MaxPool2d as MaxPool2d, MaxPool3d as MaxPool3d,
)
from norch_nn.modules.rnn import GRU as GRU, LSTM as LSTM, RNN as RNN, RNNBase as RNNBase
from norch_nn.modules.transformer import (
    Transformer as Transformer, TransformerDecoder as TransformerDecoder,
    TransformerDecoderLayer as TransformerDecoderLayer, TransformerEncoder as TransformerEncoder,
    TransformerEncoderLayer as TransformerEncoderLayer,
)
from norch_nn.serialization import load as load, save as save
