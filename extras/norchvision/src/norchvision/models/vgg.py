"""VGG (Simonyan and Zisserman, 2014): 3 x 3 convolutions, halved by pooling five times.

Names and state_dict are torchvision's, so its weights load as they are.
"""

from __future__ import annotations

from typing import Any

from norch_autograd import Tensor
from norch_extras.nn.adaptive_pooling import AdaptiveAvgPool2d
from norch_nn.core.module import Module
from norch_nn.modules.activation import ReLU
from norch_nn.modules.batchnorm import BatchNorm2d
from norch_nn.modules.container import Sequential
from norch_nn.modules.conv import Conv2d
from norch_nn.modules.dropout import Dropout
from norch_nn.modules.linear import Linear
from norch_nn.modules.pooling import MaxPool2d
from norchvision.models.weights import Weights, draw_weights, make_model

VGG11_Weights = VGG13_Weights = VGG16_Weights = VGG19_Weights = Weights
VGG11_BN_Weights = VGG13_BN_Weights = VGG16_BN_Weights = VGG19_BN_Weights = Weights
WIDTHS = (64, 128, 256, 512, 512)  # of the five stages
DEPTHS = {  # how many convolutions each stage has
    "vgg11": (1, 1, 2, 2, 2),
    "vgg13": (2, 2, 2, 2, 2),
    "vgg16": (2, 2, 3, 3, 3),
    "vgg19": (2, 2, 4, 4, 4),
}


class VGG(Module):
    """Convolutions `features`, a mean to 7 x 7, three linear layers.

    >>> tuple(VGG(nn.Conv2d(3, 512, 1), num_classes=5)(norch.zeros(2, 3, 8, 8)).shape)
    (2, 5)
    """

    def __init__(
        self,
        features: Module,
        num_classes: int = 1000,
        init_weights: bool = True,
        dropout: float = 0.5,
    ) -> None:
        """Take the convolutions, which end with 512 channels, and make the rest."""
        super().__init__()
        self.features = features
        self.avgpool = AdaptiveAvgPool2d((7, 7))
        self.classifier = Sequential(
            Linear(512 * 7 * 7, 4096),
            ReLU(True),
            Dropout(dropout),
            Linear(4096, 4096),
            ReLU(True),
            Dropout(dropout),
            Linear(4096, num_classes),
        )
        if init_weights:
            draw_weights(self)

    def forward(self, x: Tensor) -> Tensor:
        """Turn images (N, 3, H, W) into scores (N, num_classes)."""
        scores: Tensor = self.classifier(self.avgpool(self.features(x)).flatten(1))
        return scores


def _features(name: str, batch_norm: bool) -> Sequential:
    """Return the convolutions, each with its ReLU, and the pooling at the end of each stage."""
    layers: list[Module] = []
    channels = 3
    for width, depth in zip(WIDTHS, DEPTHS[name], strict=True):
        for _ in range(depth):
            layers.append(Conv2d(channels, width, 3, padding=1))
            layers += [BatchNorm2d(width)] if batch_norm else []
            layers.append(ReLU(inplace=True))
            channels = width
        layers.append(MaxPool2d(2, stride=2))
    return Sequential(*layers)


def _vgg(name: str, batch_norm: bool, weights: Any, options: Any) -> VGG:
    """Return the VGG of this name, with the weights of a file if one is given."""
    if weights:
        options["init_weights"] = False  # they are about to be read

    def make(**options: Any) -> VGG:
        return VGG(_features(name, batch_norm), **options)

    return make_model(f"{name}_bn" if batch_norm else name, make, weights, options)


def vgg11(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-11, 132,863,336 parameters; `weights` is a file, `options` are VGG's.

    `progress` is torchvision's bar for downloads: nothing is downloaded.
    """
    return _vgg("vgg11", False, weights, options)


def vgg11_bn(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-11 with batch norm; the arguments are those of `vgg11`."""
    return _vgg("vgg11", True, weights, options)


def vgg13(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-13, 133,047,848 parameters; the arguments are those of `vgg11`."""
    return _vgg("vgg13", False, weights, options)


def vgg13_bn(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-13 with batch norm; the arguments are those of `vgg11`."""
    return _vgg("vgg13", True, weights, options)


def vgg16(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-16, 138,357,544 parameters; the arguments are those of `vgg11`."""
    return _vgg("vgg16", False, weights, options)


def vgg16_bn(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-16 with batch norm; the arguments are those of `vgg11`."""
    return _vgg("vgg16", True, weights, options)


def vgg19(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-19, 143,667,240 parameters; the arguments are those of `vgg11`."""
    return _vgg("vgg19", False, weights, options)


def vgg19_bn(weights: Any = None, progress: bool = True, **options: Any) -> VGG:
    """Return VGG-19 with batch norm; the arguments are those of `vgg11`."""
    return _vgg("vgg19", True, weights, options)
