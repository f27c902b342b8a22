"""Functions of tensors without state; the modules of the same names call these.

The numbers are computed by stage 4's operations; here are PyTorch's arguments, the checks, and the
reductions. One file a family.
"""

from norch_nn.functional.activation import (
    glu,
    gumbel_softmax,
    log_softmax,
    logsigmoid,
    relu,
    sigmoid,
    softmax,
    softmin,
    tanh,
)
from norch_nn.functional.attention import scaled_dot_product_attention
from norch_nn.functional.conv import (
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
)
from norch_nn.functional.distance import (
    cosine_embedding_loss,
    cosine_similarity,
    normalize,
    one_hot,
    pairwise_distance,
    triplet_margin_loss,
)
from norch_nn.functional.dropout import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from norch_nn.functional.embedding import (
    embedding,
    embedding_bag,
)
from norch_nn.functional.likelihood import (
    gaussian_nll_loss,
    poisson_nll_loss,
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
from norch_nn.functional.margin import (
    hinge_embedding_loss,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    multilabel_soft_margin_loss,
    soft_margin_loss,
    triplet_margin_with_distance_loss,
)
from norch_nn.functional.norm import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    rms_norm,
)
from norch_nn.functional.pad import (
    pad,
)
from norch_nn.functional.patches import fold, max_unpool1d, max_unpool2d, max_unpool3d, unfold
from norch_nn.functional.piecewise import (
    hardshrink,
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
from norch_nn.functional.pool import (
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)
from norch_nn.functional.probability import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    kl_div,
)
from norch_nn.functional.resize import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    interpolate,
)
from norch_nn.functional.shuffle import (
    channel_shuffle,
    pixel_shuffle,
    pixel_unshuffle,
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
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "group_norm",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
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
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
]
