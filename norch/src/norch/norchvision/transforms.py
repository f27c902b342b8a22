"""Pictures to tensors: re-exported from stage 5, `norch_nn.vision.transforms`."""

from norch_nn.vision.transforms import (
    Compose as Compose,
    Lambda as Lambda,
    Normalize as Normalize,
    Reshape as Reshape,
    ToTensor as ToTensor,
)
