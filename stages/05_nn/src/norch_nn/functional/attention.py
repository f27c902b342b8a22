"""Attention as a function: stage 4's operation under PyTorch's name and arguments."""

from __future__ import annotations

import norch_autograd as autograd
from norch_autograd import Tensor


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Compute softmax(scale q kᵀ + mask) v: q (..., L, E), k (..., S, E), v (..., S, Ev).

    A bool mask says where a query may look (True), any other is added. `dropout_p` acts whenever it
    is given: pass 0 in evaluation. A query that may look at nothing gets zeros.

    >>> query, value = norch.zeros(2, 4), norch.tensor([[1.0], [3.0]])
    >>> scaled_dot_product_attention(query, query, value, is_causal=True).tolist()
    [[1.0], [2.0]]
    """
    return autograd.ops.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa
    )
