"""Images to tensors: re-exported from stage 5, `norch_nn.vision.transforms`."""

from norch_nn.vision.transforms import (
    CenterCrop as CenterCrop,
    Compose as Compose,
    Lambda as Lambda,
    Normalize as Normalize,
    RandomCrop as RandomCrop,
    RandomHorizontalFlip as RandomHorizontalFlip,
    Reshape as Reshape,
    Resize as Resize,
    ToTensor as ToTensor,
)
