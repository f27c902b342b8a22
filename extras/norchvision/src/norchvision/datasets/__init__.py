"""Datasets of images."""

# fmt: off
# ruff: noqa: I001
from norchvision.datasets.cifar import CIFAR10 as CIFAR10
from norchvision.datasets.folder import (
    DatasetFolder as DatasetFolder, FakeData as FakeData, ImageFolder as ImageFolder,
)
from norchvision.datasets.image_dataset import VisionDataset as VisionDataset
from norchvision.datasets.mnist import FashionMNIST as FashionMNIST, MNIST as MNIST
