"""One loop for one process or many: re-exported from stage 6, `norch_ddp.accelerate`."""

from norch_ddp.accelerate import (
    Accelerator as Accelerator,
    DistributedDataParallelKwargs as DistributedDataParallelKwargs,
    GeneralTracker as GeneralTracker,
    JSONLinesTracker as JSONLinesTracker,
    PartialState as PartialState,
    notebook_launcher as notebook_launcher,
    skip_first_batches as skip_first_batches,
)
