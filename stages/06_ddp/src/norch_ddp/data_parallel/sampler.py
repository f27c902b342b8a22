"""Which examples this rank trains on: every N-th index of one order of the data set.

Used as `DataLoader(dataset, sampler=DistributedSampler(dataset))`. Every rank shuffles with the
same seed, so all agree on the order without a message.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized

from norch_cpu_ops import ops
from norch_ddp.groups.process_group import get_rank, get_world_size
from norch_nn.data import Sampler


class DistributedSampler(Sampler):
    """Give each of `num_replicas` ranks an equal share of the indices of `dataset`.

    Where the length does not divide, the first indices are repeated, or with `drop_last` the last
    ones left out, so that all ranks make the same number of steps. Call `set_epoch`
    before each epoch for a new order. `num_replicas` and `rank` default to the process group's.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        # -1 stands for None, as in PyNorch's `os.getenv(name, -1)` without a launcher
        self.num_replicas = get_world_size() if num_replicas in (None, -1) else num_replicas
        self.rank = get_rank() if rank in (None, -1) else rank
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"[DistributedSampler] rank {self.rank} does not exist among {self.num_replicas} "
                f"replicas: ranks are 0 to {self.num_replicas - 1}"
            )
        self.dataset = dataset
        self.shuffle = shuffle
        self.seed = seed
        self.drop_last = drop_last
        self.epoch = 0

    @property
    def num_samples(self) -> int:
        """How many indices each rank gets."""
        rounding = math.floor if self.drop_last else math.ceil
        return rounding(len(self.dataset) / self.num_replicas)

    @property
    def total_size(self) -> int:
        """How many indices all ranks get together."""
        return self.num_samples * self.num_replicas

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass; without it every epoch has the same one."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.num_samples

    def __iter__(self) -> Iterator[int]:
        indices = self._indices()
        # ex 6.2 begin
        if indices:
            repeats = math.ceil(self.total_size / len(indices))
            indices = (indices * repeats)[: self.total_size]
        return iter(indices[self.rank :: self.num_replicas])
        # ex 6.2 end

    def _indices(self) -> list[int]:
        """Return all indices of the data set in this epoch's order, the same on all ranks."""
        if not self.shuffle:
            return list(range(len(self.dataset)))
        indices: list[int] = ops.randperm(len(self.dataset), self.seed + self.epoch, 0).tolist()
        return indices
