"""Functions of tensors without state; the modules of the same names call these.

The numbers are computed by stage 4's operations; here are PyTorch's arguments, the checks, and the
reductions. One file a family.
"""

from norch_nn.functional.activation import (
    glu,
    log_softmax,
    logsigmoid,
    relu,
    sigmoid,
    softmax,
    softmin,
    tanh,
)
from norch_nn.functional.dropout import dropout
from norch_nn.functional.linear import linear
from norch_nn.functional.loss import cross_entropy, mse_loss
from norch_nn.functional.piecewise import (
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu,
    prelu,
    relu6,
    rrelu,
    softshrink,
    threshold,
)
from norch_nn.functional.smooth import (
    celu,
    elu,
    gelu,
    mish,
    selu,
    silu,
    softplus,
    softsign,
    tanhshrink,
)

__all__ = [
    "celu",
    "cross_entropy",
    "dropout",
    "elu",
    "gelu",
    "glu",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "mish",
    "mse_loss",
    "prelu",
    "relu",
    "relu6",
    "rrelu",
    "selu",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
]
