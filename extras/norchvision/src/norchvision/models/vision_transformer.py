"""The vision transformer (Dosovitskiy et al., 2020): an image is read like a text of patches.

Names and state_dict are torchvision's, so its weights load as they are.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

from norch_autograd import Tensor, cat, empty, zeros
from norch_extras.init import trunc_normal_
from norch_nn import init
from norch_nn.core.module import Module
from norch_nn.core.parameter import Parameter
from norch_nn.modules.activation import GELU, Tanh
from norch_nn.modules.attention import MultiheadAttention
from norch_nn.modules.container import Sequential
from norch_nn.modules.conv import Conv2d
from norch_nn.modules.dropout import Dropout
from norch_nn.modules.linear import Linear
from norch_nn.modules.normalization import LayerNorm
from norchvision.models.weights import Weights, make_model

ViT_B_16_Weights = ViT_B_32_Weights = ViT_L_16_Weights = ViT_L_32_Weights = Weights
ViT_H_14_Weights = Weights
Norm = Callable[[int], Module]
LAYER_NORM = partial(LayerNorm, eps=1e-6)


class MLPBlock(Sequential):
    """The two-layer network of a block; numbers 0 and 3 have weights."""

    def __init__(self, in_dim: int, mlp_dim: int, dropout: float) -> None:
        """Make the layers; their biases begin near 0."""
        first, second = Linear(in_dim, mlp_dim), Linear(mlp_dim, in_dim)
        super().__init__(first, GELU(), Dropout(dropout), second, Dropout(dropout))
        for layer in (first, second):
            init.xavier_uniform_(layer.weight)
            if layer.bias is not None:
                init.normal_(layer.bias, std=1e-6)


class EncoderBlock(Module):
    """Attention, then a two-layer network; each reads a normed x and adds to x."""

    def __init__(
        self,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Norm = LAYER_NORM,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.ln_1 = norm_layer(hidden_dim)
        self.self_attention = MultiheadAttention(
            hidden_dim, num_heads, dropout=attention_dropout, batch_first=True
        )
        self.dropout = Dropout(dropout)
        self.ln_2 = norm_layer(hidden_dim)
        self.mlp = MLPBlock(hidden_dim, mlp_dim, dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, T, hidden_dim) to the same."""
        normed = self.ln_1(x)
        read, _ = self.self_attention(normed, normed, normed, need_weights=False)
        x = x + self.dropout(read)
        x = x + self.mlp(self.ln_2(x))
        return x


class Encoder(Module):
    """Adds to each patch where it stands, and runs the blocks."""

    def __init__(
        self,
        seq_length: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float,
        attention_dropout: float,
        norm_layer: Norm = LAYER_NORM,
    ) -> None:
        """Make the blocks, for texts of `seq_length`."""
        super().__init__()
        self.pos_embedding = Parameter(empty(1, seq_length, hidden_dim).normal_(std=0.02))
        self.dropout = Dropout(dropout)
        self.layers = Sequential(
            OrderedDict(
                (
                    f"encoder_layer_{i}",
                    EncoderBlock(
                        num_heads, hidden_dim, mlp_dim, dropout, attention_dropout, norm_layer
                    ),
                )
                for i in range(num_layers)
            )
        )
        self.ln = norm_layer(hidden_dim)

    def forward(self, input: Tensor) -> Tensor:
        """Map (N, T, hidden_dim) to the same."""
        normed: Tensor = self.ln(self.layers(self.dropout(input + self.pos_embedding)))
        return normed


class VisionTransformer(Module):
    """Patches, a class token that collects the answer, an encoder, a linear layer.

    >>> model = VisionTransformer(8, 4, 1, num_heads=2, hidden_dim=8, mlp_dim=16, num_classes=5)
    >>> tuple(model(norch.zeros(2, 3, 8, 8)).shape)
    (2, 5)
    """

    def __init__(
        self,
        image_size: int,
        patch_size: int,
        num_layers: int,
        num_heads: int,
        hidden_dim: int,
        mlp_dim: int,
        dropout: float = 0.0,
        attention_dropout: float = 0.0,
        num_classes: int = 1000,
        representation_size: int | None = None,
        norm_layer: Norm = LAYER_NORM,
    ) -> None:
        """Make the layers for images of image_size x image_size, a multiple of patch_size."""
        super().__init__()
        if image_size % patch_size:
            raise ValueError(
                f"[VisionTransformer] image_size {image_size} is no multiple of the patch's size "
                f"{patch_size}"
            )
        self.image_size, self.patch_size = image_size, patch_size
        self.conv_proj = Conv2d(3, hidden_dim, patch_size, stride=patch_size)
        self.class_token = Parameter(zeros(1, 1, hidden_dim))
        self.seq_length = (image_size // patch_size) ** 2 + 1
        self.encoder = Encoder(
            self.seq_length,
            num_layers,
            num_heads,
            hidden_dim,
            mlp_dim,
            dropout,
            attention_dropout,
            norm_layer,
        )
        self.heads = _heads(hidden_dim, representation_size, num_classes)
        _draw(self.conv_proj, std=math.sqrt(1 / (3 * patch_size**2)))
        if representation_size is not None:
            _draw(self.heads.get_submodule("pre_logits"), std=math.sqrt(1 / hidden_dim))
        for parameter in self.heads.get_submodule("head").parameters():
            init.zeros_(parameter)

    def forward(self, x: Tensor) -> Tensor:
        """Turn images (N, 3, image_size, image_size) into scores (N, num_classes)."""
        if tuple(x.shape[2:]) != (self.image_size, self.image_size):
            raise ValueError(
                f"[VisionTransformer] images of {self.image_size} x {self.image_size} are "
                f"expected, not {tuple(x.shape)}: Resize and crop them"
            )
        patches = self.conv_proj(x).flatten(2).transpose(1, 2)  # (N, patches, hidden_dim)
        token = self.class_token.expand(x.shape[0], -1, -1)
        scores: Tensor = self.heads(self.encoder(cat([token, patches], 1))[:, 0])
        return scores


def _draw(layer: Conv2d | Linear, std: float) -> None:
    """Draw a layer's weight; its bias begins at 0."""
    trunc_normal_(layer.weight, std=std)
    if layer.bias is not None:
        init.zeros_(layer.bias)


def _heads(hidden_dim: int, representation_size: int | None, num_classes: int) -> Sequential:
    """Return the last layer, after one more if a `representation_size` is given."""
    if representation_size is None:
        return Sequential(OrderedDict(head=Linear(hidden_dim, num_classes)))
    return Sequential(
        OrderedDict(
            pre_logits=Linear(hidden_dim, representation_size),
            act=Tanh(),
            head=Linear(representation_size, num_classes),
        )
    )


SIZES = {  # layers, heads, hidden_dim, mlp_dim
    "b": (12, 12, 768, 3072),
    "l": (24, 16, 1024, 4096),
    "h": (32, 16, 1280, 5120),
}


def _vit(size: str, patch: int, weights: Any, options: dict[str, Any]) -> VisionTransformer:
    """Return the vision transformer of this size and patch, with the weights of a file or none."""
    make = partial(VisionTransformer, options.pop("image_size", 224), patch, *SIZES[size])
    return make_model(f"vit_{size}_{patch}", make, weights, options)


def vit_b_16(weights: Any = None, progress: bool = True, **options: Any) -> VisionTransformer:
    """Return ViT-B/16, 86,567,656 parameters; `weights` is a file.

    `options` are VisionTransformer's (`image_size` is 224); `progress` is torchvision's bar for
    downloads: nothing is downloaded.
    """
    return _vit("b", 16, weights, options)


def vit_b_32(weights: Any = None, progress: bool = True, **options: Any) -> VisionTransformer:
    """Return ViT-B/32, 88,224,232 parameters; the arguments are those of `vit_b_16`."""
    return _vit("b", 32, weights, options)


def vit_l_16(weights: Any = None, progress: bool = True, **options: Any) -> VisionTransformer:
    """Return ViT-L/16, 304,326,632 parameters; the arguments are those of `vit_b_16`."""
    return _vit("l", 16, weights, options)


def vit_l_32(weights: Any = None, progress: bool = True, **options: Any) -> VisionTransformer:
    """Return ViT-L/32, 306,535,400 parameters; the arguments are those of `vit_b_16`."""
    return _vit("l", 32, weights, options)


def vit_h_14(weights: Any = None, progress: bool = True, **options: Any) -> VisionTransformer:
    """Return ViT-H/14, 632,045,800 parameters; the arguments are those of `vit_b_16`."""
    return _vit("h", 14, weights, options)
