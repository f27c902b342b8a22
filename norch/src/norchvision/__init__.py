"""Images, where a program imports torchvision: re-exported from stage 5, `norch_nn.vision`."""

from norchvision import (
    datasets as datasets,
    models as models,
    transforms as transforms,
    utils as utils,
)

__version__ = "0.1.0"
