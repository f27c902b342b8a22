"""The operations that are taught or that other floors need, and the file each lives in."""
# An index: several names a line.
# fmt: off
# ruff: noqa: I001

from norch_autograd.ops.dtype.convert import (
    byte as byte, char as char, clone as clone, contiguous as contiguous, cpu as cpu, cuda as cuda,
    detach as detach, double as double, float_ as float_, half as half, int_ as int_, long as long,
    pin_memory as pin_memory, short as short, to as to, to_bfloat16 as to_bfloat16,
    to_bool as to_bool, type_as as type_as,
)
from norch_autograd.ops.elementwise.activation import (
    gelu as gelu, relu as relu, sigmoid as sigmoid, silu as silu, tanh as tanh,
)
from norch_autograd.ops.elementwise.arithmetic import (
    add as add, div as div, lerp as lerp, minus as minus, mul as mul, neg as neg, over as over,
    plus as plus, positive as positive, reciprocal as reciprocal, rsub as rsub, sub as sub,
    times as times,
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
    log10 as log10,
)
from norch_autograd.ops.elementwise.rounding import (
    ceil as ceil, floor as floor, floor_divide as floor_divide, fmod as fmod, frac as frac,
    remainder as remainder, round as round, sign as sign, trunc as trunc,
)
from norch_autograd.ops.elementwise.operators import (
    operator as operator, radd as radd, rdiv as rdiv, rfloor_divide as rfloor_divide,
    rminus as rminus, rmul as rmul, rpower as rpower, rremainder as rremainder,
)
from norch_autograd.ops.elementwise.power import (
    abs as abs, atan2 as atan2, exp2 as exp2, hypot as hypot, logaddexp as logaddexp,
    logaddexp2 as logaddexp2, pow as pow, rpow as rpow, rsqrt as rsqrt, sqrt as sqrt,
    square as square,
)
from norch_autograd.ops.elementwise.where import (
    clamp as clamp, clamp_max as clamp_max, clamp_min as clamp_min, masked_fill as masked_fill,
    maximum as maximum, minimum as minimum, nan_to_num as nan_to_num, tril as tril, triu as triu,
    where as where, where_of as where_of,
)
from norch_autograd.ops.elementwise.trigonometry import (
    acos as acos, asin as asin, atan as atan, cos as cos, deg2rad as deg2rad, rad2deg as rad2deg,
    sin as sin, tan as tan,
)
from norch_autograd.ops.indexing.as_strided import as_strided as as_strided, unfold as unfold
from norch_autograd.ops.indexing.gather import (
    gather as gather, index_add as index_add, index_select as index_select,
    scatter_add as scatter_add,
)
from norch_autograd.ops.indexing.getitem import (
    diagonal as diagonal, getitem as getitem, masked_select as masked_select, narrow as narrow,
    nonzero as nonzero, select as select,
)
from norch_autograd.ops.indexing.index_copy import (
    argwhere as argwhere, fill as fill, index_copy as index_copy, index_fill as index_fill,
    masked_scatter as masked_scatter, take as take,
)
from norch_autograd.ops.indexing.scatter import scatter as scatter, scatter_reduce as scatter_reduce
from norch_autograd.ops.inplace.edit import (
    add_ as add_, clamp_ as clamp_, copy_ as copy_, div_ as div_, fill_ as fill_,
    masked_fill_ as masked_fill_, mul_ as mul_, pow_ as pow_, squeeze_ as squeeze_, sub_ as sub_,
    t_ as t_, transpose_ as transpose_, unsqueeze_ as unsqueeze_, zero_ as zero_,
)
from norch_autograd.ops.inplace.setitem import (
    index_copy_ as index_copy_, index_put as index_put, index_put_ as index_put_, put as put,
    put_ as put_, setitem as setitem,
)
from norch_autograd.ops.linalg.norm import dist as dist, norm as norm, renorm as renorm
from norch_autograd.ops.linalg.matmul import (
    bmm as bmm, dot as dot, linear as linear, matmul as matmul, mm as mm, mv as mv, outer as outer,
    rmatmul as rmatmul,
)
from norch_autograd.ops.nn.attention import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from norch_autograd.ops.nn.avg_pool import (
    avg_pool1d as avg_pool1d, avg_pool2d as avg_pool2d, avg_pool3d as avg_pool3d,
)
from norch_autograd.ops.nn.batch_norm import (
    batch_norm as batch_norm, batch_norm_eval as batch_norm_eval, group_norm as group_norm,
)
from norch_autograd.ops.nn.conv import conv1d as conv1d, conv2d as conv2d, conv3d as conv3d
from norch_autograd.ops.nn.cross_entropy import (
    cross_entropy as cross_entropy, reduced_cross_entropy as reduced_cross_entropy,
    row_cross_entropy as row_cross_entropy,
)
from norch_autograd.ops.nn.embedding import embedding as embedding
from norch_autograd.ops.nn.layer_norm import layer_norm as layer_norm, rms_norm as rms_norm
from norch_autograd.ops.nn.max_pool import (
    max_pool1d as max_pool1d, max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d, max_pool2d_with_indices as max_pool2d_with_indices,
    max_pool3d as max_pool3d, max_pool3d_with_indices as max_pool3d_with_indices,
)
from norch_autograd.ops.nn.softmax import (
    log_softmax as log_softmax, logsumexp as logsumexp, softmax as softmax,
)
from norch_autograd.ops.reduction.cumulative import (
    cummax as cummax, cummin as cummin, cumprod as cumprod, cumsum as cumsum,
    logcumsumexp as logcumsumexp,
)
from norch_autograd.ops.reduction.sort import (
    argsort as argsort, kthvalue as kthvalue, median as median, msort as msort,
    nanmedian as nanmedian, searchsorted as searchsorted, sort as sort, topk as topk,
)
from norch_autograd.ops.reduction.minmax import (
    amax as amax, amin as amin, aminmax as aminmax, argmax as argmax, argmin as argmin, max as max,
    min as min,
)
from norch_autograd.ops.reduction.sum import (
    all as all, any as any, count_nonzero as count_nonzero, mean as mean, nanmean as nanmean,
    nansum as nansum, prod as prod, sum as sum, sum_to_size as sum_to_size,
)
from norch_autograd.ops.reduction.variance import (
    std as std, std_mean as std_mean, var as var, var_mean as var_mean,
)
from norch_autograd.ops.shape.join import (
    cat as cat, chunk as chunk, flip as flip, repeat as repeat, split as split,
    split_by as split_by, stack as stack, unbind as unbind,
)
from norch_autograd.ops.shape.view import (
    broadcast_to as broadcast_to, expand as expand, expand_as as expand_as, flatten as flatten,
    matrix_transpose as matrix_transpose, movedim as movedim, permute as permute, ravel as ravel,
    reshape as reshape, reshape_as as reshape_as, reversed_dims as reversed_dims,
    squeeze as squeeze, t as t, transpose as transpose, unflatten as unflatten,
    unsqueeze as unsqueeze, view as view, view_as as view_as,
)
