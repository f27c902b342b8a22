"""VGGs: re-exported from stage 5, `norch_nn.vision.models.vgg`."""

from norch_nn.vision.models.vgg import (
    VGG as VGG,
    VGG11_BN_Weights as VGG11_BN_Weights,
    VGG11_Weights as VGG11_Weights,
    VGG13_BN_Weights as VGG13_BN_Weights,
    VGG13_Weights as VGG13_Weights,
    VGG16_BN_Weights as VGG16_BN_Weights,
    VGG16_Weights as VGG16_Weights,
    VGG19_BN_Weights as VGG19_BN_Weights,
    VGG19_Weights as VGG19_Weights,
    vgg11 as vgg11,
    vgg11_bn as vgg11_bn,
    vgg13 as vgg13,
    vgg13_bn as vgg13_bn,
    vgg16 as vgg16,
    vgg16_bn as vgg16_bn,
    vgg19 as vgg19,
    vgg19_bn as vgg19_bn,
)
