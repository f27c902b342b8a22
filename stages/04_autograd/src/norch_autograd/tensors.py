"""`Tensor`: the index of everything a tensor can do. One line a method: what it is called, where it is written.

State is in graph.py, attributes in attributes.py, operations in ops/. Nothing is computed here but the
constructor's reading of its arguments.
"""

from __future__ import annotations

import builtins
from typing import Any

from norch_autograd import backward as passes
from norch_autograd import hooks, likeness, ops, random
from norch_autograd.arrays import array_from, is_array, ops_of
from norch_autograd.attributes import Described
from norch_autograd.device import device as Device
from norch_autograd.dtype import DType, float32
from norch_autograd.format import format_tensor
from norch_autograd.graph import plain, set_tensor_class


def _data(input: Tensor) -> Tensor:
    """The same storage, outside the graph: what `x.data` is."""
    return plain(input.array)


def _set_data(input: Tensor, value: Tensor) -> None:
    """`x.data = value`: other storage for the same leaf."""
    input.array = value.array
    input.base = None


class Tensor(Described):
    """An array that remembers where it came from.

    `Tensor(data)` makes float32 of numbers and nested lists, as PyTorch's does; `Tensor(2, 3)` an empty one of
    that shape; an array of stage 2 or 3 is taken as it is. `tensor(...)` keeps the data's own dtype.

    >>> x = Tensor([[1, 2], [3, 4]], requires_grad=True)
    >>> (x @ x).sum().backward()
    >>> x.grad
    tensor([[ 7., 11.],
            [ 9., 13.]])
    """

    __slots__ = ()
    __array_priority__ = 1000  # NumPy leaves operators to us

    def __init__(
        self,
        *data: Any,
        requires_grad: builtins.bool = False,
        dtype: DType | None = None,
        device: Any = None,
    ) -> None:
        self.array = _constructed(data, dtype, device)
        self.tracked = False
        self.grad = None
        self.node = None
        self.hooks = None
        self.base = None
        if requires_grad:
            self.requires_grad = True

    def __repr__(self) -> str:
        return format_tensor(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self.array.ndim == 0 else format(str(self), spec)

    def __iter__(self) -> Any:
        if self.array.ndim == 0:
            raise TypeError("[iter] iteration over a tensor without dimensions")
        return iter(ops.unbind(self))

    def __contains__(self, value: Any) -> builtins.bool:
        return bool((self == value).any())

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.tolist(), self.dtype, str(self.device), self.tracked)

    def __deepcopy__(self, memo: dict[builtins.int, Any]) -> Tensor:
        if self.node is not None:
            raise RuntimeError(
                "[deepcopy] only tensors created by the user (leaves) support deepcopy; detach() first"
            )
        copy = object.__new__(type(self))
        Tensor.__init__(copy, self.array.ops.clone(self.array), requires_grad=self.tracked)
        copy.grad = None if self.grad is None else self.grad.clone()
        memo[id(self)] = copy
        return copy

    def requires_grad_(self, requires_grad: builtins.bool = True) -> Tensor:
        """Start (or stop) computing gradients for this leaf."""
        self.requires_grad = requires_grad
        return self

    def detach_(self) -> Tensor:
        """Leave the graph, in place."""
        self.node, self.tracked = None, False
        return self

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: builtins.bool | None = None,
        create_graph: builtins.bool = False,
        inputs: Any = None,
    ) -> None:
        """Add to every leaf's `.grad` the derivative of this tensor (see autograd.backward)."""
        starts = None if gradient is None else [gradient]
        passes.backward([self], starts, retain_graph, create_graph, inputs)

    data = property(_data, _set_data)
    T = property(ops.reversed_dims)
    mT = property(ops.matrix_transpose)

    # arithmetic
    add = ops.add
    __add__ = ops.add
    __radd__ = ops.add
    sub = ops.sub
    subtract = ops.sub
    __sub__ = ops.sub
    __rsub__ = ops.rsub
    mul = ops.mul
    multiply = ops.mul
    __mul__ = ops.mul
    __rmul__ = ops.mul
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
    __rpow__ = ops.rpow
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

    # comparison, logic, choice
    eq = ops.eq
    __eq__ = ops.eq  # type: ignore[assignment]
    ne = ops.ne
    __ne__ = ops.ne  # type: ignore[assignment]
    lt = ops.lt
    __lt__ = ops.lt
    le = ops.le
    __le__ = ops.le
    gt = ops.gt
    __gt__ = ops.gt
    ge = ops.ge
    __ge__ = ops.ge
    __hash__ = Described.__hash__  # by identity: defining == had removed it
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

    # reductions
    sum = ops.sum
    sum_to_size = ops.sum_to_size
    mean = ops.mean
    prod = ops.prod
    var = ops.var
    std = ops.std
    cumsum = ops.cumsum
    any = ops.any
    all = ops.all
    count_nonzero = ops.count_nonzero
    amax = ops.amax
    amin = ops.amin
    max = ops.max
    min = ops.min
    argmax = ops.argmax
    argmin = ops.argmin
    norm = ops.norm
    softmax = ops.softmax
    log_softmax = ops.log_softmax
    logsumexp = ops.logsumexp

    # products
    matmul = ops.matmul
    __matmul__ = ops.matmul
    mm = ops.mm
    mv = ops.mv
    bmm = ops.bmm
    dot = ops.dot
    outer = ops.outer
    addmm = ops.addmm

    # shape
    view = ops.view
    view_as = ops.view_as
    reshape = ops.reshape
    flatten = ops.flatten
    unflatten = ops.unflatten
    squeeze = ops.squeeze
    unsqueeze = ops.unsqueeze
    transpose = ops.transpose
    swapaxes = ops.transpose
    t = ops.t
    permute = ops.permute
    movedim = ops.movedim
    moveaxis = ops.movedim
    expand = ops.expand
    expand_as = ops.expand_as
    broadcast_to = ops.broadcast_to
    split = ops.split
    chunk = ops.chunk
    unbind = ops.unbind
    repeat = ops.repeat
    flip = ops.flip
    refresh_view = ops.refresh_view

    # indexing
    __getitem__ = ops.getitem
    __setitem__ = ops.setitem
    select = ops.select
    narrow = ops.narrow
    diagonal = ops.diagonal
    nonzero = ops.nonzero
    index_select = ops.index_select
    index_add = ops.index_add
    gather = ops.gather
    scatter_add = ops.scatter_add
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

    # in place
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
    normal_ = random.normal_
    uniform_ = random.uniform_
    bernoulli_ = random.bernoulli_

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


def _constructed(data: tuple[Any, ...], dtype: DType | None, device: Any) -> Any:
    """The array that `Tensor(*data)` asks for."""
    if len(data) == 1 and is_array(data[0]):
        return data[0]
    if not data or all(type(size) is int for size in data):
        return ops_of(device).empty(data or (0,), dtype or float32)
    if len(data) > 1:
        raise TypeError(f"[Tensor] expected the data, or sizes as whole numbers, got {len(data)} values")
    if isinstance(data[0], Device):
        raise TypeError("[Tensor] the device is given by name: Tensor(data, device=...)")
    return array_from(data[0], dtype or float32, device, "Tensor")


def _rebuilt(kind: type[Tensor], values: Any, dtype: DType, device: str, tracked: bool) -> Tensor:
    """A tensor from what `__reduce__` wrote."""
    result = object.__new__(kind)
    Tensor.__init__(result, array_from(values, dtype, device), requires_grad=tracked)
    return result


set_tensor_class(Tensor)  # the operations below this file make these; see graph.py
