"""The functions as users get them where scripts give arguments in other words or another order:
NumPy's `axis` and `keepdims` for `dim` and `keepdim`; and the number before the tensors, as it was
until PyTorch 1.5.

Norch itself calls the functions of ops/ and more/, which know one form only, so that no step of a
model pays for the translation.
"""

from __future__ import annotations

import builtins
import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from norch_autograd import more, ops
from norch_autograd.graph.family import set_name
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.more.linalg import products
from norch_autograd.ops.inplace.edit import in_place

Function = TypeVar("Function", bound=Callable[..., Any])


def _door_to(function: Function, door: Any) -> Function:
    """The alias `door` of a tensor's function, under its name; pickle looks in this module."""
    functools.update_wrapper(door, function, ("__doc__",))
    set_name(door, function.__name__)
    return cast("Function", door)


def numpys_words(function: Function) -> Function:
    """An alias of `function`, which takes `axis` for `dim` and `keepdims` for `keepdim` too."""

    def door(*args: Any, **words: Any) -> Any:
        if not words:
            return function(*args)
        for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):
            if theirs in words and ours not in words:
                words[ours] = words.pop(theirs)
        return function(*args, **words)

    return _door_to(function, door)


def alpha_before(function: Function) -> Function:
    """An alias of `function(input, other, alpha=1)`, which takes `(input, alpha, other)` too."""

    def door(input: Any, other: Any, *old: Any, alpha: Any = 1) -> Any:
        if old:
            other, alpha = _number_last(function.__name__, "alpha", alpha, other, *old)
        return function(input, other, alpha=alpha)

    return _door_to(function, door)


def value_before(function: Function) -> Function:
    """An alias of `function(input, tensor1, tensor2, value=1)`: takes `(input, value, ...)` too."""

    def door(input: Any, tensor1: Any, tensor2: Any, *old: Any, value: Any = 1) -> Any:
        if old:
            given = (tensor1, tensor2, *old)
            tensor1, tensor2, value = _number_last(function.__name__, "value", value, *given)
        return function(input, tensor1, tensor2, value=value)

    return _door_to(function, door)


def _number_last(op: str, name: str, by_name: Any, number: Any, *tensors: Any) -> tuple[Any, ...]:
    """An alias's arguments in today's order, the number last, and a warning, as in PyTorch."""
    expected = 1 if name == "alpha" else 2
    is_number = isinstance(number, (int, float)) or (isinstance(number, Tensor) and not number.ndim)
    are_tensors = len(tensors) == expected and builtins.all(
        isinstance(each, Tensor) for each in tensors
    )
    if not (is_number and are_tensors and by_name == 1):
        kinds = ", ".join(type(each).__name__ for each in (number, *tensors))
        raise TypeError(
            f"[{op}] expected {expected} beside the input, and {name}= by name, got {kinds}"
        )
    warnings.warn(
        f"[{op}] a number before the tensors is deprecated: give it last, by name", stacklevel=3
    )
    return *tensors, number.array.item() if isinstance(number, Tensor) else number


add = alpha_before(ops.add)
sub = alpha_before(ops.sub)
add_ = alpha_before(ops.add_)
sub_ = alpha_before(ops.sub_)
addcmul = value_before(more.addcmul)
addcdiv = value_before(more.addcdiv)
addcmul_ = value_before(in_place(more.addcmul))
addcdiv_ = value_before(in_place(more.addcdiv))
sum = numpys_words(ops.sum)
mean = numpys_words(ops.mean)
prod = numpys_words(ops.prod)
nansum = numpys_words(ops.nansum)
nanmean = numpys_words(ops.nanmean)
var = numpys_words(ops.var)
std = numpys_words(ops.std)
var_mean = numpys_words(ops.var_mean)
std_mean = numpys_words(ops.std_mean)
any = numpys_words(ops.any)
all = numpys_words(ops.all)
count_nonzero = numpys_words(ops.count_nonzero)
amax = numpys_words(ops.amax)
amin = numpys_words(ops.amin)
max = numpys_words(ops.max)
min = numpys_words(ops.min)
argmax = numpys_words(ops.argmax)
argmin = numpys_words(ops.argmin)
aminmax = numpys_words(ops.aminmax)
median = numpys_words(ops.median)
nanmedian = numpys_words(ops.nanmedian)
mode = numpys_words(more.mode)
quantile = numpys_words(more.quantile)
nanquantile = numpys_words(more.nanquantile)
logsumexp = numpys_words(ops.logsumexp)
softmax = numpys_words(ops.softmax)
log_softmax = numpys_words(ops.log_softmax)
cumsum = numpys_words(ops.cumsum)
cumprod = numpys_words(ops.cumprod)
cummax = numpys_words(ops.cummax)
cummin = numpys_words(ops.cummin)
logcumsumexp = numpys_words(ops.logcumsumexp)
sort = numpys_words(ops.sort)
argsort = numpys_words(ops.argsort)
topk = numpys_words(ops.topk)
kthvalue = numpys_words(ops.kthvalue)
unique_consecutive = numpys_words(more.unique_consecutive)
diff = numpys_words(more.diff)
cross = numpys_words(products.cross)
cat = numpys_words(ops.cat)
stack = numpys_words(ops.stack)
chunk = numpys_words(ops.chunk)
unbind = numpys_words(ops.unbind)
squeeze = numpys_words(ops.squeeze)
unsqueeze = numpys_words(ops.unsqueeze)
select = numpys_words(ops.select)
narrow = numpys_words(ops.narrow)
index_select = numpys_words(ops.index_select)
gather = numpys_words(ops.gather)
take_along_dim = numpys_words(more.take_along_dim)
repeat_interleave = numpys_words(more.repeat_interleave)
