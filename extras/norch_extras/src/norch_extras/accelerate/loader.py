"""A prepared DataLoader: this rank's share of every step, on the accelerator's device.

Made by `Accelerator.prepare` from the user's loader, which keeps the dataset, the sampler and the
options; only the indices are dealt out. Rank 0 draws their order, whatever the sampler, so all
ranks agree without sharing a random state, and N processes with batches of B learn what one process
with batches of N * B does. No rank loads what belongs to another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from norch_autograd import Tensor, tensor
from norch_autograd.types.trees import tree_map_only
from norch_ddp.collectives.objects import broadcast_object_list
from norch_ddp.data_parallel.sampler import DistributedSampler
from norch_ddp.groups.process_group import get_rank, get_world_size
from norch_extras.accelerate.accumulation import AccumulationState
from norch_nn.data import DataLoader


class PreparedLoader:
    """Yields batches as the user's loader does; `len` counts the steps, equal on all ranks.

    `is_last` says that the present batch is the pass's last one, `samples` how many samples all
    ranks have in this step without the repeated ones.
    """

    def __init__(
        self,
        loader: DataLoader,
        accumulation: AccumulationState,
        device: Any,
        split_batches: bool = False,
    ) -> None:
        check(loader)
        self._joined = 1 if split_batches else get_world_size()  # batches that make one step
        self._skip = 0  # steps of the next pass to leave out
        self.loader = loader
        self.dataset = loader.dataset
        self.batch_size = loader.batch_size
        self.device = device
        self.is_last = False
        self.samples: int | None = None
        self._accumulation = accumulation
        self._mine: list[list[Any]] = []  # what the loader below reads its indices from
        self._below = deal_batches(loader, self._mine) if has_batches(loader) else loader
        self._order: list[list[Any]] | None = None  # of the pass under way
        self._done = 0
        self._resume = False  # whether the next pass goes on with a loaded order

    @property
    def total_batch_size(self) -> int | None:
        """How many samples all ranks load in one step."""
        return None if self.batch_size is None else self.batch_size * self._joined

    def set_epoch(self, epoch: int) -> None:
        """Tell samplers that want to know it which epoch comes."""
        for sampler in (self.loader.sampler, self.loader.batch_sampler):
            if sampler is not None and hasattr(sampler, "set_epoch"):
                sampler.set_epoch(epoch)

    def __len__(self) -> int:
        count = len(self.loader)
        return count // self._joined if self.loader.drop_last else -(-count // self._joined)

    def __iter__(self) -> Iterator[Any]:
        return self._iterate_shares() if has_batches(self.loader) else self._iterate_stream()

    def _iterate_stream(self) -> Iterator[Any]:
        """Yield the batches of a stream, one behind, so as to know the last one."""
        with self._accumulation.iterating(self):
            self.is_last, self.samples = False, None
            batches = iter(self._below)
            for present in batches:
                for following in batches:
                    yield self._move(present)
                    present = following
                self.is_last = True
                yield self._move(present)

    def _iterate_shares(self) -> Iterator[Any]:
        """Yield this rank's part of each step's batches."""
        order, done = self._order_of_pass()
        done, self._skip = done + self._skip, 0
        joined = self._joined
        steps = deal(order, get_rank(), get_world_size(), self.loader.drop_last, joined)[done:]
        self._mine[:] = [step.indices for step in steps]
        with self._accumulation.iterating(self):
            self._order, self._done = order, done
            for number, (step, batch) in enumerate(zip(steps, self._below, strict=True), 1):
                self.is_last, self.samples = number == len(steps), step.samples
                self._done = done + number
                yield self._move(batch)
            self._order = None

    def _order_of_pass(self) -> tuple[list[list[Any]], int]:
        """Return the batches of this pass, and how many steps of it are over already."""
        if self._order is None or not self._resume:
            return draw(self.loader.batch_sampler), 0
        self._resume = False
        return self._order, self._done

    def _move(self, batch: Any) -> Any:
        """Return a batch with its tensors on the device of the accelerator."""
        return tree_map_only(Tensor, lambda t: t.to(self.device), batch)

    def state_dict(self) -> dict[str, Any]:
        """Return where the pass under way stands: its order, and the steps that are over."""
        if self._order is None:
            return {}
        return {
            "indices": tensor([index for batch in self._order for index in batch]),
            "sizes": tensor([len(batch) for batch in self._order]),
            "done": self._done,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on, in the next loop, after the step that `state_dict` saw last."""
        self._order, self._resume = None, False
        if state_dict:
            indices = iter(state_dict["indices"].tolist())
            sizes = state_dict["sizes"].tolist()
            self._order = [[next(indices) for _ in range(size)] for size in sizes]
            self._done, self._resume = int(state_dict["done"]), True


def has_batches(loader: DataLoader) -> bool:
    """Return whether the loader knows the indices of each batch beforehand."""
    return not loader.is_stream and loader.batch_sampler is not None


def deal_batches(loader: DataLoader, batches: list[list[Any]]) -> DataLoader:
    """Return a loader like `loader` that loads `batches`, whatever they hold when it starts."""
    return DataLoader(
        loader.dataset,
        batch_sampler=batches,
        num_workers=loader.num_workers,
        collate_fn=loader.collate_fn,
        pin_memory=loader.pin_memory,
        timeout=loader.timeout,
        worker_init_fn=loader.worker_init_fn,
        multiprocessing_context=loader.multiprocessing_context,
        prefetch_factor=loader.prefetch_factor,
        persistent_workers=loader.persistent_workers,
    )


def check(loader: DataLoader) -> None:
    """Refuse a loader whose batches cannot be dealt out to the ranks."""
    for sampler in (loader.sampler, getattr(loader.batch_sampler, "sampler", None)):
        if isinstance(sampler, DistributedSampler):
            raise ValueError(
                "[prepare] the loader has a DistributedSampler, and prepare deals samples out "
                "itself: give it the loader without one, with shuffle=True"
            )
    if not has_batches(loader) and get_world_size() > 1:
        kind = "a stream" if loader.is_stream else "batch_size=None"
        raise ValueError(
            f"[prepare] a loader of {kind} has no batches of indices to deal out among "
            f"{get_world_size()} processes: give a dataset with indices, and a batch_size"
        )


class Step(NamedTuple):
    """What one rank loads for one step, and how many samples all ranks have without repeats."""

    indices: list[Any]
    samples: int


def draw(batch_sampler: Any) -> list[list[Any]]:
    """Return the batches of one pass as rank 0's sampler gives them, on every rank."""
    orders = [[list(batch) for batch in batch_sampler] if get_rank() == 0 else []]
    if get_world_size() > 1:
        broadcast_object_list(orders, src=0)
    return orders[0]


def skip_first_batches(loader: Any, num_batches: int = 0) -> Any:
    """Return the loader without its first batches, to go on in the middle of a pass.

    A prepared one skips, without loading them, in its next pass alone.
    """
    if isinstance(loader, PreparedLoader) and has_batches(loader.loader):
        loader._skip = num_batches
        return loader
    return Skipping(loader, num_batches)


class Skipping:
    """A loader without its first batches, in every pass."""

    def __init__(self, loader: Any, skipped: int) -> None:
        self.loader = loader
        self.skipped = skipped

    def __len__(self) -> int:
        return max(0, len(self.loader) - self.skipped)

    def __iter__(self) -> Iterator[Any]:
        return islice(iter(self.loader), self.skipped, None)


def deal(
    batches: Sequence[list[Any]], rank: int, size: int, drop_last: bool, joined: int | None = None
) -> list[Step]:
    """Join `size` batches at a time and cut each pile into `size` equal parts; ours is `rank`.

    `joined` is another number of batches a pile: 1 cuts each batch itself.

    A pile that does not divide repeats its first samples. With `drop_last`, a pile of fewer batches
    is left out.

    >>> deal([[0, 1], [2, 3], [4]], rank=1, size=2, drop_last=False)
    [Step(indices=[2, 3], samples=4), Step(indices=[4], samples=1)]
    """
    joined = size if joined is None else joined
    steps = []
    for start in range(0, len(batches), joined):
        if drop_last and start + joined > len(batches):
            break
        pile = [index for batch in batches[start : start + joined] for index in batch]
        part = math.ceil(len(pile) / size)
        repeated = (pile * size)[: part * size]
        steps.append(Step(repeated[rank * part : (rank + 1) * part], len(pile)))
    return steps
