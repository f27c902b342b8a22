"""embedding: the rows of a table that whole numbers name; and one_hot."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor, bool as bool_type, embedding as lookup, int64, no_grad, where
from norch_autograd.graph.operands import in_own_name


@in_own_name
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Return the rows of `weight` (V, D) that `input` (...) names: (..., D).

    Row `padding_idx` gets no gradient. With `max_norm` longer rows are shortened first, in place.
    `scale_grad_by_freq` divides a row's gradient by how often it is named. Gradients are dense.

    >>> embedding(norch.tensor([[1, 0]]), norch.tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[[3.0, 4.0], [1.0, 2.0]]]
    """
    refuse_sparse(sparse, "embedding")
    if weight.ndim != 2:
        raise RuntimeError(f"[embedding] weight must be (V, D), got {tuple(weight.shape)}")
    padding = padding_row(padding_idx, weight.size(0), "embedding")
    if max_norm is not None:
        shorten_rows(weight, input.reshape(-1), max_norm, norm_type)
    return lookup(weight, input, padding, scale_grad_by_freq)


def refuse_sparse(sparse: bool, op: str) -> None:
    """Raise NotImplementedError for sparse gradients."""
    if sparse:
        raise NotImplementedError(f"[{op}] gradients are dense: use sparse=False")


def padding_row(padding_idx: int | None, rows: int, op: str) -> int:
    """Return the padding row counted from the start, -1 for none."""
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        kind = AssertionError if op == "embedding" else RuntimeError  # PyTorch's
        raise kind(f"[{op}] padding_idx {padding_idx} is out of range for {rows} rows")
    return padding_idx % rows


def shorten_rows(weight: Tensor, names: Tensor, max_norm: float, norm_type: float) -> None:
    """Make no row that is named longer than `max_norm`, in place; a wrong name is refused before
    any row is touched.
    """
    if names.is_floating_point() or names.dtype == bool_type:
        raise RuntimeError(f"[embedding] rows are named by int64 or int32, not by {names.dtype}")
    if names.numel() and not 0 <= names.amin().item() <= names.amax().item() < weight.shape[0]:
        raise IndexError(f"[embedding] an index is out of range for {weight.shape[0]} rows")
    with no_grad():
        lengths = weight.norm(norm_type, 1)
        named = weight.new_zeros((weight.shape[0],)).index_fill(0, names.long(), 1) > 0
        # The 1e-7 is PyTorch's.
        shorter = where((lengths > max_norm) & named, max_norm / (lengths + 1e-7), 1.0)
        weight.mul_(shorter.unsqueeze(1))


@in_own_name
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Return int64 rows of zeros with a 1 at each class; as many classes as needed, unless told.

    >>> one_hot(norch.tensor([0, 2])).tolist()
    [[1, 0, 0], [0, 0, 1]]
    """
    if tensor.dtype != int64:
        raise RuntimeError(f"[one_hot] classes of dtype int64 are expected, not {tensor.dtype}")
    if tensor.numel() == 0 and num_classes <= 0:
        raise RuntimeError("[one_hot] no classes were given: say num_classes")
    return autograd.one_hot(tensor, num_classes)
