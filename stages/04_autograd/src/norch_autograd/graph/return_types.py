"""What operations with several results return: named tuples, printed as PyTorch prints them. Most
are pairs, `values` and `indices`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

from norch_autograd.graph.tensor_base import Tensor

Results = TypeVar("Results")


def with_repr(cls: type[Results]) -> type[Results]:
    """Let a named tuple of results print as PyTorch's does."""

    def __repr__(self: Any) -> str:
        lines = ",\n".join(f"{key}={value!r}" for key, value in self._asdict().items())
        return f"norch.return_types.{type(self).__name__}(\n{lines})"

    cls.__repr__ = __repr__  # type: ignore[method-assign]
    return cls


@with_repr
class ValuesIndices(NamedTuple):
    """Elements chosen along a dimension, and where they stood."""

    values: Tensor
    indices: Tensor


class max(ValuesIndices):
    """What `max(dim)` returns."""


class min(ValuesIndices):
    """What `min(dim)` returns."""


class sort(ValuesIndices):
    """What `sort` returns."""


class topk(ValuesIndices):
    """What `topk` returns."""


class kthvalue(ValuesIndices):
    """What `kthvalue` returns."""


class median(ValuesIndices):
    """What `median(dim)` returns."""


class nanmedian(ValuesIndices):
    """What `nanmedian(dim)` returns."""


class cummax(ValuesIndices):
    """What `cummax` returns."""


class cummin(ValuesIndices):
    """What `cummin` returns."""


class mode(ValuesIndices):
    """What `mode` returns."""


@with_repr
class aminmax(NamedTuple):
    """What `aminmax` returns."""

    min: Tensor
    max: Tensor


@with_repr
class linalg_slogdet(NamedTuple):
    """What `linalg.slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor


@with_repr
class linalg_qr(NamedTuple):
    """What `linalg.qr` returns."""

    Q: Tensor
    R: Tensor


@with_repr
class linalg_svd(NamedTuple):
    """What `linalg.svd` returns."""

    U: Tensor
    S: Tensor
    Vh: Tensor


@with_repr
class linalg_eigh(NamedTuple):
    """What `linalg.eigh` returns."""

    eigenvalues: Tensor
    eigenvectors: Tensor


@with_repr
class linalg_lu(NamedTuple):
    """What `linalg.lu` returns."""

    P: Tensor
    L: Tensor
    U: Tensor


@with_repr
class linalg_lu_factor(NamedTuple):
    """What `linalg.lu_factor` returns."""

    LU: Tensor
    pivots: Tensor


@with_repr
class linalg_lstsq(NamedTuple):
    """What `linalg.lstsq` returns."""

    solution: Tensor
    residuals: Tensor
    rank: Tensor
    singular_values: Tensor


@with_repr
class svd(NamedTuple):
    """What `svd` returns."""

    U: Tensor
    S: Tensor
    V: Tensor


@with_repr
class triangular_solve(NamedTuple):
    """What `triangular_solve` returns."""

    solution: Tensor
    cloned_coefficient: Tensor


class slogdet(linalg_slogdet):
    """What `slogdet` returns."""


class qr(linalg_qr):
    """What `qr` returns."""


class lu_unpack(linalg_lu):
    """What `lu_unpack` returns."""
