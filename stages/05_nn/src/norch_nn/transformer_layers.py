"""The layers of a transformer: attention and a two-layer network, each beside a short cut.

Each has a residual connection and a LayerNorm, behind (as in the paper) or in front
(`norm_first`). attention.py has the attention; transformer.py stacks these layers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from norch_autograd import Tensor
from norch_nn import functional as F
from norch_nn.attention import MultiheadAttention
from norch_nn.dropout import Dropout
from norch_nn.layernorm import LayerNorm
from norch_nn.linear import Linear
from norch_nn.module import Module

Activation = str | Callable[[Tensor], Tensor]


def activation_of(given: Activation) -> Callable[[Tensor], Tensor]:
    """Return the function: "relu", "gelu", or what was given.

    >>> activation_of("relu") is F.relu
    True
    """
    known = {"relu": F.relu, "gelu": F.gelu}
    if isinstance(given, str) and given not in known:
        raise RuntimeError(f"[Transformer] activation must be 'relu' or 'gelu', not {given!r}")
    return known[given] if isinstance(given, str) else given


class _Layer(Module):
    """What encoder and decoder layers share: the two-layer network, and where the norms stand."""

    def _make_network(
        self, d_model: int, dim_feedforward: int, dropout: float, bias: bool, where: dict[str, Any]
    ) -> None:
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)

    def _residual(self, x: Tensor, norm: Module, block: Callable[[Tensor], Tensor]) -> Tensor:
        """x and what the block adds to it, normalised before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _network(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a two-layer network: src (S, N, d_model), or (N, S, d_model) with
    `batch_first`, or one sample (S, d_model), gives the same shape.

    >>> layer = TransformerEncoderLayer(8, nhead=2, dim_feedforward=16)
    >>> tuple(layer(norch.zeros(3, 2, 8)).shape)
    (3, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parts and draw their first values."""
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout, bias, batch_first=batch_first, **where
        )
        self._make_network(d_model, dim_feedforward, dropout, bias, where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = activation_of(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the layer's output; masks as MultiheadAttention's."""

        def attend(x: Tensor) -> Tensor:
            out = self.self_attn(
                x, x, x, src_key_padding_mask, False, src_mask, is_causal=is_causal
            )
            return self.dropout1(out[0])

        x = self._residual(src, self.norm1, attend)
        return self._residual(x, self.norm2, lambda x: self.dropout2(self._network(x)))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output (memory), and a two-layer network.

    >>> layer = TransformerDecoderLayer(8, nhead=2, dim_feedforward=16)
    >>> tuple(layer(norch.zeros(3, 2, 8), norch.zeros(5, 2, 8)).shape)
    (3, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make the parts and draw their first values."""
        super().__init__()
        where = {"device": device, "dtype": dtype}
        options = {"batch_first": batch_first, **where}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, **options)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, **options)
        self._make_network(d_model, dim_feedforward, dropout, bias, where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = activation_of(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the layer's output; masks as MultiheadAttention's."""

        def attend(x: Tensor) -> Tensor:
            out = self.self_attn(
                x, x, x, tgt_key_padding_mask, False, tgt_mask, is_causal=tgt_is_causal
            )
            return self.dropout1(out[0])

        def recall(x: Tensor) -> Tensor:
            out = self.multihead_attn(
                x, memory, memory, memory_key_padding_mask, False, memory_mask,
                is_causal=memory_is_causal,
            )  # fmt: skip
            return self.dropout2(out[0])

        x = self._residual(tgt, self.norm1, attend)
        x = self._residual(x, self.norm2, recall)
        return self._residual(x, self.norm3, lambda x: self.dropout3(self._network(x)))
