"""What operations with two results return: named pairs, `values` and `indices`, printed as PyTorch
prints them.
"""

from __future__ import annotations

from typing import NamedTuple

from norch_autograd.graph.tensor_base import Tensor


class ValuesIndices(NamedTuple):
    """Elements chosen along a dimension, and where they stood."""

    values: Tensor
    indices: Tensor

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"norch.return_types.{name}(\nvalues={self.values!r},\nindices={self.indices!r})"


class max(ValuesIndices):
    """What `max(dim)` returns."""

    __slots__ = ()


class min(ValuesIndices):
    """What `min(dim)` returns."""

    __slots__ = ()


class sort(ValuesIndices):
    """What `sort` returns."""

    __slots__ = ()


class topk(ValuesIndices):
    """What `topk` returns."""

    __slots__ = ()


class kthvalue(ValuesIndices):
    """What `kthvalue` returns."""

    __slots__ = ()


class median(ValuesIndices):
    """What `median(dim)` returns."""

    __slots__ = ()


class nanmedian(ValuesIndices):
    """What `nanmedian(dim)` returns."""

    __slots__ = ()


class cummax(ValuesIndices):
    """What `cummax` returns."""

    __slots__ = ()


class cummin(ValuesIndices):
    """What `cummin` returns."""

    __slots__ = ()


class mode(ValuesIndices):
    """What `mode` returns."""

    __slots__ = ()


class aminmax(NamedTuple):
    """What `aminmax` returns."""

    min: Tensor
    max: Tensor

    def __repr__(self) -> str:
        return f"norch.return_types.aminmax(\nmin={self.min!r},\nmax={self.max!r})"


class slogdet(NamedTuple):
    """What `linalg.slogdet` returns."""

    sign: Tensor
    logabsdet: Tensor

    def __repr__(self) -> str:
        pair = f"sign={self.sign!r},\nlogabsdet={self.logabsdet!r}"
        return f"norch.return_types.linalg_slogdet(\n{pair})"


class qr(NamedTuple):
    """What `linalg.qr` returns."""

    Q: Tensor
    R: Tensor

    def __repr__(self) -> str:
        return f"norch.return_types.linalg_qr(\nQ={self.Q!r},\nR={self.R!r})"
