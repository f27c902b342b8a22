"""The package `norchvision` by a longer name: `norch.norchvision.transforms` and the like."""

import norchvision
from norchvision import (
    datasets as datasets,
    models as models,
    transforms as transforms,
    utils as utils,
)

__path__ = norchvision.__path__  # where `import norch.norchvision.transforms` looks
