"""Stage 4: tensors whose operations are recorded, so that gradients can travel back.

The floors, from below: `types`, `graph` (the record), `engine` (the walk back), `ops` (a function
and a node for each operation), `creation`, `autograd`, `more` (further operations) and `tensor`
(the class that gathers them). This file only names what is public.
"""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

# First: the folder `tensor` has the name of the function `tensor`, and an import of a folder writes
# the folder's name here. What is imported before the function cannot overwrite it.
import norch_autograd.tensor.tensor  # noqa: F401
from math import e as e, inf as inf, nan as nan, pi as pi
from norch_autograd import (
    autograd as autograd, linalg as linalg, more as more, ops as ops, special as special,
)
from norch_autograd.autograd import (
    Function as Function, grad as grad, gradcheck as gradcheck, gradgradcheck as gradgradcheck,
)
from norch_autograd.autograd.anomaly import (
    is_anomaly_check_nan_enabled as is_anomaly_check_nan_enabled,
    is_anomaly_enabled as is_anomaly_enabled,
)
from norch_autograd.ops.shape.view import (
    broadcast_shapes as broadcast_shapes, broadcast_to as broadcast_to, flatten as flatten,
    movedim as movedim, permute as permute, reshape as reshape, t as t, transpose as transpose,
    unflatten as unflatten,
)
from norch_autograd.creation.factories import (
    arange as arange, as_tensor as as_tensor, empty as empty, eye as eye,
    from_dlpack as from_dlpack, from_numpy as from_numpy, frombuffer as frombuffer, full as full,
    linspace as linspace, one_hot as one_hot, ones as ones, tensor as tensor, zeros as zeros,
)
from norch_autograd.creation.like import (
    empty_like as empty_like, full_like as full_like, ones_like as ones_like,
    zeros_like as zeros_like,
)
from norch_autograd.creation.random import (
    bernoulli as bernoulli, multinomial as multinomial, normal as normal, rand as rand,
    rand_like as rand_like, randint as randint, randint_like as randint_like, randn as randn,
    randn_like as randn_like, randperm as randperm,
)
from norch_autograd.graph import return_types as return_types
from norch_autograd.graph.grad_mode import (
    enable_grad as enable_grad, inference_mode as inference_mode,
    is_grad_enabled as is_grad_enabled, is_inference_mode_enabled as is_inference_mode_enabled,
    no_grad as no_grad, set_grad_enabled as set_grad_enabled,
)
from norch_autograd.ops.dtype.autocast import (
    autocast as autocast, get_autocast_dtype as get_autocast_dtype,
    is_autocast_enabled as is_autocast_enabled,
)
from norch_autograd.ops.dtype.convert import clone as clone, detach as detach
from norch_autograd.ops.dtype.promotion import can_cast as can_cast, result_type as result_type
from norch_autograd.ops.elementwise.activation import relu as relu, sigmoid as sigmoid, tanh as tanh
from norch_autograd.ops.elementwise.arithmetic import (
    div as div, lerp as lerp, mul as mul, neg as neg, positive as positive,
    reciprocal as reciprocal, rsub as rsub,
)
from norch_autograd.more.elementwise.bitwise import (
    bitwise_left_shift as bitwise_left_shift, bitwise_right_shift as bitwise_right_shift,
    gcd as gcd, lcm as lcm,
)
from norch_autograd.ops.elementwise.comparison import (
    allclose as allclose, bitwise_and as bitwise_and, bitwise_not as bitwise_not,
    bitwise_or as bitwise_or, bitwise_xor as bitwise_xor, eq as eq, equal as equal, ge as ge,
    gt as gt, isclose as isclose, isfinite as isfinite, isinf as isinf, isnan as isnan, le as le,
    logical_and as logical_and, logical_not as logical_not, logical_or as logical_or,
    logical_xor as logical_xor, lt as lt, ne as ne,
)
from norch_autograd.ops.elementwise.exponential import (
    erf as erf, erfc as erfc, exp as exp, expm1 as expm1, log as log, log1p as log1p, log2 as log2,
)
from norch_autograd.more.elementwise.gamma import (
    digamma as digamma, lgamma as lgamma, mvlgamma as mvlgamma, polygamma as polygamma,
)
from norch_autograd.ops.elementwise.rounding import (
    ceil as ceil, floor as floor, floor_divide as floor_divide, fmod as fmod, frac as frac,
    remainder as remainder, round as round, sign as sign, trunc as trunc,
)
from norch_autograd.ops.elementwise.power import (
    abs as abs, atan2 as atan2, hypot as hypot, logaddexp as logaddexp, logaddexp2 as logaddexp2,
    pow as pow, rsqrt as rsqrt, sqrt as sqrt, square as square,
)
from norch_autograd.ops.elementwise.where import (
    clamp as clamp, clamp_max as clamp_max, clamp_min as clamp_min, masked_fill as masked_fill,
    maximum as maximum, minimum as minimum, nan_to_num as nan_to_num, tril as tril, triu as triu,
    where as where,
)
from norch_autograd.more.elementwise.special import (
    copysign as copysign, float_power as float_power, fmax as fmax, fmin as fmin,
    heaviside as heaviside, isneginf as isneginf, isposinf as isposinf, ldexp as ldexp,
    logit as logit, sgn as sgn, signbit as signbit, sinc as sinc, xlogy as xlogy,
)
from norch_autograd.ops.elementwise.exponential import log10 as log10
from norch_autograd.ops.elementwise.power import exp2 as exp2
from norch_autograd.ops.elementwise.trigonometry import (
    acos as acos, asin as asin, atan as atan, deg2rad as deg2rad, rad2deg as rad2deg,
)
from norch_autograd.more.elementwise.hyperbolic import (
    acosh as acosh, asinh as asinh, atanh as atanh, cosh as cosh, erfinv as erfinv, sinh as sinh,
)
from norch_autograd.ops.elementwise.trigonometry import cos as cos, sin as sin, tan as tan
from norch_autograd.ops.indexing.as_strided import as_strided as as_strided
from norch_autograd.ops.indexing.gather import index_add as index_add, scatter_add as scatter_add
from norch_autograd.ops.indexing.getitem import (
    diagonal as diagonal, masked_select as masked_select, nonzero as nonzero,
)
from norch_autograd.ops.indexing.index_copy import (
    argwhere as argwhere, fill as fill, index_copy as index_copy, index_fill as index_fill,
    masked_scatter as masked_scatter, take as take,
)
from norch_autograd.ops.indexing.scatter import scatter as scatter, scatter_reduce as scatter_reduce
from norch_autograd.more.shape.diagonal import (
    block_diag as block_diag, diag as diag, diag_embed as diag_embed, diagflat as diagflat,
    trace as trace,
)
from norch_autograd.more.inplace import (
    diagonal_scatter as diagonal_scatter, select_scatter as select_scatter,
    slice_scatter as slice_scatter,
)
from norch_autograd.ops.inplace.setitem import index_put as index_put, put as put
from norch_autograd.ops.linalg.norm import dist as dist, renorm as renorm
from norch_autograd.tensor.aliases import (
    add as add, addcdiv as addcdiv, addcmul as addcmul, all as all, amax as amax, amin as amin,
    aminmax as aminmax, any as any, argmax as argmax, argmin as argmin, argsort as argsort,
    cat as cat, chunk as chunk, count_nonzero as count_nonzero, cross as cross, cummax as cummax,
    cummin as cummin, cumprod as cumprod, cumsum as cumsum, diff as diff, gather as gather,
    index_select as index_select, kthvalue as kthvalue, log_softmax as log_softmax,
    logcumsumexp as logcumsumexp, logsumexp as logsumexp, max as max, mean as mean,
    median as median, min as min, mode as mode, nanmean as nanmean, nanmedian as nanmedian,
    nanquantile as nanquantile, nansum as nansum, narrow as narrow, prod as prod,
    quantile as quantile, repeat_interleave as repeat_interleave, select as select,
    softmax as softmax, sort as sort, squeeze as squeeze, stack as stack, std as std,
    std_mean as std_mean, sub as sub, sum as sum, take_along_dim as take_along_dim, topk as topk,
    unbind as unbind, unique_consecutive as unique_consecutive, unsqueeze as unsqueeze, var as var,
    var_mean as var_mean,
)
from norch_autograd.more.linalg.einsum import (
    einsum as einsum, inner as inner, tensordot as tensordot,
)
from norch_autograd.more.linalg.decompositions import lu_unpack as lu_unpack
from norch_autograd.more.linalg.namesakes import (
    cholesky as cholesky, det as det, inverse as inverse, lu as lu, lu_solve as lu_solve,
    matrix_power as matrix_power, norm as norm, pinverse as pinverse, qr as qr, slogdet as slogdet,
    svd as svd, triangular_solve as triangular_solve,
)
from norch_autograd.ops.linalg.matmul import (
    bmm as bmm, dot as dot, linear as linear, matmul as matmul, mm as mm, mv as mv, outer as outer,
)
from norch_autograd.more.linalg.products import (
    addbmm as addbmm, addmm as addmm, addmv as addmv, addr as addr, baddbmm as baddbmm,
    kron as kron, vdot as vdot,
)
from norch_autograd.more.linalg.solve import (
    cholesky_inverse as cholesky_inverse, cholesky_solve as cholesky_solve, logdet as logdet,
)
from norch_autograd.ops.nn.avg_pool import avg_pool1d as avg_pool1d
from norch_autograd.ops.nn.batch_norm import group_norm as group_norm
from norch_autograd.ops.nn.conv import conv1d as conv1d, conv2d as conv2d, conv3d as conv3d
from norch_autograd.more.nn.conv_transpose import (
    conv_transpose1d as conv_transpose1d, conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
)
from norch_autograd.ops.nn.cross_entropy import cross_entropy as cross_entropy
from norch_autograd.ops.nn.embedding import embedding as embedding
from norch_autograd.ops.nn.layer_norm import layer_norm as layer_norm, rms_norm as rms_norm
from norch_autograd.ops.nn.max_pool import (
    max_pool1d as max_pool1d, max_pool2d as max_pool2d, max_pool3d as max_pool3d,
)
from norch_autograd.more.nn.rnn_cells import (
    gru_cell as gru_cell, lstm_cell as lstm_cell, rnn_relu_cell as rnn_relu_cell,
    rnn_tanh_cell as rnn_tanh_cell,
)
from norch_autograd.more.shape.combinations import (
    cartesian_prod as cartesian_prod, combinations as combinations, tril_indices as tril_indices,
    triu_indices as triu_indices, unravel_index as unravel_index, vander as vander,
)
from norch_autograd.more.shape.join import (
    atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d,
    column_stack as column_stack, dsplit as dsplit, dstack as dstack, hsplit as hsplit,
    hstack as hstack, split_with_sizes as split_with_sizes, tensor_split as tensor_split,
    vsplit as vsplit, vstack as vstack,
)
from norch_autograd.ops.shape.view import ravel as ravel
from norch_autograd.more.shape.tile import (
    broadcast_tensors as broadcast_tensors, meshgrid as meshgrid, tile as tile,
)
from norch_autograd.more.shape.roll_flip import (
    fliplr as fliplr, flipud as flipud, roll as roll, rot90 as rot90,
)
from norch_autograd.more.linalg.distance import cdist as cdist
from norch_autograd.more.reduction.diff import (
    cumulative_trapezoid as cumulative_trapezoid, trapezoid as trapezoid,
)
from norch_autograd.more.reduction.counting import (
    bincount as bincount, bucketize as bucketize, histc as histc, isin as isin, unique as unique,
)
from norch_autograd.ops.reduction.sort import msort as msort, searchsorted as searchsorted
from norch_autograd.more.reduction.statistics import corrcoef as corrcoef, cov as cov
from norch_autograd.ops.shape.join import flip as flip, split as split
from norch_autograd.tensor.format import set_printoptions as set_printoptions
from norch_autograd.tensor.tensor import Tensor as Tensor
from norch_autograd.types.device import (
    device as device, get_default_device as get_default_device,
    set_default_device as set_default_device,
)
from norch_autograd.types.dtype import (
    finfo as finfo, get_default_dtype as get_default_dtype, iinfo as iinfo,
    set_default_dtype as set_default_dtype,
)
from norch_autograd.types.generator import (
    default_generator as default_generator, Generator as Generator, get_rng_state as get_rng_state,
    initial_seed as initial_seed, manual_seed as manual_seed, seed as seed,
    set_rng_state as set_rng_state,
)
from norch_autograd.types.memory_format import (
    channels_last as channels_last, channels_last_3d as channels_last_3d,
    contiguous_format as contiguous_format, memory_format as memory_format,
    preserve_format as preserve_format,
)
from norch_autograd.types.size import Size as Size
from norch_cpu_ops import (
    bfloat16 as bfloat16, bool_ as bool_, DType as DType, float16 as float16, float32 as float32,
    float64 as float64, int8 as int8, int16 as int16, int32 as int32, int64 as int64,
    promote_types as promote_types, uint8 as uint8,
)

absolute = abs
bool = bool_
clip = clamp
concat = cat
concatenate = cat
divide = div
double = float64
float = float32
greater = gt
half = float16
int = int32
long = int64
short = int16
moveaxis = movedim
multiply = mul
negative = neg
adjoint = ops.matrix_transpose
trapz = trapezoid
newaxis = None
subtract = sub
swapaxes = transpose
true_divide = div
arcsin = asin
arccos = acos
arctan = atan
arcsinh = asinh
arccosh = acosh
arctanh = atanh
swapdims = transpose
row_stack = vstack
arctan2 = atan2
ger = outer
greater_equal = ge
less = lt
less_equal = le
not_equal = ne
fix = trunc
