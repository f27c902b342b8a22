"""Every operation and the file it lives in; tensors.py gives most of them a method."""

from norch_autograd.ops.activation import (
    gelu as gelu,
    relu as relu,
    sigmoid as sigmoid,
    silu as silu,
    tanh as tanh,
)
from norch_autograd.ops.arithmetic import (
    add as add,
    div as div,
    mul as mul,
    neg as neg,
    positive as positive,
    reciprocal as reciprocal,
    rsub as rsub,
    sub as sub,
)
from norch_autograd.ops.arrange import (
    atleast_1d as atleast_1d,
    atleast_2d as atleast_2d,
    atleast_3d as atleast_3d,
    column_stack as column_stack,
    diag as diag,
    diag_embed as diag_embed,
    dstack as dstack,
    hstack as hstack,
    meshgrid as meshgrid,
    ravel as ravel,
    repeat_interleave as repeat_interleave,
    roll as roll,
    take_along_dim as take_along_dim,
    tile as tile,
    trace as trace,
    vstack as vstack,
)
from norch_autograd.ops.assign import (
    setitem as setitem,
)
from norch_autograd.ops.attention import (
    scaled_dot_product_attention as scaled_dot_product_attention,
)
from norch_autograd.ops.avg_pool import (
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
)
from norch_autograd.ops.batch_norm import (
    batch_norm as batch_norm,
    batch_norm_eval as batch_norm_eval,
    group_norm as group_norm,
)
from norch_autograd.ops.blend import (
    addcdiv as addcdiv,
    addcmul as addcmul,
    frac as frac,
    hypot as hypot,
    lerp as lerp,
    logaddexp as logaddexp,
    nan_to_num as nan_to_num,
)
from norch_autograd.ops.choice import (
    clamp as clamp,
    masked_fill as masked_fill,
    maximum as maximum,
    minimum as minimum,
    where as where,
)
from norch_autograd.ops.compare import (
    allclose as allclose,
    bitwise_and as bitwise_and,
    bitwise_not as bitwise_not,
    bitwise_or as bitwise_or,
    bitwise_xor as bitwise_xor,
    differs as differs,
    eq as eq,
    equal as equal,
    equals as equals,
    ge as ge,
    gt as gt,
    isclose as isclose,
    isfinite as isfinite,
    isinf as isinf,
    isnan as isnan,
    le as le,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    logical_xor as logical_xor,
    lt as lt,
    ne as ne,
)
from norch_autograd.ops.conv import (
    conv1d as conv1d,
    conv2d as conv2d,
    conv3d as conv3d,
)
from norch_autograd.ops.conv_transpose import (
    conv_transpose1d as conv_transpose1d,
    conv_transpose2d as conv_transpose2d,
    conv_transpose3d as conv_transpose3d,
)
from norch_autograd.ops.convert import (
    brain as brain,
    byte as byte,
    clone as clone,
    contiguous as contiguous,
    cpu as cpu,
    cuda as cuda,
    detach as detach,
    double as double,
    float_ as float_,
    half as half,
    int_ as int_,
    long as long,
    to as to,
    to_bool as to_bool,
    type_as as type_as,
)
from norch_autograd.ops.counting import (
    bincount as bincount,
    bucketize as bucketize,
    histc as histc,
    searchsorted as searchsorted,
)
from norch_autograd.ops.cross_entropy import (
    cross_entropy as cross_entropy,
    reduced_cross_entropy as reduced_cross_entropy,
    row_cross_entropy as row_cross_entropy,
)
from norch_autograd.ops.cumulative import (
    cummax as cummax,
    cummin as cummin,
    cumprod as cumprod,
    cumsum as cumsum,
    logcumsumexp as logcumsumexp,
)
from norch_autograd.ops.differences import (
    cdist as cdist,
    diff as diff,
)
from norch_autograd.ops.edits import (
    bitwise_left_shift_ as bitwise_left_shift_,
    bitwise_right_shift_ as bitwise_right_shift_,
    cumprod_ as cumprod_,
    cumsum_ as cumsum_,
    index_add_ as index_add_,
    index_copy_ as index_copy_,
    index_fill_ as index_fill_,
    masked_scatter_ as masked_scatter_,
    scatter_ as scatter_,
    scatter_add_ as scatter_add_,
    scatter_reduce_ as scatter_reduce_,
)
from norch_autograd.ops.einsum import (
    einsum as einsum,
    inner as inner,
    tensordot as tensordot,
)
from norch_autograd.ops.embedding import (
    embedding as embedding,
)
from norch_autograd.ops.extremes import (
    amax as amax,
    amin as amin,
    argmax as argmax,
    argmin as argmin,
    max as max,
    min as min,
)
from norch_autograd.ops.gather import (
    gather as gather,
    index_add as index_add,
    index_select as index_select,
    scatter_add as scatter_add,
)
from norch_autograd.ops.index import (
    diagonal as diagonal,
    getitem as getitem,
    masked_select as masked_select,
    narrow as narrow,
    nonzero as nonzero,
    select as select,
)
from norch_autograd.ops.inplace import (
    add_ as add_,
    clamp_ as clamp_,
    copy_ as copy_,
    div_ as div_,
    fill_ as fill_,
    masked_fill_ as masked_fill_,
    mul_ as mul_,
    pow_ as pow_,
    sub_ as sub_,
    zero_ as zero_,
)
from norch_autograd.ops.join import (
    cat as cat,
    chunk as chunk,
    flip as flip,
    repeat as repeat,
    split as split,
    stack as stack,
    unbind as unbind,
)
from norch_autograd.ops.layer_norm import (
    layer_norm as layer_norm,
)
from norch_autograd.ops.matmul import (
    bmm as bmm,
    dot as dot,
    linear as linear,
    matmul as matmul,
    mm as mm,
    mv as mv,
    outer as outer,
)
from norch_autograd.ops.norm import (
    norm as norm,
)
from norch_autograd.ops.patches import (
    col2im as col2im,
    im2col as im2col,
)
from norch_autograd.ops.picking import (
    argwhere as argwhere,
    index_copy as index_copy,
    index_fill as index_fill,
    masked_scatter as masked_scatter,
    take as take,
)
from norch_autograd.ops.pointwise import (
    cos as cos,
    erf as erf,
    exp as exp,
    expm1 as expm1,
    log as log,
    log1p as log1p,
    log2 as log2,
    sin as sin,
    tan as tan,
)
from norch_autograd.ops.pool import (
    max_pool1d as max_pool1d,
    max_pool1d_with_indices as max_pool1d_with_indices,
    max_pool2d as max_pool2d,
    max_pool2d_with_indices as max_pool2d_with_indices,
    max_pool3d as max_pool3d,
    max_pool3d_with_indices as max_pool3d_with_indices,
)
from norch_autograd.ops.power import (
    abs as abs,
    atan2 as atan2,
    pow as pow,
    rpow as rpow,
    rsqrt as rsqrt,
    sqrt as sqrt,
    square as square,
)
from norch_autograd.ops.recurrent import (
    gru_cell as gru_cell,
    gru_gates as gru_gates,
    lstm_cell as lstm_cell,
    lstm_gates as lstm_gates,
    rnn_relu_cell as rnn_relu_cell,
    rnn_tanh_cell as rnn_tanh_cell,
)
from norch_autograd.ops.recurrent_layers import (
    gru_layer as gru_layer,
    lstm_layer as lstm_layer,
    rnn_layer as rnn_layer,
)
from norch_autograd.ops.reduce import (
    all as all,
    any as any,
    count_nonzero as count_nonzero,
    mean as mean,
    nanmean as nanmean,
    nansum as nansum,
    prod as prod,
    sum as sum,
    sum_to_size as sum_to_size,
)
from norch_autograd.ops.remainders import (
    floor_divide as floor_divide,
    fmod as fmod,
    remainder as remainder,
)
from norch_autograd.ops.resample import (
    adaptive_avg_pool2d as adaptive_avg_pool2d,
    adaptive_max_pool2d_with_indices as adaptive_max_pool2d_with_indices,
    upsample_bilinear2d as upsample_bilinear2d,
    upsample_nearest2d as upsample_nearest2d,
)
from norch_autograd.ops.rms_norm import (
    rms_norm as rms_norm,
)
from norch_autograd.ops.rounding import (
    ceil as ceil,
    floor as floor,
    round as round,
    sign as sign,
    trunc as trunc,
)
from norch_autograd.ops.scatter import (
    scatter as scatter,
    scatter_reduce as scatter_reduce,
)
from norch_autograd.ops.sets import (
    unique as unique,
    unique_consecutive as unique_consecutive,
)
from norch_autograd.ops.shape import (
    broadcast_to as broadcast_to,
    expand as expand,
    expand_as as expand_as,
    flatten as flatten,
    matrix_transpose as matrix_transpose,
    movedim as movedim,
    permute as permute,
    reshape as reshape,
    reversed_dims as reversed_dims,
    squeeze as squeeze,
    t as t,
    transpose as transpose,
    unflatten as unflatten,
    unsqueeze as unsqueeze,
    view as view,
    view_as as view_as,
)
from norch_autograd.ops.shifts import (
    bitwise_left_shift as bitwise_left_shift,
    bitwise_right_shift as bitwise_right_shift,
    reversed_left_shift as reversed_left_shift,
    reversed_right_shift as reversed_right_shift,
)
from norch_autograd.ops.softmax import (
    log_softmax as log_softmax,
    logsumexp as logsumexp,
    softmax as softmax,
)
from norch_autograd.ops.sorting import (
    argsort as argsort,
    kthvalue as kthvalue,
    median as median,
    msort as msort,
    nanmedian as nanmedian,
    sort as sort,
    topk as topk,
)
from norch_autograd.ops.statistics import (
    aminmax as aminmax,
    corrcoef as corrcoef,
    cov as cov,
    mode as mode,
    nanquantile as nanquantile,
    quantile as quantile,
)
from norch_autograd.ops.strided import (
    as_strided as as_strided,
)
from norch_autograd.ops.trigonometry import (
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    cosh as cosh,
    deg2rad as deg2rad,
    erfinv as erfinv,
    rad2deg as rad2deg,
    sinh as sinh,
)
from norch_autograd.ops.variance import (
    std as std,
    std_mean as std_mean,
    var as var,
    var_mean as var_mean,
)
from norch_autograd.ops.views import (
    refresh_view as refresh_view,
)
