"""One loop for one process or many: from `norch_extras.accelerate`."""

from norch_extras.accelerate import (
    Accelerator as Accelerator,
    DistributedDataParallelKwargs as DistributedDataParallelKwargs,
    GeneralTracker as GeneralTracker,
    JSONLinesTracker as JSONLinesTracker,
    PartialState as PartialState,
    notebook_launcher as notebook_launcher,
    skip_first_batches as skip_first_batches,
)
