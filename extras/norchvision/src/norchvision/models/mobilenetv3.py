"""MobileNetV3 (Howard et al., 2019): few multiplications, for telephones.

A block widens the channels, looks across space in each channel alone, weighs the channels by what
they hold, and narrows them again. Names and state_dict are torchvision's.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from norch_autograd import Tensor
from norch_extras.nn.activation import Hardsigmoid, Hardswish
from norch_extras.nn.adaptive_pooling import AdaptiveAvgPool2d
from norch_nn.core.module import Module
from norch_nn.modules.activation import ReLU
from norch_nn.modules.batchnorm import BatchNorm2d
from norch_nn.modules.container import Sequential
from norch_nn.modules.conv import Conv2d
from norch_nn.modules.dropout import Dropout
from norch_nn.modules.linear import Linear
from norchvision.models.weights import Weights, draw_weights, make_model

MobileNet_V3_Large_Weights = MobileNet_V3_Small_Weights = Weights


class Setting(NamedTuple):
    """A block: its channels in, wide and out, and whether it weighs channels and is a Hardswish."""

    kernel: int
    channels: tuple[int, int, int]
    squeeze: bool
    hardswish: bool
    stride: int


# The tables 1 and 2 of the paper.
LARGE = (
    Setting(3, (16, 16, 16), False, False, 1),
    Setting(3, (16, 64, 24), False, False, 2),
    Setting(3, (24, 72, 24), False, False, 1),
    Setting(5, (24, 72, 40), True, False, 2),
    Setting(5, (40, 120, 40), True, False, 1),
    Setting(5, (40, 120, 40), True, False, 1),
    Setting(3, (40, 240, 80), False, True, 2),
    Setting(3, (80, 200, 80), False, True, 1),
    Setting(3, (80, 184, 80), False, True, 1),
    Setting(3, (80, 184, 80), False, True, 1),
    Setting(3, (80, 480, 112), True, True, 1),
    Setting(3, (112, 672, 112), True, True, 1),
    Setting(5, (112, 672, 160), True, True, 2),
    Setting(5, (160, 960, 160), True, True, 1),
    Setting(5, (160, 960, 160), True, True, 1),
)
SMALL = (
    Setting(3, (16, 16, 16), True, False, 2),
    Setting(3, (16, 72, 24), False, False, 2),
    Setting(3, (24, 88, 24), False, False, 1),
    Setting(5, (24, 96, 40), True, True, 2),
    Setting(5, (40, 240, 40), True, True, 1),
    Setting(5, (40, 240, 40), True, True, 1),
    Setting(5, (40, 120, 48), True, True, 1),
    Setting(5, (48, 144, 48), True, True, 1),
    Setting(5, (48, 288, 96), True, True, 2),
    Setting(5, (96, 576, 96), True, True, 1),
    Setting(5, (96, 576, 96), True, True, 1),
)


class Conv2dNormActivation(Sequential):
    """A convolution that keeps the size (before its stride), a norm, and an activation or none."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int = 1,
        stride: int = 1,
        groups: int = 1,
        activation: Any = None,
    ) -> None:
        super().__init__(
            Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            BatchNorm2d(outputs, eps=0.001, momentum=0.01),
            *([] if activation is None else [activation()]),
        )


class SqueezeExcitation(Module):
    """Weigh the channels of (N, C, H, W): each by what the means of all say about it."""

    def __init__(self, input_channels: int, squeeze_channels: int) -> None:
        """Make the two layers between the means and the weights."""
        super().__init__()
        self.avgpool = AdaptiveAvgPool2d(1)
        self.fc1 = Conv2d(input_channels, squeeze_channels, 1)
        self.fc2 = Conv2d(squeeze_channels, input_channels, 1)
        self.activation = ReLU()
        self.scale_activation = Hardsigmoid()

    def forward(self, x: Tensor) -> Tensor:
        """Multiply each channel by its weight, between 0 and 1."""
        weights = self.fc2(self.activation(self.fc1(self.avgpool(x))))  # (N, C, 1, 1)
        return self.scale_activation(weights) * x


def _eighths(channels: float) -> int:
    """Return the multiple of 8 that is nearest, never a tenth below."""
    rounded = max(8, int(channels + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * channels else rounded


class InvertedResidual(Module):
    """Widen, look across space, weigh, narrow; x is added where the shape stays."""

    def __init__(self, setting: Setting) -> None:
        super().__init__()
        kernel, (inputs, wide, outputs), squeeze, hardswish, stride = setting
        activation = partial(Hardswish if hardswish else ReLU, inplace=True)
        conv = partial(Conv2dNormActivation, activation=activation)
        self.use_res_connect = stride == 1 and inputs == outputs
        layers: list[Module] = [] if wide == inputs else [conv(inputs, wide)]
        layers.append(conv(wide, wide, kernel, stride, groups=wide))
        layers += [SqueezeExcitation(wide, _eighths(wide // 4))] if squeeze else []
        self.block = Sequential(*layers, Conv2dNormActivation(wide, outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Map (N, C in, H, W) to (N, C out, H / stride, W / stride)."""
        changed: Tensor = self.block(x)
        return changed + x if self.use_res_connect else changed


class MobileNetV3(Module):
    """A stem, blocks by a table, a mean over the image, two linear layers.

    >>> model = MobileNetV3(SMALL[:2], last_channel=32, num_classes=5).eval()
    >>> tuple(model(norch.zeros(2, 3, 32, 32)).shape)
    (2, 5)
    """

    def __init__(
        self,
        settings: tuple[Setting, ...],
        last_channel: int,
        num_classes: int = 1000,
        dropout: float = 0.2,
    ) -> None:
        """Make the layers; `last_channel` is the width between the linear layers."""
        super().__init__()
        swish = partial(Hardswish, inplace=True)
        outputs = settings[-1].channels[2]
        self.features = Sequential(
            Conv2dNormActivation(3, settings[0].channels[0], 3, 2, activation=swish),
            *(InvertedResidual(setting) for setting in settings),
            Conv2dNormActivation(outputs, 6 * outputs, activation=swish),
        )
        self.avgpool = AdaptiveAvgPool2d(1)
        self.classifier = Sequential(
            Linear(6 * outputs, last_channel),
            Hardswish(inplace=True),
            Dropout(dropout, inplace=True),
            Linear(last_channel, num_classes),
        )
        draw_weights(self)

    def forward(self, x: Tensor) -> Tensor:
        """Turn images (N, 3, H, W) into scores (N, num_classes)."""
        scores: Tensor = self.classifier(self.avgpool(self.features(x)).flatten(1))
        return scores


def mobilenet_v3_large(weights: Any = None, progress: bool = True, **options: Any) -> MobileNetV3:
    """Return MobileNetV3-Large, 5,483,032 parameters; `weights` is a file.

    `options` are MobileNetV3's `num_classes` and `dropout`; `progress` is torchvision's bar for
    downloads: nothing is downloaded.
    """
    make = partial(MobileNetV3, LARGE, 1280)
    return make_model("mobilenet_v3_large", make, weights, options)


def mobilenet_v3_small(weights: Any = None, progress: bool = True, **options: Any) -> MobileNetV3:
    """Return MobileNetV3-Small, 2,542,856 parameters, as `mobilenet_v3_large`."""
    make = partial(MobileNetV3, SMALL, 1024)
    return make_model("mobilenet_v3_small", make, weights, options)
