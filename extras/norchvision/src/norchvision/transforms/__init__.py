"""Transforms: from an image to a tensor, with torchvision's names; chained by Compose."""

# fmt: off
# ruff: noqa: I001
from norchvision.transforms import functional as functional
from norchvision.transforms.deterministic import (
    CenterCrop as CenterCrop, Compose as Compose, ConvertImageDtype as ConvertImageDtype,
    Grayscale as Grayscale, Lambda as Lambda, Normalize as Normalize, Pad as Pad,
    PILToTensor as PILToTensor, Reshape as Reshape, Resize as Resize, ToPILImage as ToPILImage,
    ToTensor as ToTensor,
)
from norchvision.transforms.geometry import InterpolationMode as InterpolationMode
from norchvision.transforms.random import (
    ColorJitter as ColorJitter, RandomApply as RandomApply, RandomChoice as RandomChoice,
    RandomGrayscale as RandomGrayscale, RandomHorizontalFlip as RandomHorizontalFlip,
    RandomRotation as RandomRotation, RandomVerticalFlip as RandomVerticalFlip,
)
from norchvision.transforms.random_crop import (
    RandomCrop as RandomCrop, RandomErasing as RandomErasing,
    RandomResizedCrop as RandomResizedCrop,
)
