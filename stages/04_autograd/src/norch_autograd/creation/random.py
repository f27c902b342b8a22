"""Random tensors: new ones, and old ones filled, from a `Generator` (generator.py)."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from operator import index
from typing import Any

from norch_autograd.creation.factories import make_leaf
from norch_autograd.creation.from_data import ops_beside, ops_of
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import array_all, constant
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.elementwise.comparison import isfinite
from norch_autograd.ops.elementwise.where import masked_fill, minimum
from norch_autograd.ops.indexing.gather import scatter_add
from norch_autograd.ops.inplace.edit import overwrite
from norch_autograd.ops.reduction.cumulative import cumsum
from norch_autograd.ops.reduction.minmax import argmax
from norch_autograd.ops.reduction.sort import searchsorted
from norch_autograd.ops.reduction.sum import all, any, sum
from norch_autograd.ops.shape.view import reshape, reversed_dims, sizes_of
from norch_autograd.types.dtype import as_dtype, dtype_or_default, finfo, iinfo
from norch_autograd.types.generator import Generator, or_default
from norch_autograd.types.size import check_room
from norch_cpu_ops import DType, DTypeError, int64


def _fractions(dtype: DType) -> DType:
    """A dtype to draw fractions in, checked before the generator moves."""
    if not dtype.is_floating_point:
        raise DTypeError(
            f"[rand] expected a floating dtype, got {dtype.name}: randint makes whole numbers"
        )
    return dtype


def _uniform(ops: Any, shape: Any, dtype: DType, generator: Generator | None) -> Any:
    """An array of uniform numbers, the next of a generator."""
    dtype = _fractions(dtype)
    return ops.uniform(shape, 0.0, 1.0, dtype, *or_default(generator).draw(math.prod(shape)))


_KERNELS = {"rand": "uniform", "randn": "normal"}  # from 0 to 1; of mean 0 and variance 1


@family("{}")
def _draw(
    kind: str,
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A new tensor of random numbers."""
    shape = sizes_of(sizes, size)
    kernel, dtype = getattr(ops_of(device), _KERNELS[kind]), _fractions(dtype_or_default(dtype))
    array = kernel(shape, 0.0, 1.0, dtype, *or_default(generator).draw(math.prod(shape)))
    return make_leaf(array, requires_grad, pin_memory)


rand = _draw("rand")("""
    Uniform numbers, 0 included, 1 not.

    >>> bool((norch.rand(100) < 1).all())
    True
""")
randn = _draw("randn")("""
    Normal numbers of mean 0 and variance 1.

    >>> norch.randn(2, 3).shape
    norch.Size([2, 3])
""")


@family("{}_like")
def _draw_like(
    kind: str,
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A new tensor of random numbers in the shape of `input`."""
    x = array_of(input)
    kernel = getattr(ops_beside(x, device), _KERNELS[kind])
    dtype = _fractions(as_dtype(dtype) or x.dtype)
    array = kernel(x.shape, 0.0, 1.0, dtype, *or_default(generator).draw(x.numel))
    return make_leaf(array, requires_grad)


rand_like = _draw_like("rand")("""
    `rand` in the shape, dtype and on the device of `input`, or those given.

    >>> norch.rand_like(norch.zeros(2)).shape
    norch.Size([2])
""")
randn_like = _draw_like("randn")("""
    `randn` in the shape, dtype and on the device of `input`, or those given.

    >>> norch.randn_like(norch.zeros(2)).shape
    norch.Size([2])
""")


@in_own_name
def randint(
    low: int = 0,
    high: int | Sequence[int] | None = None,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Whole numbers from `low` (0 if left out) to before `high`: `randint(10, (3,))`, `randint(1,
    7, (3,))`.

    >>> bool((norch.randint(1, 7, (100,)) <= 6).all())
    True
    """
    three = high is not None and size is not None
    given: Any = (low, high, size) if three else (0, low, high if size is None else size)
    if given[2] is None:
        raise TypeError("[randint] expected a size: randint(high, size), or low before high")
    least, end, shape = index(given[0]), index(given[1]), tuple(given[2])
    if not least < end:
        raise RuntimeError(f"[randint] low must be smaller than high, got {least} and {end}")
    dtype = int64 if dtype is None else as_dtype(dtype) or int64
    check_range("randint", least, end, dtype)
    kernel = ops_of(device).randint
    array = kernel(shape, least, end, *or_default(generator).draw(math.prod(shape)))
    if dtype is not int64:
        array = array.ops.cast(array, dtype)
    return make_leaf(array, requires_grad, pin_memory)


@functools.cache
def _limits_of(dtype: DType) -> tuple[int, int]:
    """The least and the largest whole number that a dtype holds."""
    if dtype.name == "bool":
        return 0, 1
    limits = finfo(dtype) if dtype.is_floating_point else iinfo(dtype)
    return int(limits.min), int(limits.max)


def check_range(op: str, low: int, high: int, dtype: DType) -> None:
    """Refuse numbers from `low` to before `high` that a dtype cannot hold."""
    least, most = _limits_of(dtype)
    if low < least or high - 1 > most:
        raise RuntimeError(
            f"[{op}] numbers from {low} to before {high} do not fit {dtype}, which holds "
            f"{least} to {most}: narrow the range, or take another dtype"
        )


@in_own_name
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: DType = int64,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The numbers 0 to n - 1 in random order.

    >>> sorted(norch.randperm(4).tolist())
    [0, 1, 2, 3]
    """
    kernel, dtype = ops_of(device).randperm, as_dtype(dtype) or int64
    array = kernel(n, *or_default(generator).draw(n))
    return make_leaf(array.ops.cast(array, dtype), requires_grad, pin_memory)


@in_own_name
def normal(
    mean: Any = 0.0,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Normal numbers; `mean` and `std` are numbers or tensors. Two numbers need a `size`, to which
    `dtype`, `device` and `requires_grad` belong; else they are those of `mean`, or of `std` where
    only that is a tensor.

    >>> norch.normal(0., 1., (2, 2)).shape
    norch.Size([2, 2])
    """
    like = next((each for each in (mean, std) if isinstance(each, Tensor)), None)
    if like is None and size is None:
        raise TypeError("[normal] two numbers need a size, as in normal(0.0, 1.0, (2, 3))")
    if not (std >= 0 if isinstance(std, (int, float)) else array_all(std >= 0)):
        raise RuntimeError(f"[normal] expected a std of at least 0 everywhere, got {std}")
    if like is not None:
        dtype, device = dtype or like.dtype, device or like.device
    if size is None:
        size = (mean + std * 0).array.shape
    drawn: Tensor = randn(tuple(size), generator=generator, dtype=dtype, device=device) * std + mean
    return make_leaf(drawn.array if dtype is None else to(drawn, dtype).array, requires_grad)


@in_own_name
def bernoulli(input: Tensor, *, generator: Generator | None = None) -> Tensor:
    """1 with the probability each element names, else 0.

    >>> norch.bernoulli(norch.tensor([0., 1.]))
    tensor([0., 1.])
    """
    x = array_of(input)
    if not bool(all((input >= 0) & (input <= 1))):
        raise RuntimeError("[bernoulli] expected probabilities between 0 and 1, got others too")
    drawn = plain(_uniform(x.ops, x.shape, x.dtype, generator))
    return to(drawn < detach(input), x.dtype)


@in_own_name
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
) -> Tensor:
    """`num_samples` row indices for each row of weights, drawn in proportion to them.

    >>> norch.multinomial(norch.tensor([0., 3., 0.]), 2, replacement=True)
    tensor([1, 1])
    """
    shape = array_of(input).shape
    if len(shape) not in (1, 2):
        raise RuntimeError(f"[multinomial] expected weights (N, K) or (K,), got {tuple(shape)}")
    num_samples = index(num_samples)
    weights = reshape(detach(input), math.prod(shape[:-1]), shape[-1])
    _check_weights(weights, num_samples, replacement)
    if replacement:
        found = _draw_weighted(weights, num_samples, generator)
        return reshape(found, (*shape[:-1], num_samples))
    picks = []
    for _ in range(num_samples):
        pick = _draw_weighted(weights, 1, generator)
        picks.append(pick.array)
        ones = constant(pick, 1, pick.array.shape)
        taken = scatter_add(constant(pick, 0, weights.array.shape), 1, pick, ones)
        weights = masked_fill(weights, taken > 0, 0)
    return reshape(plain(picks[0].ops.cat(picks, 1)), (*shape[:-1], num_samples))


def _draw_weighted(weights: Tensor, count: int, generator: Generator | None) -> Tensor:
    """`count` random indices for each row of weights; rounding never picks a weight of 0."""
    x = weights.array
    check_room("multinomial", x.shape[0] * count, 2 * int64.itemsize)
    total = cumsum(weights, 1)
    # Sample by sample, so that one call draws what several would.
    drawn = reversed_dims(plain(_uniform(x.ops, (count, x.shape[0]), x.dtype, generator)))
    picks = searchsorted(total, drawn * total[:, -1:], right=True)
    last = argmax(cumsum(to(weights > 0, int64), 1), 1, True)
    return minimum(picks, last)


def _check_weights(weights: Tensor, num_samples: int, replacement: bool) -> None:
    """RuntimeError unless the weights of `multinomial` are finite, not negative, and enough."""
    if num_samples < 1:
        raise RuntimeError(f"[multinomial] expected at least one sample, got {num_samples}")
    if not bool(all(isfinite(weights) & (weights >= 0))) or bool(any(sum(weights, 1) <= 0)):
        raise RuntimeError("[multinomial] weights must be finite, not negative, and not all zero")
    if not replacement and bool(any(sum(weights > 0, 1) < num_samples)):
        raise RuntimeError(
            f"[multinomial] {num_samples} samples without replacement need as many positive weights"
        )


@in_own_name
def normal_(
    input: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with normal numbers: the method `x.normal_()`.

    >>> norch.zeros(2).normal_(mean=5., std=0.)
    tensor([5., 5.])
    """
    if not std >= 0:
        raise RuntimeError(f"[normal_] expected a std of at least 0, got {std}")

    def write(x: Any) -> None:
        dtype = _fractions(x.dtype)
        drawn = x.ops.normal(x.shape, mean, std, dtype, *or_default(generator).draw(x.numel))
        x.ops.copy_(x, drawn)

    return overwrite(input, "normal_", write)


@in_own_name
def uniform_(
    input: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with uniform numbers from `from_` to before `to`: the method `x.uniform_()`.

    >>> bool((norch.zeros(100).uniform_(2, 3) >= 2).all())
    True
    """
    if from_ > to:
        raise RuntimeError(f"[uniform_] expected the lower end first, got {from_} and {to}")

    def write(x: Any) -> None:
        draw = or_default(generator).draw
        x.ops.copy_(x, x.ops.uniform(x.shape, from_, to, _fractions(x.dtype), *draw(x.numel)))

    return overwrite(input, "uniform_", write)


@in_own_name
def bernoulli_(input: Tensor, p: float = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with ones, each with probability `p`, and zeros.

    >>> norch.zeros(2).bernoulli_(1.)
    tensor([1., 1.])
    """
    if not 0 <= p <= 1:
        raise RuntimeError(f"[bernoulli_] expected a probability between 0 and 1, got {p}")

    def write(x: Any) -> None:
        drawn = x.ops.bernoulli(x.shape, p, x.dtype, *or_default(generator).draw(x.numel))
        x.ops.copy_(x, drawn)

    return overwrite(input, "bernoulli_", write)


@in_own_name
def randint_like(
    input: Tensor,
    low: int,
    high: int | None = None,
    *,
    generator: Generator | None = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`randint` from `low` (0 if only one number is given) to before `high`, in the shape, dtype
    and on the device of `input`, or those given.

    >>> norch.randint_like(norch.zeros(2), 1, 2)
    tensor([1., 1.])
    """
    array_of(input)
    low, high = (0, low) if high is None else (low, high)
    device = input.device if device is None else device
    dtype = as_dtype(dtype) or input.dtype
    drawn = randint(low, high, input.shape, generator=generator, dtype=dtype, device=device)
    return make_leaf(drawn.array, requires_grad)
