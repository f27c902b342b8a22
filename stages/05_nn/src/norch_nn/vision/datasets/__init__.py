"""Datasets of pictures."""

from norch_nn.vision.datasets.cifar import (
    CIFAR10,
)
from norch_nn.vision.datasets.fashion import (
    FashionMNIST,
)
from norch_nn.vision.datasets.mnist import MNIST

__all__ = [
    "CIFAR10",
    "FashionMNIST",
    "MNIST",
]
