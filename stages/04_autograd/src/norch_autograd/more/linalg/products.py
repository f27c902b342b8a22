"""Products with something added (addmm and its ranks), outer products of more than vectors (kron),
cross and vdot: compositions of `matmul`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import index

import norch_strides as strides
from norch_autograd.graph.family import family
from norch_autograd.graph.operands import Number, in_own_name
from norch_autograd.graph.tensor_base import Tensor, array_of
from norch_autograd.more.linalg.solve import inv
from norch_autograd.more.shape.diagonal import identity
from norch_autograd.more.shape.roll_flip import roll
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.autocast import in_lower_precision
from norch_autograd.ops.dtype.convert import clone, to
from norch_autograd.ops.dtype.promotion import check_factor, common_dtype, whole_factor
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.linalg.matmul import bmm, matmul, mm, mv, of_rank
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import reshape, unsqueeze
from norch_cpu_ops import bfloat16, bool_, float16, float32


def _widen_half(tensor: Tensor) -> Tensor:
    """A half as float32, in which products are added up and scaled; any other as it is."""
    return to(tensor, float32) if tensor.array.dtype in (float16, bfloat16) else tensor


def _check_stretch(op: str, shape: tuple[int, ...], product: tuple[int, ...]) -> None:
    """Raise RuntimeError unless what is added to a product broadcasts to the product's shape."""
    if strides.broadcast_shapes(shape, product) != product:
        raise RuntimeError(f"[{op}] input {shape} does not stretch to the product's {product}")


def _add_scaled(
    op: str,
    input: Tensor,
    multiply: Callable[[Tensor, Tensor], Tensor],
    factors: tuple[Tensor, Tensor],
    beta: Number,
    alpha: Number,
) -> Tensor:
    """`beta * input + alpha * multiply(*factors)`; with beta 0 what the input holds does not count.

    Halves are added up and scaled in float32, and rounded once, at the end.
    """
    x, dtype, other = input.array.dtype, factors[0].array.dtype, factors[1].array.dtype
    is_half = other is dtype in (float16, bfloat16)  # where they differ the product refuses them
    product = multiply(*map(_widen_half, factors)) if is_half else multiply(*factors)
    if input.array.shape != product.array.shape:
        _check_stretch(op, input.array.shape, product.array.shape)
    if x is not dtype:
        raise RuntimeError(f"[{op}] input is {x} but the product {dtype}: cast one of them")
    if type(beta) is not int or type(alpha) is not int:
        beta, alpha = whole_factor(op, beta, dtype), whole_factor(op, alpha, dtype)
    if alpha != 1:
        product = product * alpha
    if beta != 0:
        added = _widen_half(input) if is_half else input
        product = product + (added if beta == 1 else added * beta)
    return to(product, dtype) if is_half else product


@in_own_name
@in_lower_precision
def addmm(
    input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """A product with something added: `beta * input + alpha * mat1 @ mat2`.

    >>> norch.addmm(norch.ones(2), norch.ones(2, 3), norch.ones(3, 2), alpha=2)
    tensor([[7., 7.],
            [7., 7.]])
    """
    return _add_scaled("addmm", input, mm, (mat1, mat2), beta, alpha)


@family("{}", in_lower_precision)
def _add_batch_product(
    name: str, input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """addbmm and baddbmm: batches of matrices multiplied, with something added."""
    multiply = bmm if name == "baddbmm" else lambda a, b: sum(bmm(a, b), 0)
    return _add_scaled(name, input, multiply, (batch1, batch2), beta, alpha)


addbmm = _add_batch_product("addbmm")("""
    `beta * input + alpha * (the sum of all batch1[i] @ batch2[i])`.

    >>> norch.addbmm(norch.zeros(1, 1), norch.ones(5, 1, 2), norch.ones(5, 2, 1))
    tensor([[10.]])
""")
baddbmm = _add_batch_product("baddbmm")("""
    `beta * input[i] + alpha * batch1[i] @ batch2[i]` for each i.

    >>> norch.baddbmm(norch.ones(1, 1, 1), norch.ones(2, 1, 2), norch.ones(2, 2, 1)).shape
    norch.Size([2, 1, 1])
""")


@in_own_name
def addmv(
    input: Tensor, mat: Tensor, vec: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """`beta * input + alpha * mat @ vec`.

    >>> norch.addmv(norch.ones(2), norch.ones(2, 3), norch.ones(3))
    tensor([4., 4.])
    """
    return _add_scaled("addmv", input, mv, (mat, vec), beta, alpha)


def addr(
    input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: Number = 1, alpha: Number = 1
) -> Tensor:
    """`beta * input + alpha * outer(vec1, vec2)`.

    >>> norch.addr(norch.zeros(2, 2), norch.tensor([1., 2.]), norch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    vec1, vec2, x = of_rank("addr", vec1, 1), of_rank("addr", vec2, 1), array_of(input)
    dtype = common_dtype(input, unsqueeze(vec1, 1), vec2)
    product = unsqueeze(_widen_half(vec1), 1) * _widen_half(vec2)
    _check_stretch("addr", x.shape, product.array.shape)
    beta = check_factor("addr", "beta", beta, dtype)
    alpha = check_factor("addr", "alpha", alpha, dtype)
    if dtype.name == "bool":
        alpha, beta = bool(alpha), bool(beta)
    total = (product if dtype in (float16, bfloat16) else to(product, dtype)) * alpha
    return to(total if beta == 0 else total + _widen_half(input) * beta, dtype)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    """The inner product of two vectors; for real numbers the same as `dot`.

    >>> norch.vdot(norch.tensor([1., 2.]), norch.tensor([3., 4.]))
    tensor(11.)
    """
    return matmul(of_rank("vdot", input, 1), of_rank("vdot", other, 1))


def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: every element of `input` times the whole of `other`, as blocks.

    >>> norch.kron(norch.tensor([1, 10]), norch.tensor([1, 2, 3]))
    tensor([ 1,  2,  3, 10, 20, 30])
    """
    x, y = array_of(input), array_of(other)
    dims = max(x.ndim, y.ndim)
    outer, inner = (1,) * (dims - x.ndim) + x.shape, (1,) * (dims - y.ndim) + y.shape
    a = reshape(input, [size for n in outer for size in (n, 1)])
    b = reshape(other, [size for n in inner for size in (1, n)])
    return reshape(a * b, [m * n for m, n in zip(outer, inner, strict=True)])


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    """The cross product of vectors of three numbers along `dim` (the first of size 3 if None).

    >>> norch.cross(norch.tensor([1., 0., 0.]), norch.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    shape, b_shape = array_of(input).shape, array_of(other).shape
    if input.array.dtype is not other.array.dtype or len(shape) != len(b_shape):
        raise RuntimeError(
            f"[cross] expected one dtype and as many dimensions, got {input.array.dtype} {shape} "
            f"and {other.array.dtype} {b_shape}"
        )
    if dim is None:
        dim = shape.index(3) if 3 in shape else 0
    dim = strides.normalize_dim(dim, len(shape), "cross")
    if not shape or shape[dim] != 3 or b_shape[dim] != 3:
        raise RuntimeError(
            f"[cross] expected 3 numbers along dim {dim}, got shapes {shape} and "
            f"{other.array.shape}"
        )
    a, b = roll(input, -1, dim), roll(other, -1, dim)
    return roll(input * b - a * other, -1, dim)


@in_own_name
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
        everywhere = constant(A, True, (), bool_)
        return masked_fill(A, everywhere, 0) + identity(A, x.shape[-1])  # of A too: dA is 0
    n = index(n)  # whatever counts as a whole number; nan and inf would never come to 0
    base, n = (inv(A), -n) if n < 0 else (A, n)
    found = None
    while n:
        if n % 2:
            found = base if found is None else matmul(found, base)
        base, n = (matmul(base, base) if n > 1 else base), n // 2
    return clone(A) if found is A else found  # type: ignore[return-value]  # n was not 0


@in_own_name
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of several matrices; the first and the last may be vectors.

    >>> norch.linalg.multi_dot([norch.ones(2, 3), norch.ones(3, 4), norch.ones(4)])
    tensor([12., 12.])
    """
    if len(tensors) < 2:
        raise RuntimeError(f"[multi_dot] expected at least 2 tensors, got {len(tensors)}")
    return reduce(matmul, tensors)
