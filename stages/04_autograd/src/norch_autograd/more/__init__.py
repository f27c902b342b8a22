"""Further operations, written as those of `ops` are: offered, taught nowhere.

Folders and files are called as there. `tensor` and the faces import this; no floor below does.
"""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

from norch_autograd.more.elementwise.bitwise import (
    bitwise_left_shift as bitwise_left_shift, bitwise_right_shift as bitwise_right_shift,
    gcd as gcd, lcm as lcm, reversed_left_shift as reversed_left_shift,
    reversed_right_shift as reversed_right_shift,
)
from norch_autograd.more.elementwise.gamma import (
    digamma as digamma, lgamma as lgamma, mvlgamma as mvlgamma, polygamma_of as polygamma_of,
)
from norch_autograd.more.elementwise.hyperbolic import (
    acosh as acosh, asinh as asinh, atanh as atanh, cosh as cosh, erfinv as erfinv, sinh as sinh,
)
from norch_autograd.more.elementwise.special import (
    addcdiv as addcdiv, addcmul as addcmul, copysign as copysign, float_power as float_power,
    fmax as fmax, fmin as fmin, heaviside as heaviside, isneginf as isneginf, isposinf as isposinf,
    ldexp as ldexp, logit as logit, sgn as sgn, signbit as signbit, sinc as sinc, xlogy as xlogy,
)
from norch_autograd.more.inplace import (
    bitwise_left_shift_ as bitwise_left_shift_, bitwise_right_shift_ as bitwise_right_shift_,
    cumprod_ as cumprod_, cumsum_ as cumsum_, diagonal_scatter as diagonal_scatter,
    fill_diagonal_ as fill_diagonal_, float_power_ as float_power_, index_add_ as index_add_,
    index_fill_ as index_fill_, masked_scatter_ as masked_scatter_, renorm_ as renorm_,
    scatter_ as scatter_, scatter_add_ as scatter_add_, scatter_reduce_ as scatter_reduce_,
    select_scatter as select_scatter, slice_scatter as slice_scatter,
)
from norch_autograd.more.linalg.einsum import (
    einsum as einsum, inner as inner, tensordot as tensordot,
)
from norch_autograd.more.linalg.products import (
    addbmm as addbmm, addmm as addmm, addmv as addmv, addr as addr, baddbmm as baddbmm,
    kron as kron, vdot as vdot,
)
from norch_autograd.more.nn.conv_transpose import (
    conv_transpose1d as conv_transpose1d, conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
)
from norch_autograd.more.nn.im2col import col2im as col2im, im2col as im2col
from norch_autograd.more.nn.resample import (
    adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
    upsample_bilinear2d as upsample_bilinear2d, upsample_nearest2d as upsample_nearest2d,
)
from norch_autograd.more.nn.rnn_cells import (
    gru_cell as gru_cell, gru_gates as gru_gates, lstm_cell as lstm_cell, lstm_gates as lstm_gates,
    rnn_relu_cell as rnn_relu_cell, rnn_tanh_cell as rnn_tanh_cell,
)
from norch_autograd.more.nn.rnn_layers import (
    gru_layer as gru_layer, lstm_layer as lstm_layer, rnn_layer as rnn_layer,
)
from norch_autograd.more.shape.diagonal import (
    diag as diag, diag_embed as diag_embed, diagflat as diagflat, trace as trace,
)
from norch_autograd.more.shape.join import (
    atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d,
    column_stack as column_stack, dsplit as dsplit, dstack as dstack, hsplit as hsplit,
    hstack as hstack, split_with_sizes as split_with_sizes, tensor_split as tensor_split,
    vsplit as vsplit, vstack as vstack,
)
from norch_autograd.more.shape.tile import (
    meshgrid as meshgrid, repeat_interleave as repeat_interleave, take_along_dim as take_along_dim,
    tile as tile,
)
from norch_autograd.more.shape.roll_flip import (
    fliplr as fliplr, flipud as flipud, roll as roll, rot90 as rot90,
)
from norch_autograd.more.linalg.distance import cdist as cdist
from norch_autograd.more.reduction.diff import diff as diff
from norch_autograd.more.reduction.counting import (
    bincount as bincount, bucketize as bucketize, histc as histc, unique as unique,
    unique_consecutive as unique_consecutive,
)
from norch_autograd.more.reduction.statistics import (
    corrcoef as corrcoef, cov as cov, mode as mode, nanquantile as nanquantile,
    quantile as quantile,
)
