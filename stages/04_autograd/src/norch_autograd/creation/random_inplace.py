"""Filling with random numbers of other distributions than normal and uniform, all made of uniform
ones.
"""

from __future__ import annotations

import math

from norch_autograd.creation.random import check_range, normal_, rand, randint
from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.operands import in_own_name, number
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.dtype.convert import clone, float_
from norch_autograd.ops.elementwise.exponential import exp, log
from norch_autograd.ops.elementwise.rounding import ceil
from norch_autograd.ops.elementwise.trigonometry import tan
from norch_autograd.ops.elementwise.where import clamp
from norch_autograd.ops.inplace.edit import overwrite
from norch_autograd.types.dtype import finfo, iinfo
from norch_autograd.types.generator import Generator
from norch_cpu_ops import DType, float32, float64


def _positive_uniform(input: Tensor, generator: Generator | None) -> Tensor:
    """Random numbers above 0 and up to 1, as many as `input` has."""
    x = input.array
    return 1 - rand(x.shape, generator=generator, dtype=_wide(x.dtype), device=x.device)


def _wide(dtype: DType) -> DType:
    """The dtype that random numbers of `dtype` are computed in."""
    return float64 if dtype is float64 else float32


def _write_values(input: Tensor, op: str, values: Tensor) -> Tensor:
    """Write random `values` into a tensor; refuses one of whole numbers."""
    if not array_of(input, op).dtype.is_floating_point:
        dtype = input.array.dtype
        raise NotImplementedError(f"[{op}] expected a floating-point tensor, got {dtype}")
    return overwrite(input, op, lambda x: x.ops.copy_(x, values.array))


@in_own_name
def exponential_(
    input: Tensor, lambd: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with waiting times: the density is `lambd exp(-lambd x)`.

    >>> bool((norch.zeros(100).exponential_() > 0).all())
    True
    """
    if not lambd > 0:
        raise RuntimeError(f"[exponential_] lambd is {lambd}: expected a number above 0")
    array_of(input)
    with no_grad():
        tiny = finfo(_wide(input.dtype)).eps / 2  # a waiting time is never 0
        values = -clamp(log(_positive_uniform(input, generator)), max=-tiny) / lambd
    return _write_values(input, "exponential_", values)


@in_own_name
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with the number of tries until the first success, each of probability `p`.

    >>> bool((norch.zeros(100).geometric_(0.5) >= 1).all())
    True
    """
    if not 0 < p < 1:
        raise RuntimeError(f"[geometric_] p is {p}: expected a probability between 0 and 1")
    array_of(input)
    with no_grad():
        tries = clamp(ceil(log(_positive_uniform(input, generator)) / math.log1p(-p)), min=1)
    return overwrite(input, "geometric_", lambda x: x.ops.copy_(x, tries.array))


@in_own_name
def log_normal_(
    input: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers whose logarithms are normal.

    >>> bool((norch.zeros(100).log_normal_() > 0).all())
    True
    """
    if not std > 0:
        raise RuntimeError(f"[log_normal_] std is {std}: expected a number above 0")
    array_of(input)
    drawn = normal_(clone(float_(plain(input.array))), mean, std, generator=generator)
    return _write_values(input, "log_normal_", exp(drawn))


@in_own_name
def cauchy_(
    input: Tensor, median: float = 0.0, sigma: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with numbers of Cauchy's distribution, which has no mean.

    >>> norch.zeros(3).cauchy_().shape
    norch.Size([3])
    """
    if not sigma > 0:
        raise RuntimeError(f"[cauchy_] sigma is {sigma}: expected a number above 0")
    array_of(input)
    with no_grad():
        values = median + sigma * tan(math.pi * (_positive_uniform(input, generator) - 0.5))
    return _write_values(input, "cauchy_", values)


@in_own_name
def random_(
    input: Tensor,
    from_: int | None = None,
    to: int | None = None,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with whole numbers: `random_(to)` from 0 to before `to`, `random_(from_, to)`, or up to
    the largest that the dtype holds exactly.

    >>> norch.zeros(2).random_(3, 4)
    tensor([3., 3.])
    """
    dtype = array_of(input).dtype
    if to is None:
        low, high = 0, number(from_) if from_ is not None else _beyond(dtype)
    else:
        low, high = number(0 if from_ is None else from_), number(to)
    if low >= high:
        raise RuntimeError(f"[random_] from {low} to before {high} there is no number")
    check_range("random_", low, high, dtype)
    values = randint(low, high, input.shape, generator=generator, device=input.array.device)
    return overwrite(input, "random_", lambda x: x.ops.copy_(x, values.array))


def _beyond(dtype: DType) -> int:
    """The first whole number that `random_` without bounds does not give."""
    if dtype.name == "bool":
        return 2
    if dtype.is_floating_point:
        return int(2 / finfo(dtype).eps) + 1
    largest: int = iinfo(dtype).max
    return min(largest, 2**63 - 2) + 1
