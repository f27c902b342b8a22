"""Datasets of images."""

# fmt: off
# ruff: noqa: I001
from norch_nn.vision.datasets.cifar import CIFAR10 as CIFAR10
from norch_nn.vision.datasets.folder import (
    DatasetFolder as DatasetFolder, FakeData as FakeData, ImageFolder as ImageFolder,
)
from norch_nn.vision.datasets.image_dataset import VisionDataset as VisionDataset
from norch_nn.vision.datasets.mnist import FashionMNIST as FashionMNIST, MNIST as MNIST
