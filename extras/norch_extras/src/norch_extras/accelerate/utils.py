"""What scripts import from `accelerate.utils`, and how a notebook starts several processes."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from norch_autograd import manual_seed
from norch_ddp.groups.process_group import get_rank, is_initialized
from norch_ddp.launch.spawn import start_processes


def set_seed(seed: int, device_specific: bool = False, deterministic: bool = False) -> None:
    """Seed Python's, NumPy's and norch's random streams; `device_specific` adds the rank.

    norch is deterministic on one machine, so `deterministic` changes nothing.
    """
    seed += get_rank() if device_specific and is_initialized() else 0
    random.seed(seed)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed % 2**32)
    manual_seed(seed)


@dataclass
class DistributedDataParallelKwargs:
    """Arguments of DistributedDataParallel, for `Accelerator(kwargs_handlers=[...])`."""

    broadcast_buffers: bool = True
    bucket_cap_mb: float | None = None
    find_unused_parameters: bool = False
    gradient_as_bucket_view: bool = False
    static_graph: bool = False

    def to_kwargs(self) -> dict[str, Any]:
        """Return the arguments of DistributedDataParallel that differ from their defaults."""
        return {
            field.name: value
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        }


def notebook_launcher(
    function: Callable[..., Any],
    args: tuple[Any, ...] = (),
    num_processes: int | None = None,
    mixed_precision: str = "no",
    use_port: str | int = 29500,
) -> None:
    """Call `function(*args)` in processes forked from this one, as a notebook's cell does.

    Each is a rank: `Accelerator()` inside joins them. None means one process; it runs here.
    """
    if mixed_precision != "no":
        raise ValueError(
            f"[notebook_launcher] mixed_precision {mixed_precision!r}: give it to the Accelerator "
            "inside the function"
        )
    if num_processes in (None, 1):
        function(*args)
        return
    if is_initialized():
        raise ValueError(
            "[notebook_launcher] this process has a process group already (an Accelerator outside "
            "the function?): make it inside the function, and start the notebook's kernel again"
        )
    place = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(use_port)}
    start_processes(
        _call_as_rank, (function, args, num_processes, place), num_processes, start_method="fork"
    )


def _call_as_rank(
    rank: int, function: Callable[..., Any], args: tuple[Any, ...], size: int, place: dict[str, str]
) -> None:
    """Call a notebook's function in a forked process, with the environment of its rank."""
    names = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size}
    os.environ.update(place | {name: str(value) for name, value in names.items()})
    function(*args)
