"""Datasets, samplers and the DataLoader; `norch.utils.data` re-exports these names."""

from norch_nn.data.collate import default_collate, default_convert
from norch_nn.data.dataloader import DataLoader
from norch_nn.data.dataset import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from norch_nn.data.joined import ChainDataset, StackDataset
from norch_nn.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from norch_nn.data.worker_info import (
    WorkerInfo,
    get_worker_info,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerInfo",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
]
