"""Accelerator: a training loop for one process, run in many; `norch.accelerate` names it.

Chapter 6 shows its loader; the page book/library/distributed.md lists its names.
"""

from norch_extras.accelerate.accelerator import Accelerator as Accelerator
from norch_extras.accelerate.loader import skip_first_batches as skip_first_batches
from norch_extras.accelerate.process_state import PartialState as PartialState
from norch_extras.accelerate.trackers import (
    GeneralTracker as GeneralTracker,
    JSONLinesTracker as JSONLinesTracker,
)
from norch_extras.accelerate.utils import (
    DistributedDataParallelKwargs as DistributedDataParallelKwargs,
    notebook_launcher as notebook_launcher,
)
