"""The transformer of "Attention is all you need": layers, encoder, decoder, and both together.

A layer is attention and a two-layer network, each with a residual connection and a LayerNorm,
behind (as in the paper) or in front (`norm_first`). attention.py has the attention.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from norch_autograd import Tensor, full, ones
from norch_autograd.graph.operands import in_own_name
from norch_autograd.types.size import TENSOR_BYTES, check_room
from norch_nn import functional as F, init
from norch_nn.core.module import Module
from norch_nn.modules.attention import MultiheadAttention
from norch_nn.modules.container import ModuleList
from norch_nn.modules.dropout import Dropout
from norch_nn.modules.linear import Linear
from norch_nn.modules.normalization import LayerNorm

Activation = str | Callable[[Tensor], Tensor]


def _activation_of(given: Activation) -> Callable[[Tensor], Tensor]:
    """Return the function: "relu", "gelu", or what was given.

    >>> _activation_of("relu") is F.relu
    True
    """
    known: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}
    if isinstance(given, str) and given not in known:
        raise RuntimeError(f"[Transformer] activation must be 'relu' or 'gelu', not {given!r}")
    return known[given] if isinstance(given, str) else given


def copies(layer: Module, count: int) -> ModuleList:
    """Return `count` copies of a layer; what cannot fit into memory is refused at once.

    >>> len(copies(Linear(2, 2), 3))
    3
    """
    each = sum(p.numel() * p.element_size() + TENSOR_BYTES for p in layer.parameters())
    check_room("copies", count, each)
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


class TransformerLayer(Module):
    """What encoder and decoder layers share: all their parts, and where the norms stand."""

    reads_memory = False  # whether there is a second attention, to the encoder's output

    @in_own_name
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
        if self.reads_memory:
            self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, **options)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **where)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **where)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        if self.reads_memory:
            self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias, **where)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        if self.reads_memory:
            self.dropout3 = Dropout(dropout)
        self.activation = _activation_of(activation)

    def _residual(self, x: Tensor, norm: Module, block: Callable[[Tensor], Tensor]) -> Tensor:
        """x and what the block adds to it, normalised before the block or after the sum."""
        return x + block(norm(x)) if self.norm_first else norm(x + block(x))

    def _network(self, x: Tensor) -> Tensor:
        """The network of two linear layers behind the attention."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention and a two-layer network: src (S, N, d_model), or (N, S, d_model) with
    `batch_first`, or one sample (S, d_model), gives the same shape.

    >>> layer = TransformerEncoderLayer(8, nhead=2, dim_feedforward=16)
    >>> tuple(layer(norch.zeros(3, 2, 8)).shape)
    (3, 2, 8)
    """

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


class TransformerDecoderLayer(TransformerLayer):
    """Self-attention, attention to the encoder's output (memory), and a two-layer network.

    >>> layer = TransformerDecoderLayer(8, nhead=2, dim_feedforward=16)
    >>> tuple(layer(norch.zeros(3, 2, 8), norch.zeros(5, 2, 8)).shape)
    (3, 2, 8)
    """

    reads_memory = True

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


class TransformerEncoder(Module):
    """`num_layers` copies of a layer, one upon the other, and a norm at the end if given.

    >>> layer = TransformerEncoderLayer(8, nhead=2, dim_feedforward=16)
    >>> len(TransformerEncoder(layer, num_layers=3).layers)
    3
    """

    @in_own_name
    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        """Copy the layer; the last two arguments, matters of PyTorch's fast path, do nothing."""
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal=bool(is_causal))
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Module):
    """`num_layers` copies of a layer, one upon the other, and a norm at the end if given.

    >>> layer = TransformerDecoderLayer(8, nhead=2, dim_feedforward=16)
    >>> len(TransformerDecoder(layer, num_layers=3).layers)
    3
    """

    @in_own_name
    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        """Copy the layer."""
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(
                tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
                bool(tgt_is_causal), memory_is_causal,
            )  # fmt: skip
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Module):
    """Encoder and decoder: src (S, N, d_model) and tgt (T, N, d_model) give (T, N, d_model).

    Matrices start by Xavier's uniform distribution.

    >>> model = Transformer(8, 2, 1, 1, 16)
    >>> tuple(model(norch.zeros(5, 2, 8), norch.zeros(3, 2, 8)).shape)
    (3, 2, 8)
    """

    @in_own_name
    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Activation = F.relu,
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Make encoder and decoder, or take those given."""
        super().__init__()
        given = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
                 norm_first, bias, device, dtype)  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)

        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*given), num_encoder_layers, norm()
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*given), num_decoder_layers, norm()
        )
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first
        for parameter in self.parameters():
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Return the decoder's output; masks as MultiheadAttention's."""
        batch = 0 if self.batch_first else 1
        if src.ndim != tgt.ndim or (src.ndim == 3 and src.shape[batch] != tgt.shape[batch]):
            raise RuntimeError(
                "[Transformer] src and tgt must be batches of one size, "
                f"got shapes {tuple(src.shape)} and {tuple(tgt.shape)}"
            )
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise RuntimeError(
                f"[Transformer] src and tgt must end in d_model {self.d_model}, "
                f"got shapes {tuple(src.shape)} and {tuple(tgt.shape)}"
            )
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        result: Tensor = self.decoder(
            tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask,
            tgt_is_causal, memory_is_causal,
        )  # fmt: skip
        return result

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the causal mask (sz, sz) that is added: -inf where key j is later than query i.

        >>> Transformer.generate_square_subsequent_mask(2).tolist()
        [[0.0, -inf], [0.0, 0.0]]
        """
        # ex 5.14 begin
        later = ones(sz, sz, device=device).triu(1) > 0
        return full((sz, sz), 0.0, device=device, dtype=dtype).masked_fill(later, -math.inf)
        # ex 5.14 end
