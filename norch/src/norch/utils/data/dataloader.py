"""The loader under PyTorch's longer name: re-exported from stage 5, `norch_nn.data`."""

from norch_nn.data import DataLoader as DataLoader, default_collate as default_collate
