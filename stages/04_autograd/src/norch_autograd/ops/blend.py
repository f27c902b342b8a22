"""Small formulas of several tensors. They are compositions: the operations inside know the
derivatives; only hypot, which must not overflow, says its own.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import norch_strides as strides
from norch_autograd.dtype import promote_types
from norch_autograd.graph import Gradients, Node, array_of, binary
from norch_autograd.mode import no_grad
from norch_autograd.ops.choice import maximum, minimum, where
from norch_autograd.ops.compare import isinf, isnan
from norch_autograd.ops.join import stack
from norch_autograd.ops.power import square
from norch_autograd.ops.rounding import trunc
from norch_autograd.ops.softmax import logsumexp

if TYPE_CHECKING:
    from norch_autograd.ops.arithmetic import Number, Operand
    from norch_autograd.tensors import Tensor


def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """`input + weight * (end - input)`.

    >>> import norch_autograd as norch
    >>> norch.lerp(norch.tensor([0.]), norch.tensor([10.]), 0.25)
    tensor([2.5000])
    """
    return input + (end - input) * weight


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 * tensor2`.

    >>> import norch_autograd as norch
    >>> norch.addcmul(norch.tensor([1.]), norch.tensor([2.]), norch.tensor([3.]), value=2)
    tensor([13.])
    """
    return input + tensor1 * tensor2 * value


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """`input + value * tensor1 / tensor2`.

    >>> import norch_autograd as norch
    >>> norch.addcdiv(norch.tensor([1.]), norch.tensor([6.]), norch.tensor([3.]))
    tensor([3.])
    """
    return input + tensor1 / tensor2 * value


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
    dtype = promote_types(array_of(input).dtype, array_of(other).dtype)
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


def logaddexp(input: Tensor, other: Tensor) -> Tensor:
    """`log(exp(input) + exp(other))`, safe for large elements.

    >>> import norch_autograd as norch
    >>> norch.logaddexp(norch.tensor([1000.]), norch.tensor([0.]))
    tensor([1000.])
    """
    shape = strides.broadcast_shapes(array_of(input).shape, array_of(other).shape)
    return logsumexp(stack([input.expand(shape), other.expand(shape)]), 0)


def frac(input: Tensor) -> Tensor:
    """What stands after the point: `input - trunc(input)`.

    >>> import norch_autograd as norch
    >>> norch.frac(norch.tensor([1.5, -1.25]))
    tensor([ 0.5000, -0.2500])
    """
    return input - trunc(input)


def nan_to_num(
    input: Tensor, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities replaced; without a number, by the largest and smallest of the dtype.

    >>> import norch_autograd as norch
    >>> norch.nan_to_num(norch.tensor([float('nan'), float('inf')]), posinf=9.)
    tensor([0., 9.])
    """
    if not array_of(input).dtype.is_floating_point:
        return input.clone()
    largest = {"float32": 3.4028234663852886e38, "float64": 1.7976931348623157e308}
    limit = largest.get(input.dtype.name, 65504.0)
    result = where(isnan(input), nan, input)
    result = where(result == math.inf, limit if posinf is None else posinf, result)
    return where(result == -math.inf, -limit if neginf is None else neginf, result)
