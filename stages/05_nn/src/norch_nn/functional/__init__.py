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
from norch_nn.functional.attention import scaled_dot_product_attention
from norch_nn.functional.conv import conv1d, conv2d
from norch_nn.functional.distance import (
    cosine_embedding_loss,
    cosine_similarity,
    normalize,
    one_hot,
    pairwise_distance,
    triplet_margin_loss,
)
from norch_nn.functional.dropout import (
    dropout,
    dropout1d,
    dropout2d,
)
from norch_nn.functional.embedding import (
    embedding,
)
from norch_nn.functional.linear import (
    bilinear,
    linear,
)
from norch_nn.functional.loss import (
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from norch_nn.functional.norm import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    rms_norm,
)
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
from norch_nn.functional.pool import adaptive_avg_pool2d, avg_pool2d, max_pool2d
from norch_nn.functional.probability import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    kl_div,
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
    "adaptive_avg_pool2d",
    "avg_pool2d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "conv1d",
    "conv2d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "elu",
    "embedding",
    "gelu",
    "glu",
    "group_norm",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "huber_loss",
    "instance_norm",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool2d",
    "mish",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pairwise_distance",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "rrelu",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "triplet_margin_loss",
]
