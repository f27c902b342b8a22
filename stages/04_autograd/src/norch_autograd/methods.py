"""The index of all a tensor can do: one line a method, what it is called, where it is written.

The functions of ops/ are the methods: `x.add(y)` is `ops.add(x, y)`, with no call in between.
"""

from __future__ import annotations

from norch_autograd import axes, hooks, likeness, ops, random
from norch_autograd.edits import Edits
from norch_autograd.linalg import elimination, old_names
from norch_autograd.ops import (
    blend,
    gamma,
    integers,
    join,
    pieces,
    products,
    reflected,
    special,
    summaries,
    triangles,
    writing,
)


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
    __radd__ = reflected.radd
    sub = ops.sub
    subtract = ops.sub
    __sub__ = ops.sub
    __rsub__ = ops.rsub
    mul = ops.mul
    multiply = ops.mul
    __mul__ = ops.mul
    __rmul__ = reflected.rmul
    div = ops.div
    divide = ops.div
    true_divide = ops.div
    __truediv__ = ops.div
    __rtruediv__ = reflected.rdiv
    floor_divide = ops.floor_divide
    __floordiv__ = ops.floor_divide
    __rfloordiv__ = reflected.rfloor_divide
    remainder = ops.remainder
    __mod__ = ops.remainder
    __rmod__ = reflected.rremainder
    fmod = ops.fmod
    neg = ops.neg
    __neg__ = ops.neg
    __pos__ = ops.positive
    reciprocal = ops.reciprocal
    pow = ops.pow
    __pow__ = ops.pow
    __rpow__ = reflected.rpower
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

    lgamma = gamma.lgamma
    digamma = gamma.digamma
    polygamma = gamma.polygamma_of
    mvlgamma = gamma.mvlgamma
    gcd = integers.gcd
    lcm = integers.lcm
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

    exp2 = special.exp2
    log10 = special.log10
    float_power = special.float_power
    ldexp = special.ldexp
    sinc = special.sinc
    xlogy = special.xlogy
    logit = special.logit
    logaddexp2 = blend.logaddexp2
    signbit = special.signbit
    copysign = special.copysign
    heaviside = special.heaviside
    sgn = special.sgn
    isposinf = special.isposinf
    isneginf = special.isneginf
    fmax = special.fmax
    fmin = special.fmin
    erfc = special.erfc
    clamp_min = special.clamp_min
    clamp_max = special.clamp_max
    positive = ops.positive
    negative = ops.neg
    absolute = ops.abs
    arctan2 = ops.atan2
    greater = ops.gt
    greater_equal = ops.ge
    less = ops.lt
    less_equal = ops.le
    not_equal = ops.ne
    where = special.chosen

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
    dist = summaries.dist
    softmax = axes.softmax
    log_softmax = axes.log_softmax
    logsumexp = axes.logsumexp

    # products
    matmul = ops.matmul
    __matmul__ = ops.matmul
    __rmatmul__ = reflected.rmatmul
    mm = ops.mm
    mv = ops.mv
    bmm = ops.bmm
    dot = ops.dot
    outer = ops.outer
    addmm = products.addmm
    addbmm = products.addbmm
    baddbmm = products.baddbmm
    addmv = products.addmv
    addr = products.addr
    vdot = products.vdot
    kron = products.kron
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
    tril = triangles.tril
    triu = triangles.triu

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
    split = join.split_by
    chunk = axes.chunk
    unbind = axes.unbind
    repeat = ops.repeat
    flip = ops.flip
    split_with_sizes = pieces.split_with_sizes
    tensor_split = pieces.tensor_split
    hsplit = pieces.hsplit
    vsplit = pieces.vsplit
    dsplit = pieces.dsplit
    unfold = pieces.unfold
    fliplr = pieces.fliplr
    flipud = pieces.flipud
    rot90 = pieces.rot90
    swapdims = ops.transpose
    reshape_as = pieces.reshape_as
    ravel = ops.ravel
    tile = ops.tile
    repeat_interleave = axes.repeat_interleave
    roll = ops.roll
    refresh_view = ops.refresh_view

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

    index_put = writing.index_put
    put = writing.put
    select_scatter = writing.select_scatter
    slice_scatter = writing.slice_scatter
    diagonal_scatter = writing.diagonal_scatter
    diagflat = writing.diagflat
    renorm = writing.renorm

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
    bfloat16 = ops.brain
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
