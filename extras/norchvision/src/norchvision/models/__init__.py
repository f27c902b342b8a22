"""Models of images, with torchvision's names and weights, read from files."""

# fmt: off
# ruff: noqa: I001
from norchvision.models.mobilenetv3 import (
    mobilenet_v3_large as mobilenet_v3_large,
    MobileNet_V3_Large_Weights as MobileNet_V3_Large_Weights,
    mobilenet_v3_small as mobilenet_v3_small,
    MobileNet_V3_Small_Weights as MobileNet_V3_Small_Weights, MobileNetV3 as MobileNetV3,
)
from norchvision.models.resnet import (
    ResNet as ResNet, resnet18 as resnet18, ResNet18_Weights as ResNet18_Weights,
    resnet34 as resnet34, ResNet34_Weights as ResNet34_Weights, resnet50 as resnet50,
    ResNet50_Weights as ResNet50_Weights, resnet101 as resnet101,
    ResNet101_Weights as ResNet101_Weights, resnet152 as resnet152,
    ResNet152_Weights as ResNet152_Weights,
)
from norchvision.models.vgg import (
    VGG as VGG, vgg11 as vgg11, vgg11_bn as vgg11_bn, VGG11_BN_Weights as VGG11_BN_Weights,
    VGG11_Weights as VGG11_Weights, vgg13 as vgg13, vgg13_bn as vgg13_bn,
    VGG13_BN_Weights as VGG13_BN_Weights, VGG13_Weights as VGG13_Weights, vgg16 as vgg16,
    vgg16_bn as vgg16_bn, VGG16_BN_Weights as VGG16_BN_Weights, VGG16_Weights as VGG16_Weights,
    vgg19 as vgg19, vgg19_bn as vgg19_bn, VGG19_BN_Weights as VGG19_BN_Weights,
    VGG19_Weights as VGG19_Weights,
)
from norchvision.models.vision_transformer import (
    VisionTransformer as VisionTransformer, vit_b_16 as vit_b_16,
    ViT_B_16_Weights as ViT_B_16_Weights, vit_b_32 as vit_b_32,
    ViT_B_32_Weights as ViT_B_32_Weights, vit_h_14 as vit_h_14,
    ViT_H_14_Weights as ViT_H_14_Weights, vit_l_16 as vit_l_16,
    ViT_L_16_Weights as ViT_L_16_Weights, vit_l_32 as vit_l_32,
    ViT_L_32_Weights as ViT_L_32_Weights,
)
