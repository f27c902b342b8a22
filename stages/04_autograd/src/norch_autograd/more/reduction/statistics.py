"""Statistics of a sample: its most frequent value, range, quantiles, covariances, correlations.

All but `mode` are compositions. Mean, sum and variance are in ops/reduction.
"""

from __future__ import annotations

import math
import operator
from typing import Any

import norch_strides as strides
from norch_autograd.graph import return_types
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import arange_like, array_all, constant
from norch_autograd.ops.dtype.convert import long, to
from norch_autograd.ops.elementwise.arithmetic import lerp
from norch_autograd.ops.elementwise.power import sqrt
from norch_autograd.ops.elementwise.rounding import ceil, floor, round
from norch_autograd.ops.elementwise.where import clamp, where
from norch_autograd.ops.indexing.gather import gather
from norch_autograd.ops.indexing.getitem import diagonal, narrow
from norch_autograd.ops.reduction.cumulative import cummax
from norch_autograd.ops.reduction.minmax import argmax, record_picks
from norch_autograd.ops.reduction.sort import sort
from norch_autograd.ops.reduction.sum import any, sum
from norch_autograd.ops.shape.join import cat
from norch_autograd.ops.shape.view import matrix_transpose, movedim, reshape, squeeze, unsqueeze
from norch_autograd.types.dtype import get_default_dtype


def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> return_types.mode:
    """The most frequent element along `dim`, the smallest of several, and where it last stands.

    >>> norch.mode(norch.tensor([3, 1, 3, 1, 2])).values
    tensor(1)
    """
    x = array_of(input)
    place = strides.normalize_dim(dim, x.ndim, "mode")
    if x.ndim and x.shape[place] == 0:
        raise IndexError(f"[mode] dim {place} of shape {x.shape} has size 0")
    lines = reshape(plain(x), 1) if not x.ndim else plain(x)
    values, indices = sort(lines, place)
    best = argmax(_places_in_runs(values, place), place, True)
    values, indices = gather(values, place, best), gather(indices, place, best)
    if not keepdim or not x.ndim:
        values, indices = squeeze(values, place), squeeze(indices, place)
    found = values.array, indices.array
    return return_types.mode(*record_picks("ModeBackward0", input, found, place, keepdim))


def _places_in_runs(values: Tensor, dim: int) -> Tensor:
    """For each element of sorted lines, how many equal ones stand right before it."""
    size = values.shape[dim]
    along = [-1 if k == dim else 1 for k in range(values.ndim)]
    number = reshape(arange_like(values, (size,)), along)
    first = narrow(values, dim, 0, 1) == narrow(values, dim, 0, 1)
    changes = narrow(values, dim, 1, size - 1) != narrow(values, dim, 0, size - 1)
    starts = where(cat([first, changes], dim), number, 0)
    return number - cummax(starts, dim).values


@family("{}quantile")
def _quantile(
    ignored: str,
    input: Tensor,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
) -> Tensor:
    """quantile and nanquantile: the elements at the shares `q` of each sorted line."""
    x = array_of(input, "quantile")
    shares = _shares(input, q, interpolation)
    place = 0 if dim is None else strides.normalize_dim(dim, x.ndim, "quantile")
    lines = reshape(input, -1) if dim is None or not x.ndim else movedim(input, place, -1)
    values = sort(lines, -1).values
    missing = sum(values != values, -1, True)
    size = values.shape[-1]
    known = (size - missing) if ignored == "nan" else missing * 0 + size
    rank = to(clamp(known - 1, min=0), x.dtype) * reshape(shares, -1)
    if ignored != "nan":  # NaN is last
        rank = where(missing > 0, float(size - 1), rank)
    found = movedim(_interpolate(values, rank, interpolation), -1, 0)
    shape: tuple[int, ...] = tuple(found.array.shape[1:])
    if keepdim:
        shape = (1,) * x.ndim if dim is None else (*shape[:place], 1, *shape[place:])
    return reshape(found, (*shares.array.shape, *(shape if x.ndim else ())))


quantile = _quantile("")("""
    The value below which a share `q` of the elements lies (0.5: the middle); NaN if one is NaN.

    With a vector `q` the results are stacked along a new first dimension. `interpolation` between
    neighbours: "linear", "lower", "higher", "midpoint" or "nearest".

    >>> norch.quantile(norch.tensor([0., 1., 2., 3.]), 0.4)
    tensor(1.2000)
""")
nanquantile = _quantile("nan")("""
    `quantile` of what is not NaN.

    >>> norch.nanquantile(norch.tensor([0., 1., float("nan")]), 0.5)
    tensor(0.5000)
""")


def _shares(input: Tensor, q: Any, interpolation: str) -> Tensor:
    """The shares `q` of `quantile` as a tensor, after a check of all its arguments."""
    x = input.array
    if not x.dtype.is_floating_point or x.itemsize < 4:
        raise RuntimeError(f"[quantile] expected float32 or float64, got {x.dtype}")
    if x.numel == 0:
        raise RuntimeError(f"[quantile] shape {x.shape} has no elements: expected at least one")
    if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"[quantile] interpolation is {interpolation!r}: expected 'linear', 'lower', 'higher', "
            "'midpoint' or 'nearest'"
        )
    shares: Tensor = q if isinstance(q, Tensor) else constant(input, q, ())
    if shares.dtype is not x.dtype:
        raise RuntimeError(f"[quantile] q is {shares.dtype} but the input {x.dtype}: cast one")
    if shares.ndim > 1:
        raise RuntimeError(f"[quantile] q has {shares.ndim} dimensions: expected one at most")
    if shares.array.numel and not array_all((shares >= 0) & (shares <= 1)):
        raise RuntimeError(f"[quantile] q is {shares.array.tolist()}: expected 0 to 1")
    return shares


def _interpolate(values: Tensor, rank: Tensor, interpolation: str) -> Tensor:
    """Quantiles: the elements of sorted lines at places that need not be whole numbers."""
    if interpolation in ("lower", "higher", "nearest"):
        whole = {"lower": floor, "higher": ceil, "nearest": round}[interpolation](rank)
        return gather(values, -1, long(whole))
    below, above = floor(rank), ceil(rank)
    weight = rank - below if interpolation == "linear" else rank * 0 + 0.5
    low, high = gather(values, -1, long(below)), gather(values, -1, long(above))
    return lerp(low, high, weight)


@in_own_name
def cov(
    input: Tensor,
    *,
    correction: int = 1,
    fweights: Tensor | None = None,
    aweights: Tensor | None = None,
) -> Tensor:
    """The covariances of the rows of `input`, whose columns are observations; `fweights` say how
    often each was made, `aweights` how much it counts.

    >>> norch.cov(norch.tensor([[0., 1., 2.], [2., 1., 0.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    x = array_of(input)
    if x.ndim > 2 or x.dtype.name == "bool":
        raise RuntimeError(
            f"[cov] expected numbers of two dimensions at most, got {x.dtype} of shape {x.shape}"
        )
    rows = reshape(input, 1, -1) if x.ndim < 2 else input
    rows = rows if x.dtype.is_floating_point else to(rows, get_default_dtype())
    correction = operator.index(correction)
    weights, total, spread = _weigh_observations(rows, correction, fweights, aweights)
    centred = rows - sum(rows * weights, 1, True) / total
    result: Tensor = (weights * centred) @ matrix_transpose(centred) / spread
    return reshape(result, ()) if result.array.numel == 1 else result


def _weigh_observations(
    rows: Tensor, correction: int, fweights: Tensor | None, aweights: Tensor | None
) -> tuple[Any, Any, Any]:
    """For `cov`: each observation's weight, their sum, and what the squares are divided by."""
    size = rows.shape[1]
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is not None:
            _check_weights(name, given, size)
    weights: Any = constant(rows, 1, (size,))
    for given in (fweights, aweights):
        weights = weights if given is None else weights * given
    total = sum(weights)
    lost: Any = correction
    if aweights is not None and correction:
        lost = correction * sum(weights * aweights) / total
    return weights, total, clamp(total - lost, min=0)


def _check_weights(name: str, given: Tensor, size: int) -> None:
    """Raise RuntimeError unless `cov` got one weight, not negative, for each observation."""
    shape, dtype = array_of(given, "cov").shape, given.array.dtype
    if dtype.is_floating_point != (name == "aweights"):
        kind = "floating numbers" if name == "aweights" else "whole numbers"
        raise RuntimeError(f"[cov] expected {name} to be {kind}, got {dtype}")
    if len(shape) > 1 or math.prod(shape) != size:
        raise RuntimeError(f"[cov] {name} {shape}: expected one for each of {size} observations")
    if bool(any(given < 0)):
        raise RuntimeError(f"[cov] {name} must not be negative")


@in_own_name
def corrcoef(input: Tensor) -> Tensor:
    """The correlations of the rows of `input`: covariances over the product of both deviations.

    >>> norch.corrcoef(norch.tensor([[0., 1., 2.], [2., 1., 0.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    c = cov(input)
    if not c.ndim:
        return c / c
    deviation = sqrt(diagonal(c))
    return clamp(c / unsqueeze(deviation, 1) / deviation, -1, 1)
