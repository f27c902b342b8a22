"""embedding: rows of a table, and who takes the blame for them."""

from __future__ import annotations

from typing import Any

from norch_autograd import Function, Tensor, no_grad, where

__all__ = ["embedding"]


class ShareBlame(Function):
    """The input itself; its blame is multiplied by `share`."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, share: Tensor) -> Tensor:
        """Pass the input on."""
        ctx.save_for_backward(share)
        return input

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        """Send back a share of the blame."""
        (share,) = ctx.saved_tensors
        return grads[0] * share, None


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

    >>> from norch_autograd import tensor
    >>> embedding(tensor([[1, 0]]), tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[[3.0, 4.0], [1.0, 2.0]]]
    """
    if sparse:
        raise NotImplementedError("[embedding] gradients are dense: use sparse=False")
    names = input.reshape(-1)
    if max_norm is not None:
        shorten(weight, names, max_norm, norm_type)
    rows = weight.index_select(0, names)
    share = blame(names, weight, padding_idx, scale_grad_by_freq)
    if share is not None:
        rows = ShareBlame.apply(rows, share)
    return rows.reshape(*input.shape, weight.shape[1])


def blame(
    names: Tensor, weight: Tensor, padding_idx: int | None, scale_grad_by_freq: bool
) -> Tensor | None:
    """Return (N, 1): 1 / the times a row is named, 0 for the padding; None where all is 1."""
    share = None
    if scale_grad_by_freq:
        share = 1 / counts(names, weight).index_select(0, names)
    if padding_idx is not None:
        size = weight.shape[0]
        if not -size <= padding_idx < size:
            raise AssertionError(
                f"[embedding] padding_idx {padding_idx} is out of range for {size} rows"
            )
        alive = (names != padding_idx % size).to(weight.dtype)
        share = alive if share is None else share * alive
    return None if share is None else share.unsqueeze(1)


def counts(names: Tensor, weight: Tensor) -> Tensor:
    """Return (V,): how often each row is named."""
    none = weight.new_zeros((weight.shape[0],))
    return none.index_add(0, names, weight.new_ones((names.numel(),)))


def shorten(weight: Tensor, names: Tensor, max_norm: float, norm_type: float) -> None:
    """Make no row that is named longer than `max_norm`, in place."""
    with no_grad():
        lengths = weight.norm(norm_type, 1)
        too_long = (lengths > max_norm) & (counts(names, weight) > 0)
        # The 1e-7 is PyTorch's.
        weight.mul_(where(too_long, max_norm / (lengths + 1e-7), 1.0).unsqueeze(1))
