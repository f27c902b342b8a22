"""Datasets of images: re-exported from stage 5, `norch_nn.vision.datasets`."""

from norch_nn.vision.datasets import (
    CIFAR10 as CIFAR10,
    MNIST as MNIST,
    DatasetFolder as DatasetFolder,
    FakeData as FakeData,
    FashionMNIST as FashionMNIST,
    ImageFolder as ImageFolder,
    VisionDataset as VisionDataset,
)
