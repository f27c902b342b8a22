"""Images: datasets of them, transforms that make tensors of them, models, and files."""

# fmt: off
from norchvision import (
    datasets as datasets,
    models as models,
    transforms as transforms,
    utils as utils,
)
