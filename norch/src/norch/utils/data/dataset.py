"""Datasets under PyTorch's longer name: re-exported from stage 5, `norch_nn.data`."""

from norch_nn.data import (
    ChainDataset as ChainDataset,
    ConcatDataset as ConcatDataset,
    Dataset as Dataset,
    IterableDataset as IterableDataset,
    StackDataset as StackDataset,
    Subset as Subset,
    TensorDataset as TensorDataset,
    random_split as random_split,
)
