"""The index of all edits in place: one line a method, as in methods.py."""

from __future__ import annotations

from norch_autograd import ops, random, random_edits
from norch_autograd.kinds import Kinds
from norch_autograd.ops import relaid, underscores, writing


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

    abs_ = underscores.abs_
    acos_ = underscores.acos_
    addbmm_ = underscores.addbmm_
    addcdiv_ = underscores.addcdiv_
    addcmul_ = underscores.addcmul_
    addmm_ = underscores.addmm_
    addmv_ = underscores.addmv_
    addr_ = underscores.addr_
    asin_ = underscores.asin_
    atan_ = underscores.atan_
    atan2_ = underscores.atan2_
    baddbmm_ = underscores.baddbmm_
    bitwise_and_ = underscores.bitwise_and_
    bitwise_not_ = underscores.bitwise_not_
    bitwise_or_ = underscores.bitwise_or_
    bitwise_xor_ = underscores.bitwise_xor_
    ceil_ = underscores.ceil_
    clamp_max_ = underscores.clamp_max_
    clamp_min_ = underscores.clamp_min_
    copysign_ = underscores.copysign_
    cos_ = underscores.cos_
    cosh_ = underscores.cosh_
    deg2rad_ = underscores.deg2rad_
    eq_ = underscores.eq_
    erf_ = underscores.erf_
    erfc_ = underscores.erfc_
    exp_ = underscores.exp_
    exp2_ = underscores.exp2_
    expm1_ = underscores.expm1_
    float_power_ = underscores.float_power_
    floor_ = underscores.floor_
    floor_divide_ = underscores.floor_divide_
    fmod_ = underscores.fmod_
    frac_ = underscores.frac_
    ge_ = underscores.ge_
    gt_ = underscores.gt_
    heaviside_ = underscores.heaviside_
    hypot_ = underscores.hypot_
    ldexp_ = underscores.ldexp_
    le_ = underscores.le_
    lerp_ = underscores.lerp_
    log_ = underscores.log_
    log10_ = underscores.log10_
    log1p_ = underscores.log1p_
    log2_ = underscores.log2_
    logical_and_ = underscores.logical_and_
    logical_not_ = underscores.logical_not_
    logical_or_ = underscores.logical_or_
    logical_xor_ = underscores.logical_xor_
    logit_ = underscores.logit_
    lt_ = underscores.lt_
    nan_to_num_ = underscores.nan_to_num_
    ne_ = underscores.ne_
    neg_ = underscores.neg_
    rad2deg_ = underscores.rad2deg_
    reciprocal_ = underscores.reciprocal_
    relu_ = underscores.relu_
    remainder_ = underscores.remainder_
    round_ = underscores.round_
    rsqrt_ = underscores.rsqrt_
    sgn_ = underscores.sgn_
    sigmoid_ = underscores.sigmoid_
    sign_ = underscores.sign_
    sin_ = underscores.sin_
    sinc_ = underscores.sinc_
    sinh_ = underscores.sinh_
    sqrt_ = underscores.sqrt_
    square_ = underscores.square_
    tan_ = underscores.tan_
    tanh_ = underscores.tanh_
    tril_ = underscores.tril_
    triu_ = underscores.triu_
    trunc_ = underscores.trunc_
    xlogy_ = underscores.xlogy_
    multiply_ = ops.mul_
    subtract_ = ops.sub_
    divide_ = ops.div_
    true_divide_ = ops.div_
    clip_ = ops.clamp_
    negative_ = underscores.neg_
    absolute_ = underscores.abs_
    arctan2_ = underscores.atan2_
    __ifloordiv__ = underscores.floor_divide_
    __imod__ = underscores.remainder_
    __iand__ = underscores.bitwise_and_
    __ior__ = underscores.bitwise_or_
    __ixor__ = underscores.bitwise_xor_

    index_put_ = writing.index_put_
    put_ = writing.put_
    renorm_ = writing.renorm_
    fill_diagonal_ = writing.fill_diagonal_
    arcsin_ = underscores.asin_
    arccos_ = underscores.acos_
    arctan_ = underscores.atan_
    asinh_ = underscores.asinh_
    acosh_ = underscores.acosh_
    atanh_ = underscores.atanh_
    arcsinh_ = underscores.asinh_
    arccosh_ = underscores.acosh_
    arctanh_ = underscores.atanh_
    erfinv_ = underscores.erfinv_
    lgamma_ = underscores.lgamma_
    digamma_ = underscores.digamma_
    gcd_ = underscores.gcd_
    lcm_ = underscores.lcm_
    fix_ = underscores.trunc_
    greater_ = underscores.gt_
    greater_equal_ = underscores.ge_
    less_ = underscores.lt_
    less_equal_ = underscores.le_
    not_equal_ = underscores.ne_

    # the shape in place
    squeeze_ = relaid.squeeze_
    unsqueeze_ = relaid.unsqueeze_
    transpose_ = relaid.transpose_
    swapaxes_ = relaid.transpose_
    swapdims_ = relaid.transpose_
    t_ = relaid.t_
