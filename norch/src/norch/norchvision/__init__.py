"""Images: re-exported from stage 5, `norch_nn.vision`."""

from norch.norchvision import datasets as datasets, transforms as transforms
