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
