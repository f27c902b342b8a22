"""Pictures: datasets and the transforms that make tensors of them."""

from norch_nn.vision import datasets, transforms

__all__ = ["datasets", "transforms"]
