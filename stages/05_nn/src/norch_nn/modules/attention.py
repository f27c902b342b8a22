"""MultiheadAttention: several attentions side by side, each in its own projection of the inputs.

The module keeps the projections' weights; functional/attention.py computes. transformer.py builds
its layers on it.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor, empty
from norch_autograd.graph.operands import in_own_name
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
    q_proj_weight: Parameter | None
    k_proj_weight: Parameter | None
    v_proj_weight: Parameter | None
    in_proj_bias: Parameter | None
    bias_k: Parameter | None
    bias_v: Parameter | None

    @in_own_name
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
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)
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
        inputs = (query, key, value)
        if self.batch_first and query.ndim == 3:
            inputs = _steps_first(*inputs)
        joint = (self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v)
        last = (self.out_proj.weight, self.out_proj.bias)
        separate = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        masks = (key_padding_mask, need_weights, attn_mask)
        output, weights = F.multi_head_attention_forward(
            *(*inputs, self.embed_dim, self.num_heads, *joint, self.add_zero_attn, self.dropout),
            *(*last, self.training, *masks, self.in_proj_weight is None, *separate),
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        if self.batch_first and query.ndim == 3:
            output = output.transpose(0, 1)
        return output, weights


def _steps_first(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Each input (N, L, E) as (L, N, E), a view; what was one tensor stays one."""
    seen = {id(x): x.transpose(0, 1) for x in (query, key, value)}
    return seen[id(query)], seen[id(key)], seen[id(value)]
