"""The functions of `linalg` that PyTorch's main namespace has too, with `input` for `A`."""

from __future__ import annotations

from norch_autograd.graph import return_types
from norch_autograd.graph.tensor_base import Tensor
from norch_autograd.ops.linalg import matrix_power as powers, solve


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
    return powers.matrix_power(input, n)
