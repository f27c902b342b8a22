"""MultiheadAttention: several attentions side by side, each in its own projection of the inputs.

The module holds the projections and merges PyTorch's masks (True: may not look) into the one that
`scaled_dot_product_attention` takes (True: may look). transformer.py builds its layers on it.
"""

from __future__ import annotations

import math
from typing import Any

from norch_autograd import Tensor, bool as bool_type, cat, empty, matmul
from norch_nn import functional as F, init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter
from norch_nn.modules.linear import Linear


class NonDynamicallyQuantizableLinear(Linear):
    """Linear, under the name that PyTorch prints for an attention's last layer."""


class MultiheadAttention(Module):
    """Attend in `num_heads` projections of size embed_dim / num_heads, and join them by one layer.

    query (L, N, embed_dim), key (S, N, kdim), value (S, N, vdim); with `batch_first` N comes first;
    without N one sample. Returns the output, shaped as query, and the weights (N, L, S), an average
    over the heads, or None with `need_weights=False`, which is the fast way.

    `key_padding_mask` (N, S) and `attn_mask` (L, S) or (N num_heads, L, S) are bool (True: may not
    look) or are added to the scores.

    >>> x = norch.zeros(3, 2, 8)
    >>> output, weights = MultiheadAttention(8, 4)(x, x, x)
    >>> tuple(output.shape), tuple(weights.shape)
    ((3, 2, 8), (2, 3, 3))
    """

    in_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the projections and draw their first values."""
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "[MultiheadAttention] embed_dim and num_heads must be above 0, "
                f"not {embed_dim} and {num_heads}"
            )
        if embed_dim % num_heads:
            raise AssertionError(  # PyTorch's type
                f"[MultiheadAttention] embed_dim {embed_dim} must be divisible by "
                f"num_heads {num_heads}"
            )
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.add_zero_attn = add_zero_attn
        where = {"device": device, "dtype": dtype}
        self._make_projections(bias, where)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **where)
        for name in ("bias_k", "bias_v"):
            row = Parameter(empty(1, 1, embed_dim, **where)) if add_bias_kv else None
            self.register_parameter(name, row)
        self.reset_parameters()

    def _make_projections(self, bias: bool, where: dict[str, Any]) -> None:
        """One weight for all three inputs where they have one size, else three."""
        size = self.embed_dim
        joined = self.kdim == self.vdim == size
        shapes = {
            "in_proj_weight": (3 * size, size) if joined else None,
            "q_proj_weight": None if joined else (size, size),
            "k_proj_weight": None if joined else (size, self.kdim),
            "v_proj_weight": None if joined else (size, self.vdim),
            "in_proj_bias": (3 * size,) if bias else None,
        }
        for name, shape in shapes.items():
            parameter = None if shape is None else Parameter(empty(*shape, **where))
            self.register_parameter(name, parameter)

    def reset_parameters(self) -> None:
        """Draw the initial values anew: weights by Xavier, biases 0."""
        for name in ("in_proj_weight", "q_proj_weight", "k_proj_weight", "v_proj_weight"):
            if getattr(self, name) is not None:
                init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)
        for row in (self.bias_k, self.bias_v):
            if row is not None:
                init.xavier_normal_(row)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return (output, weights or None); `is_causal` says that attn_mask is the causal one."""
        self._check(query, key, value)
        if is_causal and attn_mask is None:
            raise RuntimeError(
                "[MultiheadAttention] is_causal is a hint about attn_mask: give the mask too"
            )
        single = query.ndim == 2
        inputs = (query, key, value)
        if single:
            inputs = self._as_batch(query, key, value)
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        q, k, v = self._with_extra_keys(*(self._heads(x) for x in self._projected(*inputs)))
        if need_weights:
            attended, weights = self._explicit(
                q, k, v, self._mask(q, k, attn_mask, key_padding_mask)
            )
            weights = weights.mean(1) if average_attn_weights else weights
        else:
            plain = key_padding_mask is None and self.bias_k is None and not self.add_zero_attn
            causal = is_causal and plain  # else the mask, which says the same, has company
            mask = None if causal else self._mask(q, k, attn_mask, key_padding_mask)
            attended, weights = self._fused(q, k, v, mask, causal), None
        output = self.out_proj(self._joined(attended))
        if single:
            batch = 0 if self.batch_first else 1
            return output.squeeze(batch), None if weights is None else weights.squeeze(0)
        return output, weights

    def _check(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        """Refuse inputs that do not go together."""
        sizes = (self.embed_dim, self.kdim, self.vdim)
        shapes = [tuple(x.shape) for x in (query, key, value)]
        if query.ndim not in (2, 3) or any(x.ndim != query.ndim for x in (key, value)):
            raise AssertionError(  # PyTorch's type
                "[MultiheadAttention] query, key and value must all have 3 dimensions, or 2 "
                f"without a batch, got shapes {shapes}"
            )
        if any(shape[-1] != size for shape, size in zip(shapes, sizes, strict=True)):
            raise AssertionError(
                f"[MultiheadAttention] query, key and value must end in the sizes {sizes}, "
                f"got shapes {shapes}"
            )
        if shapes[1][:-1] != shapes[2][:-1]:
            raise AssertionError(
                f"[MultiheadAttention] key and value must have as many elements, got {shapes[1:]}"
            )

    def _as_batch(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        """Each input as a batch of one; what was one tensor stays one."""
        seen = {id(x): x.unsqueeze(0 if self.batch_first else 1) for x in inputs}
        return tuple(seen[id(x)] for x in inputs)

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        """The three inputs, each times its weight: (..., embed_dim)."""
        if self.in_proj_weight is None:
            names = ("q_proj_weight", "k_proj_weight", "v_proj_weight")
            weights = tuple(getattr(self, name) for name in names)
        elif query is key and key is value:  # one product
            joined = F.linear(query, self.in_proj_weight, self.in_proj_bias)
            return joined.unflatten(-1, (3, self.embed_dim)).unbind(-2)
        else:
            weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        inputs = (query, key, value)
        return tuple(F.linear(*given) for given in zip(inputs, weights, biases, strict=True))

    def _heads(self, x: Tensor) -> Tensor:
        """(L, N, embed_dim) or (N, L, embed_dim) -> (N, heads, L, head_dim), a view."""
        split = x.unflatten(-1, (self.num_heads, self.head_dim))
        return split.permute((0, 2, 1, 3) if self.batch_first else (1, 2, 0, 3))

    def _joined(self, x: Tensor) -> Tensor:
        """The way back of `_heads`."""
        return x.permute((0, 2, 1, 3) if self.batch_first else (2, 0, 1, 3)).flatten(-2)

    def _with_extra_keys(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Keys and values that every query may look at: learned ones, and one of zeros."""
        for learned in (self.bias_k, self.bias_v):
            if learned is None:
                continue
            row = learned.reshape(1, self.num_heads, 1, self.head_dim)
            row = row.expand(k.shape[0], -1, -1, -1)
            k, v = (cat([k, row], 2), v) if learned is self.bias_k else (k, cat([v, row], 2))
        if self.add_zero_attn:
            zero = k.new_zeros(*k.shape[:2], 1, self.head_dim)
            k, v = cat([k, zero], 2), cat([v, zero], 2)
        return q, k, v

    def _mask(
        self, q: Tensor, k: Tensor, attn_mask: Tensor | None, key_padding_mask: Tensor | None
    ) -> Tensor | None:
        """Both masks as one that broadcasts to the scores; bool if both are."""
        batch, heads, queries, extended = *q.shape[:3], k.shape[2]
        added = (self.bias_k is not None) + self.add_zero_attn
        keys = extended - added
        found = None
        for name, mask, shapes in (
            ("attn_mask", attn_mask, [(queries, keys), (batch * heads, queries, keys)]),
            ("key_padding_mask", key_padding_mask, [(batch, keys)]),
        ):
            if mask is None:
                continue
            _check_mask(name, mask, shapes)
            if name == "key_padding_mask":
                mask = mask.reshape(batch, 1, 1, keys)
            elif mask.ndim == 3:
                mask = mask.reshape(batch, heads, queries, keys)
            found = mask if found is None else _merged(found, mask, q)
        if found is None or not added:
            return found
        return cat([found, found.new_zeros(*found.shape[:-1], added)], -1)

    def _fused(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, is_causal: bool
    ) -> Tensor:
        """Attention without its weights: (N, heads, L, head_dim)."""
        if mask is not None and mask.dtype is bool_type:
            mask = ~mask
        p = self.dropout if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, mask, p, is_causal)

    def _explicit(
        self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        """Attention and its weights (N, heads, L, S), after dropout as PyTorch gives them."""
        scores = matmul(q * (1 / math.sqrt(self.head_dim)), k.mT)
        if mask is not None and mask.dtype is bool_type:
            scores = scores.masked_fill(mask, -math.inf)
        elif mask is not None:
            scores = scores + mask
        weights = F.dropout(F.softmax(scores, -1), self.dropout, self.training)
        return matmul(weights, v), weights


def _check_mask(name: str, mask: Tensor, shapes: list[tuple[int, ...]]) -> None:
    if mask.dtype is not bool_type and not mask.dtype.is_floating_point:
        raise AssertionError(  # PyTorch's type
            f"[MultiheadAttention] {name} must be bool or floating, not {mask.dtype}"
        )
    if tuple(mask.shape) not in shapes:
        expected = " or ".join(map(str, shapes))
        kind = AssertionError if name == "key_padding_mask" else RuntimeError  # PyTorch's types
        raise kind(
            f"[MultiheadAttention] {name} has shape {tuple(mask.shape)}, expected {expected}"
        )


def _merged(a: Tensor, b: Tensor, like: Tensor) -> Tensor:
    """Two masks as one: bool if both are, else what is added to the scores."""
    if a.dtype is bool_type and b.dtype is bool_type:
        return a | b

    def added(mask: Tensor) -> Tensor:
        if mask.dtype is not bool_type:
            return mask
        return like.new_zeros(*mask.shape).masked_fill(mask, -math.inf)

    return added(a) + added(b)
