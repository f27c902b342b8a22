"""Accelerator: a training loop for one process, run in many; `norch.accelerate` names it.

Chapter 6 shows its loader; the page book/library/distributed.md lists its names.
"""

from norch_extras.accelerate.accelerator import Accelerator
from norch_extras.accelerate.loader import skip_first_batches
from norch_extras.accelerate.process_state import PartialState
from norch_extras.accelerate.trackers import GeneralTracker, JSONLinesTracker
from norch_extras.accelerate.utils import DistributedDataParallelKwargs, notebook_launcher

__all__ = [
    "Accelerator",
    "DistributedDataParallelKwargs",
    "GeneralTracker",
    "JSONLinesTracker",
    "PartialState",
    "notebook_launcher",
    "skip_first_batches",
]
