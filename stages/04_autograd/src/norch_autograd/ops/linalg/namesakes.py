"""Functions that PyTorch has twice under one name, in `linalg` and in its main namespace, with
other arguments: the main namespace's `det`, `slogdet`, `inverse`, `matrix_power`; `cross`, `vecdot`
and `diagonal` of `linalg`. Each hands on to the one that computes.
"""

from __future__ import annotations

from norch_autograd.graph import return_types
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.indexing import getitem
from norch_autograd.ops.linalg import products, solve
from norch_autograd.ops.reduction.sum import sum


def det(input: Tensor) -> Tensor:
    """The determinant: `linalg.det`.

    >>> norch.det(norch.eye(2) * 3)
    tensor(9.)
    """
    return solve.det(input)


def slogdet(input: Tensor) -> return_types.slogdet:
    """Sign and logarithm of the determinant: `linalg.slogdet`.

    >>> norch.slogdet(norch.eye(2)).logabsdet
    tensor(0.)
    """
    return solve.slogdet(input)


def inverse(input: Tensor) -> Tensor:
    """The inverse: `linalg.inv`.

    >>> norch.inverse(norch.eye(2) * 2)
    tensor([[0.5000, 0.0000],
            [0.0000, 0.5000]])
    """
    return solve.inv(input)


def matrix_power(input: Tensor, n: int) -> Tensor:
    """`input @ input @ ...`, n times: `linalg.matrix_power`.

    >>> norch.matrix_power(norch.eye(2) * 2, 3)
    tensor([[8., 0.],
            [0., 8.]])
    """
    return products.matrix_power(input, n)


def cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    """The cross product of vectors of three numbers along `dim`.

    >>> norch.linalg.cross(norch.tensor([1., 0., 0.]), norch.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    return products.cross(input, other, dim)


def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor:
    """The inner products of vectors along `dim`.

    >>> norch.linalg.vecdot(norch.ones(2, 3), norch.ones(3))
    tensor([3., 3.])
    """
    array_of(x), array_of(y)
    return sum(x * y, dim)


def diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The diagonals of matrices: a view.

    >>> norch.linalg.diagonal(norch.ones(5, 2, 2)).shape
    norch.Size([5, 2])
    """
    return getitem.diagonal(A, offset, dim1, dim2)
