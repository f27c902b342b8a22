"""Small formulas of several tensors. They are compositions: the operations inside know the
derivatives; only hypot, which must not overflow, says its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from norch_autograd.graph import Gradients, Node, TensorBase, array_of, binary
from norch_autograd.limits import finfo
from norch_autograd.mode import no_grad
from norch_autograd.ops.choice import maximum, minimum, where
from norch_autograd.ops.compare import isinf, isnan
from norch_autograd.ops.power import square
from norch_autograd.ops.promotion import common_dtype, whole_factor
from norch_autograd.ops.rounding import trunc

if TYPE_CHECKING:
    from norch_autograd.ops.arithmetic import Number, Operand
    from norch_autograd.tensors import Tensor


def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`input + weight * (end - input)`.

    >>> import norch_autograd as norch
    >>> norch.lerp(norch.tensor([0.]), norch.tensor([10.]), 0.25)
    tensor([2.5000])
    """
    for operand in (end, weight):
        if isinstance(operand, TensorBase) and operand.array.dtype is not array_of(input).dtype:
            raise RuntimeError(
                f"[lerp] expected dtype {input.array.dtype} as input's, got {operand.array.dtype}"
            )
    way = end - input
    near = input + way * weight
    if not isinstance(weight, TensorBase):
        return near if abs(weight) < 0.5 else end - way * (1 - weight)
    return where(weight.abs() < 0.5, near, end - way * (1 - weight))  # exact at both ends


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 * tensor2`.

    >>> import norch_autograd as norch
    >>> norch.addcmul(norch.tensor([1.]), norch.tensor([2.]), norch.tensor([3.]), value=2)
    tensor([13.])
    """
    array_of(tensor1), array_of(tensor2)
    dtype = common_dtype(input, tensor1, tensor2)
    product = tensor1.to(dtype) * tensor2.to(dtype)
    return input + product * whole_factor("addcmul", value, dtype)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 / tensor2`.

    >>> import norch_autograd as norch
    >>> norch.addcdiv(norch.tensor([1.]), norch.tensor([6.]), norch.tensor([3.]))
    tensor([3.])
    """
    whole = [not array_of(t, "addcdiv").dtype.is_floating_point for t in (tensor1, tensor2)]
    if all(whole):
        raise RuntimeError("[addcdiv] whole numbers are not divided: use div, or cast to float")
    dtype = common_dtype(input, tensor1, tensor2)
    return input + tensor1.to(dtype) / tensor2.to(dtype) * whole_factor("addcdiv", value, dtype)


class Hypot(Node):
    """d = (x dx + y dy) / hypot(x, y)."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y, length = (self.saved(i) for i in range(3))
        share = grad / length
        return x * share if self.needs(0) else None, y * share if self.needs(1) else None


def hypot(input: Tensor, other: Tensor) -> Tensor:
    """The length of the side opposite the right angle: sqrt(x^2 + y^2), without overflow.

    >>> import norch_autograd as norch
    >>> norch.hypot(norch.tensor([3.]), norch.tensor([4.]))
    tensor([5.])
    """
    array_of(input), array_of(other)
    dtype = common_dtype(input, other)
    if not dtype.is_floating_point:
        raise NotImplementedError(f"[hypot] has no kernel for {dtype}: convert to float first")
    with no_grad():
        a, b = (side.to(dtype).abs() for side in (input, other))
        if dtype.itemsize == 2:
            a, b = a.float(), b.float()
        long, short = maximum(a, b), minimum(a, b)
        ratio = where(long == 0, 0.0, short / long)
        length = where(isinf(a) | isinf(b), math.inf, long * (1 + square(ratio)).sqrt()).to(dtype)
    x, y = input.to(dtype), other.to(dtype)
    return binary(Hypot, length.array, x, y, (x, y, length.array))


class Logaddexp(Node):
    """Each gets its share of the sum: dx = 1 / (1 + exp(y - x)), with the base of the context."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        x, y, scale = self.saved(0), self.saved(1), self.saved(2)
        dx = grad / (1 + ((y - x) * scale).exp()) if self.needs(0) else None
        dy = grad / (1 + ((x - y) * scale).exp()) if self.needs(1) else None
        return dx, dy


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """`log(exp(input) + exp(other))`, safe for large elements.

    >>> import norch_autograd as norch
    >>> norch.logaddexp(norch.tensor([1000.]), norch.tensor([0.]))
    tensor([1000.])
    """
    return _log_of_sum("logaddexp", input, other, 1.0)


def logaddexp2(input: Tensor, other: Tensor) -> Tensor:
    """`log2(2**input + 2**other)`, safe for large elements.

    >>> import norch_autograd as norch
    >>> norch.logaddexp2(norch.tensor([3.]), norch.tensor([3.]))
    tensor([4.])
    """
    return _log_of_sum("logaddexp2", input, other, math.log(2))


def _log_of_sum(op: str, input: Tensor, other: Tensor, scale: float) -> Tensor:
    """`log(e**(scale x) + e**(scale y)) / scale`: the larger one, and what the other adds."""
    array_of(input, op), array_of(other, op)
    dtype = common_dtype(input, other)
    x, y = input.to(dtype), other.to(dtype)
    if not dtype.is_floating_point:
        x, y = x.float(), y.float()
    with no_grad():
        gap = (x - y).abs().masked_fill(x == y, 0)  # inf - inf is no gap
        out = maximum(x, y) + (-gap * scale).exp().log1p() / scale
    return binary(Logaddexp, out.array, x, y, (x, y, scale))


def frac(input: Tensor) -> Tensor:
    """What stands after the point: `input - trunc(input)`.

    >>> import norch_autograd as norch
    >>> norch.frac(norch.tensor([1.5, -1.25]))
    tensor([ 0.5000, -0.2500])
    """
    return input - trunc(input)


def nan_to_num(
    input: Tensor, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities replaced; without a number, by the largest and smallest of the dtype.

    >>> import norch_autograd as norch
    >>> norch.nan_to_num(norch.tensor([float('nan'), float('inf')]), posinf=9.)
    tensor([0., 9.])
    """
    if not array_of(input).dtype.is_floating_point:
        return input.clone()
    limit = finfo(input.dtype).max
    high, low = limit if posinf is None else posinf, -limit if neginf is None else neginf
    result = where(input == math.inf, high, where(input == -math.inf, low, input))
    return where(isnan(input), 0.0 if nan is None else nan, result)
