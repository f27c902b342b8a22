"""Systems of equations by elimination: solutions, inverses, determinants.

The blame of a solution needs no record of how it was found, only one more solution.
"""

from __future__ import annotations

import math

from norch_autograd.graph.grad_mode import no_grad
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import record, unary
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.ops.elementwise.where import where
from norch_autograd.ops.shape.join import cat, stack
from norch_autograd.types import return_types


class LinAlgError(RuntimeError):
    """The matrix does not allow what was asked: it is singular, or not positive-definite."""


def square(op: str, tensor: Tensor) -> int:
    """The size of square matrices of floating-point numbers; refuses others."""
    x = array_of(tensor, op)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise RuntimeError(f"[{op}] expected square matrices, got shape {x.shape}")
    if not x.dtype.is_floating_point:
        raise RuntimeError(f"[{op}] expected floating-point numbers, got {x.dtype}: cast first")
    return int(x.shape[-1])


def identity(like: Tensor, n: int) -> Tensor:
    """The identity in the dtype and on the device of another tensor."""
    return like.new_ones((n,)).diag()


def _eliminated(matrix: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    """Gauss and Jordan: the solution of `matrix @ x = right`, and the pivots (..., n), of which the
    determinant is the product. Rows are exchanged so that every pivot is the largest of its column.
    """
    n = matrix.size(-1)
    table = cat([matrix, right], -1)
    rows = table.new_zeros((n,)).long() + table.new_ones((n,)).long().cumsum(0) - 1  # 0, 1, ...
    pivots = []
    for k in range(n):
        sizes = table[..., k].abs().masked_fill(rows < k, -1.0)
        best = sizes.argmax(-1, True)  # (..., 1)
        order = where(rows == k, best, where(rows == best, k, rows))  # k and the best exchanged
        table = table.take_along_dim(order.unsqueeze(-1), -2)
        pivot = table[..., k, k]
        pivots.append(where(best.squeeze(-1) == k, pivot, -pivot))
        row = table[..., k : k + 1, :] / pivot.unsqueeze(-1).unsqueeze(-1)
        others = table[..., :, k : k + 1] * (rows != k).unsqueeze(-1)
        table = where((rows == k).unsqueeze(-1), row, table - others * row)
    found = stack(pivots, -1) if pivots else matrix.new_ones((*matrix.shape[:-2], 0))
    return table[..., n:], found


class Solve(Node):
    """dB = solve(A^T, dX), dA = -dB X^T."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        a, x = self.saved(0), self.saved(1)
        right = _solved("solve", a.mT, grad)
        return (-(right @ x.mT) if self.needs(0) else None), right if self.needs(1) else None


def _solved(op: str, matrix: Tensor, right: Tensor) -> Tensor:
    """The solution of one system of equations for each column of `right`, recorded as `Solve`."""
    with no_grad():
        x, pivots = _eliminated(matrix, right)
        if bool((pivots == 0).any()):
            raise LinAlgError(
                f"[{op}] a matrix among {matrix.array.shape} is singular, expected independent "
                "rows: look for one that repeats, or add a small multiple of the identity"
            )
    return record(Solve, x.array, (matrix, right), (matrix, x.array))


def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor:
    """X with `A @ X = B` (with `left=False`, `X @ A = B`); B may be a vector.

    >>> import norch_autograd as norch
    >>> norch.linalg.solve(norch.tensor([[2., 0.], [0., 4.]]), norch.tensor([2., 2.]))
    tensor([1.0000, 0.5000])
    """
    square("solve", A)
    if not left:
        turned: Tensor = solve(A.mT, B.mT).mT
        return turned
    if A.dtype is not array_of(B).dtype:
        raise RuntimeError(f"[solve] A is {A.dtype} but B {B.dtype}: cast one of them first")
    is_vector = B.ndim == 1 or (A.ndim - 1 == B.ndim and tuple(B.shape) == tuple(A.shape[:-1]))
    right = B.unsqueeze(-1) if is_vector else B
    if right.size(-2) != A.size(-1):
        raise RuntimeError(f"[solve] A {tuple(A.shape)} and B {tuple(B.shape)} do not match")
    batch = (A[..., :1, :1] * 0 + right[..., :1, :1] * 0).shape[:-2]
    A, right = (t.expand((*batch, *t.shape[-2:])) for t in (A, right))
    x = _solved("solve", A, right)
    return x.squeeze(-1) if is_vector else x


def inv(A: Tensor) -> Tensor:
    """The inverse. LinAlgError (a RuntimeError) for a singular matrix.

    >>> import norch_autograd as norch
    >>> norch.linalg.inv(norch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    square("inv", A)
    return _inverse("inv", A)


def _inverse(op: str, A: Tensor) -> Tensor:
    """`inv`; a singular matrix is refused in the name of `op`."""
    return _solved(op, A, identity(A, A.size(-1)).expand(A.shape))


class Det(Node):
    """d det(A) = det(A) A^-T dA."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        a, value = self.saved(0), self.saved(1)
        return ((grad * value).unsqueeze(-1).unsqueeze(-1) * _inverse("det", a).mT,)

    def name(self) -> str:
        return "LinalgDetBackward0"


def det(A: Tensor) -> Tensor:
    """The determinant. Its backward divides: LinAlgError at a singular matrix.

    >>> import norch_autograd as norch
    >>> norch.linalg.det(norch.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.0000)
    """
    square("det", A)
    with no_grad():
        pivots = _eliminated(A, A[..., :0])[1]
        value = pivots.prod(-1).masked_fill((pivots == 0).any(-1), 0)
    return unary(Det, value.array, A, (A, value.array))


class SignOfDet(Node):
    """A step: flat almost everywhere."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad.new_zeros(self.context),)


class LogAbsDet(Node):
    """d log|det(A)| = A^-T dA."""

    __slots__ = ()

    def backward(self, grad: Tensor) -> Gradients:
        return (grad.unsqueeze(-1).unsqueeze(-1) * _inverse("slogdet", self.saved(0)).mT,)


def slogdet(A: Tensor) -> return_types.slogdet:
    """The sign of the determinant and the logarithm of its size, which does not overflow.

    >>> import norch_autograd as norch
    >>> norch.linalg.slogdet(norch.tensor([[-2., 0.], [0., 0.5]]))
    norch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(0.))
    """
    square("slogdet", A)
    with no_grad():
        pivots = _eliminated(A, A[..., :0])[1]
        singular = (pivots == 0).any(-1)  # what comes after a pivot of 0 is NaN
        sign = pivots.sign().prod(-1).masked_fill(singular, 0)
        logarithm = pivots.abs().log().sum(-1).masked_fill(singular, -math.inf)
    sign = unary(SignOfDet, sign.array, A, (), A.array.shape)
    return return_types.slogdet(sign, unary(LogAbsDet, logarithm.array, A, (A,)))


def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant; NaN where that is negative.

    >>> import norch_autograd as norch
    >>> norch.logdet(norch.eye(3))
    tensor(0.)
    """
    sign, logarithm = slogdet(input)
    return where(sign < 0, math.nan, logarithm)
