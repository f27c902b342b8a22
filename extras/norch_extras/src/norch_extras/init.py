"""Further first values of torch.nn.init, and its names from before PyTorch 0.4.

The page book/library/nn_utils.md names them.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

from norch_autograd import Generator, Tensor, eye as identity, float64, no_grad, rand, zeros
from norch_autograd.graph.operands import in_own_name
from norch_cpu_ops import DTypeError
from norch_nn.init import (
    constant_,
    kaiming_normal_,
    kaiming_uniform_,
    normal_,
    uniform_,
    xavier_normal_,
    xavier_uniform_,
)


def _check_dtype(op: str, tensor: Tensor) -> None:
    """Refuse first weights that would be cut to whole numbers."""
    if not tensor.is_floating_point():
        raise DTypeError(f"[{op}] expected a floating dtype, got {tensor.dtype}")


@in_own_name
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with N(mean, std²) cut off at `a` and `b`, a further kind of first weights.

    >>> bool((trunc_normal_(norch.empty(100), std=5.0).abs() <= 2).all())
    True
    """
    _check_dtype("trunc_normal_", tensor)
    # The distribution function maps a normal number to a uniform one; here it is inverted.
    low, high = (math.erf((bound - mean) / (std * math.sqrt(2))) for bound in (a, b))
    with no_grad():
        uniform = zeros(tuple(tensor.shape), dtype=float64, device=tensor.device)
        uniform.uniform_(low, high, generator=generator)
        drawn = uniform.erfinv() * (std * math.sqrt(2)) + mean
        return tensor.copy_(drawn.clamp(a, b))


@in_own_name
def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill first weights with orthogonal rows, or columns if there are more rows, of length `gain`.

    Dimensions behind the first count as one (Saxe et al., 2013).

    >>> w = orthogonal_(norch.empty(2, 5))
    >>> norch.allclose(w @ w.t(), norch.eye(2), atol=1e-6)
    True
    """
    _check_dtype("orthogonal_", tensor)
    if tensor.ndim < 2:
        raise ValueError(
            f"[orthogonal_] 2 or more dimensions are expected, not {tuple(tensor.shape)}"
        )
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], tensor.numel() // tensor.shape[0]
    with no_grad():
        shape = min(rows, columns), max(rows, columns)
        basis = zeros(shape, dtype=float64).normal_(0.0, 1.0, generator=generator)
        _orthonormalize(basis)
        matrix = (basis if rows <= columns else basis.t()) * gain
        return tensor.copy_(matrix.reshape(tuple(tensor.shape)))


def _orthonormalize(basis: Tensor) -> None:
    """`orthogonal_`'s rows of first weights, made orthogonal by Gram and Schmidt's way.

    >>> basis = norch.tensor([[2.0, 0.0], [5.0, 3.0]])
    >>> _orthonormalize(basis); basis.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    for i in range(basis.shape[0]):
        row, before = basis[i], basis[:i]
        for _ in range(2):  # once leaves rounding errors, twice is enough
            row.sub_((before @ row) @ before)
        row.div_(row.norm())


@in_own_name
def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with 1 on the diagonal and 0 elsewhere.

    >>> eye_(norch.empty(1, 2)).tolist()
    [[1.0, 0.0]]
    """
    if tensor.ndim != 2:
        raise ValueError(f"[eye_] 2 dimensions are expected, not {tuple(tensor.shape)}")
    with no_grad():
        return tensor.copy_(identity(*tensor.shape, device=tensor.device))


@in_own_name
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the kernel of a convolution (out, in, ...) so that channels pass through unchanged.

    >>> dirac_(norch.empty(1, 1, 3)).tolist()
    [[[0.0, 1.0, 0.0]]]
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError(f"[dirac_] 3, 4 or 5 dimensions are expected, not {tuple(tensor.shape)}")
    out, channels, *window = tensor.shape
    if groups <= 0 or out % groups:
        raise ValueError(f"[dirac_] {out} output channels do not make {groups} groups")
    middle = tuple(size // 2 for size in window)
    each = out // groups
    both = min(each, channels)  # how many channels of a group pass
    ones = [(g * each + i, i, *middle) for g in range(groups if both else 0) for i in range(both)]
    with no_grad():
        tensor.fill_(0)
        for place in ones:
            tensor[place] = 1
    return tensor


@in_own_name
def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Fill a matrix with N(0, std²), and a share of each column, rounded up, with 0.

    >>> (sparse_(norch.empty(10, 3), sparsity=0.25) == 0).sum(0).tolist()
    [3, 3, 3]
    """
    if tensor.ndim != 2:
        raise ValueError(f"[sparse_] a matrix is expected, not shape {tuple(tensor.shape)}")
    rows, columns = tensor.shape
    zeroed = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0.0, std, generator=generator)
        # Sorting noise shuffles the rows of every column.
        chosen = rand(rows, columns, generator=generator).argsort(0)[:zeroed].to(tensor.device)
        return tensor.copy_(tensor.scatter(0, chosen, 0.0))


def _old_name(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """An init function under its name from before PyTorch 0.4, which is deprecated and says so."""
    new = function.__name__

    def old(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(f"[{new[:-1]}] is deprecated: use init.{new}", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    old.__name__ = old.__qualname__ = new[:-1]
    old.__doc__ = f"`{new}` under its name before PyTorch 0.4, which is deprecated and says so."
    return old


constant = _old_name(constant_)


dirac = _old_name(dirac_)


eye = _old_name(eye_)


kaiming_normal = _old_name(kaiming_normal_)


kaiming_uniform = _old_name(kaiming_uniform_)


normal = _old_name(normal_)


orthogonal = _old_name(orthogonal_)


sparse = _old_name(sparse_)


uniform = _old_name(uniform_)


xavier_normal = _old_name(xavier_normal_)


xavier_uniform = _old_name(xavier_uniform_)
