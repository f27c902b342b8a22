"""The index of all a tensor can do: one line a method, what it is called, where it is written.

The functions of ops/ are the methods: `x.add(y)` is `ops.add(x, y)`, with no call in between.

The index of all edits in place: one line a method, as in methods.py.
"""

from __future__ import annotations

from norch_autograd import ops
from norch_autograd.creation import like as likeness, random, random_inplace as random_edits
from norch_autograd.graph import hooks
from norch_autograd.ops import keyword_aliases as axes
from norch_autograd.ops.linalg import legacy_names as old_names, solve as elimination
from norch_autograd.tensor.attributes import Kinds


class Edits(Kinds):
    """A tensor's edits in place; their names end in an underscore."""

    __slots__ = ()

    add_ = ops.add_
    __iadd__ = ops.add_
    sub_ = ops.sub_
    __isub__ = ops.sub_
    mul_ = ops.mul_
    __imul__ = ops.mul_
    div_ = ops.div_
    __itruediv__ = ops.div_
    pow_ = ops.pow_
    __ipow__ = ops.pow_
    clamp_ = ops.clamp_
    masked_fill_ = ops.masked_fill_
    fill_ = ops.fill_
    zero_ = ops.zero_
    copy_ = ops.copy_
    scatter_ = ops.scatter_
    scatter_add_ = ops.scatter_add_
    scatter_reduce_ = ops.scatter_reduce_
    index_add_ = ops.index_add_
    index_copy_ = ops.index_copy_
    index_fill_ = ops.index_fill_
    masked_scatter_ = ops.masked_scatter_
    cumsum_ = ops.cumsum_
    cumprod_ = ops.cumprod_
    bitwise_left_shift_ = ops.bitwise_left_shift_
    bitwise_right_shift_ = ops.bitwise_right_shift_
    __ilshift__ = ops.bitwise_left_shift_
    __irshift__ = ops.bitwise_right_shift_
    random_ = random_edits.random_
    exponential_ = random_edits.exponential_
    geometric_ = random_edits.geometric_
    log_normal_ = random_edits.log_normal_
    cauchy_ = random_edits.cauchy_
    normal_ = random.normal_
    uniform_ = random.uniform_
    bernoulli_ = random.bernoulli_

    abs_ = ops.abs_
    acos_ = ops.acos_
    addbmm_ = ops.addbmm_
    addcdiv_ = ops.addcdiv_
    addcmul_ = ops.addcmul_
    addmm_ = ops.addmm_
    addmv_ = ops.addmv_
    addr_ = ops.addr_
    asin_ = ops.asin_
    atan_ = ops.atan_
    atan2_ = ops.atan2_
    baddbmm_ = ops.baddbmm_
    bitwise_and_ = ops.bitwise_and_
    bitwise_not_ = ops.bitwise_not_
    bitwise_or_ = ops.bitwise_or_
    bitwise_xor_ = ops.bitwise_xor_
    ceil_ = ops.ceil_
    clamp_max_ = ops.clamp_max_
    clamp_min_ = ops.clamp_min_
    copysign_ = ops.copysign_
    cos_ = ops.cos_
    cosh_ = ops.cosh_
    deg2rad_ = ops.deg2rad_
    eq_ = ops.eq_
    erf_ = ops.erf_
    erfc_ = ops.erfc_
    exp_ = ops.exp_
    exp2_ = ops.exp2_
    expm1_ = ops.expm1_
    float_power_ = ops.float_power_
    floor_ = ops.floor_
    floor_divide_ = ops.floor_divide_
    fmod_ = ops.fmod_
    frac_ = ops.frac_
    ge_ = ops.ge_
    gt_ = ops.gt_
    heaviside_ = ops.heaviside_
    hypot_ = ops.hypot_
    ldexp_ = ops.ldexp_
    le_ = ops.le_
    lerp_ = ops.lerp_
    log_ = ops.log_
    log10_ = ops.log10_
    log1p_ = ops.log1p_
    log2_ = ops.log2_
    logical_and_ = ops.logical_and_
    logical_not_ = ops.logical_not_
    logical_or_ = ops.logical_or_
    logical_xor_ = ops.logical_xor_
    logit_ = ops.logit_
    lt_ = ops.lt_
    nan_to_num_ = ops.nan_to_num_
    ne_ = ops.ne_
    neg_ = ops.neg_
    rad2deg_ = ops.rad2deg_
    reciprocal_ = ops.reciprocal_
    relu_ = ops.relu_
    remainder_ = ops.remainder_
    round_ = ops.round_
    rsqrt_ = ops.rsqrt_
    sgn_ = ops.sgn_
    sigmoid_ = ops.sigmoid_
    sign_ = ops.sign_
    sin_ = ops.sin_
    sinc_ = ops.sinc_
    sinh_ = ops.sinh_
    sqrt_ = ops.sqrt_
    square_ = ops.square_
    tan_ = ops.tan_
    tanh_ = ops.tanh_
    tril_ = ops.tril_
    triu_ = ops.triu_
    trunc_ = ops.trunc_
    xlogy_ = ops.xlogy_
    multiply_ = ops.mul_
    subtract_ = ops.sub_
    divide_ = ops.div_
    true_divide_ = ops.div_
    clip_ = ops.clamp_
    negative_ = ops.neg_
    absolute_ = ops.abs_
    arctan2_ = ops.atan2_
    __ifloordiv__ = ops.floor_divide_
    __imod__ = ops.remainder_
    __iand__ = ops.bitwise_and_
    __ior__ = ops.bitwise_or_
    __ixor__ = ops.bitwise_xor_

    index_put_ = ops.index_put_
    put_ = ops.put_
    renorm_ = ops.renorm_
    fill_diagonal_ = ops.fill_diagonal_
    arcsin_ = ops.asin_
    arccos_ = ops.acos_
    arctan_ = ops.atan_
    asinh_ = ops.asinh_
    acosh_ = ops.acosh_
    atanh_ = ops.atanh_
    arcsinh_ = ops.asinh_
    arccosh_ = ops.acosh_
    arctanh_ = ops.atanh_
    erfinv_ = ops.erfinv_
    lgamma_ = ops.lgamma_
    digamma_ = ops.digamma_
    gcd_ = ops.gcd_
    lcm_ = ops.lcm_
    fix_ = ops.trunc_
    greater_ = ops.gt_
    greater_equal_ = ops.ge_
    less_ = ops.lt_
    less_equal_ = ops.le_
    not_equal_ = ops.ne_

    # the shape in place
    squeeze_ = ops.squeeze_
    unsqueeze_ = ops.unsqueeze_
    transpose_ = ops.transpose_
    swapaxes_ = ops.transpose_
    swapdims_ = ops.transpose_
    t_ = ops.t_


class Methods(Edits):
    """A tensor's operations."""

    __slots__ = ()

    T = property(ops.reversed_dims)
    mT = property(ops.matrix_transpose)
    H = property(ops.t)
    mH = property(ops.matrix_transpose)

    # arithmetic
    add = ops.add
    __add__ = ops.add
    __radd__ = ops.radd
    sub = ops.sub
    subtract = ops.sub
    __sub__ = ops.sub
    __rsub__ = ops.rsub
    mul = ops.mul
    multiply = ops.mul
    __mul__ = ops.mul
    __rmul__ = ops.rmul
    div = ops.div
    divide = ops.div
    true_divide = ops.div
    __truediv__ = ops.div
    __rtruediv__ = ops.rdiv
    floor_divide = ops.floor_divide
    __floordiv__ = ops.floor_divide
    __rfloordiv__ = ops.rfloor_divide
    remainder = ops.remainder
    __mod__ = ops.remainder
    __rmod__ = ops.rremainder
    fmod = ops.fmod
    neg = ops.neg
    __neg__ = ops.neg
    __pos__ = ops.positive
    reciprocal = ops.reciprocal
    pow = ops.pow
    __pow__ = ops.pow
    __rpow__ = ops.rpower
    square = ops.square
    sqrt = ops.sqrt
    rsqrt = ops.rsqrt
    abs = ops.abs
    __abs__ = ops.abs
    atan2 = ops.atan2

    # functions of one element
    exp = ops.exp
    expm1 = ops.expm1
    log = ops.log
    log1p = ops.log1p
    log2 = ops.log2
    sin = ops.sin
    cos = ops.cos
    tan = ops.tan
    tanh = ops.tanh
    sigmoid = ops.sigmoid
    relu = ops.relu
    erf = ops.erf
    sign = ops.sign
    floor = ops.floor
    ceil = ops.ceil
    trunc = ops.trunc
    round = ops.round

    asin = ops.asin
    acos = ops.acos
    atan = ops.atan
    sinh = ops.sinh
    cosh = ops.cosh
    deg2rad = ops.deg2rad
    rad2deg = ops.rad2deg
    asinh = ops.asinh
    acosh = ops.acosh
    atanh = ops.atanh
    arcsinh = ops.asinh
    arccosh = ops.acosh
    arctanh = ops.atanh
    erfinv = ops.erfinv
    frac = ops.frac
    nan_to_num = ops.nan_to_num
    lerp = ops.lerp
    addcmul = ops.addcmul
    addcdiv = ops.addcdiv
    hypot = ops.hypot
    logaddexp = ops.logaddexp

    lgamma = ops.lgamma
    digamma = ops.digamma
    polygamma = ops.polygamma_of
    mvlgamma = ops.mvlgamma
    gcd = ops.gcd
    lcm = ops.lcm
    arcsin = ops.asin
    arccos = ops.acos
    arctan = ops.atan
    fix = ops.trunc

    # comparison, logic, choice
    eq = ops.eq
    __eq__ = ops.equals  # type: ignore[assignment]
    ne = ops.ne
    __ne__ = ops.differs  # type: ignore[assignment]
    lt = ops.lt
    __lt__ = ops.lt
    le = ops.le
    __le__ = ops.le
    gt = ops.gt
    __gt__ = ops.gt
    ge = ops.ge
    __ge__ = ops.ge
    __hash__ = Edits.__hash__  # by identity: defining == had removed it
    logical_and = ops.logical_and
    logical_or = ops.logical_or
    logical_xor = ops.logical_xor
    logical_not = ops.logical_not
    bitwise_and = ops.bitwise_and
    __and__ = ops.bitwise_and
    __rand__ = ops.bitwise_and
    bitwise_or = ops.bitwise_or
    __or__ = ops.bitwise_or
    __ror__ = ops.bitwise_or
    bitwise_xor = ops.bitwise_xor
    __xor__ = ops.bitwise_xor
    __rxor__ = ops.bitwise_xor
    bitwise_not = ops.bitwise_not
    __invert__ = ops.bitwise_not
    bitwise_left_shift = ops.bitwise_left_shift
    __lshift__ = ops.bitwise_left_shift
    __rlshift__ = ops.reversed_left_shift
    bitwise_right_shift = ops.bitwise_right_shift
    __rshift__ = ops.bitwise_right_shift
    __rrshift__ = ops.reversed_right_shift
    isnan = ops.isnan
    isinf = ops.isinf
    isfinite = ops.isfinite
    isclose = ops.isclose
    allclose = ops.allclose
    equal = ops.equal
    maximum = ops.maximum
    minimum = ops.minimum
    clamp = ops.clamp
    clip = ops.clamp
    masked_fill = ops.masked_fill

    exp2 = ops.exp2
    log10 = ops.log10
    float_power = ops.float_power
    ldexp = ops.ldexp
    sinc = ops.sinc
    xlogy = ops.xlogy
    logit = ops.logit
    logaddexp2 = ops.logaddexp2
    signbit = ops.signbit
    copysign = ops.copysign
    heaviside = ops.heaviside
    sgn = ops.sgn
    isposinf = ops.isposinf
    isneginf = ops.isneginf
    fmax = ops.fmax
    fmin = ops.fmin
    erfc = ops.erfc
    clamp_min = ops.clamp_min
    clamp_max = ops.clamp_max
    positive = ops.positive
    negative = ops.neg
    absolute = ops.abs
    arctan2 = ops.atan2
    greater = ops.gt
    greater_equal = ops.ge
    less = ops.lt
    less_equal = ops.le
    not_equal = ops.ne
    where = ops.where_of

    # reductions
    sum = axes.sum
    sum_to_size = ops.sum_to_size
    mean = axes.mean
    prod = axes.prod
    var = axes.var
    std = axes.std
    cumsum = axes.cumsum
    cumprod = axes.cumprod
    cummax = axes.cummax
    cummin = axes.cummin
    logcumsumexp = axes.logcumsumexp
    nansum = axes.nansum
    nanmean = axes.nanmean
    median = axes.median
    nanmedian = axes.nanmedian
    any = axes.any
    all = axes.all
    count_nonzero = axes.count_nonzero
    amax = axes.amax
    amin = axes.amin
    max = axes.max
    min = axes.min
    argmax = axes.argmax
    argmin = axes.argmin
    norm = ops.norm
    dist = ops.dist
    softmax = axes.softmax
    log_softmax = axes.log_softmax
    logsumexp = axes.logsumexp

    # products
    matmul = ops.matmul
    __matmul__ = ops.matmul
    __rmatmul__ = ops.rmatmul
    mm = ops.mm
    mv = ops.mv
    bmm = ops.bmm
    dot = ops.dot
    outer = ops.outer
    addmm = ops.addmm
    addbmm = ops.addbmm
    baddbmm = ops.baddbmm
    addmv = ops.addmv
    addr = ops.addr
    vdot = ops.vdot
    kron = ops.kron
    cross = axes.cross
    ger = ops.outer
    inner = ops.inner
    trace = ops.trace
    diag = ops.diag
    diag_embed = ops.diag_embed

    det = old_names.det
    inverse = old_names.inverse
    logdet = elimination.logdet
    slogdet = old_names.slogdet
    matrix_power = old_names.matrix_power

    # triangles
    tril = ops.tril
    triu = ops.triu

    # shape
    view = ops.view
    view_as = ops.view_as
    reshape = ops.reshape
    flatten = ops.flatten
    unflatten = ops.unflatten
    squeeze = axes.squeeze
    unsqueeze = axes.unsqueeze
    transpose = ops.transpose
    swapaxes = ops.transpose
    t = ops.t
    adjoint = ops.matrix_transpose
    permute = ops.permute
    movedim = ops.movedim
    moveaxis = ops.movedim
    expand = ops.expand
    expand_as = ops.expand_as
    broadcast_to = ops.broadcast_to
    split = ops.split_by
    chunk = axes.chunk
    unbind = axes.unbind
    repeat = ops.repeat
    flip = ops.flip
    split_with_sizes = ops.split_with_sizes
    tensor_split = ops.tensor_split
    hsplit = ops.hsplit
    vsplit = ops.vsplit
    dsplit = ops.dsplit
    unfold = ops.unfold
    fliplr = ops.fliplr
    flipud = ops.flipud
    rot90 = ops.rot90
    swapdims = ops.transpose
    reshape_as = ops.reshape_as
    ravel = ops.ravel
    tile = ops.tile
    repeat_interleave = axes.repeat_interleave
    roll = ops.roll

    # indexing
    __getitem__ = ops.getitem
    __setitem__ = ops.setitem
    select = axes.select
    narrow = axes.narrow
    diagonal = ops.diagonal
    as_strided = ops.as_strided
    nonzero = ops.nonzero
    index_select = axes.index_select
    index_add = ops.index_add
    gather = axes.gather
    take_along_dim = axes.take_along_dim
    scatter_add = ops.scatter_add
    scatter = ops.scatter
    scatter_reduce = ops.scatter_reduce
    index_copy = ops.index_copy
    index_fill = ops.index_fill
    masked_scatter = ops.masked_scatter
    take = ops.take
    argwhere = ops.argwhere

    index_put = ops.index_put
    put = ops.put
    select_scatter = ops.select_scatter
    slice_scatter = ops.slice_scatter
    diagonal_scatter = ops.diagonal_scatter
    diagflat = ops.diagflat
    renorm = ops.renorm

    # order, counting
    sort = axes.sort
    argsort = axes.argsort
    msort = ops.msort
    topk = axes.topk
    kthvalue = axes.kthvalue
    unique = ops.unique
    unique_consecutive = axes.unique_consecutive
    bincount = ops.bincount
    histc = ops.histc
    mode = axes.mode
    quantile = axes.quantile
    nanquantile = axes.nanquantile
    aminmax = axes.aminmax
    cov = ops.cov
    corrcoef = ops.corrcoef
    diff = axes.diff
    masked_select = ops.masked_select

    # the same numbers elsewhere
    to = ops.to
    type_as = ops.type_as
    cpu = ops.cpu
    cuda = ops.cuda
    float = ops.float_
    double = ops.double
    half = ops.half
    bfloat16 = ops.to_bfloat16
    long = ops.long
    int = ops.int_
    byte = ops.byte
    bool = ops.to_bool
    clone = ops.clone
    contiguous = ops.contiguous
    detach = ops.detach

    # drawn from it
    bernoulli = random.bernoulli
    multinomial = random.multinomial

    # others like this one
    new_tensor = likeness.new_tensor
    new_zeros = likeness.new_zeros
    new_ones = likeness.new_ones
    new_full = likeness.new_full
    new_empty = likeness.new_empty

    # hooks
    register_hook = hooks.register_hook
    register_post_accumulate_grad_hook = hooks.register_post_accumulate_grad_hook
    retain_grad = hooks.retain_grad
    retains_grad = property(hooks.retains_grad)
