"""Datasets for the tests of DataLoader's workers, in a file that a new process can import.

Local classes and functions reach a forked worker alone; forkserver and spawn send these by name.
"""

import os
import random

import norch_autograd as norch
from norch_nn.data import Dataset, IterableDataset, get_worker_info


class Items(Dataset):
    """Sample i is i, or what `function(i)` returns."""

    def __init__(self, function=None, count=10):
        self.function = function
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return index if self.function is None else self.function(index)


class Shared(IterableDataset):
    """0 to 9; worker w of n yields those that are w mod n."""

    def __iter__(self):
        info = get_worker_info()
        return iter(range(10) if info is None else range(info.id, 10, info.num_workers))


def fails_at_5(index):
    if index == 5:
        raise KeyError("what went wrong")
    return index


def ends(codes):
    os._exit(codes[0])


def drawn(index):
    """The sample's number, its worker's, and a random number of each generator."""
    return index, get_worker_info().id, norch.rand(1).item(), random.random()
