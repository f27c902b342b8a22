"""embedding: rows of a table looked up, and one kernel that adds up the gradient of each row."""

from __future__ import annotations

import operator
from typing import Any

from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import unary
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import constant, reshape_array
from norch_autograd.ops.dtype.convert import detach, to
from norch_autograd.ops.indexing.gather import index_add, index_select
from norch_autograd.ops.shape.view import reshape, unsqueeze
from norch_cpu_ops import int32, int64


class Embedding(Node):
    """Each row of the table gets what arrived for every place that named it, but the padding."""

    def backward(self, grad: Tensor) -> Gradients:
        index, (rows, padding_idx, by_freq) = self.saved(0), self.context
        zeros = constant(grad, 0, (rows, grad.array.shape[1]))
        share = _row_shares(index, zeros, padding_idx, by_freq)
        # ex 4.10 begin
        arrived = grad if share is None else grad * share
        return (index_add(zeros, 0, index, arrived),)
        # ex 4.10 end

    def kernel(self, grad: Any) -> Any:
        return (grad.ops.embedding_backward(grad, self.saved_array(0), *self.context),)


def _row_shares(index: Tensor, table: Tensor, padding_idx: int, by_freq: bool) -> Tensor | None:
    """What each lookup gives its row's gradient: 1 / how often it is named, 0 for the padding."""
    share = None
    if by_freq:
        counts = constant(table, 0, (table.array.shape[0],))
        counts = index_add(counts, 0, index, constant(table, 1, (index.array.numel,)))
        share = 1 / index_select(counts, 0, index)
    if padding_idx >= 0:
        alive = to(index != padding_idx, table.dtype)
        share = alive if share is None else share * alive
    return None if share is None else unsqueeze(share, 1)


def _rows_reference(weight: Tensor, index: Tensor, padding_idx: int, by_freq: bool) -> Tensor:
    """An embedding table's rows, their share a factor of the gradient but not of the value."""
    rows = index_select(weight, 0, index)
    share = _row_shares(index, detach(weight), padding_idx, by_freq)
    return rows if share is None else (rows * share) + detach(rows - rows * share)


@fused(_rows_reference)
def _rows(weight: Tensor, index: Tensor, padding_idx: int, by_freq: bool) -> Tensor:
    """An embedding table's rows that `index` (n,) names, in one kernel."""
    table = weight.array
    picked = table.ops.index_select(table, 0, index.array)
    return unary(Embedding, picked, weight, (index,), (table.shape[0], padding_idx, by_freq))


@in_own_name
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of `weight` (V, D) that `indices` (...) name: (..., D). Row `padding_idx` gets no
    gradient; `scale_grad_by_freq` divides a row's by how often it is named.

    >>> norch.embedding(norch.tensor([[1., 2.], [3., 4.]]), norch.tensor([1, 1]))
    tensor([[3., 4.],
            [3., 4.]])
    """
    if sparse:
        raise NotImplementedError("[embedding] gradients are dense: use sparse=False")
    names, table = array_of(indices), array_of(weight)
    if names.dtype not in (int64, int32):
        raise RuntimeError(f"[embedding] indices are int64 or int32, not {names.dtype}")
    if table.ndim != 2:
        raise RuntimeError(f"[embedding] weight must be (V, D), got {table.shape}")
    index = plain(reshape_array(names, (names.numel,)))
    rows = _rows(weight, index, operator.index(padding_idx), scale_grad_by_freq)
    return reshape(rows, (*names.shape, table.shape[1]))
