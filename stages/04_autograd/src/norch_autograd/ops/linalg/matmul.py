"""Products of matrices and vectors: matmul, its special ranks (mm, mv, bmm, dot, outer), linear.

In reverse a product is two products: dX = dZ Y^T and dY = X^T dZ. Products with something added,
and other compositions of `matmul`, are in more/linalg.
"""

from __future__ import annotations

import math
from typing import Any

from norch_autograd.graph.broadcast import sum_to_shape
from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import transpose_array
from norch_autograd.ops.dtype.autocast import in_lower_precision, restore_autocast
from norch_autograd.ops.dtype.promotion import from_numpy
from norch_autograd.ops.elementwise.arithmetic import factors_to_save
from norch_autograd.ops.shape.view import as_rows, matrix_transpose, reshape, t, unsqueeze


class Matmul(Node):
    """dX = dZ Y^T, dY = X^T dZ, summed over batch dimensions that were broadcast."""

    def backward(self, grad: Tensor) -> Gradients:
        x_shape, y_shape = self.context
        if len(x_shape) == 1:  # a vector on the left is a matrix of one row
            grad = unsqueeze(grad, -2 if len(y_shape) > 1 else -1)
        if len(y_shape) == 1:  # a vector on the right is a matrix of one column
            grad = unsqueeze(grad, -1)
        dx = _left_gradient(grad, self.saved(1), x_shape) if self.needs(0) else None
        dy = _right_gradient(self.saved(0), grad, y_shape) if self.needs(1) else None
        return dx, dy

    def kernel(self, grad: Any) -> Any:
        x_shape, y_shape = self.context
        if not len(x_shape) == len(y_shape) == 2:
            return super().kernel(grad)
        dx = grad @ transpose_array(self.saved_array(1)) if self.needs(0) else None
        dy = transpose_array(self.saved_array(0)) @ grad if self.needs(1) else None
        return dx, dy

    def name(self) -> str:
        x_shape, y_shape = self.context
        ranks = len(x_shape), len(y_shape)
        return {(2, 2): "Mm", (2, 1): "Mv", (1, 1): "Dot"}.get(ranks, "Matmul") + "Backward0"


def _left_gradient(grad: Tensor, y: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The gradient of a product's left factor: dZ Y^T in the shape of X."""
    y = unsqueeze(y, -1) if y.array.ndim == 1 else y
    if y.array.ndim == 2 and len(shape) > 2:  # one matrix for the whole batch: one product
        return reshape(matmul(as_rows(grad), matrix_transpose(y)), shape)
    dx = matmul(grad, matrix_transpose(y))
    return reshape(sum_to_shape(dx, (1, *shape) if len(shape) == 1 else shape), shape)


def _right_gradient(x: Tensor, grad: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The gradient of a product's right factor: X^T dZ in the shape of Y."""
    x = unsqueeze(x, 0) if x.array.ndim == 1 else x
    if len(shape) <= 2 and x.array.ndim > 2:  # sum over the batch inside one product
        x, grad = as_rows(x), as_rows(grad)
    dy = matmul(matrix_transpose(x), grad)
    return reshape(sum_to_shape(dy, (*shape, 1) if len(shape) == 1 else shape), shape)


@in_lower_precision
def matmul(input: Tensor, other: Tensor) -> Tensor:
    """The matrix product of any ranks: vectors as rows or columns, leading dimensions as batches.

    >>> norch.tensor([[1., 2.], [3., 4.]]) @ norch.tensor([1., 1.])
    tensor([3., 7.])
    """
    x = array_of(input)
    if not isinstance(other, Tensor) and hasattr(other, "__array__"):
        other = from_numpy(other, x)
    out = x @ array_of(other)
    if not (input._requires_grad or other._requires_grad):
        return plain(out)
    shapes = (x.shape, other.array.shape)
    return record(Matmul, out, (input, other), factors_to_save(input, other), shapes)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, nothing broadcast.

    >>> norch.mm(norch.ones(2, 3), norch.ones(3, 2))
    tensor([[3., 3.],
            [3., 3.]])
    """
    return matmul(of_rank("mm", input, 2), of_rank("mm", mat2, 2))


def _without_autocast(input: Tensor, other: Tensor) -> Tensor:
    """`mv` and `dot` as `matmul` in the dtypes given: as in PyTorch, autocast is not for them."""
    with restore_autocast(None):
        return matmul(input, other)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """`matmul` of a matrix and a vector.

    >>> norch.mv(norch.ones(2, 3), norch.ones(3))
    tensor([3., 3.])
    """
    return _without_autocast(of_rank("mv", input, 2), of_rank("mv", vec, 1))


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """A batch of matrices times a batch of matrices, one by one.

    >>> norch.bmm(norch.ones(5, 2, 3), norch.ones(5, 3, 4)).shape
    norch.Size([5, 2, 4])
    """
    a, b = of_rank("bmm", input, 3), of_rank("bmm", mat2, 3)
    if a.array.shape[0] != b.array.shape[0]:
        raise RuntimeError(
            f"[bmm] batches of {a.array.shape[0]} and {b.array.shape[0]} matrices: "
            "expected as many on both sides"
        )
    return matmul(a, b)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The inner product of two vectors.

    >>> norch.dot(norch.tensor([1., 2.]), norch.tensor([3., 4.]))
    tensor(11.)
    """
    return _without_autocast(of_rank("dot", input, 1), of_rank("dot", tensor, 1))


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The matrix product of two vectors, a column and a row: each element of one times each of the
    other.

    >>> norch.outer(norch.tensor([1., 2.]), norch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    return unsqueeze(of_rank("outer", input, 1), 1) * of_rank("outer", vec2, 1)


def of_rank(op: str, tensor: Tensor, rank: int) -> Tensor:
    """`tensor`, if it has as many dimensions as `op` asks for."""
    if array_of(tensor, op).ndim != rank:
        raise RuntimeError(
            f"[{op}] expected a tensor of {rank} dimensions, got shape {tensor.array.shape}; "
            "matmul takes any"
        )
    return tensor


class Linear(Node):
    """Z = X W^T + b: three gradients, each shaped like its tensor."""

    on_arrays = True

    def backward(self, grad: Tensor) -> Gradients:
        x_shape, out_features = self.context
        # ex 4.2 begin
        dx = grad @ self.saved(1) if self.needs(0) else None
        if len(x_shape) != 2:
            grad = grad.reshape(math.prod(x_shape[:-1]), out_features)
        dw = db = None
        if self.needs(1):
            x = self.saved(0)
            dw = grad.mT @ (x if len(x_shape) == 2 else x.reshape(grad.shape[0], x_shape[-1]))
        if self.needs(2):
            db = grad.sum(0)
        return dx, dw, db
        # ex 4.2 end


def _linear_reference(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`linear` as its formula is written."""
    product = matmul(input, t(weight))
    return product if bias is None else product + bias


def _fits_into(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether a bias of `shape` is broadcast to a product of shape `whole`."""
    pairs = zip(reversed(shape), reversed(whole), strict=False)
    return len(shape) <= len(whole) and all(size in (1, other) for size, other in pairs)


@in_lower_precision
@fused(_linear_reference)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias` in one pass: (..., in), (out, in), (out) -> (..., out). A bias of
    another shape, as of one element, is broadcast.

    >>> weight, bias = norch.tensor([[1., 1.], [0., 1.]]), norch.tensor([0., 5.])
    >>> norch.linear(norch.tensor([1., 2.]), weight, bias)
    tensor([3., 7.])
    """
    x, w = array_of(input), array_of(weight)
    if w.ndim == 1:  # one output feature, whose dimension is left out
        if bias is not None:
            raise RuntimeError("[linear] a weight of one dimension goes without bias")
        return _linear_reference(input, weight, bias)
    b = None if bias is None else array_of(bias)
    whole = (*x.shape[:-1], *w.shape[:1])
    if b is not None and b.shape != w.shape[:1] and _fits_into(b.shape, whole):
        return _linear_reference(input, weight, bias)
    out = x.ops.linear(x, w, b)
    saved = factors_to_save(input, weight)
    return record(Linear, out, (input, weight, bias), saved, (x.shape, w.shape[0]))


def rmatmul(input: Tensor, other: Any) -> Tensor:
    """The matrix product with the tensor on the right, `other @ input`.

    >>> norch.ones(2).__rmatmul__(norch.ones(2))
    tensor(2.)
    """
    if not isinstance(other, Tensor):
        return NotImplemented  # type: ignore[no-any-return]
    return matmul(other, input)
