"""Attention: for every query a mixture of the values, weighted by its match with all keys.

The fused routine never makes the matrix of scores; the reference does. Dropout, and a mask that
requires grad, take the reference.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from norch_autograd.graph.broadcast import unbroadcast
from norch_autograd.graph.composite import fused
from norch_autograd.graph.node import Gradients, Node
from norch_autograd.graph.operands import in_own_name
from norch_autograd.graph.record import record, should_record
from norch_autograd.graph.tensor_base import Tensor, array_of, plain
from norch_autograd.ops.arrays import arange_like, constant
from norch_autograd.ops.dtype.autocast import in_lower_precision
from norch_autograd.ops.dtype.convert import to
from norch_autograd.ops.elementwise.where import masked_fill, where
from norch_autograd.ops.linalg.matmul import matmul
from norch_autograd.ops.nn.reference_gradients import reference_gradients
from norch_autograd.ops.nn.softmax import softmax
from norch_autograd.ops.reduction.sum import all
from norch_autograd.ops.shape.view import expand, matrix_transpose, reshape, unsqueeze
from norch_autograd.types.generator import or_default


class ScaledDotProductAttention(Node):
    """With P the probabilities and dP = dout v^T: dv = P^T dout, dS = scale P (dP - sum(P dP)),
    dq = dS k, dk = dS^T q.
    """

    def backward(self, grad: Tensor) -> Gradients:
        q, k, v, mask = (self.saved(i) for i in range(4))
        given = None if mask is None else plain(mask)
        reference = functools.partial(_attention_reference, mask=given, options=self.context)
        return reference_gradients(reference, (q, k, v), grad)

    def kernel(self, grad: Any) -> Any:
        q, k, v, mask, out, lse = (self.saved_array(i) for i in range(6))
        found = q.ops.scaled_dot_product_attention_backward(
            grad, q, k, v, out, lse, mask, *self.context
        )
        return [
            unbroadcast(part, input.shape) if self.needs(i) else None
            for i, (part, input) in enumerate(zip(found, (q, k, v), strict=True))
        ]


def _attention_reference(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    options: tuple[bool, float | None],
    dropout_p: float = 0.0,
) -> Tensor:
    """Attention as its formula is written."""
    is_causal, scale = options
    size = max(1, query.array.shape[-1])
    # ex 4.11 begin
    scores = matmul(query, matrix_transpose(key))
    scores = scores * (1 / math.sqrt(size) if scale is None else scale)
    if is_causal:
        queries, keys = (arange_like(query, (n,)) for n in scores.array.shape[-2:])
        scores = masked_fill(scores, keys > unsqueeze(queries, 1), -math.inf)
    # ex 4.11 end
    if mask is not None and mask.array.dtype.name == "bool":
        scores = masked_fill(scores, ~mask, -math.inf)
    elif mask is not None:
        scores = scores + to(mask, scores.array.dtype)
    if not is_causal and mask is None:
        weights = softmax(scores, -1)
    else:  # a row of nothing but -inf has no softmax: it is 0
        nothing = all(scores == -math.inf, -1, True)
        weights = masked_fill(softmax(masked_fill(scores, nothing, 0), -1), nothing, 0)
    if dropout_p:
        w = weights.array
        drawn = or_default(None).draw(w.numel)
        kept = plain(w.ops.bernoulli(w.shape, 1 - dropout_p, w.dtype, *drawn))
        weights = weights * (kept / (1 - dropout_p) if dropout_p < 1 else kept)
    return matmul(weights, value)


@fused(_attention_reference)
def _attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None,
    options: tuple[bool, float | None],
    dropout_p: float = 0.0,
) -> Tensor:
    """Fused attention, without a matrix of scores and without dropout."""
    x, added = query.array, None if mask is None else mask.array
    out, lse = x.ops.scaled_dot_product_attention(
        x, array_of(key), array_of(value), added, *options
    )
    inputs, saved = (query, key, value), (query, key, value, added, out, lse)
    return record(ScaledDotProductAttention, out, inputs, saved, options)


@in_own_name
@in_lower_precision
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
    """`softmax(query @ key.mT * scale + mask) @ value`: (..., L, E), (..., S, E), (..., S, Ev) ->
    (..., L, Ev).

    The mask is bool (True: may look) or is added to the scores; `is_causal` lets query i look at
    keys 0 to i, of those that a mask leaves. `scale` is 1 / sqrt(E) if not given. With `enable_gqa`
    a head of key and value (dimension -3) serves several heads of the query. A query that may look
    at nothing gets zeros.

    >>> q, v = norch.zeros(2, 4), norch.tensor([[1., 0.], [0., 1.]])
    >>> norch.ops.scaled_dot_product_attention(q, q, v, is_causal=True)
    tensor([[1.0000, 0.0000],
            [0.5000, 0.5000]])
    """
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(
            "[scaled_dot_product_attention] the dropout probability must lie between 0 and 1, "
            f"not {dropout_p}"
        )
    array_of(query), array_of(key)
    if attn_mask is not None:
        array_of(attn_mask)
        if is_causal:
            attn_mask, is_causal = _without_later_keys(query, key, attn_mask), False
    if enable_gqa:
        key, value = _repeat_heads(query, key), _repeat_heads(query, value)
    mask_requires_grad = attn_mask is not None and should_record((attn_mask,))
    attend = _attention_reference if dropout_p or mask_requires_grad else _attention
    return attend(query, key, value, attn_mask, (is_causal, scale), dropout_p)


def _without_later_keys(query: Tensor, key: Tensor, mask: Tensor) -> Tensor:
    """The attention mask, which forbids query i the keys after i too."""
    queries, keys = (arange_like(query, x.array.shape[-2:-1]) for x in (query, key))
    later = keys > unsqueeze(queries, 1)
    if mask.array.dtype.name == "bool":
        return mask & ~later
    return where(later, constant(mask, -math.inf, ()), mask)


def _repeat_heads(query: Tensor, kept: Tensor) -> Tensor:
    """Keys or values with each head repeated for the queries' heads that share it."""
    shape, heads = array_of(kept).shape, query.array.shape[-3:-2]
    if len(shape) < 3 or not heads or not shape[-3] or heads[0] % shape[-3]:
        raise RuntimeError(
            f"[scaled_dot_product_attention] query {query.array.shape} has heads in dimension -3, "
            f"of which key and value, here {shape}, must have a divisor"
        )
    if heads[0] == shape[-3]:
        return kept
    *batch, count, length, size = shape
    wide = expand(unsqueeze(kept, -3), *batch, count, heads[0] // count, length, size)
    return reshape(wide, *batch, heads[0], length, size)
