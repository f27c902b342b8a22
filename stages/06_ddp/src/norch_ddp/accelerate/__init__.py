"""Accelerator: a training loop for one process, run in many; re-exported as norch.accelerate."""

from norch_ddp.accelerate.accelerator import Accelerator
from norch_ddp.accelerate.loader import skip_first_batches
from norch_ddp.accelerate.process_state import PartialState
from norch_ddp.accelerate.trackers import GeneralTracker, JSONLinesTracker
from norch_ddp.accelerate.utils import DistributedDataParallelKwargs, notebook_launcher

__all__ = [
    "Accelerator",
    "DistributedDataParallelKwargs",
    "GeneralTracker",
    "JSONLinesTracker",
    "PartialState",
    "notebook_launcher",
    "skip_first_batches",
]
