"""Which of how many processes this is, on which device; and which of them prints for all.

The base of `Accelerator`. It joins the process group that a launcher started; a process started
alone is number 0 of 1.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from norch_autograd import Tensor, cat, device
from norch_cuda import device_count, is_available
from norch_ddp.collectives.collectives import barrier
from norch_ddp.groups.process_group import (
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
)


class Flag(int):
    """True or False, read or called: `is_main_process` or `is_main_process()`.

    Hugging Face's Accelerator has a property there, MyTorch's a method; scripts of both kinds run.

    >>> yes = Flag(True)
    >>> yes, yes(), not yes, yes == True
    (True, True, False, True)
    """

    def __call__(self) -> bool:
        """Return the answer as a plain bool."""
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))

    __str__ = __repr__


class ProcessState:
    """This process among the others.

    >>> state = ProcessState(cpu=True)
    >>> state.process_index, state.num_processes, state.device, state.is_main_process
    (0, 1, device(type='cpu'), True)
    """

    def __init__(self, cpu: bool = False) -> None:
        """Join the other processes; take this one's GPU if there is one and `cpu` is False."""
        if not is_initialized():
            init_process_group()
        self.local_process_index = int(os.environ.get("LOCAL_RANK", 0))
        uses_gpu = is_available() and not cpu
        number = self.local_process_index % max(1, device_count())
        self.device = device(f"cuda:{number}" if uses_gpu else "cpu")

    @property
    def num_processes(self) -> int:
        """How many processes train together."""
        return get_world_size()

    @property
    def process_index(self) -> int:
        """The number of this process, from 0."""
        return get_rank()

    @property
    def is_main_process(self) -> Flag:
        """Whether this is process 0; as a property, or called as a method."""
        return Flag(self.process_index == 0)

    @property
    def is_local_main_process(self) -> Flag:
        """Whether this is the first process of its machine; as a property or a method."""
        return Flag(self.local_process_index == 0)

    @property
    def is_last_process(self) -> Flag:
        """Whether this is the last process; as a property or a method."""
        return Flag(self.process_index == self.num_processes - 1)

    def wait_for_everyone(self) -> None:
        """Wait until every rank is here."""
        barrier()

    @contextmanager
    def main_process_first(self) -> Iterator[None]:
        """Run the block in process 0 before the others: it downloads, they find it done."""
        if not self.is_main_process:
            barrier()
        yield
        if self.is_main_process:
            barrier()

    @contextmanager
    def split_between_processes(self, inputs: Any, apply_padding: bool = False) -> Iterator[Any]:
        """Give the block this process's part of a list, a tuple, a tensor or a dict of them.

        The first parts are one longer where they do not divide; `apply_padding` repeats the last
        item instead.

        >>> with ProcessState(cpu=True).split_between_processes([1, 2, 3]) as mine:
        ...     mine
        [1, 2, 3]
        """
        if isinstance(inputs, dict):
            parts = {key: self._part(each, apply_padding) for key, each in inputs.items()}
            yield type(inputs)(parts)
        else:
            yield self._part(inputs, apply_padding)

    def _part(self, items: Any, padded: bool) -> Any:
        """Return this process's part of a list, a tuple or a tensor."""
        size, index = self.num_processes, self.process_index
        each, longer = divmod(len(items), size)
        start = index * each + min(index, longer)
        mine = items[start : start + each + (index < longer)]
        if not padded or not longer or index < longer or not len(items):
            return mine
        last = items[-1:]
        return cat([mine, last], 0) if isinstance(items, Tensor) else mine + last

    def print(self, *args: Any, **kwargs: Any) -> None:
        """Print once, not once in each process."""
        if self.is_main_process:
            print(*args, **kwargs)

    def on_main_process(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Make `function` run in process 0 alone; elsewhere it returns None.

        >>> ProcessState(cpu=True).on_main_process(lambda: "here")()
        'here'
        """

        @wraps(function)
        def once(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs) if self.is_main_process else None

        return once


PartialState = ProcessState
"""Accelerate's name, where a script wants the place alone."""
