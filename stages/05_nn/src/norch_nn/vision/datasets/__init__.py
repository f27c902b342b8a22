"""Datasets of pictures."""

from norch_nn.vision.datasets.mnist import MNIST

__all__ = ["MNIST"]
