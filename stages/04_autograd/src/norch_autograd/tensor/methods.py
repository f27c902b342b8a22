"""What a tensor can do: each line a method and the function of `ops` or `creation` that it is.

`x.exp()` is `ops.exp(x)`, with no call in between; those of `aliases` take other words besides.
`Edits` lists the methods that end in an underscore, `Methods` the others; more_methods.py goes on
with the functions of `more`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from norch_autograd import ops
from norch_autograd.creation import like, random, random_inplace
from norch_autograd.graph import hooks
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.inplace.edit import in_place, without_record
from norch_autograd.tensor import aliases
from norch_autograd.tensor.attributes import MemoryAttributes

Compare = Callable[[Any, Any], Tensor]  # said for pyright, which else takes `object`'s: bool


class Edits(MemoryAttributes):
    """A tensor's edits in place; their names end in an underscore."""

    __slots__ = ()

    add_ = aliases.add_
    __iadd__ = ops.operator(ops.add_)
    sub_ = aliases.sub_
    __isub__ = ops.operator(ops.sub_)
    mul_ = ops.mul_
    __imul__ = ops.operator(ops.mul_)
    div_ = ops.div_
    __itruediv__ = ops.operator(ops.div_)
    pow_ = ops.pow_
    __ipow__ = ops.operator(ops.pow_)
    clamp_ = ops.clamp_
    masked_fill_ = ops.masked_fill_
    fill_ = ops.fill_
    zero_ = ops.zero_
    copy_ = ops.copy_
    index_copy_ = ops.index_copy_
    random_ = random_inplace.random_
    exponential_ = random_inplace.exponential_
    geometric_ = random_inplace.geometric_
    log_normal_ = random_inplace.log_normal_
    cauchy_ = random_inplace.cauchy_
    normal_ = random.normal_
    uniform_ = random.uniform_
    bernoulli_ = random.bernoulli_

    abs_ = in_place(ops.abs)
    atan2_ = in_place(ops.atan2)
    bitwise_and_ = in_place(ops.bitwise_and)
    bitwise_not_ = in_place(ops.bitwise_not)
    bitwise_or_ = in_place(ops.bitwise_or)
    bitwise_xor_ = in_place(ops.bitwise_xor)
    ceil_ = in_place(ops.ceil)
    clamp_max_ = in_place(ops.clamp_max)
    clamp_min_ = in_place(ops.clamp_min)
    cos_ = in_place(ops.cos)
    eq_ = in_place(ops.eq)
    erf_ = in_place(ops.erf)
    erfc_ = in_place(ops.erfc)
    exp_ = in_place(ops.exp)
    expm1_ = in_place(ops.expm1)
    floor_ = in_place(ops.floor)
    floor_divide_ = in_place(ops.floor_divide)
    fmod_ = in_place(ops.fmod)
    frac_ = in_place(ops.frac)
    ge_ = in_place(ops.ge)
    gt_ = in_place(ops.gt)
    hypot_ = in_place(ops.hypot)
    le_ = in_place(ops.le)
    lerp_ = in_place(ops.lerp)
    log_ = in_place(ops.log)
    log1p_ = in_place(ops.log1p)
    log2_ = in_place(ops.log2)
    logical_and_ = without_record(ops.logical_and)
    logical_not_ = without_record(ops.logical_not)
    logical_or_ = without_record(ops.logical_or)
    logical_xor_ = without_record(ops.logical_xor)
    lt_ = in_place(ops.lt)
    nan_to_num_ = in_place(ops.nan_to_num)
    ne_ = in_place(ops.ne)
    neg_ = in_place(ops.neg)
    reciprocal_ = in_place(ops.reciprocal)
    relu_ = in_place(ops.relu)
    remainder_ = in_place(ops.remainder)
    round_ = in_place(ops.round)
    rsqrt_ = in_place(ops.rsqrt)
    sigmoid_ = in_place(ops.sigmoid)
    sign_ = in_place(ops.sign)
    sin_ = in_place(ops.sin)
    sqrt_ = in_place(ops.sqrt)
    square_ = in_place(ops.square)
    tan_ = in_place(ops.tan)
    tanh_ = in_place(ops.tanh)
    tril_ = in_place(ops.tril)
    triu_ = in_place(ops.triu)
    trunc_ = in_place(ops.trunc)
    multiply_ = ops.mul_
    subtract_ = aliases.sub_
    divide_ = ops.div_
    true_divide_ = ops.div_
    clip_ = ops.clamp_
    negative_ = neg_
    absolute_ = abs_
    arctan2_ = atan2_
    __ifloordiv__ = ops.operator(floor_divide_)
    __imod__ = ops.operator(remainder_)
    __iand__ = ops.operator(bitwise_and_, arrays=False)
    __ior__ = ops.operator(bitwise_or_, arrays=False)
    __ixor__ = ops.operator(bitwise_xor_, arrays=False)

    index_put_ = ops.index_put_
    put_ = ops.put_
    fix_ = trunc_
    greater_ = gt_
    greater_equal_ = ge_
    less_ = lt_
    less_equal_ = le_
    not_equal_ = ne_

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
    add = aliases.add
    __add__ = ops.plus
    __radd__ = ops.radd
    sub = aliases.sub
    subtract = aliases.sub
    __sub__ = ops.minus
    __rsub__ = ops.rminus
    mul = ops.mul
    multiply = ops.mul
    __mul__ = ops.times
    __rmul__ = ops.rmul
    div = ops.div
    divide = ops.div
    true_divide = ops.div
    __truediv__ = ops.over
    __rtruediv__ = ops.rdiv
    __rdiv__ = ops.rdiv  # Python 2's name, which PyTorch keeps
    floor_divide = ops.floor_divide
    __floordiv__ = ops.operator(ops.floor_divide)
    __rfloordiv__ = ops.rfloor_divide
    remainder = ops.remainder
    __mod__ = ops.operator(ops.remainder)
    __rmod__ = ops.rremainder
    fmod = ops.fmod
    neg = ops.neg
    __neg__ = ops.neg
    __pos__ = ops.positive
    reciprocal = ops.reciprocal
    pow = ops.pow
    __pow__ = ops.operator(ops.pow)
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
    erfc = ops.erfc
    sign = ops.sign
    floor = ops.floor
    ceil = ops.ceil
    trunc = ops.trunc
    round = ops.round

    frac = ops.frac
    nan_to_num = ops.nan_to_num
    lerp = ops.lerp
    hypot = ops.hypot
    logaddexp = ops.logaddexp

    fix = ops.trunc

    # comparison, logic, choice
    eq = ops.eq
    __eq__: ClassVar[Compare] = ops.operator(ops.eq)  # type: ignore[assignment]
    ne = ops.ne
    __ne__: ClassVar[Compare] = ops.operator(ops.ne)  # type: ignore[assignment]
    lt = ops.lt
    __lt__ = ops.operator(ops.lt, arrays=False)
    le = ops.le
    __le__ = ops.operator(ops.le, arrays=False)
    gt = ops.gt
    __gt__ = ops.operator(ops.gt, arrays=False)
    ge = ops.ge
    __ge__ = ops.operator(ops.ge, arrays=False)
    __hash__ = Edits.__hash__  # by identity: defining == had removed it
    logical_and = ops.logical_and
    logical_or = ops.logical_or
    logical_xor = ops.logical_xor
    logical_not = ops.logical_not
    bitwise_and = ops.bitwise_and
    __and__ = ops.operator(ops.bitwise_and, arrays=False)
    __rand__ = ops.operator(ops.bitwise_and, arrays=False)
    bitwise_or = ops.bitwise_or
    __or__ = ops.operator(ops.bitwise_or, arrays=False)
    __ror__ = ops.operator(ops.bitwise_or, arrays=False)
    bitwise_xor = ops.bitwise_xor
    __xor__ = ops.operator(ops.bitwise_xor, arrays=False)
    __rxor__ = ops.operator(ops.bitwise_xor, arrays=False)
    bitwise_not = ops.bitwise_not
    __invert__ = ops.bitwise_not
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

    logaddexp2 = ops.logaddexp2
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
    sum = aliases.sum
    sum_to_size = ops.sum_to_size
    mean = aliases.mean
    prod = aliases.prod
    var = aliases.var
    std = aliases.std
    cumsum = aliases.cumsum
    cumprod = aliases.cumprod
    cummax = aliases.cummax
    cummin = aliases.cummin
    logcumsumexp = aliases.logcumsumexp
    nansum = aliases.nansum
    nanmean = aliases.nanmean
    median = aliases.median
    nanmedian = aliases.nanmedian
    any = aliases.any
    all = aliases.all
    count_nonzero = aliases.count_nonzero
    amax = aliases.amax
    amin = aliases.amin
    max = aliases.max
    min = aliases.min
    argmax = aliases.argmax
    argmin = aliases.argmin
    dist = ops.dist
    softmax = aliases.softmax
    log_softmax = aliases.log_softmax
    logsumexp = aliases.logsumexp

    # products
    matmul = ops.matmul
    __matmul__ = ops.operator(ops.matmul)
    __rmatmul__ = ops.rmatmul
    mm = ops.mm
    mv = ops.mv
    bmm = ops.bmm
    dot = ops.dot
    outer = ops.outer
    ger = ops.outer

    # triangles
    tril = ops.tril
    triu = ops.triu

    # shape
    view = ops.view
    view_as = ops.view_as
    reshape = ops.reshape
    flatten = ops.flatten
    unflatten = ops.unflatten
    squeeze = aliases.squeeze
    unsqueeze = aliases.unsqueeze
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
    chunk = aliases.chunk
    unbind = aliases.unbind
    repeat = ops.repeat
    flip = ops.flip
    swapdims = ops.transpose

    # indexing
    __getitem__ = ops.getitem
    __setitem__ = ops.setitem
    select = aliases.select
    narrow = aliases.narrow
    diagonal = ops.diagonal
    as_strided = ops.as_strided
    nonzero = ops.nonzero
    index_select = aliases.index_select
    index_add = ops.index_add
    gather = aliases.gather
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
    renorm = ops.renorm

    # order, counting
    sort = aliases.sort
    argsort = aliases.argsort
    msort = ops.msort
    topk = aliases.topk
    kthvalue = aliases.kthvalue
    aminmax = aliases.aminmax
    masked_select = ops.masked_select

    # the same numbers elsewhere
    to = ops.to
    type_as = ops.type_as
    cpu = ops.cpu
    cuda = ops.cuda
    pin_memory = ops.pin_memory
    float = ops.float_
    double = ops.double
    half = ops.half
    bfloat16 = ops.to_bfloat16
    long = ops.long
    int = ops.int_
    byte = ops.byte
    char = ops.char
    short = ops.short
    bool = ops.to_bool
    clone = ops.clone
    contiguous = ops.contiguous
    detach = ops.detach

    # drawn from it
    bernoulli = random.bernoulli
    multinomial = random.multinomial

    # others like this one
    new_tensor = like.new_tensor
    new_zeros = like.new_zeros
    new_ones = like.new_ones
    new_full = like.new_full
    new_empty = like.new_empty

    # hooks
    register_hook = hooks.register_hook
    register_post_accumulate_grad_hook = hooks.register_post_accumulate_grad_hook
    retain_grad = hooks.retain_grad
    retains_grad = property(hooks.retains_grad)
