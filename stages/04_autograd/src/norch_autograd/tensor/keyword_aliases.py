"""The functions along dimensions as users get them: NumPy's words `axis` and `keepdims` mean `dim`
and `keepdim`, as in PyTorch.

Norch itself calls the functions of ops/, which know only `dim`, so that no step of a model pays for
the translation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from norch_autograd import more, ops
from norch_autograd.more.linalg import products

Function = TypeVar("Function", bound=Callable[..., Any])


def numpys_words(function: Function) -> Function:
    """`function`, which takes `axis` for `dim` and `keepdims` for `keepdim` too."""

    @functools.wraps(function, assigned=("__name__", "__qualname__", "__doc__"))
    def translated(*args: Any, **words: Any) -> Any:
        if words:
            for theirs, ours in (("axis", "dim"), ("keepdims", "keepdim")):
                if theirs in words and ours not in words:
                    words[ours] = words.pop(theirs)
        return function(*args, **words)

    return translated  # type: ignore[return-value]


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
