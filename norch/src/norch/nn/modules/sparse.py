"""PyTorch's longer names: re-exported from stage 5, `norch_nn`."""

from norch_nn import (
    Embedding as Embedding,
    EmbeddingBag as EmbeddingBag,
)
