"""Datasets, samplers and the DataLoader, with its worker processes.

`norch.utils.data` re-exports these names.
"""

# fmt: off
# ruff: noqa: I001
from norch_nn.data.collate import (
    default_collate as default_collate, default_convert as default_convert,
)
from norch_nn.data.dataloader import DataLoader as DataLoader
from norch_nn.data.dataset import (
    ConcatDataset as ConcatDataset, Dataset as Dataset, IterableDataset as IterableDataset,
    Subset as Subset, TensorDataset as TensorDataset,
)
from norch_nn.data.sampler import (
    BatchSampler as BatchSampler, RandomSampler as RandomSampler, Sampler as Sampler,
    SequentialSampler as SequentialSampler,
)
from norch_nn.data.worker_info import get_worker_info as get_worker_info, WorkerInfo as WorkerInfo
