"""The base of optimizers under PyTorch's longer name: re-exported from stage 5, `norch_nn`."""

from norch_nn.optim import Optimizer as Optimizer
