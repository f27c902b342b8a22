"""SGD under PyTorch's longer name: re-exported from stage 5, `norch_nn.optim`."""

from norch_nn.optim import SGD as SGD
