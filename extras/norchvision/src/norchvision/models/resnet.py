"""ResNet (He et al., 2015): blocks that add to their input what they compute from it.

The stride of a bottleneck is in its 3 x 3 convolution. Names and state_dict are torchvision's, so
its weights load as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from norch_autograd import Tensor
from norch_extras.nn.adaptive_pooling import AdaptiveAvgPool2d
from norch_nn import init
from norch_nn.core.module import Module
from norch_nn.modules.activation import ReLU
from norch_nn.modules.batchnorm import BatchNorm2d
from norch_nn.modules.container import Sequential
from norch_nn.modules.conv import Conv2d
from norch_nn.modules.linear import Linear
from norch_nn.modules.pooling import MaxPool2d
from norchvision.models.weights import Weights, make_model

ResNet18_Weights = ResNet34_Weights = ResNet50_Weights = Weights
ResNet101_Weights = ResNet152_Weights = Weights
Norm = Callable[[int], Module]


def conv3x3(in_planes: int, out_planes: int, stride: int = 1) -> Conv2d:
    """Return a 3 x 3 convolution that keeps the size, or divides it by `stride`."""
    return Conv2d(in_planes, out_planes, 3, stride=stride, padding=1, bias=False)


def conv1x1(in_planes: int, out_planes: int, stride: int = 1) -> Conv2d:
    """Return a 1 x 1 convolution: other channels at each place."""
    return Conv2d(in_planes, out_planes, 1, stride=stride, bias=False)


class BasicBlock(Module):
    """x plus what two 3 x 3 convolutions make of it: the block of the smaller ResNets.

    (N, inplanes, H, W) gives (N, planes, H / stride, W / stride); `downsample` brings x there.
    """

    expansion = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Module | None = None,
        norm_layer: Norm = BatchNorm2d,
    ) -> None:
        super().__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = norm_layer(planes)
        self.relu = ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)
        self.bn2 = norm_layer(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """Add to x, or to what `downsample` makes of it."""
        identity = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + identity)


class Bottleneck(Module):
    """x plus what three convolutions make of it: to few channels, across space, to many.

    (N, inplanes, H, W) gives (N, 4 planes, H / stride, W / stride).
    """

    expansion = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Module | None = None,
        norm_layer: Norm = BatchNorm2d,
    ) -> None:
        super().__init__()
        self.conv1 = conv1x1(inplanes, planes)
        self.bn1 = norm_layer(planes)
        self.conv2 = conv3x3(planes, planes, stride)
        self.bn2 = norm_layer(planes)
        self.conv3 = conv1x1(planes, planes * self.expansion)
        self.bn3 = norm_layer(planes * self.expansion)
        self.relu = ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x: Tensor) -> Tensor:
        """Add to x, or to what `downsample` makes of it."""
        identity = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + identity)


class ResNet(Module):
    """A stem, four stages of blocks, a mean over the image, a linear layer.

    `layers` says how many blocks each stage has: images (N, 3, H, W) give scores (N, num_classes).

    >>> model = ResNet(BasicBlock, [1, 1, 1, 1], num_classes=5)
    >>> tuple(model(norch.zeros(2, 3, 32, 32)).shape)
    (2, 5)
    """

    def __init__(
        self,
        block: type[BasicBlock | Bottleneck],
        layers: Sequence[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        norm_layer: Norm | None = None,
    ) -> None:
        """Make the layers; `zero_init_residual` lets every block begin as the identity."""
        super().__init__()
        self._norm_layer = norm_layer or BatchNorm2d
        self.inplanes = 64
        self.conv1 = Conv2d(3, self.inplanes, 7, stride=2, padding=3, bias=False)
        self.bn1 = self._norm_layer(self.inplanes)
        self.relu = ReLU(inplace=True)
        self.maxpool = MaxPool2d(3, stride=2, padding=1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], stride=2)
        self.layer3 = self._make_layer(block, 256, layers[2], stride=2)
        self.layer4 = self._make_layer(block, 512, layers[3], stride=2)
        self.avgpool = AdaptiveAvgPool2d((1, 1))
        self.fc = Linear(512 * block.expansion, num_classes)
        for module in self.modules():
            if isinstance(module, Conv2d):
                init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
            elif zero_init_residual and isinstance(module, BasicBlock | Bottleneck):
                last: Any = module.bn2 if isinstance(module, BasicBlock) else module.bn3
                init.zeros_(last.weight)

    def _make_layer(
        self, block: type[BasicBlock | Bottleneck], planes: int, blocks: int, stride: int = 1
    ) -> Sequential:
        """Return one stage; its first block changes the shape, and carries x along."""
        norm, outputs, downsample = self._norm_layer, planes * block.expansion, None
        if stride != 1 or self.inplanes != outputs:
            downsample = Sequential(conv1x1(self.inplanes, outputs, stride), norm(outputs))
        first = block(self.inplanes, planes, stride, downsample, norm)
        self.inplanes = outputs
        return Sequential(
            first, *(block(outputs, planes, norm_layer=norm) for _ in range(blocks - 1))
        )

    def forward(self, x: Tensor) -> Tensor:
        """Turn images (N, 3, H, W) into scores (N, num_classes)."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))  # (N, 64, H / 4, W / 4)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))  # (N, C, H / 32, W / 32)
        return self.fc(self.avgpool(x).flatten(1))


def _resnet(name: str, block: Any, layers: list[int], weights: Any, options: Any) -> ResNet:
    """Return the ResNet of this name, with the weights of a file if one is given."""
    return make_model(name, lambda **more: ResNet(block, layers, **more), weights, options)


def resnet18(weights: Any = None, progress: bool = True, **options: Any) -> ResNet:
    """Return ResNet-18, 11,689,512 parameters; `weights` is a file, `options` are ResNet's.

    `progress` is torchvision's bar for downloads: nothing is downloaded.
    """
    return _resnet("resnet18", BasicBlock, [2, 2, 2, 2], weights, options)


def resnet34(weights: Any = None, progress: bool = True, **options: Any) -> ResNet:
    """Return ResNet-34, 21,797,672 parameters; the arguments are those of `resnet18`."""
    return _resnet("resnet34", BasicBlock, [3, 4, 6, 3], weights, options)


def resnet50(weights: Any = None, progress: bool = True, **options: Any) -> ResNet:
    """Return ResNet-50, 25,557,032 parameters; the arguments are those of `resnet18`."""
    return _resnet("resnet50", Bottleneck, [3, 4, 6, 3], weights, options)


def resnet101(weights: Any = None, progress: bool = True, **options: Any) -> ResNet:
    """Return ResNet-101, 44,549,160 parameters; the arguments are those of `resnet18`."""
    return _resnet("resnet101", Bottleneck, [3, 4, 23, 3], weights, options)


def resnet152(weights: Any = None, progress: bool = True, **options: Any) -> ResNet:
    """Return ResNet-152, 60,192,808 parameters; the arguments are those of `resnet18`."""
    return _resnet("resnet152", Bottleneck, [3, 8, 36, 3], weights, options)
