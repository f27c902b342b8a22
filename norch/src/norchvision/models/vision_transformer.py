"""Vision transformers: re-exported from stage 5, `norch_nn.vision.models.vision_transformer`."""

from norch_nn.vision.models.vision_transformer import (
    Encoder as Encoder,
    EncoderBlock as EncoderBlock,
    MLPBlock as MLPBlock,
    VisionTransformer as VisionTransformer,
    ViT_B_16_Weights as ViT_B_16_Weights,
    ViT_B_32_Weights as ViT_B_32_Weights,
    ViT_H_14_Weights as ViT_H_14_Weights,
    ViT_L_16_Weights as ViT_L_16_Weights,
    ViT_L_32_Weights as ViT_L_32_Weights,
    vit_b_16 as vit_b_16,
    vit_b_32 as vit_b_32,
    vit_h_14 as vit_h_14,
    vit_l_16 as vit_l_16,
    vit_l_32 as vit_l_32,
)
