"""Variance and standard deviation, alone or with the mean."""

from __future__ import annotations

import math
from typing import Any

from norch_autograd.graph.composite import fused
from norch_autograd.graph.family import family
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.power import sqrt, square
from norch_autograd.ops.elementwise.where import masked_fill, where
from norch_autograd.ops.reduction.sum import Dims, mean, reduced_numel, restore_dims, sum


class Var(Node):
    """d var(x) = 2 (x - mean) / (n - correction) dx."""

    def backward(self, grad: Tensor) -> Gradients:
        x = self.saved(0)
        shape, dim, correction, keepdim = self.context
        return (_var_slope(restore_dims(grad, shape, dim, keepdim), x, dim, correction),)


def _var_slope(grad: Tensor, x: Tensor, dim: Any, correction: float) -> Tensor:
    """The gradient behind a variance: where no degree of freedom is left, PyTorch's."""
    middle, degrees = mean(x, dim, True), reduced_numel(x.shape, dim) - correction
    if degrees <= 0 and (dim is None or not x.ndim):
        return grad * to(where(detach(x) == detach(middle), math.nan, math.inf), grad.dtype)
    centred = x - middle
    return grad * (centred * (2 / degrees if degrees else math.inf))


class Std(Node):
    """d sqrt(var) = dvar / (2 std), and 0 where std is 0."""

    def backward(self, grad: Tensor) -> Gradients:
        x, y = self.saved(0), self.saved(1)
        shape, dim, correction, keepdim = self.context
        share = masked_fill(grad / (y * 2), y == 0, 0)
        return (_var_slope(restore_dims(share, shape, dim, keepdim), x, dim, correction),)


def _spread_reference(
    input: Tensor, dim: Dims, correction: float, keepdim: bool, root: bool
) -> Tensor:
    """The variance as its formula is written, or its root."""
    degrees = reduced_numel(input.array.shape, dim) - correction
    scale = 1 / degrees if degrees > 0 else math.inf
    variance = sum(square(input - mean(input, dim, True)), dim, keepdim) * scale
    return sqrt(variance) if root else variance


@fused(_spread_reference)
def _spread(input: Tensor, dim: Dims, correction: float, keepdim: bool, root: bool) -> Tensor:
    """The variance, or its root, in one pass, recorded."""
    x = array_of(input)
    y = x.ops.var(x, dim, correction, keepdim, root)
    node, saved = (Std, (input, y)) if root else (Var, (input,))
    return unary(node, y, input, saved, (x.shape, dim, correction, keepdim))


@family("{}")
def _var_or_std(
    name: str,
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor:
    """var and std: the spread over `dim`, a sum of squares divided by n - correction."""
    if (unbiased is not None) + (correction is not None) + isinstance(dim, bool) > 1:
        raise TypeError(f"[{name}] unbiased and correction say the same: give one of them")
    if isinstance(dim, bool):  # PyTorch's other spelling: `var(unbiased)`
        dim, unbiased = None, dim
    correction = int(unbiased is None or bool(unbiased)) if correction is None else correction
    return _spread(input, dim, correction, keepdim, name == "std")


var = _var_or_std("var")("""
    The variance over `dim`; n - 1 in the denominator unless `correction` (or `unbiased`) says
    otherwise.

    >>> norch.var(norch.tensor([1., 2., 3., 4.]))
    tensor(1.6667)
""")
std = _var_or_std("std")("""
    The standard deviation over `dim`, with the same options as `var`.

    >>> norch.std(norch.tensor([1., 2., 3., 4.]))
    tensor(1.2910)
""")


@family("{}_mean")
def _with_mean(
    name: str,
    input: Tensor,
    dim: Dims | bool = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Tensor, Tensor]:
    """var_mean and std_mean: the variance or standard deviation over `dim`, and the mean."""
    spread = (var if name == "var" else std)(input, dim, unbiased, keepdim, correction=correction)
    return spread, mean(input, None if isinstance(dim, bool) else dim, keepdim)


var_mean = _with_mean("var")("""
    The pair `var(...)`, `mean(...)`.

    >>> norch.var_mean(norch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
""")
std_mean = _with_mean("std")("""
    The pair `std(...)`, `mean(...)`.

    >>> norch.std_mean(norch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
""")
