"""Images: datasets and the transforms that make tensors of them."""

# fmt: off
from norch_nn.vision import datasets as datasets, transforms as transforms
