"""Functions of tensors without state; the modules of the same names call these.

The numbers are computed by stage 4's operations; here are PyTorch's arguments, the checks, and the
reductions. One file a family.
"""

# fmt: off
# ruff: noqa: I001
from norch_autograd import (
    avg_pool1d as avg_pool1d, conv1d as conv1d, conv2d as conv2d, conv3d as conv3d,
    conv_transpose1d as conv_transpose1d, conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d, layer_norm as layer_norm, linear as linear,
    rms_norm as rms_norm, sigmoid as sigmoid, tanh as tanh,
)
from norch_autograd.more import adaptive_avg_pool2d as adaptive_avg_pool2d
from norch_autograd.ops import (
    avg_pool2d as avg_pool2d, avg_pool3d as avg_pool3d, gelu as gelu,
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from norch_nn.functional.activation import (
    celu as celu, celu_ as celu_, elu as elu, elu_ as elu_, glu as glu,
    gumbel_softmax as gumbel_softmax, hardshrink as hardshrink, hardsigmoid as hardsigmoid,
    hardswish as hardswish, hardtanh as hardtanh, hardtanh_ as hardtanh_, leaky_relu as leaky_relu,
    leaky_relu_ as leaky_relu_, log_softmax as log_softmax, logsigmoid as logsigmoid, mish as mish,
    prelu as prelu, relu as relu, relu6 as relu6, relu_ as relu_, rrelu as rrelu, rrelu_ as rrelu_,
    selu as selu, selu_ as selu_, silu as silu, softmax as softmax, softmin as softmin,
    softplus as softplus, softshrink as softshrink, softsign as softsign, tanhshrink as tanhshrink,
    threshold as threshold, threshold_ as threshold_,
)
from norch_nn.functional.adaptive_pooling import (
    adaptive_avg_pool1d as adaptive_avg_pool1d, adaptive_avg_pool3d as adaptive_avg_pool3d,
    adaptive_max_pool1d as adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices as adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d as adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d as adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices as adaptive_max_pool3d_with_indices,
)
from norch_nn.functional.attention import (
    multi_head_attention_forward as multi_head_attention_forward,
)
from norch_nn.functional.dropout import (
    alpha_dropout as alpha_dropout, dropout as dropout, dropout1d as dropout1d,
    dropout2d as dropout2d, dropout3d as dropout3d, feature_alpha_dropout as feature_alpha_dropout,
)
from norch_nn.functional.embedding import (
    embedding as embedding, embedding_bag as embedding_bag, one_hot as one_hot,
)
from norch_nn.functional.likelihood_loss import (
    binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    gaussian_nll_loss as gaussian_nll_loss, kl_div as kl_div, poisson_nll_loss as poisson_nll_loss,
)
from norch_nn.functional.loss import (
    cross_entropy as cross_entropy, huber_loss as huber_loss, l1_loss as l1_loss,
    mse_loss as mse_loss, nll_loss as nll_loss, smooth_l1_loss as smooth_l1_loss,
)
from norch_nn.functional.normalization import (
    normalize as normalize,
    batch_norm as batch_norm, group_norm as group_norm, instance_norm as instance_norm,
    local_response_norm as local_response_norm,
)
from norch_nn.functional.padding import pad as pad
from norch_nn.functional.pooling import (
    lp_pool1d as lp_pool1d, lp_pool2d as lp_pool2d, lp_pool3d as lp_pool3d,
    max_pool1d as max_pool1d, max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d, max_pool2d_with_indices as max_pool2d_with_indices,
    max_pool3d as max_pool3d, max_pool3d_with_indices as max_pool3d_with_indices,
    max_unpool1d as max_unpool1d, max_unpool2d as max_unpool2d, max_unpool3d as max_unpool3d,
)
from norch_nn.functional.upsampling import (
    interpolate as interpolate, upsample as upsample, upsample_bilinear as upsample_bilinear,
    upsample_nearest as upsample_nearest,
)
