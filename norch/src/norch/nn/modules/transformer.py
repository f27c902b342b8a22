"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    Transformer as Transformer,
    TransformerDecoder as TransformerDecoder,
    TransformerDecoderLayer as TransformerDecoderLayer,
    TransformerEncoder as TransformerEncoder,
    TransformerEncoderLayer as TransformerEncoderLayer,
)
