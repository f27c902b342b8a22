"""Datasets and loaders: re-exported from stage 5, `norch_nn.data`."""

from norch.utils.data import (
    dataloader as dataloader,
    dataset as dataset,
    distributed as distributed,
    sampler as sampler,
)
from norch.utils.data.distributed import DistributedSampler as DistributedSampler
from norch_nn.data import (
    BatchSampler as BatchSampler,
    ChainDataset as ChainDataset,
    ConcatDataset as ConcatDataset,
    DataLoader as DataLoader,
    Dataset as Dataset,
    IterableDataset as IterableDataset,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
    StackDataset as StackDataset,
    Subset as Subset,
    SubsetRandomSampler as SubsetRandomSampler,
    TensorDataset as TensorDataset,
    WeightedRandomSampler as WeightedRandomSampler,
    WorkerInfo as WorkerInfo,
    default_collate as default_collate,
    default_convert as default_convert,
    get_worker_info as get_worker_info,
    random_split as random_split,
)
