"""ResNets: re-exported from stage 5, `norch_nn.vision.models.resnet`."""

from norch_nn.vision.models.resnet import (
    BasicBlock as BasicBlock,
    Bottleneck as Bottleneck,
    ResNet as ResNet,
    ResNet18_Weights as ResNet18_Weights,
    ResNet34_Weights as ResNet34_Weights,
    ResNet50_Weights as ResNet50_Weights,
    ResNet101_Weights as ResNet101_Weights,
    ResNet152_Weights as ResNet152_Weights,
    conv1x1 as conv1x1,
    conv3x3 as conv3x3,
    resnet18 as resnet18,
    resnet34 as resnet34,
    resnet50 as resnet50,
    resnet101 as resnet101,
    resnet152 as resnet152,
)
