"""Products under `linalg`: matrix_power, multi_dot, and PyTorch's second spelling of cross, vecdot,
diagonal. Compositions of `matmul` and of what they spell anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.dtype.convert import clone
from norch_autograd.ops.indexing import getitem
from norch_autograd.ops.linalg import products
from norch_autograd.ops.linalg.matmul import matmul
from norch_autograd.ops.linalg.solve import identity, inv
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import expand


def matrix_power(A: Tensor, n: int) -> Tensor:
    """`A @ A @ ...`, n times; the inverse's for negative n, the identity for 0.

    >>> norch.linalg.matrix_power(norch.tensor([[1., 1.], [0., 1.]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    """
    x = array_of(A)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"[matrix_power] expected square matrices, got shape {x.shape}")
    if n == 0:
        return clone(expand(identity(A, x.shape[-1]), x.shape))
    base, n = (inv(A), -n) if n < 0 else (A, n)
    found = None
    while n:
        if n % 2:
            found = base if found is None else matmul(found, base)
        base, n = (matmul(base, base) if n > 1 else base), n // 2
    return found  # type: ignore[return-value]  # n was not 0


def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices; the first and the last may be vectors.

    >>> norch.linalg.multi_dot([norch.ones(2, 3), norch.ones(3, 4), norch.ones(4)])
    tensor([12., 12.])
    """
    if len(tensors) < 2:
        raise RuntimeError(f"[multi_dot] expected at least 2 tensors, got {len(tensors)}")
    product = tensors[0]
    for tensor in tensors[1:]:
        product = matmul(product, tensor)
    return product


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
