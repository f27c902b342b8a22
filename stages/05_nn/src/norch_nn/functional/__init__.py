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
    elu as elu, elu_ as elu_, leaky_relu as leaky_relu, leaky_relu_ as leaky_relu_,
    log_softmax as log_softmax, logsigmoid as logsigmoid, prelu as prelu, relu as relu,
    relu_ as relu_, selu as selu, selu_ as selu_, silu as silu, softmax as softmax,
    softplus as softplus,
)
from norch_nn.functional.attention import (
    multi_head_attention_forward as multi_head_attention_forward,
)
from norch_nn.functional.dropout import dropout as dropout
from norch_nn.functional.embedding import embedding as embedding, one_hot as one_hot
from norch_nn.functional.loss import (
    binary_cross_entropy as binary_cross_entropy,
    binary_cross_entropy_with_logits as binary_cross_entropy_with_logits,
    cross_entropy as cross_entropy, huber_loss as huber_loss, l1_loss as l1_loss,
    mse_loss as mse_loss, nll_loss as nll_loss, smooth_l1_loss as smooth_l1_loss,
)
from norch_nn.functional.normalization import (
    batch_norm as batch_norm, group_norm as group_norm, instance_norm as instance_norm,
    normalize as normalize,
)
from norch_nn.functional.padding import pad as pad
from norch_nn.functional.pooling import (
    max_pool1d as max_pool1d, max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d, max_pool2d_with_indices as max_pool2d_with_indices,
    max_pool3d as max_pool3d, max_pool3d_with_indices as max_pool3d_with_indices,
)
