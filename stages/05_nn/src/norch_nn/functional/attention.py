"""multi_head_attention_forward: several attentions side by side, each in its own projection.

`nn.MultiheadAttention` keeps the weights and calls this. PyTorch's masks here say True where an
element may not be looked at; `scaled_dot_product_attention`, which computes, wants the opposite.
"""

from __future__ import annotations

import math
from typing import NoReturn

from norch_autograd import Tensor, bool as bool_type, cat, linear, matmul
from norch_autograd.graph.operands import in_own_name
from norch_autograd.ops import scaled_dot_product_attention
from norch_nn.functional.activation import softmax
from norch_nn.functional.dropout import dropout


@in_own_name
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Return W [head_1, ..., head_n] + b, the heads joined, and the attention's weights.

    query (L, N, E), key (S, N, kdim), value (S, N, vdim), or all without N. `in_proj_weight` is
    (3 E, E), or with `use_separate_proj_weight` there are three: (E, E), (E, kdim), (E, vdim).
    The weights are (N, L, S), averaged over the heads, else (N, num_heads, L, S), or None.

    >>> x, weight = norch.ones(3, 2, 4), norch.ones(12, 4)
    >>> given = (weight, None, None, None, False, 0.0, norch.eye(4), None)
    >>> output, weights = multi_head_attention_forward(x, x, x, 4, 2, *given)
    >>> tuple(output.shape), weights[0, 0].tolist()
    ((3, 2, 4), [0.3333333432674408, 0.3333333432674408, 0.3333333432674408])
    """
    weights = _check_weights(
        (q_proj_weight, k_proj_weight, v_proj_weight)
        if use_separate_proj_weight
        else (in_proj_weight,)
    )
    _check_inputs(query, key, value, embed_dim_to_check, num_heads, weights)
    if is_causal and attn_mask is None:
        _refuse(RuntimeError, "is_causal is a hint about attn_mask: give the mask too")
    single = query.ndim == 2
    inputs = _with_batch(query, key, value) if single else (query, key, value)
    padding = key_padding_mask
    padding = padding.unsqueeze(0) if single and padding is not None else padding
    q, k, v = (_heads(x, num_heads) for x in _project(*inputs, weights, in_proj_bias))
    k, v = _static("static_k", k, static_k), _static("static_v", v, static_v)
    keys = k.shape[2]
    k, v = _with_extra_keys(k, v, bias_k, bias_v, add_zero_attn)
    p = dropout_p if training else 0.0
    # the fast way for a causal mask, unless the scores have other reasons for a mask
    causal = is_causal and not need_weights and padding is None and k.shape[2] == keys
    mask = None if causal else _mask(q, k, keys, attn_mask, padding)
    attended, found = _attend(q, k, v, mask, p, causal, need_weights)
    output = _join_heads(attended, out_proj_weight, out_proj_bias, inputs[0].is_contiguous())
    if found is not None and average_attn_weights:
        found = found.mean(1)
    if single:
        return output.squeeze(1), None if found is None else found.squeeze(0)
    return output, found


def _refuse(kind: type[Exception], problem: str) -> NoReturn:
    """Raise an error in the name of `multi_head_attention_forward`."""
    raise kind(f"[multi_head_attention_forward] {problem}")


def _check_weights(given: tuple[Tensor | None, ...]) -> tuple[Tensor, ...]:
    """Multi-head attention's projection weights, none missing: one for all three, or three."""
    weights = tuple(weight for weight in given if weight is not None)
    if len(weights) < len(given):
        names = "q_proj_weight, k_proj_weight and v_proj_weight"
        expected = (
            f"use_separate_proj_weight needs {names}"
            if len(given) == 3
            else f"give in_proj_weight, or use_separate_proj_weight=True and {names}"
        )
        _refuse(AssertionError, f"a weight is None: {expected}")
    return weights


def _check_inputs(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim: int,
    num_heads: int,
    weights: tuple[Tensor, ...],
) -> None:
    """Refuse multi-head attention's inputs that do not go together, in PyTorch's type."""
    shapes = [tuple(x.shape) for x in (query, key, value)]
    if query.ndim not in (2, 3) or any(x.ndim != query.ndim for x in (key, value)):
        _refuse(
            AssertionError,
            "query, key and value must all have 3 dimensions, or 2 without a batch, got shapes "
            f"{shapes}",
        )
    if num_heads < 1 or embed_dim % num_heads:
        _refuse(AssertionError, f"embed_dim {embed_dim} must be divisible by {num_heads} heads")
    sizes = (embed_dim, *(weight.shape[-1] for weight in (weights * 3)[1:3]))
    if any(shape[-1] != size for shape, size in zip(shapes, sizes, strict=True)):
        only_memory = shapes[0][-1] == embed_dim and shapes[1] == shapes[2] and len(weights) == 1
        _refuse(
            RuntimeError if only_memory else AssertionError,
            f"query, key and value must end in the sizes {sizes}, got shapes {shapes}",
        )
    if shapes[1][:-1] != shapes[2][:-1]:
        _refuse(AssertionError, f"key and value must have as many elements, got {shapes[1:]}")


def _with_batch(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Each input (L, E) of attention as a batch of one (L, 1, E); what was one tensor stays one."""
    seen = {id(x): x.unsqueeze(1) for x in (query, key, value)}
    return seen[id(query)], seen[id(key)], seen[id(value)]


def _project(
    query: Tensor, key: Tensor, value: Tensor, weights: tuple[Tensor, ...], bias: Tensor | None
) -> tuple[Tensor, ...]:
    """The three inputs of attention, each times its weight: (L, N, E)."""
    if len(weights) == 1 and query is key and key is value:  # one product
        return _linear(query, weights[0], bias).chunk(3, -1)
    if len(weights) == 1:
        weights = weights[0].chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    inputs = (query, key, value)
    return tuple(_linear(*given) for given in zip(inputs, weights, biases, strict=True))


def _linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """`linear` of (L, N, E); a view of a batch-first input is multiplied as it lies, uncopied."""
    if x.is_contiguous():
        return linear(x, weight, bias)
    return linear(x.transpose(0, 1), weight, bias).transpose(0, 1)


def _heads(x: Tensor, num_heads: int) -> Tensor:
    """(L, N, E) -> (N, heads, L, E / heads), a view."""
    # ex 5.9 begin
    return x.unflatten(-1, (num_heads, -1)).permute(1, 2, 0, 3)
    # ex 5.9 end


def _join_heads(x: Tensor, weight: Tensor, bias: Tensor | None, steps_first: bool) -> Tensor:
    """The way back of `_heads`, and the last layer: (L, N, E) in the memory order of query."""
    if steps_first:
        return linear(x.permute(2, 0, 1, 3).flatten(-2), weight, bias)
    return linear(x.permute(0, 2, 1, 3).flatten(-2), weight, bias).transpose(0, 1)


def _static(name: str, x: Tensor, given: Tensor | None) -> Tensor:
    """`given` (N heads, S, E / heads) in place of the projected x (N, heads, S, E / heads)."""
    if given is None:
        return x
    batch, heads, _, size = x.shape
    if given.ndim != 3 or (given.shape[0], given.shape[2]) != (batch * heads, size):
        _refuse(
            AssertionError,
            f"{name} has shape {tuple(given.shape)}, expected ({batch * heads}, any, {size})",
        )
    return given.unflatten(0, (batch, heads))


def _with_extra_keys(
    k: Tensor, v: Tensor, bias_k: Tensor | None, bias_v: Tensor | None, add_zero_attn: bool
) -> tuple[Tensor, Tensor]:
    """Keys and values that every query may look at: learned ones (1, 1, E), and one of zeros."""
    if (bias_k is None) != (bias_v is None):
        _refuse(AssertionError, "give bias_k and bias_v both, or neither")
    if bias_k is not None and bias_v is not None:
        k, v = _append_row(k, bias_k), _append_row(v, bias_v)
    if add_zero_attn:
        k, v = (cat([x, x.new_zeros(*x.shape[:2], 1, x.shape[3])], 2) for x in (k, v))
    return k, v


def _append_row(x: Tensor, row: Tensor) -> Tensor:
    """Attention's keys or values (N, heads, S, E / heads) and, last, the learned row (1, 1, E)."""
    batch, heads, _, size = x.shape
    return cat([x, row.reshape(1, heads, 1, size).expand(batch, -1, -1, -1)], 2)


def _mask(
    q: Tensor, k: Tensor, keys: int, attn_mask: Tensor | None, key_padding_mask: Tensor | None
) -> Tensor | None:
    """Both masks, for the first `keys` of k, as one that broadcasts to the scores; bool if both
    are.
    """
    batch, heads, queries = q.shape[:3]
    found = None
    if attn_mask is not None:
        shapes = [(queries, keys), (batch * heads, queries, keys)]
        kind = RuntimeError if attn_mask.ndim in (2, 3) else AssertionError  # PyTorch's types
        _check_mask("attn_mask", attn_mask, shapes, kind)
        found = attn_mask if attn_mask.ndim == 2 else attn_mask.unflatten(0, (batch, heads))
    if key_padding_mask is not None:
        _check_mask("key_padding_mask", key_padding_mask, [(batch, keys)], AssertionError)
        padding = key_padding_mask.reshape(batch, 1, 1, keys)
        found = padding if found is None else _merge_masks(found, padding, q)
    if found is None or k.shape[2] == keys:
        return found
    return cat([found, found.new_zeros(*found.shape[:-1], k.shape[2] - keys)], -1)


def _check_mask(
    name: str, mask: Tensor, shapes: list[tuple[int, ...]], kind: type[Exception]
) -> None:
    """Refuse an attention mask of another dtype or shape."""
    if mask.dtype is not bool_type and not mask.dtype.is_floating_point:
        _refuse(AssertionError, f"{name} must be bool or floating, not {mask.dtype}")
    if tuple(mask.shape) not in shapes:
        expected = " or ".join(map(str, shapes))
        _refuse(kind, f"{name} has shape {tuple(mask.shape)}, expected {expected}")


def _merge_masks(a: Tensor, b: Tensor, like: Tensor) -> Tensor:
    """Two attention masks as one: bool if both are, else what is added to the scores."""
    if a.dtype is bool_type and b.dtype is bool_type:
        return a | b

    def added(mask: Tensor) -> Tensor:
        if mask.dtype is not bool_type:
            return mask
        return like.new_zeros(*mask.shape).masked_fill(mask, -math.inf)

    return added(a) + added(b)


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    p: float,
    is_causal: bool,
    need_weights: bool,
) -> tuple[Tensor, Tensor | None]:
    """Attention (N, heads, L, E / heads); and its weights (N, heads, L, S), after dropout, where
    they are wanted: one fused operation cannot return them.
    """
    is_bool = mask is not None and mask.dtype is bool_type
    if not need_weights:
        mask = ~mask if mask is not None and is_bool else mask
        return scaled_dot_product_attention(q, k, v, mask, p, is_causal), None
    scores = matmul(q * (1 / math.sqrt(q.shape[-1])), k.mT)
    if mask is not None:
        scores = scores.masked_fill(mask, -math.inf) if is_bool else scores + mask
    weights = dropout(softmax(scores, -1), p)
    return matmul(weights, v), weights
