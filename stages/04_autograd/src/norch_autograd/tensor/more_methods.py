"""The second list of what a tensor can do: the methods that are functions of `more`.

Each line is a method and the function it is, as in methods.py; no chapter needs one of these.
"""

from __future__ import annotations

from norch_autograd import more, ops
from norch_autograd.more.linalg import namesakes, solve
from norch_autograd.ops.inplace.edit import in_place
from norch_autograd.tensor import aliases
from norch_autograd.tensor.methods import Methods


class MoreMethods(Methods):
    """A tensor's further operations; the names of those in place end in an underscore."""

    __slots__ = ()

    # edits in place
    scatter_ = more.scatter_
    scatter_add_ = more.scatter_add_
    scatter_reduce_ = more.scatter_reduce_
    index_add_ = more.index_add_
    index_fill_ = more.index_fill_
    masked_scatter_ = more.masked_scatter_
    cumsum_ = more.cumsum_
    cumprod_ = more.cumprod_
    bitwise_left_shift_ = more.bitwise_left_shift_
    bitwise_right_shift_ = more.bitwise_right_shift_
    __ilshift__ = ops.operator(more.bitwise_left_shift_, arrays=False)
    __irshift__ = ops.operator(more.bitwise_right_shift_, arrays=False)
    acos_ = in_place(ops.acos)
    addbmm_ = in_place(more.addbmm)
    addcdiv_ = aliases.addcdiv_
    addcmul_ = aliases.addcmul_
    addmm_ = in_place(more.addmm)
    addmv_ = in_place(more.addmv)
    addr_ = in_place(more.addr)
    asin_ = in_place(ops.asin)
    atan_ = in_place(ops.atan)
    baddbmm_ = in_place(more.baddbmm)
    copysign_ = in_place(more.copysign)
    cosh_ = in_place(more.cosh)
    deg2rad_ = in_place(ops.deg2rad)
    exp2_ = in_place(ops.exp2)
    float_power_ = more.float_power_
    heaviside_ = in_place(more.heaviside)
    ldexp_ = in_place(more.ldexp)
    log10_ = in_place(ops.log10)
    logit_ = in_place(more.logit)
    rad2deg_ = in_place(ops.rad2deg)
    sgn_ = in_place(more.sgn)
    sinc_ = in_place(more.sinc)
    sinh_ = in_place(more.sinh)
    xlogy_ = in_place(more.xlogy)
    renorm_ = more.renorm_
    fill_diagonal_ = more.fill_diagonal_
    arcsin_ = asin_
    arccos_ = acos_
    arctan_ = atan_
    asinh_ = in_place(more.asinh)
    acosh_ = in_place(more.acosh)
    atanh_ = in_place(more.atanh)
    arcsinh_ = asinh_
    arccosh_ = acosh_
    arctanh_ = atanh_
    erfinv_ = in_place(more.erfinv)
    lgamma_ = in_place(more.lgamma)
    digamma_ = in_place(more.digamma)
    gcd_ = in_place(more.gcd)
    lcm_ = in_place(more.lcm)

    # functions
    asin = ops.asin
    acos = ops.acos
    atan = ops.atan
    sinh = more.sinh
    cosh = more.cosh
    deg2rad = ops.deg2rad
    rad2deg = ops.rad2deg
    asinh = more.asinh
    acosh = more.acosh
    atanh = more.atanh
    arcsinh = more.asinh
    arccosh = more.acosh
    arctanh = more.atanh
    erfinv = more.erfinv
    addcmul = aliases.addcmul
    addcdiv = aliases.addcdiv
    lgamma = more.lgamma
    digamma = more.digamma
    polygamma = more.polygamma_of
    mvlgamma = more.mvlgamma
    gcd = more.gcd
    lcm = more.lcm
    arcsin = ops.asin
    arccos = ops.acos
    arctan = ops.atan
    bitwise_left_shift = more.bitwise_left_shift
    __lshift__ = ops.operator(more.bitwise_left_shift, arrays=False)
    __rlshift__ = more.reversed_left_shift
    bitwise_right_shift = more.bitwise_right_shift
    __rshift__ = ops.operator(more.bitwise_right_shift, arrays=False)
    __rrshift__ = more.reversed_right_shift
    exp2 = ops.exp2
    log10 = ops.log10
    float_power = more.float_power
    ldexp = more.ldexp
    sinc = more.sinc
    xlogy = more.xlogy
    logit = more.logit
    signbit = more.signbit
    copysign = more.copysign
    heaviside = more.heaviside
    sgn = more.sgn
    isposinf = more.isposinf
    isneginf = more.isneginf
    fmax = more.fmax
    fmin = more.fmin
    norm = namesakes.norm
    addmm = more.addmm
    addbmm = more.addbmm
    baddbmm = more.baddbmm
    addmv = more.addmv
    addr = more.addr
    vdot = more.vdot
    kron = more.kron
    cross = aliases.cross
    inner = more.inner
    trace = more.trace
    diag = more.diag
    diag_embed = more.diag_embed
    det = namesakes.det
    inverse = namesakes.inverse
    logdet = solve.logdet
    slogdet = namesakes.slogdet
    matrix_power = namesakes.matrix_power
    svd = namesakes.svd
    qr = namesakes.qr
    pinverse = namesakes.pinverse
    cholesky = namesakes.cholesky
    cholesky_solve = solve.cholesky_solve
    cholesky_inverse = solve.cholesky_inverse
    triangular_solve = namesakes.triangular_solve
    lu = namesakes.lu
    lu_solve = namesakes.lu_solve
    split_with_sizes = more.split_with_sizes
    tensor_split = more.tensor_split
    hsplit = more.hsplit
    vsplit = more.vsplit
    dsplit = more.dsplit
    unfold = ops.unfold
    fliplr = more.fliplr
    flipud = more.flipud
    rot90 = more.rot90
    reshape_as = ops.reshape_as
    ravel = ops.ravel
    tile = more.tile
    repeat_interleave = aliases.repeat_interleave
    roll = more.roll
    take_along_dim = aliases.take_along_dim
    select_scatter = more.select_scatter
    slice_scatter = more.slice_scatter
    diagonal_scatter = more.diagonal_scatter
    diagflat = more.diagflat
    unique = more.unique
    unique_consecutive = aliases.unique_consecutive
    bincount = more.bincount
    histc = more.histc
    mode = aliases.mode
    quantile = aliases.quantile
    nanquantile = aliases.nanquantile
    cov = more.cov
    corrcoef = more.corrcoef
    diff = aliases.diff
