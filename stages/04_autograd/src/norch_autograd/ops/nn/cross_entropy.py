"""Cross-entropy: softmax, logarithm and the target's element in one fused pass.

`row_cross_entropy` gives each row's loss, `reduced_cross_entropy` their sum or mean in one node;
`cross_entropy` is PyTorch's function, with weights, smoothing and probabilities as targets.
"""

from __future__ import annotations

import operator
from typing import Any

from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record
from norch_autograd.graph.tensor_base import Tensor, plain
from norch_autograd.ops.arrays import constant
from norch_autograd.ops.dtype.autocast import in_single_precision
from norch_autograd.ops.dtype.convert import float_, long, to
from norch_autograd.ops.elementwise.where import masked_fill
from norch_autograd.ops.indexing.gather import gather, index_select, scatter_add
from norch_autograd.ops.nn.softmax import log_softmax, softmax
from norch_autograd.ops.reduction.sum import sum
from norch_autograd.ops.shape.view import expand, movedim, reshape, squeeze, unsqueeze
from norch_cpu_ops import bfloat16, float16, uint8


class RowCrossEntropy(Node):
    """dx = (softmax(x) - one-hot(target)) dloss, row by row; of ignored rows it is 0."""

    public_name = "NllLossBackward0"

    def backward(self, grad: Tensor) -> Gradients:
        logits, target = self.saved(0), self.saved(2)
        ignored = target == self.context
        rows = unsqueeze(masked_fill(target, ignored, 0), 1)
        ones = constant(grad, 1, rows.array.shape)
        one_hot = scatter_add(constant(logits, 0), 1, rows, ones)
        weight = unsqueeze(masked_fill(expand(grad, ignored.array.shape), ignored, 0), 1)
        return weight * (softmax(logits, 1) - one_hot), None

    def kernel(self, grad: Any) -> Any:
        logits, logsumexps = self.saved_array(0), self.saved_array(1)
        target = self.saved_array(2)
        backward = logits.ops.cross_entropy_backward
        return backward(grad, logits, logsumexps, target, self.context), None


def _row_cross_entropy_reference(input: Tensor, target: Tensor, ignore_index: int = -100) -> Tensor:
    """Each row's cross-entropy: the logarithm of the target's probability, looked up."""
    ignored = target == ignore_index
    rows = unsqueeze(masked_fill(target, ignored, 0), 1)
    losses: Tensor = -squeeze(gather(log_softmax(input, 1), 1, rows), 1)
    return masked_fill(losses, ignored, 0)


@fused(_row_cross_entropy_reference)
def row_cross_entropy(input: Tensor, target: Tensor, ignore_index: int = -100) -> Tensor:
    """`-log softmax(input)[target]` for each row: (N, C), (N) -> (N); 0 where it is ignored.

    >>> norch.ops.row_cross_entropy(norch.tensor([[0., 200.]]), norch.tensor([1]))
    tensor([0.])
    """
    x, t = input.array, target.array
    losses, logsumexps = x.ops.cross_entropy(x, t, ignore_index)
    saved = (input, logsumexps, target)
    return record(RowCrossEntropy, losses, (input, target), saved, ignore_index)


class CrossEntropy(RowCrossEntropy):
    """The mean (or sum) of the rows' losses in the same node: each row gets its share."""

    def backward(self, grad: Tensor) -> Gradients:
        count = self.saved(3)
        return super().backward(grad if count is None else grad / plain(count))

    def kernel(self, grad: Any) -> Any:
        count = self.saved_array(3)
        return super().kernel(grad if count is None else grad / count)


def _reduced_cross_entropy_reference(
    input: Tensor, target: Tensor, ignore_index: int, reduction: str
) -> Tensor:
    """The cross-entropies of the rows, summed; for the mean divided by how many count."""
    total = sum(row_cross_entropy(input, target, ignore_index))
    return total / sum(target != ignore_index) if reduction == "mean" else total


@fused(_reduced_cross_entropy_reference)
def reduced_cross_entropy(
    input: Tensor, target: Tensor, ignore_index: int, reduction: str
) -> Tensor:
    """The sum of `row_cross_entropy`, or its mean over the rows that are not ignored.

    >>> logits, target = norch.zeros(2, 2), norch.tensor([1, -100])
    >>> norch.ops.reduced_cross_entropy(logits, target, -100, "mean")
    tensor(0.6931)
    """
    x, t = input.array, target.array
    ops = x.ops
    losses, logsumexps = ops.cross_entropy(x, t, ignore_index)
    loss, count = ops.sum(losses), None
    if reduction == "mean":
        count = ops.sum(ops.ne(t, ignore_index))
        if x.dtype.itemsize >= 4:  # once, for both divisions; a half may not hold it
            count = ops.cast(count, x.dtype)
        loss = ops.div(loss, count)
    saved = (input, logsumexps, target, count)
    return record(CrossEntropy, loss, (input, target), saved, ignore_index)


@in_own_name
@in_single_precision
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross-entropy of logits (N, C, ...) and class numbers (N, ...) or probabilities.

    >>> norch.cross_entropy(norch.tensor([[0., 0.]]), norch.tensor([1]))
    tensor(0.6931)
    """
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(
            f"[cross_entropy] reduction must be 'mean', 'sum' or 'none', got '{reduction}'"
        )
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"[cross_entropy] label_smoothing {label_smoothing} must lie in [0, 1]")
    if target.array.dtype is uint8:
        target = long(target)
    x, t = input.array, target.array
    options = (weight, ignore_index, reduction, label_smoothing)
    if x.dtype in (float16, bfloat16):  # computed in float32
        wide = None if weight is None else float_(weight)
        return to(cross_entropy(float_(input), target, wide, *options[1:]), x.dtype)
    if x.shape == t.shape and t.dtype.is_floating_point:
        if operator.index(ignore_index) >= 0:
            raise RuntimeError(
                f"[cross_entropy] ignore_index {ignore_index} names a class, and a target of "
                "probabilities has none to ignore: leave it out, or give class numbers"
            )
        return _with_probabilities(input, target, weight, reduction, label_smoothing)
    if x.ndim == 1:
        return reshape(cross_entropy(unsqueeze(input, 0), reshape(target, 1), *options), ())
    if x.shape[:1] + x.shape[2:] != t.shape:
        raise _shape_error(x.shape, t.shape)
    classes = x.shape[1] if x.ndim > 1 else 0
    if weight is not None:
        _check_weight(weight, classes)
    # The number of rows is named, for no rows of no classes say nothing about -1.
    rows = reshape(movedim(input, 1, -1), t.numel, classes) if x.ndim > 2 else input
    flat = reshape(target, -1) if t.ndim != 1 else target
    if reduction != "none" and weight is None and label_smoothing == 0.0:
        return reduced_cross_entropy(rows, flat, ignore_index, reduction)
    losses = row_cross_entropy(rows, flat, ignore_index)
    losses, kept = _weight_losses(rows, flat, losses, flat != ignore_index, weight, label_smoothing)
    if reduction == "none":
        return reshape(losses, t.shape)
    return sum(losses) / sum(kept) if reduction == "mean" else sum(losses)


def _shape_error(x: tuple[int, ...], target: tuple[int, ...]) -> Exception:
    """The error for a target that does not name one class for each row."""
    expected = "expected (N, C, ...) and (N, ...)"
    if x[:1] != target[:1]:
        return ValueError(
            f"[cross_entropy] logits {x} and target {target} have {x[:1]} and {target[:1]} rows: "
            f"{expected}"
        )
    return RuntimeError(f"[cross_entropy] logits {x} and target {target} do not match: {expected}")


def _check_weight(weight: Tensor, classes: int) -> None:
    """Refuse class weights that are not one a class."""
    if weight.array.shape != (classes,):
        raise RuntimeError(
            f"[cross_entropy] weight {weight.array.shape} does not fit {classes} classes: "
            "one weight a class is expected"
        )


def _weight_losses(
    rows: Tensor,
    target: Tensor,
    losses: Tensor,
    kept: Tensor,
    weight: Tensor | None,
    smoothing: float,
) -> tuple[Tensor, Tensor]:
    """The fused row losses with class weights and smoothing, and how much each counts in a mean."""
    classes = rows.array.shape[1]
    ignored, share, result = kept == 0, to(kept, losses.dtype), losses
    if weight is not None:  # an infinite one times 0 is no 0
        share = masked_fill(index_select(weight, 0, masked_fill(target, ignored, 0)), ignored, 0)
        result = losses * share
    if smoothing != 0.0:
        every = -log_softmax(rows, 1)
        if weight is not None:
            every = every * weight
        smooth = masked_fill(sum(every, 1), ignored, 0)
        result = result * (1 - smoothing) + smooth * (smoothing / max(classes, 1))
    return result, share


def _with_probabilities(
    input: Tensor, target: Tensor, weight: Tensor | None, reduction: str, smoothing: float
) -> Tensor:
    """Cross-entropy against a distribution for each row."""
    dim = 1 if input.array.ndim > 1 else 0
    classes = input.array.shape[dim]
    if smoothing != 0.0:
        target = target * (1 - smoothing) + smoothing / max(classes, 1)
    terms = log_softmax(input, dim) * target
    if weight is not None:
        _check_weight(weight, classes)
        shape = [classes if k == dim else 1 for k in range(input.array.ndim)]
        terms = terms * reshape(weight, shape)
    losses = -sum(terms, dim)
    if reduction == "none":
        return losses
    rows = input.array.numel // classes if classes else 0
    return sum(losses) / rows if reduction == "mean" else sum(losses)
