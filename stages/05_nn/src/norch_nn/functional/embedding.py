"""embedding, embedding_bag: rows of a table, one by one or added up in bags; and one_hot."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import (
    Tensor,
    arange,
    bool as bool_type,
    embedding as lookup,
    int64,
    no_grad,
    searchsorted,
    where,
)
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
    padding = padding_row(padding_idx, weight.shape[0], "embedding")
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
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Return one row a bag: the sum, mean or max of the rows of `weight` (V, D) in it: (B, D).

    `input` (B, N) is B bags of N names; `input` (N,) is cut into bags that begin at `offsets`
    (B,), whose last entry is the end of the last bag if `include_last_offset`. `per_sample_weights`
    (like `input`, for mode "sum") multiply the rows; names equal to `padding_idx` do not count; an
    empty bag gives zeros.

    >>> table = norch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> embedding_bag(norch.tensor([0, 1, 2]), table, norch.tensor([0, 2]), mode="sum").tolist()
    [[4.0, 6.0], [5.0, 6.0]]
    """
    refuse_sparse(sparse, "embedding_bag")
    _check_bags(input, weight, offsets, mode, per_sample_weights)
    padding = padding_row(padding_idx, weight.shape[0], "embedding_bag")
    names, bags, count = _number_bags(input, offsets, include_last_offset)
    if max_norm is not None:
        shorten_rows(weight, names, max_norm, norm_type)
    factors = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    if padding >= 0:
        kept = (names != padding).nonzero().reshape(-1)
        names, bags = names[kept], bags[kept]
        factors = None if factors is None else factors[kept]
    rows = lookup(weight, names, -1, scale_grad_by_freq)
    if factors is not None:
        rows = rows * factors.unsqueeze(1)
    return _reduce_bags(rows, bags, count, mode)


def _check_bags(
    input: Tensor, weight: Tensor, offsets: Tensor | None, mode: str, factors: Tensor | None
) -> None:
    """Raise ValueError for arguments that do not go together, as PyTorch does."""
    if mode not in ("sum", "mean", "max"):
        raise ValueError(f"[embedding_bag] mode is {mode!r}: expected 'sum', 'mean' or 'max'")
    if weight.ndim != 2:
        raise ValueError(f"[embedding_bag] weight has {weight.ndim} dimensions: expected 2")
    if input.ndim not in (1, 2):
        raise ValueError(f"[embedding_bag] input has {input.ndim} dimensions: expected 1 or 2")
    if (offsets is None) == (input.ndim == 1):
        given = "no offsets" if offsets is None else "offsets"
        raise ValueError(
            f"[embedding_bag] input of {input.ndim} dimensions with {given}: offsets belong to "
            "an input of one dimension"
        )
    if offsets is not None and offsets.ndim != 1:
        raise ValueError(f"[embedding_bag] offsets {tuple(offsets.shape)}: expected one dimension")
    if factors is not None and mode != "sum":
        raise NotImplementedError(
            f"[embedding_bag] per_sample_weights are for mode 'sum', not {mode!r}"
        )
    if factors is not None and factors.shape != input.shape:
        raise ValueError(
            f"[embedding_bag] per_sample_weights {tuple(factors.shape)} must have the shape of "
            f"input {tuple(input.shape)}"
        )


def _number_bags(
    input: Tensor, offsets: Tensor | None, include_last_offset: bool
) -> tuple[Tensor, Tensor, int]:
    """Return the names as one line, the bag of each of them, and the number of bags."""
    names, device = input.reshape(-1), input.device
    if offsets is None:
        count, size = input.shape
        return names, arange(count * size, device=device) // max(size, 1), count
    starts = offsets.long()
    steps = starts[1:] - starts[:-1]
    if starts.numel() and (
        int(starts[0]) != 0 or int(starts.max()) > names.numel() or bool((steps < 0).any())
    ):
        raise RuntimeError(
            f"[embedding_bag] offsets {starts.tolist()} must begin with 0, never go back and lie "
            f"within {names.numel()} names"
        )
    if include_last_offset:
        starts = starts[:-1]
    bags = searchsorted(starts, arange(names.numel(), device=device), right=True) - 1
    return names, bags, starts.numel()


def _reduce_bags(rows: Tensor, bags: Tensor, count: int, mode: str) -> Tensor:
    """Return the sum, mean or max of the rows of each bag; zeros for an empty one."""
    none = rows.new_zeros((count, rows.shape[1]))
    if mode == "max":
        places = bags.unsqueeze(1).expand(rows.shape)
        return none.scatter_reduce(0, places, rows, "amax", include_self=False)
    total = none.index_add(0, bags, rows)
    if mode == "sum":
        return total
    sizes = rows.new_zeros((count,)).index_add(0, bags, rows.new_ones((bags.numel(),)))
    return total / sizes.clamp(min=1).unsqueeze(1)


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
    if tensor.numel() and tensor.amin().item() < 0:
        raise RuntimeError(f"[one_hot] class {tensor.amin().item()} is negative")
    return autograd.one_hot(tensor, num_classes)
