"""Samplers under PyTorch's longer name: re-exported from stage 5, `norch_nn.data`."""

from norch_nn.data import (
    BatchSampler as BatchSampler,
    RandomSampler as RandomSampler,
    Sampler as Sampler,
    SequentialSampler as SequentialSampler,
    SubsetRandomSampler as SubsetRandomSampler,
    WeightedRandomSampler as WeightedRandomSampler,
)
