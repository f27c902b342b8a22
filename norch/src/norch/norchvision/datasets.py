"""Datasets of pictures: re-exported from stage 5, `norch_nn.vision.datasets`."""

from norch_nn.vision.datasets import MNIST as MNIST
