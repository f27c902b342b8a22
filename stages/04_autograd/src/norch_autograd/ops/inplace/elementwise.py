"""Every function of one or more tensors as an edit in place: `x.exp_()` is `x = x.exp()` in x's own
storage. One line each; what an edit in place means is written in inplace.py.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.tensor_base import Operand, Tensor
from norch_autograd.ops.elementwise.activation import relu, sigmoid, tanh
from norch_autograd.ops.elementwise.arithmetic import neg, reciprocal
from norch_autograd.ops.elementwise.bitwise import gcd, lcm
from norch_autograd.ops.elementwise.comparison import (
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    eq,
    ge,
    gt,
    le,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    ne,
)
from norch_autograd.ops.elementwise.exponential import erf, exp, expm1, log, log1p, log2
from norch_autograd.ops.elementwise.gamma import digamma, lgamma
from norch_autograd.ops.elementwise.integer_division import floor_divide, fmod, remainder
from norch_autograd.ops.elementwise.lerp import addcdiv, addcmul, lerp
from norch_autograd.ops.elementwise.power import abs, atan2, hypot, rsqrt, sqrt, square
from norch_autograd.ops.elementwise.rounding import ceil, floor, frac, round, sign, trunc
from norch_autograd.ops.elementwise.special import (
    clamp_max,
    clamp_min,
    copysign,
    erfc,
    exp2,
    float_power,
    heaviside,
    ldexp,
    log10,
    logit,
    sgn,
    sinc,
    xlogy,
)
from norch_autograd.ops.elementwise.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    deg2rad,
    erfinv,
    rad2deg,
    sin,
    sinh,
    tan,
)
from norch_autograd.ops.elementwise.where import nan_to_num
from norch_autograd.ops.inplace.edit import edit
from norch_autograd.ops.linalg.products import addbmm, addmm, addmv, addr, baddbmm
from norch_autograd.ops.linalg.triangular import tril, triu
from norch_cpu_ops import float64


def in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function`, whose result is stored in its first argument."""

    @functools.wraps(function)
    def edited(input: Any, *args: Any, **options: Any) -> Tensor:
        return edit(input, function, *args, **options)

    edited.__name__ = f"{function.__name__}_"
    edited.__doc__ = f"`{function.__name__}` in place: the first argument is edited and returned."
    return edited


def unrecorded(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`function` in place, unseen by the record, as PyTorch's: blame passes as if nothing was."""
    edited = in_place(function)

    @functools.wraps(edited)
    def unseen(input: Any, *args: Any, **options: Any) -> Tensor:
        with no_grad():
            return edited(input, *args, **options)

    unseen.__doc__ = f"{edited.__doc__} The record does not see it: gradients pass unchanged."
    return unseen


def float_power_(input: Tensor, exponent: Operand) -> Tensor:
    """`float_power` in place; RuntimeError unless `input` is float64, as the result is.

    >>> import norch_autograd as norch
    >>> norch.tensor([3.], dtype=norch.float64).float_power_(2)
    tensor([9.], dtype=norch.float64)
    """
    dtype = input.array.dtype
    if dtype is not float64:
        raise RuntimeError(
            f"[float_power_] the base has dtype {dtype}, but the result is {float64}: "
            "use float_power, or make the base a double first"
        )
    return edit(input, float_power, exponent)


abs_ = in_place(abs)
acos_ = in_place(acos)
addbmm_ = in_place(addbmm)
addcdiv_ = in_place(addcdiv)
addcmul_ = in_place(addcmul)
addmm_ = in_place(addmm)
addmv_ = in_place(addmv)
addr_ = in_place(addr)
asin_ = in_place(asin)
atan_ = in_place(atan)
atan2_ = in_place(atan2)
baddbmm_ = in_place(baddbmm)
bitwise_and_ = in_place(bitwise_and)
bitwise_not_ = in_place(bitwise_not)
bitwise_or_ = in_place(bitwise_or)
bitwise_xor_ = in_place(bitwise_xor)
ceil_ = in_place(ceil)
clamp_max_ = in_place(clamp_max)
clamp_min_ = in_place(clamp_min)
copysign_ = in_place(copysign)
cos_ = in_place(cos)
cosh_ = in_place(cosh)
deg2rad_ = in_place(deg2rad)
eq_ = in_place(eq)
erf_ = in_place(erf)
erfc_ = in_place(erfc)
exp_ = in_place(exp)
exp2_ = in_place(exp2)
expm1_ = in_place(expm1)
floor_ = in_place(floor)
floor_divide_ = in_place(floor_divide)
fmod_ = in_place(fmod)
frac_ = in_place(frac)
ge_ = in_place(ge)
gt_ = in_place(gt)
heaviside_ = in_place(heaviside)
hypot_ = in_place(hypot)
ldexp_ = in_place(ldexp)
le_ = in_place(le)
lerp_ = in_place(lerp)
log_ = in_place(log)
log10_ = in_place(log10)
log1p_ = in_place(log1p)
log2_ = in_place(log2)
logical_and_ = unrecorded(logical_and)
logical_not_ = unrecorded(logical_not)
logical_or_ = unrecorded(logical_or)
logical_xor_ = unrecorded(logical_xor)
logit_ = in_place(logit)
lt_ = in_place(lt)
nan_to_num_ = in_place(nan_to_num)
ne_ = in_place(ne)
neg_ = in_place(neg)
rad2deg_ = in_place(rad2deg)
reciprocal_ = in_place(reciprocal)
relu_ = in_place(relu)
remainder_ = in_place(remainder)
round_ = in_place(round)
rsqrt_ = in_place(rsqrt)
sgn_ = in_place(sgn)
sigmoid_ = in_place(sigmoid)
sign_ = in_place(sign)
sin_ = in_place(sin)
sinc_ = in_place(sinc)
sinh_ = in_place(sinh)
sqrt_ = in_place(sqrt)
square_ = in_place(square)
tan_ = in_place(tan)
tanh_ = in_place(tanh)
tril_ = in_place(tril)
triu_ = in_place(triu)
trunc_ = in_place(trunc)
xlogy_ = in_place(xlogy)
asinh_ = in_place(asinh)
acosh_ = in_place(acosh)
atanh_ = in_place(atanh)
erfinv_ = in_place(erfinv)
lgamma_ = in_place(lgamma)
digamma_ = in_place(digamma)
gcd_ = in_place(gcd)
lcm_ = in_place(lcm)
