"""What scripts import from `accelerate.utils`: re-exported from stage 6."""

from norch_ddp.accelerate.utils import (
    DistributedDataParallelKwargs as DistributedDataParallelKwargs,
    set_seed as set_seed,
)
