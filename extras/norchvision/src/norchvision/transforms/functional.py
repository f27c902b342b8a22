"""The transforms as functions, under the names of torchvision.transforms.functional."""

# fmt: off
# ruff: noqa: I001
from norchvision.transforms.images import (
    convert_image_dtype as convert_image_dtype, get_dimensions as get_dimensions,
    get_image_num_channels as get_image_num_channels, get_image_size as get_image_size,
    pil_to_tensor as pil_to_tensor, to_pil_image as to_pil_image, to_tensor as to_tensor,
)
from norchvision.transforms.color import (
    adjust_brightness as adjust_brightness, adjust_contrast as adjust_contrast,
    adjust_hue as adjust_hue, adjust_saturation as adjust_saturation, normalize as normalize,
    rgb_to_grayscale as rgb_to_grayscale, to_grayscale as to_grayscale,
)
from norchvision.transforms.geometry import (
    center_crop as center_crop, crop as crop, erase as erase, hflip as hflip,
    InterpolationMode as InterpolationMode, pad as pad, resize as resize,
    resized_crop as resized_crop, rotate as rotate, vflip as vflip,
)
