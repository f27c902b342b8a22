"""Accelerator: a training loop for one process, run in many; re-exported as norch.accelerate."""

from .accelerator import Accelerator
from .loader import skip_first_batches
from .process_state import PartialState
from .trackers import GeneralTracker, JSONLinesTracker
from .utils import DistributedDataParallelKwargs, notebook_launcher

__all__ = [
    "Accelerator",
    "DistributedDataParallelKwargs",
    "GeneralTracker",
    "JSONLinesTracker",
    "PartialState",
    "notebook_launcher",
    "skip_first_batches",
]
