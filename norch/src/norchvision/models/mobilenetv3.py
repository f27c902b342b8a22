"""MobileNetV3: re-exported from stage 5, `norch_nn.vision.models.mobilenetv3`."""

from norch_nn.vision.models.mobilenetv3 import (
    Conv2dNormActivation as Conv2dNormActivation,
    InvertedResidual as InvertedResidual,
    MobileNet_V3_Large_Weights as MobileNet_V3_Large_Weights,
    MobileNet_V3_Small_Weights as MobileNet_V3_Small_Weights,
    MobileNetV3 as MobileNetV3,
    SqueezeExcitation as SqueezeExcitation,
    mobilenet_v3_large as mobilenet_v3_large,
    mobilenet_v3_small as mobilenet_v3_small,
)
