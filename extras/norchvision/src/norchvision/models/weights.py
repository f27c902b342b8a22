"""Weights of a model: from a file, because norch downloads none, or drawn anew.

The functions that make models (`resnet18`, ...) call `make_model`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, TypeVar

from norch_nn import init
from norch_nn.core.module import Module
from norch_nn.modules.conv import Conv2d
from norch_nn.modules.linear import Linear
from norch_nn.serialization.save_load import load

M = TypeVar("M", bound=Module)


class Weights(Enum):
    """The names that torchvision has for weights it would download; asking for one is an error."""

    DEFAULT = "DEFAULT"
    IMAGENET1K_V1 = "IMAGENET1K_V1"
    IMAGENET1K_V2 = "IMAGENET1K_V2"
    IMAGENET1K_FEATURES = "IMAGENET1K_FEATURES"
    IMAGENET1K_SWAG_E2E_V1 = "IMAGENET1K_SWAG_E2E_V1"
    IMAGENET1K_SWAG_LINEAR_V1 = "IMAGENET1K_SWAG_LINEAR_V1"


def make_model(name: str, make: Callable[..., M], weights: Any, options: dict[str, Any]) -> M:
    """Return `make(**options)`, with the weights in the file `weights` if one is given.

    `pretrained` among the options is the old name: False is no weights, True some to download.

    >>> make_model("linear", nn.Linear, None, {"in_features": 2, "out_features": 3})
    Linear(in_features=2, out_features=3, bias=True)
    """
    weights = weights or options.pop("pretrained", None) or None
    if weights is True or isinstance(weights, Weights) or weights in [w.value for w in Weights]:
        raise ValueError(
            f"[{name}] norch never downloads weights: give a file, {name}(weights='{name}.pth') or "
            ".safetensors; torchvision keeps what it downloads in ~/.cache/torch/hub/checkpoints"
        )
    options.pop("pretrained", None)
    if weights is None:
        return make(**options)
    state = load(weights)
    model = make(**options)
    model.load_state_dict(state)
    return model


def draw_weights(model: Module) -> None:
    """Draw convolutions by Kaiming's rule, linear layers with a deviation of 0.01."""
    for module in model.modules():
        if isinstance(module, Conv2d):
            init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(module, Linear):
            init.normal_(module.weight, 0, 0.01)
        if isinstance(module, Conv2d | Linear) and module.bias is not None:
            init.zeros_(module.bias)
