"""Images to tensors: re-exported from stage 5, `norch_nn.vision.transforms`."""

from norch_nn.vision.transforms import (
    CenterCrop as CenterCrop,
    ColorJitter as ColorJitter,
    Compose as Compose,
    ConvertImageDtype as ConvertImageDtype,
    Grayscale as Grayscale,
    InterpolationMode as InterpolationMode,
    Lambda as Lambda,
    Normalize as Normalize,
    Pad as Pad,
    PILToTensor as PILToTensor,
    RandomApply as RandomApply,
    RandomChoice as RandomChoice,
    RandomCrop as RandomCrop,
    RandomErasing as RandomErasing,
    RandomGrayscale as RandomGrayscale,
    RandomHorizontalFlip as RandomHorizontalFlip,
    RandomResizedCrop as RandomResizedCrop,
    RandomRotation as RandomRotation,
    RandomVerticalFlip as RandomVerticalFlip,
    Reshape as Reshape,
    Resize as Resize,
    ToPILImage as ToPILImage,
    ToTensor as ToTensor,
)
from norchvision.transforms import functional as functional
