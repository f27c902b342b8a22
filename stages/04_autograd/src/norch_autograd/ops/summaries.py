"""Reductions made of others: the distance of two tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from norch_autograd.ops.norm import norm

if TYPE_CHECKING:
    from norch_autograd.tensors import Tensor


def dist(input: Tensor, other: Tensor, p: Any = 2) -> Tensor:
    """The p-norm of the difference.

    >>> import norch_autograd as norch
    >>> norch.dist(norch.tensor([3., 4.]), norch.zeros(2))
    tensor(5.)
    """
    return norm(input - other, p)
